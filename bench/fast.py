"""The network `fast` in PyTorch, for benchmarks: the layers of penumbra/model/backbones/fast.cpp."""
import torch
from torch import nn


class Group(nn.Sequential):
    def __init__(self, inputs, outputs):
        super().__init__(nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.MaxPool2d(2),
                         nn.BatchNorm2d(outputs), nn.ReLU(),
                         nn.Conv2d(outputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())


class Fast(nn.Module):
    def __init__(self, width=64, classes=10):
        super().__init__()
        self.whiten = nn.Conv2d(3, 24, 2, bias=False)
        self.groups = nn.Sequential(Group(24, width), Group(width, 2 * width), Group(2 * width, 4 * width))
        self.fc = nn.Linear(4 * width, classes)

    def forward(self, images):
        maps = self.groups(torch.relu(self.whiten(images)))
        return self.fc(torch.amax(maps, (2, 3)) / 9)

"""WRN-28-2 as Python's semi-supervised repositories write it, for the peer scripts."""
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, channels_in, channels_out, stride, activate_before_residual):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(channels_in, momentum=0.001)
        self.conv1 = nn.Conv2d(channels_in, channels_out, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels_out, momentum=0.001)
        self.conv2 = nn.Conv2d(channels_out, channels_out, 3, 1, 1, bias=False)
        self.act = nn.LeakyReLU(0.1, inplace=True)
        self.before = activate_before_residual
        self.shortcut = None
        if channels_in != channels_out:
            self.shortcut = nn.Conv2d(channels_in, channels_out, 1, stride, 0, bias=False)

    def forward(self, x):
        active = self.act(self.bn1(x))
        residual = x
        if self.shortcut is not None:
            residual = self.shortcut(active if self.before else x)
        return self.conv2(self.act(self.bn2(self.conv1(active)))) + residual


class Wrn(nn.Module):
    def __init__(self, classes=10, depth=28, width=2):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        blocks, channels = [], 16
        for group in range(3):
            out = 16 * width << group
            for i in range((depth - 4) // 6):
                first = i == 0
                blocks.append(Block(channels, out, 2 if first and group else 1, group == 0))
                channels = out
        self.blocks = nn.Sequential(*blocks)
        self.bn1 = nn.BatchNorm2d(channels, momentum=0.001)
        self.fc = nn.Linear(channels, classes)

    def forward(self, x):
        x = F.leaky_relu(self.bn1(self.blocks(self.conv1(x))), 0.1)
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))

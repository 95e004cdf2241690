#!/usr/bin/env python3
"""Write models.json: logits, features and gradients of small networks, in double precision.

The networks are written here from their papers (ResNet-18 is torchvision's own), with weights
from a formula of whole numbers that the C++ test repeats, so that no weights are stored.
Run: python3 tests/golden/make_models.py   (needs torch and torchvision)
"""
import json
import pathlib

import numpy as np
import torch
import torch.nn.functional as F
import torchvision
from torch import nn


def scattered(salt, count):
    """count numbers in [-0.5, 0.5), spread by mixing the bits of (index, salt)."""
    x = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(2654435761) + np.uint64(salt * 97)
    x &= np.uint64(0xFFFFFFFF)
    x ^= x >> np.uint64(16)
    x = (x * np.uint64(0x45D9F3B)) & np.uint64(0xFFFFFFFF)
    x ^= x >> np.uint64(16)
    return torch.from_numpy(x.astype(np.float64) / 2.0**32 - 0.5)


def value_of(name, tensor, salt):
    x = scattered(salt, tensor.numel()).reshape(tensor.shape)
    if tensor.dim() == 4:
        return x * (24 / (tensor.shape[0] * tensor.shape[2] * tensor.shape[3])) ** 0.5
    if tensor.dim() == 2:
        return x * 0.5
    if name.endswith("running_var") or (name.endswith("weight") and tensor.dim() == 1):
        return 1 + 0.5 * x
    return 0.2 * x


class WideBlock(nn.Module):
    def __init__(self, inputs, outputs, stride, first_group):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(inputs, eps=1e-5, momentum=0.001)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs, eps=1e-5, momentum=0.001)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.first_group = first_group
        if inputs != outputs:
            self.shortcut = nn.Conv2d(inputs, outputs, 1, stride, 0, bias=False)

    def forward(self, x):
        act = F.leaky_relu(self.bn1(x), 0.1)
        y = self.conv2(F.leaky_relu(self.bn2(self.conv1(act)), 0.1))
        if not hasattr(self, "shortcut"):
            return x + y
        return self.shortcut(act if self.first_group else x) + y


class WideResNet(nn.Module):
    def __init__(self, channels, depth, width, classes):
        super().__init__()
        blocks = (depth - 4) // 6
        sizes = [16, 16 * width, 32 * width, 64 * width]
        self.conv1 = nn.Conv2d(channels, 16, 3, 1, 1, bias=False)
        for g in range(3):
            inside = [WideBlock(sizes[g] if i == 0 else sizes[g + 1], sizes[g + 1],
                                2 if g and i == 0 else 1, g == 0) for i in range(blocks)]
            setattr(self, f"layer{g + 1}", nn.Sequential(*inside))
        self.bn1 = nn.BatchNorm2d(sizes[3], eps=1e-5, momentum=0.001)
        self.fc = nn.Linear(sizes[3], classes)

    def forward(self, x):
        x = self.layer3(self.layer2(self.layer1(self.conv1(x))))
        return self.fc(F.adaptive_avg_pool2d(F.leaky_relu(self.bn1(x), 0.1), 1).flatten(1))


class ShiftNorm(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))

    def forward(self, x):
        if self.training:
            mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3), unbiased=False)
            n = x.numel() / x.shape[1]
            with torch.no_grad():
                self.running_mean.mul_(0.9).add_(0.1 * mean)
                self.running_var.mul_(0.9).add_(0.1 * var * n / (n - 1))
        else:
            mean, var = self.running_mean, self.running_var
        channel = (1, -1, 1, 1)
        return ((x - mean.view(channel)) / (var.view(channel) + 1e-5).sqrt()
                + self.bias.view(channel))


class FastGroup(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, 1, 1, bias=False)
        self.norm1 = ShiftNorm(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = ShiftNorm(outputs)

    def forward(self, x):
        x = F.relu(self.norm1(F.max_pool2d(self.conv1(x), 2)))
        return F.relu(self.norm2(self.conv2(x)))


class Fast(nn.Module):
    def __init__(self, channels, width, classes):
        super().__init__()
        self.register_buffer("whitening", torch.zeros(8 * channels, channels, 2, 2))
        self.group1 = FastGroup(8 * channels, width)
        self.group2 = FastGroup(width, 2 * width)
        self.group3 = FastGroup(2 * width, 4 * width)
        self.fc = nn.Linear(4 * width, classes)

    def forward(self, x):
        x = F.relu(F.conv2d(x, self.whitening))
        x = self.group3(self.group2(self.group1(x)))
        return self.fc(F.adaptive_max_pool2d(x, 1).flatten(1) / 9)


def resnet18_cifar(channels, classes):
    net = torchvision.models.resnet18(weights=None, num_classes=classes)
    net.conv1 = nn.Conv2d(channels, 64, 3, 1, 1, bias=False)
    net.maxpool = nn.Identity()
    return net


def summary(tensor):
    flat = tensor.detach().reshape(-1)
    return [flat.sum().item(), flat.norm().item()] + flat[:3].tolist()


def case(backbone, net, channels, height, width, classes, n):
    net = net.double()
    state = {k: v for k, v in net.state_dict().items() if v.dtype == torch.float64}
    for salt, name in enumerate(sorted(state)):
        state[name].copy_(value_of(name, state[name], salt))
    images = scattered(1000, n * channels * height * width).reshape(n, channels, height, width) * 4
    weights = scattered(2000, n * classes).reshape(n, classes)
    net.eval()
    evaluated = net(images)
    net.train()
    images.requires_grad_(True)
    trained = net(images)
    (trained * weights).sum().backward()
    gradients = {k: summary(p.grad) for k, p in net.named_parameters()}
    running = {k: summary(v) for k, v in net.state_dict().items() if "running" in k or k == "whitening"}
    return {"backbone": backbone, "channels": channels, "height": height, "width": width,
            "classes": classes, "images": n, "evaluated": evaluated.reshape(-1).tolist(),
            "trained": trained.reshape(-1).tolist(), "image_gradient": summary(images.grad),
            "gradients": gradients, "running": running}


def main():
    torch.set_num_threads(1)
    cases = [
        case("wrn_10_1", WideResNet(3, 10, 1, 5), 3, 16, 16, 5, 3),
        case("wrn_16_2", WideResNet(1, 16, 2, 10), 1, 12, 20, 10, 2),
        case("resnet18", torchvision.models.resnet18(weights=None, num_classes=7), 3, 40, 40, 7, 3),
        case("resnet18_cifar", resnet18_cifar(3, 4), 3, 12, 12, 4, 2),
        case("fast_4", Fast(3, 4, 5), 3, 18, 21, 5, 3),
    ]
    path = pathlib.Path(__file__).with_name("models.json")
    lines = ",\n".join(json.dumps(c) for c in cases)
    path.write_text(f"[\n{lines}\n]\n")


main()

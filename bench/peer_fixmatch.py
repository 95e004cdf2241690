#!/usr/bin/python3
"""WRN-28-2 and FixMatch in a plain PyTorch loop on CIFAR-10: how far it comes in so many minutes of wall time.

Run: bench/peer_fixmatch.py FOLDER MINUTES [SEED]      (FOLDER has cifar-10-batches-bin)
4000 labels, two threads, two loader workers, PIL augmentation. Settings are those that penumbra's `quick` had for
fixmatch by SGD (learning rate 0.1 and cosine, one unlabelled picture per labelled one, weak and strong views of
labelled pictures, 0.4 of the time with labels alone, threshold 0.95, labels by an average of 0.99), and weak views stay
out of backward. It has all that makes peer_step.py's tuned loop fast. The schedule follows the clock. Prints the
accuracy of the average on all test pictures.
"""
import copy
import math
import os
import pathlib
import sys
import time

import numpy
import torch
import torch.nn.functional as F
from PIL import Image
from torchvision import transforms as T

from peer_step import TUNED_MALLOC, has_bf16
from wrn import Wrn

B, RATIO, LR, START, DECAY, LABELS = 64, 1, 0.1, 0.4, 0.99, 4000
LAST = [T.ToTensor(), T.Normalize((0.49, 0.48, 0.45), (0.25, 0.24, 0.26))]
WEAK = [T.RandomHorizontalFlip(), T.RandomCrop(32, 4, padding_mode="reflect")]
STRONG = T.Compose(WEAK + [T.RandAugment(2, 10)] + LAST + [T.RandomErasing(1, (0.25, 0.25), (1, 1), 0.5)])
WEAK = T.Compose(WEAK + LAST)
EITHER = T.RandomChoice([WEAK, STRONG])
BF16 = has_bf16()


def read(files):
    records = numpy.concatenate([numpy.fromfile(file, numpy.uint8).reshape(-1, 3073) for file in files])
    pictures = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return [Image.fromarray(picture) for picture in pictures], torch.tensor(records[:, 0].astype(numpy.int64))


class Pictures(torch.utils.data.Dataset):
    def __init__(self, pictures, labels, views):
        self.pictures, self.labels, self.views = pictures, labels, views

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, i):
        return *(view(self.pictures[i]) for view in self.views), self.labels[i]


def endless(pictures, batch):
    while True:
        yield from torch.utils.data.DataLoader(pictures, batch, shuffle=True, num_workers=1, drop_last=True)


def answer(model, pictures):
    with torch.autocast("cpu", torch.bfloat16, enabled=BF16):
        return model(pictures.to(memory_format=torch.channels_last)).float()


def main(folder, minutes, seed):
    begin = time.monotonic()
    torch.manual_seed(seed)
    torch.set_num_threads(2)
    root = pathlib.Path(folder) / "cifar-10-batches-bin"
    pictures, labels = read(sorted(root.glob("data_batch_*.bin")))
    order = torch.randperm(len(labels))
    known = torch.cat([order[labels[order] == c][:LABELS // 10] for c in range(10)])
    rest = sorted(set(range(len(labels))) - set(known.tolist()))
    labelled = endless(Pictures([pictures[i] for i in known], labels[known], [EITHER]), B)
    unlabelled = endless(Pictures([pictures[i] for i in rest], labels[rest], [WEAK, STRONG]), B * RATIO)

    model = Wrn().to(memory_format=torch.channels_last)
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = 0.1
    teacher = copy.deepcopy(model).eval()
    optimiser = torch.optim.SGD(model.parameters(), LR, momentum=0.9, nesterov=True, weight_decay=5e-4)
    steps = 0
    while (passed := (time.monotonic() - begin) / (60 * minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = LR * min(1, (steps + 1) / 20) * math.cos(7 / 16 * math.pi * passed)
        x, y = next(labelled)
        if passed < START:
            loss = F.cross_entropy(answer(model, x), y)
        else:
            weak, strong, _ = next(unlabelled)
            with torch.no_grad():
                confidence, guess = answer(teacher, weak).softmax(1).max(1)
            logits = answer(model, torch.cat([x, strong]))
            each = F.cross_entropy(logits[B:], guess, reduction="none")
            loss = F.cross_entropy(logits[:B], y) + (each * (confidence >= 0.95)).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        steps += 1
        with torch.no_grad():
            decay = min(DECAY, (1 + steps) / (10 + steps))
            for mean, value in zip(teacher.state_dict().values(), model.state_dict().values()):
                mean.copy_(mean * decay + value * (1 - decay) if mean.is_floating_point() else value)
        if steps % 50 == 0:
            print(f"{100 * passed:.0f} %  step {steps}  loss {loss.item():.3f}", file=sys.stderr, flush=True)

    tests, truth = read([root / "test_batch.bin"])
    pictures = torch.stack([T.Compose(LAST)(picture) for picture in tests])
    with torch.no_grad():
        guesses = torch.cat([answer(teacher, some).argmax(1) for some in pictures.split(500)])
    accuracy = 100 * (guesses == truth).double().mean().item()
    print(f"seed {seed}: {accuracy:.2f} % after {steps} steps and {minutes:g} minutes")


if __name__ == "__main__":
    if not TUNED_MALLOC.items() <= os.environ.items():  # which is read once, when a process starts
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **TUNED_MALLOC})
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)

#!/usr/bin/python3
"""A whole FixMatch step (B = 64, mu = 7, data included): a PyTorch loop beside penumbra, in turns.

Run: bench/peer_fixmatch_step.py build/release/penumbra [ROUNDS]
The loop is what people write: WRN-28-2 in NCHW fp32 with two threads, PIL augmentation in two loader
workers, all 960 rows through forward and backward. `lean` leaves the weak views out of backward,
as penumbra does by default. Prints medians and ratios.
"""
import json
import statistics
import subprocess
import sys
import time

import torch
import torch.nn.functional as F
from PIL import Image
from torchvision import transforms as T

from wrn import Wrn

B, MU, STEPS = 64, 7, 3


class Views(torch.utils.data.Dataset):
    """Random pictures with the views of FixMatch: weak, and weak + RandAugment + cutout."""

    def __init__(self, strong):
        generator = torch.Generator().manual_seed(0)
        pixels = torch.randint(0, 256, (2048, 32, 32, 3), dtype=torch.uint8, generator=generator)
        self.pictures = [Image.fromarray(p.numpy()) for p in pixels]
        weak = [T.RandomHorizontalFlip(), T.RandomCrop(32, 4, padding_mode="reflect")]
        last = [T.ToTensor(), T.Normalize((0.49, 0.48, 0.45), (0.25, 0.24, 0.26))]
        self.weak = T.Compose(weak + last)
        self.strong = None
        if strong:
            self.strong = T.Compose(weak + [T.RandAugment(2, 10)] + last
                                    + [T.RandomErasing(1, (0.25, 0.25), (1, 1), 0.5)])

    def __len__(self):
        return 1 << 20

    def __getitem__(self, i):
        picture = self.pictures[i % len(self.pictures)]
        if self.strong is None:
            return self.weak(picture), i % 10
        return self.weak(picture), self.strong(picture)


def loop(lean):
    """Seconds of a step."""
    torch.manual_seed(0)
    torch.set_num_threads(2)
    model = Wrn()
    optimiser = torch.optim.SGD(model.parameters(), 0.03, momentum=0.9, nesterov=True, weight_decay=5e-4)
    labelled = iter(torch.utils.data.DataLoader(Views(False), B, num_workers=1, drop_last=True))
    unlabelled = iter(torch.utils.data.DataLoader(Views(True), B * MU, num_workers=1, drop_last=True))
    average = [p.detach().clone() for p in model.parameters()]
    start = None
    for step in range(STEPS + 1):
        if step == 1:
            start = time.perf_counter()
        (x, y), (weak, strong) = next(labelled), next(unlabelled)
        if lean:
            with torch.no_grad():
                weak_logits = model(weak)
            logits = model(torch.cat([x, strong]))
            labelled_logits, strong_logits = logits[:B], logits[B:]
        else:
            logits = model(torch.cat([x, weak, strong]))
            labelled_logits, weak_logits, strong_logits = logits[:B], logits[B:B + B * MU], logits[B + B * MU:]
        probability, guess = weak_logits.detach().softmax(1).max(1)
        mask = (probability >= 0.95).float()
        loss = (F.cross_entropy(labelled_logits, y)
                + (F.cross_entropy(strong_logits, guess, reduction="none") * mask).mean())
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        with torch.no_grad():
            for mean, parameter in zip(average, model.parameters()):
                mean.mul_(0.999).add_(parameter, alpha=0.001)
        loss.item()
    return (time.perf_counter() - start) / STEPS


def ours(penumbra):
    command = [penumbra, "bench", "--method", "fixmatch", "--rounds", "1", "--seconds", "0", "--threads", "2",
               "--precision", "fp32", "--format", "json"]  # as the loops compute
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(out)["method_step_seconds"]


def main(penumbra, rounds):
    times = {"penumbra": [], "default": [], "lean": []}
    for _ in range(rounds):
        times["penumbra"].append(ours(penumbra))
        times["default"].append(loop(lean=False))
        times["lean"].append(loop(lean=True))
        print("  ".join(f"{name} {values[-1]:.2f} s" for name, values in times.items()), flush=True)
    for name in ("default", "lean"):
        ratio = statistics.median(p / o for p, o in zip(times[name], times["penumbra"]))
        print(f"penumbra is {ratio:.2f} times as fast as the {name} loop (median of {rounds} rounds; "
              f"{statistics.median(times['penumbra']):.2f} s and {statistics.median(times[name]):.2f} s a step)")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3)

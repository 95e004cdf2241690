#!/usr/bin/python3
"""What the paper's tables at full scale cost on this machine: arithmetic, and days by the measured speed.

Run: bench/table_cost.py build/release/penumbra [THREADS]
A step trains some rows (forward and backward: three times the arithmetic of forward) and guesses labels for others
(forward alone); how many follows from the preset `paper`. Prints markdown.
"""
import json
import subprocess
import sys

import torch
from torchvision.models import resnet18

from peer_step import has_bf16
from wrn import Wrn

# Rows of a step with 64 labelled images: trained, guessed.
GUESSES_7 = (64 + 7 * 64, 2 * 64)  # penumbra and simple, S = 7, K = 2
GUESSES_4 = (64 + 4 * 64, 2 * 64)
FIXMATCH = (15 * 64, 0)  # labelled, weak and strong views in one batch
MIXMATCH = (3 * 64, 2 * 64)
REMIXMATCH = (12 * 64, 64)  # labelled, weak, eight strong views mixed; one unmixed, one turned
MEAN_TEACHER = (2 * 64, 64)
# 180 passes over 4000 labelled images, then 180 over 38,800 others, before each of which all are looked at.
ALONE, PROPAGATED = 180 * (4000 // 31), 180 * (38800 // 97)
PROPAGATION = ((31 * ALONE + 128 * PROPAGATED) / (ALONE + PROPAGATED), 180 * 42800 / (ALONE + PROPAGATED))
LONG, LONGER = 2 ** 20, 2 ** 21
SEEDS = 3


def sixteen(rows):
    """Mini-ImageNet's batches of 16."""
    return tuple(row // 4 for row in rows)


# table, cells of it, what, network, side, steps, rows of a step
RUNS = [
    (1, 8, "CIFAR-10 and SVHN: `penumbra`, `simple`", "wrn_28_2", 32, LONG, GUESSES_7),
    (1, 4, "the same: `fixmatch`", "wrn_28_2", 32, LONG, FIXMATCH),
    (1, 4, "the same: `remixmatch`", "wrn_28_2", 32, LONG, REMIXMATCH),
    (1, 4, "the same: `mixmatch`", "wrn_28_2", 32, LONG, MIXMATCH),
    (1, 4, "the same: `mean_teacher`", "wrn_28_2", 32, LONG, MEAN_TEACHER),
    (1, 2, "CIFAR-100: `penumbra`, `simple`", "wrn_28_8", 32, LONG, GUESSES_4),
    (1, 1, "the same: `fixmatch`", "wrn_28_8", 32, LONG, FIXMATCH),
    (1, 1, "the same: `remixmatch`", "wrn_28_8", 32, LONG, REMIXMATCH),
    (1, 1, "the same: `mixmatch`", "wrn_28_8", 32, LONG, MIXMATCH),
    (1, 1, "the same: `mean_teacher`", "wrn_28_8", 32, LONG, MEAN_TEACHER),
    (2, 2, "Mini-ImageNet: `penumbra`, `simple`", "wrn_28_2", 84, LONGER, sixteen(GUESSES_7)),
    (2, 1, "the same: `mixmatch`", "wrn_28_2", 84, LONG, MIXMATCH),
    (2, 2, "Mini-ImageNet: `penumbra`, `simple`", "resnet18", 84, LONGER, sixteen(GUESSES_7)),
    (2, 1, "the same: `mean_teacher`", "resnet18", 84, LONG, MEAN_TEACHER),
    (2, 1, "the same: `label_propagation`", "resnet18", 84, ALONE + PROPAGATED, PROPAGATION),
    (3, 7, "CIFAR-10: `penumbra` and its ablations", "wrn_28_2", 32, LONG, GUESSES_7),
    (3, 7, "CIFAR-100: the same", "wrn_28_8", 32, LONG, GUESSES_4),
]


def multiply_adds(network, side):
    """Of convolutions and linear layers, for one image forward."""
    model = resnet18() if network == "resnet18" else Wrn(width=int(network.split("_")[2]))
    total = 0

    def count(layer, _, output):
        nonlocal total
        places = output.shape[2] * output.shape[3] if output.dim() == 4 else 1
        total += layer.weight.numel() * places

    for layer in model.modules():
        if isinstance(layer, (torch.nn.Conv2d, torch.nn.Linear)):
            layer.register_forward_hook(count)
    model.eval()(torch.zeros(1, 3, side, side))
    return total


def speed(penumbra, network, side, threads):
    command = [penumbra, "bench", "--backbone", network, "--size", str(side), "--batch", "64" if side == 32 else "16",
               "--rounds", "3", "--seconds", "4", "--format", "json", "--threads", str(threads),
               "--precision", "bf16" if has_bf16() else "fp32"]  # guesses are made in that of training
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found["train_images_per_second"], found["predict_images_per_second"]


def main(penumbra, threads):
    speeds, sums = {}, {}
    print("| table | one run | network | steps | FLOPs | days | runs |\n|---|---|---|---:|---:|---:|---:|")
    for table, cells, what, network, side, steps, (trained, guessed) in RUNS:
        if (network, side) not in speeds:
            speeds[network, side] = speed(penumbra, network, side, threads)
        train, predict = speeds[network, side]
        flops = 2 * multiply_adds(network, side) * steps * (3 * trained + guessed)
        days = steps * (trained / train + guessed / predict) / 86400
        runs = SEEDS * cells
        print(f"| {table} | {what} | `{network}` | {steps} | {flops:.1e} | {days:.0f} | {runs} |", flush=True)
        before = sums.get(table, (0, 0, 0))
        sums[table] = (before[0] + flops * runs, before[1] + days * runs, before[2] + runs)
    for table, (flops, days, runs) in sums.items():
        print(f"| {table} | all, {SEEDS} seeds | | | {flops:.1e} | {days:.0f} | {runs} |")
    print()
    for (network, side), (train, predict) in speeds.items():
        print(f"- `{network}`, {side} x {side}: {train:.1f} images/s trained, {predict:.1f} predicted, "
              f"{multiply_adds(network, side) / 1e6:.0f} million multiply-adds forward")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2)

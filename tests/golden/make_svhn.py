#!/usr/bin/python3
"""What scipy's MATLAB reader finds in the SVHN subset: make_svhn.py FOLDER > svhn_subset.json"""
import json
import pathlib
import sys

import numpy
import scipy.io

expected = {}
for part in ("train", "test"):
    file = scipy.io.loadmat(pathlib.Path(sys.argv[1]) / f"{part}_32x32.mat")
    pixels = file["X"].transpose(3, 0, 1, 2)  # to [N, H, W, C]
    labels = file["y"].ravel().astype(int) % 10
    flat = pixels.reshape(-1).astype(numpy.int64)
    scaled = pixels.reshape(-1, 3) / 255.0
    expected[part] = {
        "count": len(labels),
        "digits": numpy.bincount(labels, minlength=10).tolist(),
        "weighted_sum": int((flat * (numpy.arange(flat.size) % 9973)).sum()),
        "mean": scaled.mean(0).tolist(),
        "std": scaled.std(0).tolist(),
    }
print(json.dumps(expected, indent=1))

#!/usr/bin/python3
"""Three steps of Muon from NumPy, by singular values and not by products of matrices: make_muon.py > muon.json

A kernel of 6 filters, 4 channels and 3 x 3 places, and one of 40 filters and 1 x 1; weight and gradients follow
closed formulas that the test repeats."""
import json

import numpy

LR, MOMENTUM, STEPS = 0.03, 0.9, 3


def wave(shape, a, b):
    return numpy.sin(a * numpy.arange(numpy.prod(shape)) + b).reshape(shape)


def nearly_orthogonal(matrix):
    u, s, v = numpy.linalg.svd(matrix, full_matrices=False)
    s = s / numpy.sqrt((s ** 2).sum())
    for _ in range(3):
        s = 3.4445 * s - 4.7750 * s ** 3 + 2.0315 * s ** 5
    return u @ numpy.diag(s) @ v


def trained(shape):
    weight, velocity = wave(shape, 1.3, 0.2), numpy.zeros(shape)
    length = numpy.linalg.norm(weight)
    for step in range(STEPS):
        gradient = wave(shape, 0.7 + step, 0.5)
        velocity = MOMENTUM * velocity + gradient
        move = nearly_orthogonal((gradient + MOMENTUM * velocity).reshape(shape[0], -1)).reshape(shape)
        weight = weight - LR * length * move / numpy.linalg.norm(move)
        weight *= length / numpy.linalg.norm(weight)
    return weight.flatten().tolist()


print(json.dumps({"wide": trained((6, 4, 3, 3)), "tall": trained((40, 4, 1, 1))}))

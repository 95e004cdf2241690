#!/usr/bin/python3
"""Calibration and selective prediction from NumPy and scikit-learn: make_calibration.py > calibration.json

Inputs follow the closed formula of make_metrics.py, which the tests repeat."""
import json

import numpy
from scipy.special import softmax
from sklearn import metrics

n, classes = 40, 7
logits = numpy.array([[3 * numpy.sin(1.7 * i + 2.3 * j) for j in range(classes)] for i in range(n)])
labels = (logits.argmax(1) + (numpy.arange(n) % 4 == 0)) % classes


def calibration(temperature):
    p = softmax(logits / temperature, axis=1)
    sure, right = p.max(1), p.argmax(1) == labels
    edges = numpy.linspace(0, 1, 16)
    gaps, ece = [], 0
    for low, high in zip(edges[:-1], edges[1:]):
        inside = (sure > low) & (sure <= high)
        if inside.any():
            gaps.append(abs(sure[inside].mean() - right[inside].mean()))
            ece += inside.mean() * gaps[-1]
    order = numpy.argsort(sure, kind="stable")
    groups = numpy.arange(n) * 15 // n
    adaptive = sum(numpy.mean(groups == g) * abs(sure[order][groups == g].mean() - right[order][groups == g].mean())
                   for g in range(15))
    return {"brier": float(((p - numpy.eye(classes)[labels]) ** 2).sum(1).mean()), "ece": float(ece),
            "aece": float(adaptive), "mce": float(max(gaps))}


scores = numpy.sin(0.9 * numpy.arange(n))
mistaken = numpy.sin(0.9 * numpy.arange(n) + 0.5) > 0.6
wrong = mistaken[numpy.argsort(scores)]
error = wrong.mean()
coverage = numpy.arange(1, n + 1) / n
risk = numpy.cumsum(wrong) / numpy.arange(1, n + 1)
print(json.dumps({
    "raw": calibration(1), "sharp": calibration(0.5),
    "selective": {
        "aurc": float(risk.mean()),
        # Traub et al. 2024: by the AUROC of wrong against right answers.
        "augrc": float((1 - metrics.roc_auc_score(mistaken, scores)) * error * (1 - error) + error ** 2 / 2),
        "coverage_at_5_risk": float(coverage[risk <= 0.05].max(initial=0)),
        "risk_at_80_coverage": float(risk[31]),
    }}, indent=1))

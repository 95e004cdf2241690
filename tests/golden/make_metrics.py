#!/usr/bin/python3
"""Values of losses and metrics from PyTorch and scikit-learn: make_metrics.py > metrics.json

Inputs follow a closed formula, which the tests repeat."""
import json

import numpy
import torch
from scipy import stats
from sklearn import metrics

n, classes = 40, 7
logits = numpy.array([[3 * numpy.sin(1.7 * i + 2.3 * j) for j in range(classes)] for i in range(n)])
labels = numpy.array([(i * i + 1) % classes for i in range(n)])
familiar = numpy.array([round(numpy.sin(0.9 * i), 1) for i in range(50)])  # rounded, so that some tie
strangers = numpy.array([round(numpy.sin(1.3 * i) + 0.4, 1) for i in range(30)])
truth = numpy.r_[numpy.zeros(50), numpy.ones(30)]
scores = numpy.r_[familiar, strangers]
threshold = numpy.sort(familiar)[int(numpy.ceil(0.95 * 50)) - 1]
predicted = logits.argmax(1)
tensor = torch.tensor(logits)
weak, strong = tensor[:20], tensor[20:]
confidence, target = weak.softmax(1).max(1)
each = torch.nn.functional.cross_entropy(strong, target, reduction="none")

print(json.dumps({
    "accuracy": metrics.accuracy_score(labels, predicted),
    "balanced_accuracy": metrics.balanced_accuracy_score(labels, predicted),
    "nll": metrics.log_loss(labels, tensor.softmax(1).numpy(), labels=range(classes)),
    "top5": metrics.top_k_accuracy_score(labels, logits, k=5, labels=range(classes)),
    "precision": metrics.precision_score(labels, predicted, average=None, zero_division=0).tolist(),
    "recall": metrics.recall_score(labels, predicted, average=None, zero_division=0).tolist(),
    "confusion": metrics.confusion_matrix(labels, predicted, labels=range(classes)).tolist(),
    "wilson_15_of_50": list(stats.binomtest(15, 50).proportion_ci(method="wilson")),
    "auroc": metrics.roc_auc_score(truth, scores),
    "aupr_out": metrics.average_precision_score(truth, scores),
    "aupr_in": metrics.average_precision_score(1 - truth, -scores),
    "fpr95": float((strangers <= threshold).mean()),
    "masked_cross_entropy": float((each * (confidence >= 0.5)).mean()),
    "mask": float((confidence >= 0.5).double().mean()),
}, indent=1))

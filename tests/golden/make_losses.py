#!/usr/bin/python3
"""Values of the method's losses from PyTorch and NumPy: make_losses.py > losses.json

Inputs follow the closed formula of make_metrics.py, which the tests repeat."""
import json

import numpy
import torch
from scipy import optimize

n, classes = 40, 7
logits = torch.tensor([[3 * numpy.sin(1.7 * i + 2.3 * j) for j in range(classes)] for i in range(n)])
labels = (logits.argmax(1) + (torch.arange(n) % 4 == 0)) % classes  # three of four are right
first, second, strong = logits[:10], logits[10:20], logits[20:30]
head = logits[30:40]

guess = (first.softmax(1) + second.softmax(1)) / 2
power = guess ** 2
sharp = power / power.sum(1, keepdim=True)
mask = (sharp.max(1).values > 0.45).double()
residual = sharp - strong.softmax(1)
u = torch.sigmoid(head)
# The Gaussian's own density, with the constant taken away.
normal = torch.distributions.Normal(torch.zeros_like(residual), torch.exp(u))
nll = -normal.log_prob(residual) - 0.5 * numpy.log(2 * numpy.pi)
reference = torch.nn.functional.gaussian_nll_loss(
    strong.softmax(1), sharp, torch.exp(head), full=False, reduction="none", eps=1e-12)
beta = torch.exp(head) ** 0.5 * reference
squared = torch.nn.functional.mse_loss(strong.softmax(1), sharp, reduction="none")

certificates = logits[:3, :5]  # k = 3, d = 5
gram = certificates @ certificates.T - torch.eye(3)
features = logits[5:13, :5]
moment = (features.T @ features / 8).numpy()
values, vectors = numpy.linalg.eigh(moment)


def log_loss(log_temperature):
    return torch.nn.functional.cross_entropy(logits / numpy.exp(log_temperature), labels).item()


best = optimize.minimize_scalar(log_loss, bounds=(numpy.log(0.05), numpy.log(20)), method="bounded",
                                options={"xatol": 1e-9})
print(json.dumps({
    "sharpened": sharp.tolist(),
    "mask": mask.tolist(),
    "gaussian_nll": float((nll.mean(1) * mask).mean()),
    "gaussian_nll_sum": float((nll.sum(1) * mask).mean()),
    "beta_nll": float(beta.mean()),
    "masked_mse": float((squared.mean(1) * mask).mean()),
    "masked_mse_sum": float((squared.sum(1) * mask).mean()),
    "certificate_loss": float(torch.nn.functional.mse_loss(features @ certificates.T,
                                                           torch.zeros(8, 3, dtype=torch.double))),
    "fro2": float(torch.linalg.matrix_norm(gram) ** 2),
    "fro": float(torch.linalg.matrix_norm(gram)),
    "mean_sq": float((gram ** 2).mean()),
    "eigenvalues": values.tolist(),
    "scores": (((features.numpy() @ vectors[:, :2]) ** 2).mean(1)).tolist(),
    "temperature": float(numpy.exp(best.x)),
}, indent=1))

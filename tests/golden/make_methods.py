#!/usr/bin/python3
"""Losses of every method on one batch, from PyTorch, NumPy and SciPy: make_methods.py > methods.json

The network is the identity: images are logits, by the closed formula of make_metrics.py. Methods that
keep something from step to step take two steps of the same batch; the second one counts."""
import json

import numpy
import torch
import torch.nn.functional as F
from scipy import sparse

torch.set_default_dtype(torch.float64)
n, classes, images = 40, 7, 10
logits = torch.tensor([[3 * numpy.sin(1.7 * i + 2.3 * j) for j in range(classes)] for i in range(n)])
labels = torch.arange(4)
known, weak, second, strong, other = logits[:4], logits[4:14], logits[14:24], logits[24:34], logits[30:40]
supervised = F.cross_entropy(known, labels)
confidence, guess = weak.softmax(1).max(1)
smooth = 0.9 * supervised - 0.1 * known.log_softmax(1).mean()
found = {"supervised": supervised, "supervised_smooth": smooth}


def each(predicted, target):
    return F.cross_entropy(predicted, target, reduction="none")


def sharpen(p, temperature):
    power = p ** (1 / temperature)
    return power / power.sum(1, keepdim=True)


# FixMatch with soft labels: threshold 0.5.
target = weak.softmax(1)
found["fixmatch_soft"] = supervised + ((-(target * strong.log_softmax(1)).sum(1)) * (confidence >= 0.5)).mean()

# UDA: threshold 0.5, temperature 0.4, annealing linear at half of the run; log and exp just before and
# after the limit passes the likeliest labelled image.
target = (weak / 0.4).softmax(1)
right = known.softmax(1)[torch.arange(4), labels]
guessed = ((-(target * strong.log_softmax(1)).sum(1)) * (confidence >= 0.5)).mean()


def annealed(rise):
    kept = right <= rise * (1 - 1 / classes) + 1 / classes
    return each(known, labels)[kept].mean() + guessed


found["uda"] = annealed(0.5)
found["uda_log"] = torch.stack([annealed(1 - numpy.exp(-5 * t)) for t in (0.16, 0.2)])
found["uda_exp"] = torch.stack([annealed(numpy.exp(5 * (t - 1))) for t in (0.88, 0.9)])
assert found["uda_log"][0] != found["uda_log"][1] and found["uda_exp"][0] != found["uda_exp"][1]

# FlexMatch: threshold 0.58, every image in the pool of 12.
for warm_up in (True, False):
    selected = torch.full((12,), -1)
    selected[:images][confidence >= 0.58] = guess[confidence >= 0.58]
    count = numpy.array([(selected == c).sum().item() for c in range(-1, classes)])
    status = torch.tensor(count[1:] / (count.max() if warm_up else count[1:].max()))
    mask = confidence >= 0.58 * status[guess] / (2 - status[guess])
    found["flexmatch" if warm_up else "flexmatch_no_warm_up"] = supervised + (each(strong, guess) * mask).mean()

# FreeMatch: momentum 0.5, fairness 0.1.
p, histogram, tau = torch.full((classes,), 1 / classes), torch.full((classes,), 1 / classes), 1 / classes
for _ in range(2):
    counts = torch.bincount(guess, minlength=classes) / images
    p, histogram, tau = (p + weak.softmax(1).mean(0)) / 2, (histogram + counts) / 2, (tau + confidence.mean()) / 2
mask = confidence >= tau * p[guess] / p.max()
views = strong[mask].softmax(1)
now = torch.bincount(views.argmax(1), minlength=classes) / mask.sum()
a = p / histogram
a = a / a.sum()
b = torch.where(now > 0, views.mean(0) / now, torch.zeros(()))
b = b / b.sum()
found["freematch"] = supervised + (each(strong, guess) * mask).mean() + 0.1 * (a * (b + 1e-12).log()).sum()

# SoftMatch: momentum 0.5, two sigmas.
mean, variance, seen = 1 / classes, 1.0, None
for _ in range(2):
    probabilities = weak.softmax(1)
    seen = probabilities.mean(0) if seen is None else (seen + probabilities.mean(0)) / 2
    aligned = probabilities * (1 / classes + 1e-6) / (seen + 1e-6)
    best = (aligned / aligned.sum(1, keepdim=True)).max(1).values
    mean, variance = (mean + best.mean()) / 2, (variance + best.var()) / 2
trust = torch.exp(-torch.clamp(best - mean, max=0) ** 2 / (2 * variance / 4))
found["softmatch"] = supervised + (each(strong, guess) * trust).mean()

# Pseudo-label: threshold 0.5, weight 2, a quarter of the run behind, rising over half of it.
found["pseudo_label"] = supervised + 2 * 0.5 * (each(weak, guess) * (confidence >= 0.5)).mean()
# Pi-model and Mean Teacher: the second weak view's probabilities are the target.
apart = ((weak.softmax(1) - second.softmax(1)) ** 2).mean()
found["pi_model"] = supervised + 10 * 0.5 * apart
found["mean_teacher"] = supervised + 50 * numpy.exp(-5 * 0.25) * apart

# SimPLE: two strong views, threshold 0.4, similarity 0.5, pair by pair.
q = sharpen((weak.softmax(1) + second.softmax(1)) / 2, 0.5)
views, q = torch.cat([strong, other]), torch.cat([q, q])
mask = q.max(1).values > 0.4
squared = (((views.softmax(1) - q) ** 2).mean(1) * mask).mean()
pairs, said = 0.0, views.softmax(1)
for i in range(len(q)):
    for j in range(len(q)):
        alike = (q[i] * q[j]).sqrt().sum()
        if i != j and mask[i] and alike > 0.5:
            pairs = pairs + alike * (1 - (said[j] * q[i]).sqrt().sum())
pairs = pairs / (len(q) * (len(q) - 1) / 2)
assert 0 < mask.sum() < len(q) and pairs > 0
found["simple_pairs"] = pairs
found["simple"] = supervised + 75 * squared + 75 * pairs

# Mixtures, drawn from the generator of step 0 of seed 0 (method_test.cpp compares its seed).
GENERATOR = 7333834083859079999


def mixtures(rows):
    generator = torch.Generator().manual_seed(GENERATOR)
    shares = torch._sample_dirichlet(torch.full((rows, 2), 0.75, dtype=torch.float32), generator).max(1).values
    return shares.double().unsqueeze(1), torch.randperm(rows, generator=generator)


def mix(x, shares, partner):
    return shares * x + (1 - shares) * x[partner]


# MixMatch: two weak views, weight 75, half of the ramp behind.
everything = torch.cat([known, weak, second])
q = sharpen((weak.softmax(1) + second.softmax(1)) / 2, 0.5)
targets = torch.cat([F.one_hot(labels, classes).double(), q, q])
draw = mixtures(len(everything))
x, y = mix(everything, *draw), mix(targets, *draw)
found["mixmatch"] = (-(y[:4] * x[:4].log_softmax(1)).sum(1).mean()
                     + 75 * 0.5 * ((x[4:].softmax(1) - y[4:]) ** 2).mean())

# ReMixMatch: two strong views and the weak one, no rotation, half of the ramp behind; class shares
# those of the labels 0 0 1 2 3 4 5 6, guesses of the 128 batches before even but for one.
wanted = torch.tensor([2, 1, 1, 1, 1, 1, 1]) / 8
raw = weak.softmax(1)
before = (127 / classes + raw.mean(0)) / 128
aligned = raw * (wanted + 1e-6) / (before + 1e-6)
q = sharpen(aligned / aligned.sum(1, keepdim=True), 0.5)
everything = torch.cat([known, strong, other, weak])
targets = torch.cat([F.one_hot(labels, classes).double(), q, q, q])
draw = mixtures(len(everything))
x, y = mix(everything, *draw), mix(targets, *draw)


def soft(predicted, target):
    return -(target * predicted.log_softmax(1)).sum(1).mean()


# Which way up pictures are: the ten strong views as 2 x 2 pixels, of which the first four numbers are
# also what the rotation's layer says.
pictures = strong[:, :4].reshape(images, 1, 2, 2)
quarters = torch.arange(images) % 4
turned = torch.stack([torch.rot90(x, int(k), (1, 2)) for x, k in zip(pictures, quarters)])
found["remixmatch_rotation"] = F.cross_entropy(turned.reshape(images, 4), quarters)

found["remixmatch"] = soft(x[:4], y[:4]) + 0.5 * (1.5 * soft(x[4:], y[4:]) + 0.5 * soft(strong, q))

# Generations: two surveys of the pool of 12, threshold 0.4, smoothing 0.1; then with the weak view.
table = (logits[8:18].softmax(1) + logits[20:30].softmax(1)) / 2
for name in ("generations", "generations_online"):
    q = sharpen(table, 0.5)
    kept = q.max(1).values >= 0.4
    assert 0 < kept.sum() < images
    found[name] = (F.cross_entropy(known, labels, label_smoothing=0.1)
                   - (q * strong.log_softmax(1)).sum(1)[kept].sum() / images)
    table = (table + weak.softmax(1)) / 2


def propagate(features, starts, count):
    """Labels and weights of all rows, the first of which are labelled; 5 neighbours, alpha 0.9."""
    rows = len(features)
    unit = features / features.norm(dim=1, keepdim=True)
    similarity = (unit @ unit.T).numpy()
    numpy.fill_diagonal(similarity, -numpy.inf)
    graph = numpy.zeros((rows, rows))
    for i in range(rows):
        for j in numpy.argsort(-similarity[i])[:5]:
            graph[i, j] = max(0, similarity[i, j]) ** 3
    graph = graph + graph.T
    scale = sparse.diags(1 / numpy.sqrt(graph.sum(1)))
    system = numpy.eye(rows) - 0.9 * (scale @ graph @ scale)
    start = numpy.zeros((rows, count))
    for i, label in enumerate(starts):
        start[i, label] = 1 / starts.count(label)
    spread = numpy.clip(numpy.linalg.solve(system, start), 0, None)
    spread = spread / spread.sum(1, keepdims=True)
    entropy = -(spread * numpy.log(numpy.clip(spread, 1e-300, None))).sum(1)
    weights = 1 - entropy / numpy.log(count)
    return torch.tensor(spread.argmax(1)), torch.tensor(weights / weights.max())


# Over the rows themselves, the first four labelled 0 to 3.
found["propagated_labels"], found["propagated_weights"] = propagate(logits, [0, 1, 2, 3], 4)

# The loss with them: eight labelled rows and the pool of 12, of which the batch has ten.
of_known = [0, 0, 1, 2, 3, 4, 5, 6]
guesses, weights = propagate(logits[:20], of_known, classes)
guesses[:8] = torch.tensor(of_known)
rarity = (20 / classes) / torch.bincount(guesses, minlength=classes)
assert len(set(rarity.tolist())) > 2 and len(set(guesses[8:18].tolist())) > 2
found["label_propagation"] = torch.cat([
    rarity[labels] * each(known, labels),
    rarity[guesses[8:18]] * weights[8:18] * each(weak, guesses[8:18])]).mean()

print(json.dumps({name: value.tolist() for name, value in found.items()}, indent=1))

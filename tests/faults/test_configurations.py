"""Configurations nobody would think of, drawn at random from what `penumbra list` says is allowed: each trains, or
refuses with a reason; none crashes or hangs. FAULTS=long draws a thousand, CONFIGURATIONS=400:500 those with these
numbers."""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PENUMBRA = os.environ["PENUMBRA"]
NUMBERS = range(*map(int, os.environ.get(
    "CONFIGURATIONS", "0:1000" if os.environ.get("FAULTS") == "long" else "0:24").split(":")))
LARGEST = 40  # of whole numbers: the aim is corners, not size
BACKBONES = ("tiny", "fast_4", "wrn_10_1", "resnet18_cifar")
TRAINING = {"batch": "1 to 40", "lr": "0 to 100", "cosine": "0 to 0.5", "warm_up": "0 to 40", "momentum": "0 to 0.9999",
            "weight_decay": "0 to 10", "clip": "0 to 1000", "vector_lr": "0 to 100", "phase_lr": "0 to 100",
            "ema_decay": "0 to 1", "optimiser": "sgd, adamw or muon", "decay": "kernels or all",
            "ema_buffers": "average or copy", "evaluations": "1 to 3"}


def listed(kind, name=""):
    command = [PENUMBRA, "list", kind, *([name] if name else [])]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def parts(kind):
    return re.findall(r"^(\w+)  ", listed(kind), re.M)


def options(kind, name):
    table = re.split(r"(?m)^option {2,}.*$", listed(kind, name))[-1]
    rows = [re.split(r"\s{2,}", line) for line in table.splitlines() if line]
    return {row[0]: row[2] for row in rows if len(row) > 2}


def draw(randomness, allowed):
    """A value, more often than not one at the edge."""
    if match := re.fullmatch(r"(\S+) to (\S+)", allowed):
        low, high = map(float, match.groups())
        if low == int(low) and high == int(high) and high > 1:
            high = min(high, max(LARGEST, low))
            # The last one is refused where whole numbers are expected.
            return str(randomness.choice([int(low), int(high), randomness.randint(int(low), int(high)),
                                          round(low + randomness.random(), 3)]))
        return f"{randomness.choice([low, high, randomness.uniform(low, high)]):.6g}"
    return randomness.choice(re.split(r", | or ", allowed)) if re.fullmatch(r"[\w, ]+", allowed) else None


class Configurations(unittest.TestCase):
    def test_each_trains_or_refuses_with_a_reason(self):
        kinds = {"method": "run.method", "policy": "run.policy", "estimator": "uncertainty.estimator"}
        names = {kind: parts(kind) for kind in kinds}
        known = {(kind, name): options(kind, name) for kind in kinds for name in names[kind]}
        data = options("dataset", "blobs")
        trained = refused = 0
        for number in NUMBERS:
            randomness = random.Random(number)
            settings = {"run.backbone": randomness.choice(BACKBONES), "run.labels": str(randomness.randint(1, 60)),
                        "run.validation": str(randomness.choice([0, 1, 8, 500])),
                        "run.unlabelled": randomness.choice(["rest", "all"])}
            sections = [("data", data), ("train", TRAINING)]
            for kind, setting in kinds.items():
                settings[setting] = randomness.choice(names[kind])
                section = {"policy": "augment", "estimator": "uncertainty"}.get(kind, kind)
                sections.append((section, known[kind, settings[setting]]))
            for section, allowed in sections:
                for key in randomness.sample(sorted(allowed), randomness.randint(0, min(3, len(allowed)))):
                    if (value := draw(randomness, allowed[key])) is not None:
                        settings[f"{section}.{key}"] = value
            code = self.run_one(number, settings)
            trained += code == 0
            refused += code == 2
        print(f"{len(NUMBERS)} random configurations: {trained} trained, {refused} refused with a reason", file=sys.stderr)
        self.assertGreater(trained, len(NUMBERS) // 10)

    def run_one(self, number, settings):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="penumbra-configurations-"))
        command = [PENUMBRA, "train", "blobs", "--steps", "3", "--threads", "1", "--out", str(folder / "run"), "--set",
                   "run.report=false"]
        for name, value in settings.items():
            command += ["--set", f"{name}={value}"]
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        shown = f"configuration {number}: {' '.join(command[1:])}\n{result.stderr}"
        self.assertIn(result.returncode, (0, 2), shown)
        if result.returncode == 2:
            self.assertRegex(result.stderr, r"(?m)^penumbra: .{10}", shown)
        return result.returncode


if __name__ == "__main__":
    unittest.main()

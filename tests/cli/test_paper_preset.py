"""Two steps of every row of the paper's tables on the real data, in small, and every value that they are made with.
The values are those of the authors (docs/methods.md, docs/method.md), written down here a second time."""
import pathlib
import tomllib
import unittest

from command import TEST_DATA, CommandTest, need_test_data
from test_data import png

FOLDERS = {"cifar10": "cifar-10-batches-bin", "cifar100": "cifar-100-binary", "svhn": "svhn"}
# Asked for on the command line, since the subsets have too few images and the networks too many weights.
SCALED = {"run": ("data", "labels", "validation", "backbone", "report"), "data": ("path", "size"), "train": ("steps",)}
# Not a part of the recipe: what the machine has, how often something is written, how a finished model is judged.
APART = {"run": ("seed", "minutes", "cores", "precision", "kernels", "device", "threads", "preset", "method"),
         "train": ("evaluations", "report_every", "checkpoint_seconds"), "uncertainty": ()}

RUN = {"policy": "randaugment", "unlabelled": "rest", "classes": "", "pool": "", "split": "", "init": "",
       "mirror": "false"}
WEAK = {"weak": "flip_crop", "mirror": True, "pad": 0.125}
RANDAUGMENT = {**WEAK, "operations": 2, "probability": 0.5, "magnitude": 10, "cutout": 0.5}
FIXMATCH_VIEWS = {**RANDAUGMENT, "dialect": "fixmatch", "interpolation": "nearest"}
SIMPLE_VIEWS = {**RANDAUGMENT, "dialect": "simple", "interpolation": "bilinear"}
NO_COMPLEMENT = {"l_ua": 0, "l_ue": 0}
EMA = {"ema_decay": 0.999, "ema_warm_up": False, "ema_buffers": "copy"}
SGD = {"batch": 64, "lr": 0.03, "cosine": 0.4375, "warm_up": 0, "optimiser": "sgd", "momentum": 0.9,
       "weight_decay": 0.0005, "decay": "kernels", "vector_lr": 1, "phase_lr": 1, "clip": 0, **EMA}
ADAM = {**SGD, "optimiser": "adamw", "lr": 0.002, "cosine": 0, "weight_decay": 0.02}
SIMPLE_TRAIN = {**SGD, "cosine": 0.5, "decay": "all", "clip": 5}
GUESSES = {"threshold": 0.95, "temperature": 0.5, "weak": 2, "strong": 7, "ratio": 1, "labelled": "weak",
           "forward": "interleave", "supervised": 0}
PENUMBRA = {
    **GUESSES, "skip_untrusted": False, "gate": "none", "pseudo": "sharpen", "mask_view": "weak", "mask_on": "sharpened",
    "l_ua": 75, "ua_loss": "nll", "variance": "paper", "residual": "probabilities", "ua_reduce": "mean",
    "ua_normaliser": "all", "ua_ramp_up": 0, "variance_samples": "masked", "variance_grad_features": True,
    "variance_bias": -4, "variance_decay": True,
    "l_ue": 1, "lambda": 0.1, "certificates": 0, "ortho_norm": "fro2", "certificate_loss": "mse", "ue_samples": "all",
    "ue_grad_features": True, "certificate_decay": False}


def recipe(method, train, augment=FIXMATCH_VIEWS, run=RUN, bn_momentum=0.001):
    return {"run": run, "augment": augment, "model": {"bn_momentum": bn_momentum}, "method": method, "train": train}


OURS = recipe(PENUMBRA, SIMPLE_TRAIN, SIMPLE_VIEWS)
MIXMATCH = {"weak": 2, "temperature": 0.5, "beta": 0.75, "weight": 75, "ramp_up": 0.015625, "ratio": 1,
            "labelled": "weak", "forward": "interleave", "supervised": 0, **NO_COMPLEMENT}
ROWS = {
    ("cifar10", "penumbra"): OURS,
    ("svhn", "penumbra"): OURS,
    ("cifar100", "penumbra"): recipe({**PENUMBRA, "l_ua": 150, "strong": 4}, SIMPLE_TRAIN, SIMPLE_VIEWS),
    ("cifar10", "simple"): recipe({**GUESSES, "weight": 75, "pair_weight": 75, "similarity": 0.9, **NO_COMPLEMENT},
                                  SIMPLE_TRAIN, SIMPLE_VIEWS),
    ("cifar100", "simple"): recipe({**GUESSES, "strong": 4, "weight": 150, "pair_weight": 150, "similarity": 0.9,
                                    **NO_COMPLEMENT}, {**SIMPLE_TRAIN, "weight_decay": 0.001}, SIMPLE_VIEWS),
    ("cifar10", "fixmatch"): recipe({"weight": 1, "ratio": 7, "labelled": "weak", "skip_untrusted": False,
                                     "labeller": "student", "forward": "joint", "threshold": 0.95, "labels": "hard",
                                     "supervised": 0, **NO_COMPLEMENT}, SGD, run={**RUN, "unlabelled": "all"}),
    ("cifar10", "mixmatch"): recipe(MIXMATCH, ADAM),
    ("svhn", "mixmatch"): recipe({**MIXMATCH, "weight": 250}, ADAM, {**FIXMATCH_VIEWS, "mirror": False}),
    ("cifar100", "mixmatch"): recipe({**MIXMATCH, "weight": 150}, {**ADAM, "weight_decay": 0.04}),
    ("cifar10", "remixmatch"): recipe(
        {"strong": 8, "temperature": 0.5, "beta": 0.75, "weight": 1.5, "unmixed_weight": 0.5, "rotation_weight": 0.5,
         "ramp_up": 0.015625, "ratio": 1, "labelled": "strong", "forward": "interleave", "supervised": 0,
         **NO_COMPLEMENT},
        ADAM, {**WEAK, "depth": 2, "threshold": 0.8, "decay": 0.99, "final_cutout": False, "delay": 4},
        {**RUN, "policy": "ctaugment", "unlabelled": "all"}),
    ("cifar10", "mean_teacher"): recipe({"weight": 50, "ramp_up": 0.4, "ramp": "linear", "ratio": 1, "labelled": "weak",
                                         "supervised": 0, **NO_COMPLEMENT}, {**ADAM, "weight_decay": 0.2}),
    ("cifar10", "label_propagation"): recipe(
        {"propagations": 180, "neighbours": 50, "power": 3, "alpha": 0.99, "iterations": 20, "ratio": 1,
         "labelled": "weak", "unlabelled": "weak", "supervised": 0.0889, **NO_COMPLEMENT},
        {**SGD, "batch": 50, "lr": 0.05, "cosine": 0.5, "weight_decay": 0.0002}),
}
MINI_TRAIN = {**SIMPLE_TRAIN, "batch": 16, "optimiser": "adamw", "lr": 0.002, "cosine": 0, "weight_decay": 0.02,
              "ema_buffers": "average"}
MINI = {**OURS, "method": {**PENUMBRA, "l_ua": 300}, "train": MINI_TRAIN}


class PaperPreset(CommandTest):
    def expect_recipe(self, folder, expected):
        written = tomllib.loads((self.folder / folder / "config.toml").read_text())
        for section in set(written) - {"uncertainty", "data"} | set(expected):
            apart = (*SCALED.get(section, ()), *APART.get(section, ()))
            values = {key: value for key, value in written[section].items() if key not in apart}
            self.assertEqual(values, expected[section], f"[{section}]")

    @need_test_data
    def test_every_row_of_the_benchmarks(self):
        for (data, method), expected in ROWS.items():
            # Fitting uncertainties takes longer than the two steps; those of the paper's own rows are enough.
            fit = str(method == "penumbra").lower()
            with self.subTest(data=data, method=method):
                out, error = self.run_command(
                    "train", pathlib.Path(TEST_DATA) / FOLDERS[data], "--preset", "paper", "--method", method,
                    "--labels", "200", "--steps", "2", "--out", f"{data}-{method}", "--backbone", "wrn_10_1",
                    "--set", "run.validation=100", "--set", "run.report=false", "--set", f"uncertainty.fit={fit}")
                self.assertIn(f"2 steps of {expected['train']['batch']}, preset paper", error)
                self.assertIn("test accuracy", out)
                self.expect_recipe(f"{data}-{method}", expected)

    def test_mini_imagenet(self):
        for label in range(100):
            for i in range(3):
                self.write(f"mini/{label:03}/{i}.png", png(84, 84, value=label + i))
        for backbone, bn_momentum in (("wrn_10_1", 0.001), ("resnet18", 0.1)):
            _, error = self.run_command(
                "train", "mini", "--size", "84", "--preset", "paper", "--method", "penumbra", "--steps", "2",
                "--labels", "100", "--out", backbone, "--backbone", backbone, "--set", "run.validation=0",
                "--set", "run.report=false")
            self.assertIn("2 steps of 16, preset paper", error)
            self.expect_recipe(backbone, {**MINI, "model": {"bn_momentum": bn_momentum}})


if __name__ == "__main__":
    unittest.main()

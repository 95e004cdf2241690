import csv
import json
import re
import shutil
import unittest

from command import CommandTest
from test_data import png

TRAIN = ("train", "blobs", "--labels", "40", "--backbone", "tiny", "--threads", "1", "--steps", "20")


@unittest.skipUnless(shutil.which("npm"), "the page is built with npm")
class Report(CommandTest):
    def data_of(self, page):
        text = (self.folder / page).read_text()
        found = re.search(r'<script id="penumbra-data" type="application/json">(.*?)</script>', text, re.S)
        return json.loads(found[1])

    def test_training_ends_with_a_page_of_one_file(self):
        _, error = self.run_command(*TRAIN, "--method", "fixmatch", "--out", "run")
        self.assertIn("run/report.html", error)
        run, = self.data_of("run/report.html")["runs"]
        self.assertEqual((run["what"]["data"], run["what"]["method"], run["what"]["labels"]), ("blobs", "fixmatch", 40))
        for section in ("result", "curves", "familiarity", "map", "verdicts", "calibration", "selective",
                        "strangers", "confusion", "per_class", "galleries", "pictures"):
            self.assertTrue(run[section], section)
        noise, = run["strangers"]
        self.assertEqual((noise["name"], noise["about"]), ("noise", "random values"))
        self.assertIn("epistemic by mahalanobis", [score["score"] for score in noise["scores"]])
        for point in run["map"]["points"]:
            self.assertLess(point["picture"], run["pictures"]["count"])
        self.assertEqual(sum(verdict["images"] for verdict in run["verdicts"].values()), 256)
        self.assertTrue(run["pictures"]["sheet"].startswith("data:image/webp;base64,"))
        text = (self.folder / "run/report.html").read_text()
        self.assertLess(len(text), 5_000_000)
        self.assertNotRegex(text, r'<(script|link|img)[^>]+(src|href)="https?:')

    def test_several_runs_are_compared_and_the_supervised_one_is_the_baseline(self):
        for method in ("supervised", "fixmatch"):
            self.run_command(*TRAIN, "--method", method, "--out", method, "--set", "run.report=false")
        self.assertFalse((self.folder / "fixmatch/report.html").exists())
        out, _ = self.run_command("report", "fixmatch", "supervised", "-o", "both.html", "--ood", "noise",
                                  "--points", "100")
        self.assertIn("both.html: 2 runs", out)
        fixmatch, supervised = self.data_of("both.html")["runs"]
        self.assertEqual((fixmatch["baseline"]["name"], fixmatch["baseline"]["run"]), ("supervised", 1))
        self.assertNotIn("baseline", supervised)
        noise, = fixmatch["strangers"]
        for score in noise["scores"]:
            self.assertEqual((score["roc"][0], score["roc"][-1]), ([0, 0], [1, 1]))
        self.assertLessEqual(len(fixmatch["map"]["points"]), 100)
        shown = [{gallery["name"] for gallery in run["galleries"]} for run in (fixmatch, supervised)]
        self.assertNotIn("pseudo-labels that are wrong", shown[1])
        for score in fixmatch["selective"]:
            self.assertTrue(score["error_auroc"] is None or 0 <= score["error_auroc"] <= 1)
        # The same run gives the same page.
        self.run_command("report", "fixmatch", "supervised", "-o", "again.html", "--ood", "noise", "--points", "100")
        self.assertEqual((self.folder / "both.html").read_bytes(), (self.folder / "again.html").read_bytes())

    def test_a_baseline_had_the_same_pictures_labelled(self):
        common = ("--set", "run.report=false")
        self.run_command(*TRAIN, "--method", "supervised", "--out", "a/run", *common)
        self.run_command(*TRAIN, "--method", "fixmatch", "--out", "b/run", *common)
        # Of one name, one number of labels and one seed, but of other pictures.
        lines = (self.folder / "a/run/split.csv").read_text().splitlines()
        parts = [line.split(",") for line in lines[1:]]
        labelled = next(part for part in parts if part[1] == "labelled")
        other = next(part for part in parts if part[1] == "unlabelled")
        labelled[1], other[1] = other[1], labelled[1]
        self.write("other.csv", "\n".join([lines[0], *(",".join(part) for part in parts)]) + "\n")
        without = tuple(word for word in TRAIN if word not in ("--labels", "40"))
        self.run_command(*without, "--method", "supervised", "--split", "other.csv", "--out", "c/run", *common)
        self.run_command("report", "c/run", "a/run", "b/run", "-o", "all.html", "--points", "40")
        other, same, fixmatch = self.data_of("all.html")["runs"]
        self.assertEqual(other["what"]["labels"], same["what"]["labels"])
        self.assertEqual(fixmatch["baseline"]["run"], 1)
        self.run_command("report", "c/run", "b/run", "-o", "two.html", "--points", "40")
        self.assertNotIn("baseline", self.data_of("two.html")["runs"][1])

    def test_noise_is_no_stranger_to_a_model_of_noise(self):
        without = tuple(word if word != "blobs" else "noise" for word in TRAIN)
        self.run_command(*without, "--method", "supervised", "--out", "run")
        run, = self.data_of("run/report.html")["runs"]
        self.assertEqual(run["strangers"], [])
        self.fail_command("report", "run", "--ood", "noise", message="'noise' is what the model was trained on")

    def test_the_score_of_the_verdicts_is_shown_once(self):
        self.run_command(*TRAIN, "--method", "supervised", "--out", "run", "--set", "run.report=false", "--set",
                         "uncertainty.estimator=certificates")
        self.run_command("report", "run", "-o", "page.html", "--points", "40")
        run, = self.data_of("page.html")["runs"]
        for scores in (run["selective"], run["strangers"][0]["scores"]):
            self.assertEqual([score["score"] for score in scores],
                             ["max_probability", "entropy", "epistemic by certificates"])

    def test_mistakes_are_named(self):
        self.fail_command("report", "nowhere", message="nowhere/config.toml")
        self.fail_command("report", message="RUNS is required")


class ChangedData(CommandTest):
    """A model is not measured on data that is no longer its own."""

    def write_photos(self, size):
        for label, base in (("dark", 0), ("light", 180)):
            for i in range(20):
                self.write(f"photos/{label}/{i}.png", png(size, size, value=base + i))

    def test_other_classes_or_another_size_are_refused(self):
        self.write_photos(12)
        self.run_command("train", "photos", "--backbone", "tiny", "--steps", "5", "--threads", "1", "--method",
                         "supervised", "--out", "run", "--set", "run.report=false")
        self.run_command("evaluate", "run")
        self.write_photos(16)
        self.fail_command("evaluate", "run", message="has changed since the training: its pictures are "
                          "16 x 16 x 3, the model takes 12 x 12 x 3")
        self.write_photos(12)
        for i in range(20):
            self.write(f"photos/new/{i}.png", png(12, 12, value=90 + i))
        self.fail_command("evaluate", "run", message="has changed since the training: its classes are "
                          "dark, light, new, the model knows dark, light")


class Strangers(CommandTest):
    def test_sets_of_one_name_are_told_apart_and_none_is_shown_twice(self):
        self.run_command(*TRAIN, "--out", "run", "--set", "run.report=false")
        for folder in ("one/odd", "two/odd", "else"):
            self.write(f"{folder}/a.png", png(20, 30))
        self.fail_command("evaluate", "run", "--ood", "noise", "--ood", "noise",
                          message="--ood 'noise' is given twice")
        text, _ = self.run_command("evaluate", "run", "--ood", "one/odd/", "--ood", "two/odd", "--ood", "else/")
        head = next(line for line in text.splitlines() if "FPR95" in line)
        for name in ("one/odd", "two/odd", "else"):
            self.assertRegex(head, f" {name} AUROC +{name} AUPR out +{name} AUPR in +{name} FPR95")
        # Without samples there are no intervals, but that of the accuracy, which needs none.
        out, _ = self.run_command("evaluate", "run", "--ood", "else", "--format", "csv", "--bootstrap", "0")
        rows = list(csv.DictReader(out.splitlines()))
        self.assertEqual({row["metric"] for row in rows if row["low"] or row["high"]}, {"accuracy"})
        self.assertIn("aupr_in", {row["metric"] for row in rows})
        self.write("empty/readme.txt", "nothing")
        self.write("broken/a.png", "no picture")
        self.fail_command("evaluate", "run", "--ood", "empty", message="0 found, 0 of them unreadable")
        self.fail_command("evaluate", "run", "--ood", "broken", message="1 found, 1 of them unreadable")


if __name__ == "__main__":
    unittest.main()

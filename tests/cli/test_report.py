import json
import re
import shutil
import unittest

from command import CommandTest

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
                        "confusion", "per_class", "galleries", "pictures"):
            self.assertTrue(run[section], section)
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
        self.assertEqual(fixmatch["baseline"]["name"], "supervised")
        self.assertNotIn("baseline", supervised)
        noise, = fixmatch["strangers"]
        for score in noise["scores"]:
            self.assertEqual((score["roc"][0], score["roc"][-1]), ([0, 0], [1, 1]))
        self.assertLessEqual(len(fixmatch["map"]["points"]), 100)
        # The same run gives the same page.
        self.run_command("report", "fixmatch", "supervised", "-o", "again.html", "--ood", "noise", "--points", "100")
        self.assertEqual((self.folder / "both.html").read_bytes(), (self.folder / "again.html").read_bytes())

    def test_mistakes_are_named(self):
        self.fail_command("report", "nowhere", message="nowhere/config.toml")
        self.fail_command("report", message="RUNS is required")


if __name__ == "__main__":
    unittest.main()

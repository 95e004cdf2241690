"""What is done with a trained model: certify and predict."""
import csv
import json
import struct
import subprocess
import unittest

from command import PENUMBRA, CommandTest
from test_data import png
from test_train import TINY, read_safetensors


class Certify(CommandTest):
    def test_another_estimator_replaces_the_one_of_the_training(self):
        out, error = self.run_command(*TINY, "--steps", "20", "--method", "penumbra", "--out", "run")
        self.assertIn("epistemic by mahalanobis, aleatoric by the variance head", error)
        weights = read_safetensors(self.folder / "run/best.safetensors")
        for estimator in ("certificates", "knn", "entropy", "max_probability", "variance_head", "mahalanobis"):
            out, _ = self.run_command("certify", "run", "--estimator", estimator)
            self.assertIn(f"epistemic by {estimator}", out)
            self.run_command("evaluate", "run")
        for name, values in read_safetensors(self.folder / "run/best.safetensors").items():
            if not name.startswith("uncertainty."):
                self.assertEqual(values, weights[name], name)
        # Options that were set for one choice are no obstacle to the next.
        for _ in range(2):
            self.run_command("certify", "run", "--estimator", "certificates", "--set", "uncertainty.source=trained")
        self.run_command("certify", "run", "--set", "uncertainty.source=fitted")
        self.run_command("certify", "run", "--set", "uncertainty.source=trained")
        out, _ = self.run_command("certify", "run", "--set", "uncertainty.estimator=knn")
        self.assertIn("epistemic by knn", out)

    def test_what_was_set_stays_until_it_is_set_anew(self):
        self.run_command(*TINY, "--steps", "5", "--out", "run", "--set", "uncertainty.unfamiliar=0.8")
        out, _ = self.run_command("certify", "run", "--estimator", "certificates")
        self.assertIn("'unfamiliar' above 80 %", out)
        out, _ = self.run_command("certify", "run", "--set", "uncertainty.sure=0.6")
        self.assertIn("epistemic by certificates", out)
        self.assertIn("'unfamiliar' above 80 %", out)
        self.assertIn("below a probability of 0.6", out)

    def test_training_can_leave_it_for_later(self):
        _, error = self.run_command(*TINY, "--steps", "5", "--out", "run", "--set", "uncertainty.fit=false")
        self.assertIn("no uncertainties yet:  penumbra certify run", error)
        self.assertNotIn("verdict", self.run_command("evaluate", "run")[0])
        self.run_command("certify", "run")
        for model in ("best", "last"):
            self.assertIn("verdict", self.run_command("evaluate", "run", "--model", model)[0])

    def test_mistakes_are_named_and_change_nothing(self):
        self.run_command(*TINY, "--steps", "5", "--out", "run")
        before = (self.folder / "run/best.safetensors").read_bytes()
        self.fail_command("certify", "run", "--estimator", "magic", message="no estimator 'magic'; there are: cert")
        self.fail_command("certify", "run", "--estimator", "variance_head", message="no variance head")
        self.fail_command("certify", "run", "--set", "uncertainty.unfamiliar=2", message="from 0 to 1")
        self.fail_command("certify", "nowhere", message="nowhere/config.toml")
        self.assertEqual((self.folder / "run/best.safetensors").read_bytes(), before)


class Predict(CommandTest):
    def setUp(self):
        super().setUp()
        for label, base in (("dark", 0), ("light", 180)):
            for i in range(30):
                self.write(f"photos/{label}/{i}.png", png(12, 12, value=base + i))
        self.run_command("train", "photos", "--backbone", "tiny", "--steps", "20", "--size", "12",
                         "--method", "supervised", "--out", "run")

    def test_pictures_folders_and_names_from_stdin(self):
        self.write("new/a, b.png", png(40, 20, value=10))
        self.write("new/broken.jpg", "no picture")
        out, error = self.run_command("predict", "run", "new", "--format", "jsonl", code=2)
        rows = {row["file"]: row for row in map(json.loads, out.splitlines())}
        self.assertEqual(set(rows), {"new/a, b.png", "new/broken.jpg"})
        self.assertIn(rows["new/a, b.png"]["class"], ("dark", "light"))
        self.assertTrue(0.5 <= rows["new/a, b.png"]["probability"] <= 1)
        self.assertIn(rows["new/a, b.png"]["verdict"], ("sure", "ambiguous", "unfamiliar"))
        for number in ("aleatoric", "epistemic_percentile"):
            self.assertTrue(0 <= rows["new/a, b.png"][number] <= 1)
        self.assertIn("not a JPEG", rows["new/broken.jpg"]["error"])
        self.assertIn("1 of 2 pictures could not be read", error)
        out, _ = self.run_command("predict", "run", "-", "--format", "csv", input="new/a, b.png\n")
        self.assertEqual(out.splitlines()[0], "file,class,probability,entropy,aleatoric,epistemic,"
                                              "epistemic_percentile,verdict,error")
        self.assertTrue(out.splitlines()[1].startswith('"new/a, b.png",'))
        out, _ = self.run_command("predict", "run/best.safetensors", "photos/dark/1.png")
        self.assertRegex(out, r"file +class +probability +entropy +aleatoric \(entropy\) +epistemic +percentile +verdict")
        self.assertRegex(out, r"photos/dark/1.png +(dark|light) .* (sure|ambiguous|unfamiliar)")

    def test_bf16_is_there_for_who_wants_it(self):
        def said(*precision):
            return json.loads(self.run_command("predict", "run", "photos/dark/1.png", "--format", "jsonl", *precision)[0])
        usual, rounded = said(), said("--precision", "bf16")
        self.assertEqual(said("--precision", "fp32"), usual)
        self.assertNotEqual(rounded["probability"], usual["probability"])
        self.assertAlmostEqual(rounded["probability"], usual["probability"], delta=0.1)
        self.fail_command("predict", "run", "photos/dark/1.png", "--precision", "fp8", message="fp8")

    def test_each_test_picture_can_be_written_down(self):
        out, _ = self.run_command("evaluate", "run", "--pictures", "each.csv", "--format", "json")
        rows = list(csv.DictReader((self.folder / "each.csv").read_text().splitlines()))
        result = json.loads(out)
        self.assertEqual(len(rows), result["images"])
        self.assertTrue(all(row["file"].endswith(".png") for row in rows))
        right = sum(row["truth"] == row["class"] for row in rows)
        self.assertAlmostEqual(right / len(rows), result["accuracy"]["value"])
        sure = [row for row in rows if row["verdict"] == "sure"]
        self.assertEqual(len(sure), result["verdicts"]["sure"]["images"])
        self.run_command("evaluate", "run", "--pictures", "each.jsonl")
        first = json.loads((self.folder / "each.jsonl").read_text().splitlines()[0])
        self.assertEqual((first["file"], first["truth"], first["class"]),
                         (rows[0]["file"], rows[0]["truth"], rows[0]["class"]))
        # What predict says of the same file is the same.
        again = json.loads(self.run_command("predict", "run", f"photos/{first['file']}", "--format", "jsonl")[0])
        self.assertEqual((again["class"], again["verdict"]), (first["class"], first["verdict"]))
        self.assertAlmostEqual(again["probability"], first["probability"], places=5)

    def test_what_is_left_out_is_said_and_any_file_name_can_be_used(self):
        self.write("photos/lost.png", png(12, 12, value=3))
        self.write("photos/dark/two\nlines, \"quoted\".png", png(12, 12, value=4))
        _, error = self.run_command("train", "photos", "--backbone", "tiny", "--steps", "2", "--size", "12", "--out",
                                    "named", "--method", "supervised")
        self.assertIn("1 picture directly in photos belongs to no class and is left out", error)
        self.run_command("evaluate", "named")
        self.run_command("train", "--resume", "named")

    def test_large_pictures_have_a_report_too(self):
        for label, base in (("dark", 0), ("light", 180)):
            for i in range(6):
                self.write(f"large/{label}/{i}.png", png(300, 260, value=base + i))
        self.run_command("train", "large", "--backbone", "tiny", "--steps", "2", "--size", "300", "--method",
                         "supervised", "--out", "big", "--set", "train.batch=4")
        self.assertTrue((self.folder / "big/report.html").exists())
        self.assertRegex((self.folder / "big/report.html").read_text(), r'"width":\s*128\b')

    def test_a_broken_picture_is_counted_once(self):
        self.write("photos/dark/broken.png", "no picture")
        _, error = self.run_command("train", "photos", "--backbone", "tiny", "--minutes", "0.1", "--size", "12",
                                    "--method", "supervised", "--out", "again")
        self.assertIn("1 picture cannot be read and is skipped", error)

    def test_output_that_cannot_be_written_is_no_success(self):
        for arguments in (("predict", "run", "photos", "--format", "csv"), ("predict", "run", "photos"), ("--help",)):
            with self.subTest(arguments), open("/dev/full", "w") as full:
                result = subprocess.run([PENUMBRA, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                        timeout=600, cwd=self.folder)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn("penumbra: cannot write all of the output", result.stderr)

    def test_a_reference_that_does_not_fit_the_model_is_named(self):
        self.run_command("certify", "run", "--estimator", "knn")
        good = (self.folder / "run/best.safetensors").read_bytes()
        size, = struct.unpack("<Q", good[:8])

        def write(change):
            header = json.loads(good[8:8 + size])
            change(header["uncertainty.estimator.features"])
            text = json.dumps(header).encode()
            self.write("changed.safetensors", struct.pack("<Q", len(text)) + text + good[8 + size:])

        def flatten(entry):
            entry["shape"] = [entry["shape"][0] * entry["shape"][1]]

        def turn(entry):
            entry["shape"] = [2 * entry["shape"][0], entry["shape"][1] // 2]

        def retype(entry):
            entry["dtype"] = "I32"

        for change, message in ((flatten, "the model's estimator has 'features' of shape"),
                                (retype, "the model's estimator has 'features' of shape"),
                                (turn, "the model's estimator knows images of 16 features, the model gives 32")):
            write(change)
            self.fail_command("predict", "changed.safetensors", "photos/dark/1.png", message=message)

    def test_mistakes_are_named(self):
        self.fail_command("predict", "nowhere", "a.png", message="nowhere")
        self.write("other.safetensors", struct.pack("<Q", 2) + b"{}")
        self.fail_command("predict", "other.safetensors", "a.png", message="not a model that penumbra wrote")


if __name__ == "__main__":
    unittest.main()

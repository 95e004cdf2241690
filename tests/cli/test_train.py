import csv
import json
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import time
import unittest

from command import PENUMBRA, CommandTest
from test_data import png

TINY = ("train", "blobs", "--labels", "40", "--backbone", "tiny", "--threads", "1", "--set", "run.report=false")


def read_safetensors(path):
    """The header and the bytes of every tensor, read independently."""
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    data = content[8 + size:]
    header.pop("__metadata__", None)
    return {name: data[slice(*entry["data_offsets"])] for name, entry in header.items()}


def read_events(path):
    """Tags and values of a TensorBoard file; its checksums are compared."""
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)

    def masked_crc(content):
        crc = 0xFFFFFFFF
        for byte in content:
            crc = crc >> 8 ^ table[(crc ^ byte) & 255]
        crc ^= 0xFFFFFFFF
        return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF

    def fields(content):
        at = 0

        def varint():
            nonlocal at
            value = shift = 0
            while True:
                byte = content[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return value
        while at < len(content):
            key = varint()
            kind, number = key & 7, key >> 3
            if kind == 0:
                yield number, varint()
            else:
                size = {1: 8, 5: 4}.get(kind) or varint()
                yield number, content[at:at + size]
                at += size

    content, at, found = path.read_bytes(), 0, {}
    while at < len(content):
        length = struct.unpack("<Q", content[at:at + 8])[0]
        assert struct.unpack("<I", content[at + 8:at + 12])[0] == masked_crc(content[at:at + 8])
        event = content[at + 12:at + 12 + length]
        assert struct.unpack("<I", content[at + 12 + length:at + 16 + length])[0] == masked_crc(event)
        at += 16 + length
        step = dict(fields(event)).get(2, 0)
        for number, summary in fields(event):
            if number == 5:
                for _, value in fields(summary):
                    parts = dict(fields(value))
                    found[parts[1].decode(), step] = struct.unpack("<f", parts[2])[0]
    return found


# What the machine is worth need not be measured then.
QUICK = (*TINY, "--set", "run.cores=1")


class Train(CommandTest):
    def test_a_run_folder_holds_everything_and_can_be_used(self):
        out, error = self.run_command(*TINY, "--steps", "30", "--out", "run")
        self.assertRegex(out, r"test accuracy \d+\.\d+ %")
        self.assertIn("40 labels to train with", error)
        names = {path.name for path in (self.folder / "run").iterdir()}
        self.assertLessEqual({"config.toml", "split.csv", "metrics.jsonl", "last.safetensors",
                              "best.safetensors", "state"}, names)
        rows = [json.loads(line) for line in (self.folder / "run/metrics.jsonl").read_text().splitlines()]
        self.assertEqual(rows[-1]["step"], 30)
        events, = (self.folder / "run").glob("events.out.tfevents.*")
        self.assertAlmostEqual(read_events(events)["loss/supervised", 30], rows[-1]["loss/supervised"], places=5)

        found = json.loads(self.run_command("evaluate", "run", "--format", "json")[0])
        self.assertEqual((found["data"], found["images"], found["labels_used"]), ("blobs", 256, 40))
        self.assertLessEqual(found["accuracy"]["low"], found["accuracy"]["value"])
        self.assertEqual(sum(map(sum, found["confusion"])), 256)
        self.assertIn(f"test accuracy {100 * found['accuracy']['value']:.2f} %", out)
        self.assertEqual(sum(verdict["images"] for verdict in found["verdicts"].values()), 256)
        self.assertGreater(found["calibrated"]["temperature"], 0)
        for score in ("max_probability", "entropy", "epistemic"):
            for number in ("aurc", "augrc", "coverage_at_5_risk", "risk_at_80_coverage"):
                self.assertTrue(0 <= found["selective"][score][number] <= 1, (score, number))
        self.assertNotIn("ood", found)
        for probabilities in (found, found["calibrated"]):
            for number in ("brier", "ece", "aece", "mce", "nll"):
                self.assertGreaterEqual(probabilities[number], 0, number)
            self.assertEqual(sum(row["images"] for row in probabilities["bins"]), 256)
            low, high = probabilities["intervals"]["nll"]
            self.assertTrue(low < probabilities["nll"] < high)
        csv_rows = list(csv.DictReader(self.run_command("evaluate", "run", "--format", "csv")[0].splitlines()))
        values = {(row["pictures"], row["of"], row["metric"]): row for row in csv_rows}
        self.assertEqual(len(values), len(csv_rows))
        self.assertAlmostEqual(float(values["test", "model", "accuracy"]["value"]), found["accuracy"]["value"], places=5)
        balanced = values["test", "model", "balanced_accuracy"]
        self.assertAlmostEqual(float(balanced["low"]), found["intervals"]["balanced_accuracy"][0], places=5)
        none = json.loads(self.run_command("evaluate", "run", "--format", "json", "--bootstrap", "0")[0])
        self.assertNotIn("intervals", {**none, **none["calibrated"], **none["selective"]["entropy"]})
        text, _ = self.run_command("evaluate", "run")
        self.assertIn("most often taken for", text)
        self.assertRegex(text, r"unfamiliar +\d+")
        self.fail_command(*TINY, "--steps", "30", "--out", "run", message="holds a run already")

    def test_two_runs_with_one_seed_are_bit_identical(self):
        for name in ("a", "b"):
            self.run_command(*TINY, "--steps", "20", "--out", name)
        self.assertEqual(read_safetensors(self.folder / "a/last.safetensors"),
                         read_safetensors(self.folder / "b/last.safetensors"))

    def test_killed_at_random_moments_and_resumed_it_is_the_same_run(self):
        arguments = (*TINY, "--steps", "1500", "--set", "train.checkpoint_seconds=0.05")
        start = time.monotonic()
        self.run_command(*arguments, "--out", "whole")
        whole = time.monotonic() - start  # a busy machine needs longer to begin, too
        environment = {**os.environ, "PENUMBRA_DATA": str(self.folder)}
        randomness = random.Random(1)
        kills = 0
        command = [PENUMBRA, *arguments, "--out", "killed"]
        while kills < 20:
            process = subprocess.Popen(command, cwd=self.folder, env=environment,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(randomness.uniform(0.1, 0.5) * whole)
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            if (self.folder / "killed/config.toml").exists():
                command = [PENUMBRA, "train", "--resume", "killed"]
        self.assertGreater(kills, 0)
        self.assertTrue((self.folder / "killed/config.toml").exists())  # some kills came after the start
        self.run_command("train", "--resume", "killed")
        self.assertEqual(read_safetensors(self.folder / "whole/last.safetensors"),
                         read_safetensors(self.folder / "killed/last.safetensors"))
        print(f"{kills} kills survived")

    def test_minutes_are_turned_into_steps_that_follow_the_clock(self):
        _, error = self.run_command(*QUICK, "--minutes", "0.1", "--out", "run")
        planned = int(re.search(r"are about (\d+) steps", error)[1])
        taken = int(re.search(r"^steps = (\d+)", (self.folder / "run/config.toml").read_text(), re.M)[1])
        rows = [json.loads(line)["step"]
                for line in (self.folder / "run/metrics.jsonl").read_text().splitlines()]
        self.assertEqual(rows, sorted(set(rows)))
        self.assertEqual(rows[-1], taken)
        self.assertGreater(planned, 0)
        self.assertNotIn("going on after", error)  # looking at the clock is not worth a word
        self.assertEqual(len(list((self.folder / "run").glob("events.out.tfevents.*"))), 1)
        # A run whose steps were counted again is the same run: it can be resumed when it is over.
        self.assertIn("test accuracy", self.run_command("train", "--resume", "run")[0])

    def test_minutes_that_would_go_by_with_looking_at_the_pool_are_refused(self):
        self.fail_command("train", "blobs", "--labels", "40", "--set", "data.count=20000", "--set", "data.size=32",
                          "--backbone", "fast", "--method", "generations", "--minutes", "0.1", "--out", "run",
                          message="method generations looks at all ")
        self.assertFalse((self.folder / "run").exists())

    def test_minutes_that_reading_and_judging_take_up_are_refused(self):
        self.fail_command(*TINY, "--minutes", "0.001", "--out", "run",
                          message="which leaves no time to train: expected at least --minutes ")
        self.assertFalse((self.folder / "run").exists())

    def test_steps_are_counted_anew_when_a_run_of_minutes_goes_on(self):
        # On a machine that is faster by far than the one where it began.
        process = subprocess.Popen([PENUMBRA, *QUICK, "--minutes", "0.3", "--out", "run"], cwd=self.folder,
                                   stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        while not (self.folder / "run/metrics.jsonl").exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(300), 0)
        done = max(int(re.search(r"step-(\d+)", path.name)[1]) for path in (self.folder / "run/state").iterdir())
        config = self.folder / "run/config.toml"
        config.write_text(re.sub(r"(?m)^steps = \d+", f"steps = {done + 3}", config.read_text()))
        self.assertIn("test accuracy", self.run_command("train", "--resume", "run")[0])
        self.assertGreater(int(re.search(r"(?m)^steps = (\d+)", config.read_text())[1]), done + 3)
        # What it says of a split is what was asked for, not the file that the folder has.
        self.assertRegex(config.read_text(), r'(?m)^split = ""')

    def test_the_speed_of_the_machine_is_kept(self):
        self.run_command(*TINY, "--minutes", "0.2", "--out", "run")
        config = (self.folder / "run/config.toml").read_text()
        self.assertGreater(float(re.search(r"(?m)^cores = ([\d.]+)", config)[1]), 0)
        self.run_command(*TINY, "--minutes", "0.1", "--set", "run.cores=1234", "--out", "fast")
        config = (self.folder / "fast/config.toml").read_text()
        self.assertRegex(config, r"(?m)^cores = 1234\b")
        self.assertRegex(config, r"(?m)^lr = 0.02\b")  # as with time left

    def test_minutes_count_anew_for_a_run_that_begins_anew(self):
        self.run_command(*QUICK, "--minutes", "0.1", "--out", "run")
        for checkpoint in (self.folder / "run/state").glob("step-*.safetensors"):
            checkpoint.write_bytes(b"damaged")
        config = self.folder / "run/config.toml"
        config.write_text(re.sub(r"(?m)^steps = \d+", "steps = 1000000000", config.read_text()))
        (self.folder / "run/last.safetensors").unlink()
        out, _ = self.run_command("train", "--resume", "run")
        self.assertIn("test accuracy", out)
        self.assertLess(int(re.search(r"(?m)^steps = (\d+)", config.read_text())[1]), 1000000000)

    def test_memory_does_not_grow_over_two_thousand_steps(self):
        run = subprocess.Popen([PENUMBRA, *TINY, "--method", "penumbra", "--steps", "2200", "--out", "run",
                                "--set", "train.report_every=50", "--set", "train.batch=8"],
                               cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sizes = {}  # by step, in kilobytes
        while run.poll() is None:
            try:
                step = json.loads((self.folder / "run/metrics.jsonl").read_text().splitlines()[-1])["step"]
                resident = re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{run.pid}/status").read_text())
                sizes[step] = int(resident[1])
            except (OSError, IndexError, TypeError, json.JSONDecodeError):
                pass  # it has not begun, is writing, or is gone
            time.sleep(0.05)
        self.assertEqual(run.returncode, 0)
        early, late = min(s for s in sizes if s >= 200), max(s for s in sizes if s <= 2150)
        self.assertGreater(late, 1500)
        self.assertLess(sizes[late] - sizes[early], 20_000, sizes)

    def test_it_has_its_folder_alone_and_ctrl_c_says_how_to_go_on(self):
        process = subprocess.Popen([PENUMBRA, *TINY, "--steps", "1000000", "--out", "run"], cwd=self.folder,
                                   stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        while not (self.folder / "run/metrics.jsonl").exists():
            time.sleep(0.05)
        time.sleep(0.3)
        for second in (("train", "--resume", "run"), ("certify", "run"), (*TINY, "--out", "run")):
            self.fail_command(*second, message=f"run is in use by process {process.pid}")
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, error)
        self.assertIn("nothing is lost; go on with:  penumbra train --resume run", error)
        self.assertTrue(list((self.folder / "run/state").glob("step-*.safetensors")))

    def test_mistakes_are_named(self):
        self.fail_command("train", message="expected DATA")
        self.fail_command(*TINY, "--method", "fixmach", message="no method 'fixmach'; there are: fixmatch")
        self.fail_command(*TINY[:4], "--backbone", "wrn_27_2", message="no backbone 'wrn_27_2'")
        self.fail_command(*TINY, "--preset", "fast!", message="no preset 'fast!'; there are: paper quick")
        self.fail_command(*TINY, "--device", "cuda:7", message="device 'cuda:7' is not to be had")
        self.fail_command(*TINY, "--device", "abacus", message="device 'abacus' is not to be had")
        self.fail_command(*TINY, "--set", "method.treshold=1", message="does not know 'treshold'")
        self.fail_command(*TINY, "--set", "train.lr=-1", message="expected a number from 0")
        self.fail_command("train", "blobs", "--labels", "3", message="at least one for each of 4 classes")
        self.fail_command("train", "--resume", "nowhere", message="nowhere/config.toml")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_changed_data_is_not_mixed_into_a_run(self):
        self.run_command(*TINY, "--steps", "5", "--out", "run")
        config = self.folder / "run/config.toml"
        config.write_text(config.read_text().replace("noise = 64", "noise = 65"))
        self.fail_command("train", "--resume", "run", message="another configuration or other data")

    def test_wishes_that_contradict_each_other_are_refused(self):
        self.fail_command(*TINY, "--steps", "5", "--minutes", "1", message="expected one of them")
        self.fail_command(*TINY, "--steps", "5", "--set", "run.minutes=1", message="expected one of them")
        self.fail_command(*TINY, "--split", "a.csv", message="--split says which images have labels")
        self.fail_command(*TINY, "--set", "pool.size=8", message="a run without --pool does not know 'size'")
        self.run_command(*TINY, "--steps", "5", "--out", "run")
        for more in (("--out", "other"), ("--config", "run/config.toml"), ("--steps", "9")):
            self.fail_command("train", "--resume", "run", *more, message="--resume goes on with")
        self.fail_command("certify", "run", "--set", "train.lr=5", message="expected a setting of uncertainty")
        # Steps of the command line count more than minutes of a file.
        self.write("slow.toml", "[run]\nminutes = 600\n")
        self.run_command(*TINY, "--config", "slow.toml", "--steps", "7", "--out", "seven")
        self.assertRegex((self.folder / "seven/config.toml").read_text(), r"(?m)^steps = 7\b")

    def test_labels_that_are_asked_for_count_more_than_the_split_of_a_file(self):
        self.run_command(*TINY, "--steps", "3", "--out", "first")
        self.run_command(*TINY[:2], "--config", "first/config.toml", "--split", "first/split.csv", "--out", "second")
        config = (self.folder / "second/config.toml").read_text()
        # The place holds from any folder.
        self.assertIn(f'split = "{(self.folder / "first/split.csv").absolute()}"', config)

        def labelled(run):
            return sum(row["part"] == "labelled" for row in csv.DictReader((self.folder / run / "split.csv").open()))
        self.assertEqual(labelled("second"), labelled("first"))
        self.run_command(*TINY[:2], "--config", "second/config.toml", "--labels", "80", "--out", "third")
        self.assertGreater(labelled("third"), labelled("second"))

    def test_steps_of_a_later_file_count_more_than_minutes_of_an_earlier_one(self):
        self.write("slow.toml", "[run]\nminutes = 600\n")
        self.write("short.toml", "[train]\nsteps = 7\n")
        self.run_command(*TINY, "--config", "slow.toml", "--config", "short.toml", "--out", "seven")
        self.assertRegex((self.folder / "seven/config.toml").read_text(), r"(?m)^steps = 7\b")

    def test_options_do_not_swallow_what_follows_them(self):
        self.run_command("train", "--set", "train.steps=3", "blobs", "--labels", "40", "--backbone", "tiny", "--out",
                         "run", "--set", "run.report=false")
        self.assertTrue((self.folder / "run/last.safetensors").exists())
        self.run_command("certify", "--set", "uncertainty.unfamiliar=0.9", "run")

    def test_the_run_says_how_it_computes(self):
        self.run_command(*TINY, "--steps", "3", "--out", "run")
        config = (self.folder / "run/config.toml").read_text()
        self.assertRegex(config, r'(?m)^precision = "(fp32|bf16)"')
        self.assertRegex(config, r'(?m)^kernels = "(own|libtorch)"')

    def test_weights_to_start_from_are_needed_once(self):
        self.run_command(*TINY, "--steps", "3", "--out", "first")
        self.run_command(*TINY, "--steps", "3", "--init", "first/last.safetensors", "--out", "second")
        shutil.rmtree(self.folder / "first")
        (self.folder / "second/last.safetensors").unlink()
        self.run_command("train", "--resume", "second")

    def test_a_changed_setting_is_not_mixed_into_a_run(self):
        self.run_command(*TINY, "--steps", "5", "--out", "run")
        config = self.folder / "run/config.toml"
        before = config.read_text()
        changed = re.sub(r"(?m)^lr = \S+", "lr = 0.0123", before)
        self.assertNotEqual(before, changed)
        config.write_text(changed)
        self.fail_command("train", "--resume", "run", message="another configuration or other data")
        config.write_text(before)
        self.run_command("train", "--resume", "run")


class Strangers(CommandTest):
    def test_every_score_says_how_well_it_finds_them(self):
        self.run_command(*TINY, "--steps", "60", "--method", "penumbra", "--out", "run")
        for i in range(4):
            self.write(f"odd/{i}.png", png(20, 30, value=250 - i))
        out, _ = self.run_command("evaluate", "run", "--ood", "noise", "--ood", "odd", "--format", "json")
        found = json.loads(out)
        self.assertEqual([found["strangers"][name]["images"] for name in ("noise", "odd")], [1000, 4])
        self.assertTrue(0 <= found["strangers"]["noise"]["unfamiliar"] <= 1000)
        scores = found["ood"]["noise"]
        # The verdicts are by mahalanobis as it comes, which is also fitted anew for the comparison.
        self.assertAlmostEqual(scores["epistemic"]["auroc"], scores["mahalanobis"]["auroc"], places=4)
        alone = json.loads(self.run_command("evaluate", "run", "--format", "json")[0])["selective"]
        for name in ("max_probability", "entropy", "epistemic", "certificates", "variance_head"):
            self.assertEqual(alone[name], found["selective"][name])
        for name in ("knn", "certificates", "mahalanobis", "entropy", "max_probability", "variance_head",
                     "certificates as trained"):
            self.assertTrue(0 <= found["selective"][name]["error_auroc"] <= 1, name)
            for number in ("auroc", "aupr_in", "aupr_out", "fpr95"):
                self.assertTrue(0 <= scores[name][number] <= 1, (name, number))
            low, high = scores[name]["intervals"]["auroc"]
            self.assertTrue(low <= scores[name]["auroc"] <= high, name)
        self.assertGreater(scores["mahalanobis"]["auroc"], 0.9)
        text, _ = self.run_command("evaluate", "run", "--ood", "noise")
        self.assertRegex(text, r"noise: \d+ of 1000 pictures are called unfamiliar")
        self.assertRegex(text, r"knn +0\.\d{3} \+-0\.\d{3} +0\.\d{3} \+-0\.\d{3} +0\.\d{4} +\d+\.\d % +\d+\.\d\d %")
        rows = csv.DictReader(self.run_command("evaluate", "run", "--ood", "noise", "--format", "csv")[0].splitlines())
        auroc, = [row for row in rows if (row["pictures"], row["of"], row["metric"]) == ("noise", "knn", "auroc")]
        self.assertAlmostEqual(float(auroc["value"]), scores["knn"]["auroc"], places=5)

    def test_mistakes_are_named(self):
        self.run_command(*TINY, "--steps", "5", "--out", "run")
        self.fail_command("evaluate", "run", "--ood", "blobs", message="'blobs' is what the model was trained on")
        self.fail_command("evaluate", "run", "--ood", "nothing", message="nothing")


if __name__ == "__main__":
    unittest.main()

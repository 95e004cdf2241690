import csv
import io
import json
import os
import signal
import subprocess
import time
import unittest

from command import PENUMBRA, CommandTest

GRID = """
[sweep]
out = "runs"
results = "rows.jsonl"
[grid]
"run.method" = {methods}
"run.labels" = {labels}
"run.seed" = {seeds}
[set]
"run.data" = "blobs"
"run.backbone" = "tiny"
"train.steps" = {steps}
"train.batch" = 8
"""


class Sweep(CommandTest):
    def write_grid(self, methods=("supervised", "fixmatch"), labels=(40,), seeds=(0, 1), steps=5):
        self.write("grid.toml", GRID.format(methods=json.dumps(methods), labels=list(labels),
                                            seeds=list(seeds), steps=steps))

    def rows(self):
        return [json.loads(line) for line in (self.folder / "rows.jsonl").read_text().splitlines()]

    def test_parts_on_several_machines_make_one_table(self):
        self.write_grid()
        _, error = self.run_command("sweep", "grid.toml", "--shard", "2/2")
        self.assertIn("all runs of part 2/2 are finished", error)
        names = [json.loads(line)["name"] for line in (self.folder / "rows.2of2.jsonl").read_text().splitlines()]
        self.assertEqual(names, ["supervised-labels40-seed1", "fixmatch-labels40-seed1"])
        self.assertFalse((self.folder / "rows.jsonl").exists())
        self.assertIn("2 of 4 runs so far", self.run_command("sweep", "grid.toml", "--table", "markdown")[0])
        self.run_command("sweep", "grid.toml", "--shard", "1/2")
        self.assertIn("4 of 4 runs so far", self.run_command("sweep", "grid.toml", "--table", "markdown")[0])
        _, error = self.run_command("sweep", "grid.toml")  # nothing is left
        self.assertNotIn("run 1 of 4", error)
        self.fail_command("sweep", "grid.toml", "--table", "markdown", "--shard", "1/2", message="excludes")
        for wrong in ("3/2", "0/2", "2", "1/2x"):
            self.fail_command("sweep", "grid.toml", "--shard", wrong, message=f"--shard '{wrong}' is not a part")

    def test_time_left_is_what_budgets_say(self):
        self.write("grid.toml", """
            [grid]
            "run.minutes" = [0.1, 60]
            [set]
            "run.data" = "blobs"
            "run.labels" = 40
            "run.backbone" = "tiny"
            "run.report" = false
            """)
        with subprocess.Popen([PENUMBRA, "sweep", "grid.toml"], cwd=self.folder, stderr=subprocess.PIPE,
                              text=True) as process:
            # What the first run took says nothing of the second.
            second = next(line for line in process.stderr if line.startswith("run 2 of 2"))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=300)
        self.assertIn("about 1 h 00 min left in all", second)

    def test_a_second_one_of_the_same_part_is_refused(self):
        self.write_grid(seeds=(0,), methods=("supervised",), steps=1_000_000)
        process = subprocess.Popen([PENUMBRA, "sweep", "grid.toml"], cwd=self.folder, stderr=subprocess.DEVNULL)
        while not (self.folder / "runs/supervised-labels40-seed0/metrics.jsonl").exists() and process.poll() is None:
            time.sleep(0.01)
        self.fail_command("sweep", "grid.toml", message=f"runs is in use by process {process.pid}")
        process.send_signal(signal.SIGINT)
        process.wait(300)

    def test_runs_all_once_and_goes_on_with_what_was_cut_off(self):
        self.write_grid()
        out, error = self.run_command("sweep", "grid.toml")
        self.assertEqual(out, "")
        self.assertIn("run 1 of 4: supervised-labels40-seed0\n", error)
        self.assertRegex(error, r"run 4 of 4: fixmatch-labels40-seed1, about \d+ s left in all")
        self.assertIn("all 4 runs are finished", error)
        rows = self.rows()
        self.assertEqual([row["name"] for row in rows],
                         [f"{method}-labels40-seed{seed}" for method in ("supervised", "fixmatch")
                          for seed in (0, 1)])
        for row in rows:
            self.assertEqual((row["run.data"], row["train.steps"], row["steps"]), ("blobs", "5", 5))
            self.assertEqual("mask" in row, row["run.method"] == "fixmatch")
            self.assertTrue(0 <= row["accuracy"] <= 1 and row["seconds"] > 0 and row["labels_used"] > 0)

        _, error = self.run_command("sweep", "grid.toml")
        self.assertNotIn("run 1", error)
        self.assertEqual(self.rows(), rows)

        self.write("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows[:3]))
        weights = self.folder / "runs" / rows[3]["name"] / "last.safetensors"
        before = weights.read_bytes()
        weights.unlink()
        out, _ = self.run_command("sweep", "grid.toml", "--table", "csv")
        table = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual([(row["method"], row["runs"], row["runs_planned"]) for row in table],
                         [("supervised", "2", "2"), ("fixmatch", "1", "2")])
        out, _ = self.run_command("sweep", "grid.toml", "--table", "markdown")
        self.assertIn("3 of 4 runs so far", out)
        out, _ = self.run_command("sweep", "grid.toml", "--table", "latex")
        self.assertIn("3 of 4 runs so far", out)
        self.assertIn(r"\begin{tabular}{llrr}", out)
        self.assertFalse(weights.exists())

        _, error = self.run_command("sweep", "grid.toml")
        self.assertIn("run 4 of 4", error)
        self.assertIn("going on after step 5", error)
        self.assertEqual(weights.read_bytes(), before)
        self.assertEqual(self.rows()[3]["accuracy"], rows[3]["accuracy"])

        self.write_grid(steps=6)
        self.fail_command("sweep", "grid.toml", message='was made with train.steps = "5"')

    def test_results_may_lie_in_a_new_folder_beside_what_others_are_writing(self):
        self.write_grid(methods=["supervised"], seeds=[0])
        grid = self.folder / "grid.toml"
        grid.write_text(grid.read_text().replace('"rows.jsonl"', '"new/rows.jsonl"'))
        self.run_command("sweep", "grid.toml")
        self.write("new/rows.1of2.jsonl.tmp-77-0", '{"half')
        self.assertIn("1 of 1 runs so far", self.run_command("sweep", "grid.toml", "--table", "markdown")[0])

    def test_a_failing_run_does_not_stop_the_others(self):
        self.write_grid(methods=["supervised"], labels=[1, 40], seeds=[0])
        _, error = self.run_command("sweep", "grid.toml", code=2)
        self.assertIn("labels is 1", error)
        self.assertIn("1 of 2 runs failed", error)
        self.assertIn("supervised-labels1-seed0: training ended with status 2", error)
        self.assertEqual([row["name"] for row in self.rows()], ["supervised-labels40-seed0"])

    def test_a_folder_that_cannot_be_made_does_not_stop_the_others(self):
        self.write_grid(methods=["supervised"], labels=[40], seeds=[0, 1])
        self.write("runs/supervised-labels40-seed0", "no folder")
        _, error = self.run_command("sweep", "grid.toml", code=2)
        self.assertIn("1 of 2 runs failed", error)
        self.assertEqual([row["name"] for row in self.rows()], ["supervised-labels40-seed1"])

    def test_an_interrupt_is_passed_on_and_the_run_saved(self):
        self.write_grid(methods=["supervised"], seeds=[0], steps=1000000)
        run = self.folder / "runs" / "supervised-labels40-seed0"
        sweep = subprocess.Popen([PENUMBRA, "sweep", "grid.toml"], cwd=self.folder, text=True,
                                 stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                 env={**os.environ, "PENUMBRA_DATA": str(self.folder)})
        self.addCleanup(sweep.kill)
        deadline = time.monotonic() + 120
        while not (run / "metrics.jsonl").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(1)
        sweep.send_signal(signal.SIGINT)
        _, error = sweep.communicate(timeout=120)
        self.assertEqual(sweep.returncode, 0, error)
        self.assertRegex(error, r"stopped after step \d+ of 1000000")
        self.assertIn("stopped with 0 of 1 runs finished", error)
        self.assertTrue(any((run / "state").iterdir()))
        self.assertFalse((self.folder / "rows.jsonl").exists())

    def test_mistakes_in_the_file(self):
        self.fail_command("sweep", "none.toml", message="cannot open none.toml")
        self.write("grid.toml", "[grid]\nrun.seed = 3\n")
        self.fail_command("sweep", "grid.toml", message="grid.toml line 2: 'run.seed' of [grid] has no values")


class Folders(CommandTest):
    def write_grid(self, steps=2):
        self.write("grid.toml", GRID.format(methods='["supervised"]', labels=[40], seeds=[0], steps=steps) +
                   '"run.report" = false\n')

    def test_a_folder_of_another_run_is_not_taken(self):
        self.write_grid()
        self.write("runs/supervised-labels40-seed0/config.toml", "")
        _, error = self.run_command("sweep", "grid.toml", code=2)
        self.assertIn("holds a run that this sweep did not begin: expected another 'out'", error)
        self.assertFalse((self.folder / "rows.jsonl").exists())

    def test_a_folder_that_was_begun_with_other_settings_is_not_gone_on_with(self):
        self.write_grid(steps=2)
        self.run_command("sweep", "grid.toml")
        (self.folder / "rows.jsonl").unlink()
        self.write_grid(steps=3)
        _, error = self.run_command("sweep", "grid.toml", code=2)
        self.assertRegex(error, "supervised-labels40-seed0 was begun with other settings .*sweep.txt")
        self.assertIn("1 of 1 runs failed; the same command tries them again:", error)

    def test_a_table_of_nothing_yet_has_every_row(self):
        self.write_grid()
        out, _ = self.run_command("sweep", "grid.toml", "--table", "markdown")
        self.assertIn("| supervised | 40 | - | 0 |", out)
        self.assertIn("0 of 1 runs so far", out)
        self.assertFalse((self.folder / "runs").exists())
        self.fail_command("sweep", "grid.toml", "--table", "html", message="--table")

    def test_arms_are_rows_beside_what_others_report(self):
        self.write("arms.toml", """
[sweep]
out = "runs"
[grid]
"run.seed" = [0]
[arms.fast]
"train.steps" = 1
[arms.slow]
"train.steps" = 2
[set]
"run.data" = "blobs"
"run.backbone" = "tiny"
"run.labels" = 40
"run.method" = "supervised"
"run.report" = false
[published]
"slow" = 95.5
""")
        self.run_command("sweep", "arms.toml")
        out, _ = self.run_command("sweep", "arms.toml", "--table", "csv")
        rows = {row["arm"]: row for row in csv.DictReader(io.StringIO(out))}
        self.assertEqual((rows["slow"]["published"], rows["fast"]["published"]), ("95.50", ""))
        self.assertEqual((rows["slow"]["runs"], rows["fast"]["runs"]), ("1", "1"))
        lines = (self.folder / "arms.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line)["steps"] for line in lines], [1, 2])

    def test_a_damaged_row_is_named_with_its_line(self):
        self.write_grid()
        self.write("rows.jsonl", '{"name": "supervised-labels40-seed0"}\n')
        self.fail_command("sweep", "grid.toml", message="rows.jsonl line 1 is no result of a run")
        self.fail_command("sweep", "grid.toml", "--table", "csv", message="remove the line to do its run again")


if __name__ == "__main__":
    unittest.main()

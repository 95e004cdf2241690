"""What a training does to its folder, to what lies there, and to those who listen or no longer do."""
import os
import shutil
import signal
import subprocess
import time

from command import PENUMBRA, CommandTest
from test_data import png
from test_train import TINY


class TrainFolder(CommandTest):
    def start(self, *arguments, **streams):
        return subprocess.Popen([PENUMBRA, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                                env={**os.environ, "PENUMBRA_DATA": str(self.folder)}, **streams)

    def wait_for(self, name, process):
        while not (self.folder / name).exists() and process.poll() is None:
            time.sleep(0.01)

    def test_what_lies_there_is_not_replaced(self):
        mine = self.write("mine/best.safetensors", "my model")
        self.fail_command(*TINY, "--steps", "3", "--out", "mine", message="best.safetensors is there already")
        self.assertEqual(mine.read_text(), "my model")
        self.assertFalse((self.folder / "mine/config.toml").exists())
        # A run whose configuration was removed is not gone on with unasked.
        self.run_command(*TINY, "--steps", "3", "--out", "run")
        (self.folder / "run/config.toml").unlink()
        self.fail_command(*TINY, "--steps", "9", "--out", "run", message="is there already and would be replaced")

    def test_a_configuration_of_the_users_own_is_not_replaced(self):
        mine = self.write("mine/config.toml", "[train]\nsteps = 3\n")
        self.fail_command(*TINY, "--config", "mine/config.toml", "--out", "mine", message="config.toml is there already")
        self.assertEqual(mine.read_text(), "[train]\nsteps = 3\n")
        self.assertEqual([path.name for path in mine.parent.iterdir() if path.name != ".lock"], ["config.toml"])

    def test_pictures_of_the_folder_one_is_in_do_not_hide_their_run(self):
        for i in range(6):
            for name in ("cat", "dog"):
                self.write(f"labelled/{name}/{i}.png", png(8, 8, 20 * i))
        for _ in range(2):  # the run lies beside the pictures the second time
            self.run_command("train", ".", "--backbone", "tiny", "--steps", "3", "--set", "run.report=false")
        for run in (self.folder / "runs").iterdir():
            self.assertTrue(run.name.startswith(f"{self.folder.name}-fixmatch-"), run.name)

    def test_a_split_without_unlabelled_pictures_has_a_report(self):
        for i in range(12):
            for name in ("cat", "dog"):
                self.write(f"photos/{name}/{i}.png", png(8, 8, 20 * i))
        rows = [f",{part},{name}/{i}.png" for name in ("cat", "dog")
                for i, part in enumerate(["labelled"] * 6 + ["validation"] * 3 + ["test"] * 3)]
        self.write("split.csv", "\n".join(["index,part,file", *rows]) + "\n")
        self.run_command("train", "photos", "--method", "supervised", "--split", "split.csv", "--backbone", "tiny",
                         "--steps", "3", "--out", "run")
        self.assertTrue((self.folder / "run/last.safetensors").exists())

    def test_a_split_of_the_users_own_is_not_replaced(self):
        mine = self.write("mine/split.csv", "index,part,file\n0,labelled,\n")
        self.fail_command(*TINY, "--steps", "3", "--out", "mine", message="split.csv is there already")
        self.assertEqual(mine.read_text(), "index,part,file\n0,labelled,\n")
        # What a run wrote that was killed before its configuration is the same, and no reason to stop.
        self.run_command(*TINY, "--steps", "3", "--out", "run")
        self.write("again/split.csv", (self.folder / "run/split.csv").read_text())
        self.run_command(*TINY, "--steps", "3", "--out", "again")

    def test_a_run_that_was_refused_does_not_block_its_folder(self):
        self.fail_command(*TINY, "--steps", "3", "--out", "run", "--set", "augment.pad=1", message="lower augment.pad")
        self.run_command(*TINY, "--steps", "3", "--out", "run")
        self.fail_command(*TINY, "--steps", "3", "--out", "run", message="holds a run already")

    def test_a_model_that_was_removed_is_said_to_be(self):
        self.run_command(*TINY, "--steps", "3", "--out", "run")
        (self.folder / "run/best.safetensors").unlink()
        for command in (["certify", "run"], ["evaluate", "run"], ["train", "--resume", "run"]):
            self.fail_command(*command, message="best.safetensors is no longer there")
        self.run_command("evaluate", "run", "--model", "last")

    def test_copies_of_test_pictures_are_named_before_training(self):
        for i in range(10):
            for j, name in enumerate(("cat", "dog")):
                self.write(f"photos/train/{name}/{i}.png", png(8, 8, 20 * i + j))
        for j, name in enumerate(("cat", "dog")):
            self.write(f"photos/val/{name}/a.png", png(8, 8, 20 * 3 + j + 5))
            self.write(f"photos/test/{name}/a.png", png(8, 8, 20 * 3 + j))
            self.write(f"photos/test/{name}/b.png", png(8, 8, 20 * 3 + j + 7))
        _, error = self.run_command("train", "photos", "--backbone", "tiny", "--steps", "3", "--out", "run")
        self.assertIn("2 of 4 test pictures are copies of some that are trained on", error)

    def test_links_in_a_strangers_run_lead_nowhere(self):
        self.run_command(*TINY, "--steps", "3", "--out", "run")
        mine = self.write("mine.txt", "mine")
        for name in (".lock", "metrics.jsonl", "state/notes"):
            with self.subTest(name):
                path = self.folder / "run" / name
                before = path.read_bytes() if path.exists() else None
                path.unlink(missing_ok=True)
                path.symlink_to(mine)
                self.fail_command("train", "--resume", "run", message="link")
                if "/" not in name:
                    self.fail_command("certify", "run", message="link")
                self.assertEqual(mine.read_text(), "mine")
                path.unlink()
                if before is not None:
                    path.write_bytes(before)
        self.run_command("train", "--resume", "run")

    def test_a_folder_that_was_removed_is_not_written_to_again(self):
        process = self.start(*TINY, "--steps", "1000000", "--set", "train.checkpoint_seconds=0", "--out", "run",
                             stderr=subprocess.PIPE)
        self.wait_for("run/state", process)
        os.rename(self.folder / "run", self.folder / "gone")
        (self.folder / "run").mkdir()
        error = process.communicate(timeout=300)[1].decode()
        self.assertEqual(process.returncode, 2, error)
        # Or it was just writing there.
        self.assertRegex(error, "was removed or replaced|cannot write run/state")

    def test_runs_of_the_same_second_have_folders_of_their_own(self):
        runs = [self.start(*TINY, "--steps", "2", stderr=subprocess.PIPE) for _ in range(2)]
        for process in runs:
            error = process.communicate(timeout=300)[1].decode()
            # Two that chose a name in the same instant find it out by the lock.
            self.assertTrue(process.returncode == 0 or "in use by process" in error, error)
        self.run_command(*TINY, "--steps", "2")
        self.assertGreaterEqual(len(list((self.folder / "runs").iterdir())), 2)

    def test_nobody_needs_to_listen(self):
        with open("/dev/full", "wb") as full:
            process = self.start(*TINY, "--steps", "5", "--out", "full", stderr=full)
            self.assertEqual(process.wait(300), 0)
        self.assertTrue((self.folder / "full/last.safetensors").exists())

    def test_a_reader_that_ctrl_c_ends_first_costs_nothing(self):
        process = self.start(*TINY, "--steps", "1000000", "--set", "train.report_every=1", "--out", "run",
                             stderr=subprocess.PIPE)
        self.wait_for("run/metrics.jsonl", process)
        process.stderr.close()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(300), 0)
        self.assertTrue(list((self.folder / "run/state").glob("step-*")))

    def test_text_of_any_kind_comes_back_from_the_configuration(self):
        odd = "it's \"odd\" '''\n\x7f\\ ü"
        shutil.copytree(self.make_photos(), self.folder / odd)
        self.run_command("train", odd, "--backbone", "tiny", "--size", "8", "--steps", "2", "--threads", "1",
                         "--set", "run.report=false", "--out", "run")
        (self.folder / "run/last.safetensors").unlink()
        self.run_command("train", "--resume", "run")

    def make_photos(self):
        for number in range(24):
            self.write(f"photos/{'ab'[number % 2]}/{number}.png", png(8, 8, value=10 * number))
        return self.folder / "photos"

    def test_a_run_is_used_from_any_folder_and_its_pictures_may_be_moved(self):
        self.make_photos()
        own = ("--backbone", "tiny", "--size", "8", "--steps", "2", "--threads", "1", "--set", "run.report=false")
        self.run_command("train", "photos", *own, "--out", "run")
        # Other pictures of that name lie where the command is called from.
        shutil.copytree(self.folder / "photos", self.folder / "elsewhere/photos")
        (self.folder / "elsewhere/photos/a").rename(self.folder / "elsewhere/photos/c")
        here, self.folder = self.folder, self.folder / "elsewhere"
        self.run_command("evaluate", here / "run", "--threads", "1")
        self.folder = here
        (here / "photos").rename(here / "moved")
        self.fail_command("evaluate", "run", message="which is no folder now: put them back, or write where they are")
        config = here / "run/config.toml"
        config.write_text(config.read_text().replace(str(here / "photos"), str(here / "moved")))
        self.run_command("evaluate", "run", "--threads", "1")
        (here / "run/last.safetensors").unlink()
        self.run_command("train", "--resume", "run")

    def test_a_finished_run_is_not_trained_over(self):
        self.run_command(*TINY, "--steps", "3", "--out", "run")
        shutil.rmtree(self.folder / "run/state")
        before = (self.folder / "run/best.safetensors").read_bytes()
        self.fail_command("train", "--resume", "run", message="is finished and has no checkpoint")
        self.assertEqual((self.folder / "run/best.safetensors").read_bytes(), before)

    def test_a_terminal_that_is_closed_saves_the_run(self):
        process = self.start(*TINY, "--steps", "1000000", "--out", "run", stderr=subprocess.DEVNULL)
        self.wait_for("run/metrics.jsonl", process)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(300), 0)
        self.assertTrue(list((self.folder / "run/state").glob("step-*")))

    def test_a_network_of_infinities_is_no_model(self):
        self.fail_command(*TINY, "--steps", "30", "--out", "run", "--set", "train.lr=100", "--set",
                          "train.optimiser=sgd", "--set", "train.warm_up=0", message="try a smaller learning rate")

    def test_an_option_without_its_value_takes_no_other(self):
        self.fail_command(*TINY, "--steps", "3", "--out=", "--strict", message="--out= has no value")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_folder_that_files_cannot_name_is_refused(self):
        self.fail_command(*TINY, "--steps", "3", "--out", os.fsdecode(b"o\xff"), message="is not UTF-8")

    def test_commands_to_copy_are_quoted(self):
        out, _ = self.run_command(*TINY, "--steps", "3", "--out", "my run")
        self.assertIn("penumbra evaluate 'my run'", out)

    def test_escapes_in_names_do_not_reach_the_terminal(self):
        _, error = self.run_command("train", "\033[31mred", code=2)
        self.assertNotIn("\033", error)
        self.assertIn("?[31mred", error)

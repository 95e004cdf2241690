"""Trainings that are killed, starved and lied to. Afterwards there is the run that would have been, or a clear
message and nothing lost. FAULTS=long is the whole of it, as `./test.sh --long` has it; else a sample."""
import collections
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from run_folder import PHASES, checkpoints, newest_step, phase_of, promised, wall_times, watch
from training import STEPS, Process, png, write_pictures

LONG = os.environ.get("FAULTS") == "long"
unless_sanitized = unittest.skipIf(
    "ASAN_OPTIONS" in os.environ,
    "the sanitizer's library must be the first one, and wants terabytes of addresses and files of its own")


class Faults(unittest.TestCase):
    cases = 0
    killed = collections.Counter(dict.fromkeys(PHASES, 0))
    interrupted = collections.Counter()

    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="penumbra-faults-"))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        write_pictures(cls.root / "photos")
        whole = cls.root / "whole" / "run"
        whole.parent.mkdir()
        start = time.monotonic()
        process = cls.start(whole)
        cls.lengths = watch(process, whole)
        code, said = process.finish()
        cls.seconds = time.monotonic() - start
        assert code == 0, said
        cls.expected = promised(whole)
        assert [line["step"] for line in cls.expected["metrics.jsonl"]] == list(range(1, STEPS + 1))
        assert cls.expected["report.html"] or "built without its page" in said, said
        cls.phases = PHASES if cls.expected["report.html"] else PHASES[:-2]
        files = [path.stat().st_size for path in whole.parent.rglob("*") if path.is_file()]
        cls.kilobytes = sum(4 * (size // 4096 + 1) for size in files)

    @classmethod
    def tearDownClass(cls):
        def listed(counts):
            return ", ".join(f"{counts[phase]} {phase}" for phase in PHASES)
        # On a line of its own, behind the dots of the tests: test.sh looks for it.
        print(f"\n{cls.cases} faults, each followed by the run that would have been; killed: {listed(cls.killed)}; "
              f"interrupted: {listed(cls.interrupted)}", file=sys.stderr)

    @classmethod
    def start(cls, folder, fault=None, limits=(), photos=None):
        return Process(photos or cls.root / "photos", folder, fault, limits)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="case-", dir=self.root)) / "run"

    def expect_the_same_run(self, what):
        """The run that is in the folder, or none yet, ends as the one that met no fault. The folder is empty then."""
        code, said = self.start(self.folder).finish()
        self.assertEqual(code, 0, f"after {what}: {said}")
        found = promised(self.folder)
        for name, expected in self.expected.items():
            self.assertTrue(found[name] == expected, f"after {what}: another {name}")
        left = [path.name for path in self.folder.rglob("*") if ".tmp-" in path.name]
        self.assertEqual(left, [], f"after {what}")
        Faults.cases += 1
        for path in self.folder.parent.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def start_until(self, aim, randomness):
        """A new run at a random moment of one of its phases, or a little later."""
        process = self.start(self.folder)
        some = randomness.randrange(STEPS - 1)
        after = {"training": some, "checkpointing": some, "evaluating": STEPS}.get(aim, 0)
        process.wait_until(
            lambda: newest_step(self.folder) >= after and phase_of(self.folder, process.said()) == aim,
            randomness.uniform(0, self.lengths[aim]))
        return process

    def test_killed_at_any_moment(self):
        randomness = random.Random(1)
        wanted = 200 if LONG else len(self.phases)
        least = wanted // 2 // len(self.phases) or 1

        def rarest():
            return min(self.phases, key=self.killed.get)

        for _ in range(5 * wanted):
            if self.killed.total() >= wanted and self.killed[rarest()] >= least:
                break
            aim = rarest()
            process = self.start_until(aim, randomness)
            process.send(signal.SIGKILL)
            code, said = process.finish()
            what = f"killed at {aim}"
            if code == -signal.SIGKILL:  # else it had ended
                phase = phase_of(self.folder, said)
                self.killed[phase] += 1
                what = f"killed at {phase}"
                if randomness.randrange(3) == 0:
                    again = self.start(self.folder)
                    again.wait_until(lambda: True, randomness.uniform(0, self.seconds))
                    again.send(signal.SIGKILL)
                    again.finish()
                    what += " and once more as it went on"
            self.expect_the_same_run(what)
        self.assertGreaterEqual(self.killed.total(), wanted, self.killed)
        self.assertGreaterEqual(self.killed[rarest()], least, self.killed)

    def test_interrupted_at_any_moment(self):
        randomness = random.Random(2)
        for number in range(80 if LONG else 2):
            process = self.start_until(randomness.choice(self.phases), randomness)
            if process.runs():
                self.interrupted[phase_of(self.folder, process.said())] += 1
            process.send(signal.SIGINT)
            ends = {0, -signal.SIGINT}  # before it listens and after that it just ends
            if number % 2 == 1:  # the second Ctrl-C does not wait for the step
                process.wait_until(lambda: True, randomness.uniform(0, 0.02))
                process.send(signal.SIGINT)
                ends.add(128 + signal.SIGINT)
            code, said = process.finish()
            if code == 2:
                self.assertIn("interrupted while reading", said)  # there is nothing to save yet
            else:
                self.assertIn(code, ends, said)
            self.expect_the_same_run(f"Ctrl-C {number}")

    def fail_calls(self, calls, every, lasting=""):
        """Each call, or some of them, made to fail, once or (+) from there on."""
        for call, error in calls.items():
            for number in range(1, 10**6, every):
                fault = f"{call}:{number}{lasting}:{error}"
                process = self.start(self.folder, fault)
                code, said = process.finish()
                if not process.mark.exists():  # the run's last call came before
                    self.assertEqual(code, 0, said)
                    self.assertGreater(number, 1, f"{call} was never made to fail")
                    self.expect_the_same_run(fault)  # which leaves room for a whole run by the next call
                    break
                self.expect_success_or_message(code, said)
                self.expect_the_same_run(fault)

    def expect_success_or_message(self, code, said):
        self.assertIn(code, (0, 2), said)
        if code == 2:
            self.assertRegex(said, r"(?m)^penumbra: ")
            self.assertNotIn("internal error", said)

    @unless_sanitized
    def test_every_call_fails_once(self):
        self.fail_calls(dict.fromkeys(("write", "fsync", "rename", "open", "mkdir"), "EIO"), 1 if LONG else 61)

    @unless_sanitized
    def test_the_disk_is_full_or_read_only_from_some_moment_on(self):
        self.fail_calls({"write": "ENOSPC", "open": "EROFS", "mkdir": "EACCES"}, 3 if LONG else 97, lasting="+")

    def test_a_disk_that_is_too_small(self):
        """A real one, which also fails in calls that the preloaded library does not know."""
        place = str(self.folder.parent)

        def mount(*options):
            return subprocess.run(["mount", *options, place], capture_output=True, text=True)

        if shutil.which("mount") is None or mount("-t", "tmpfs", "none").returncode != 0:
            self.skipTest("a disk of a few kilobytes needs the right to mount one")
        self.addCleanup(subprocess.run, ["umount", place], check=True)
        sizes = 50 if LONG else 4
        full = 0
        for number in range(1, sizes):
            kilobytes = self.kilobytes * number // sizes
            mount("-o", f"remount,size={kilobytes}k").check_returncode()
            code, said = self.start(self.folder).finish()
            self.expect_success_or_message(code, said)
            full += code == 2
            mount("-o", "remount,size=1g").check_returncode()
            self.expect_the_same_run(f"a disk of {kilobytes} kB")
        self.assertEqual(full, sizes - 1)

    @unless_sanitized
    def test_few_file_descriptors(self):
        for most in (range(4, 40) if LONG else (6, 12, 20)):
            code, said = self.start(self.folder, limits=((resource.RLIMIT_NOFILE, most),)).finish()
            self.assertIn(code, (0, 2, 127), said)  # 127: too few to load the program itself
            if code == 2:
                self.assertRegex(said, r"(?m)^penumbra: ")
            self.expect_the_same_run(f"{most} file descriptors")

    @unless_sanitized
    def test_little_memory(self):
        # Below a gigabyte the libraries that it is linked with do not get through their own start.
        for megabytes in range(1000, 4000, 50 if LONG else 600):
            code, said = self.start(self.folder, limits=((resource.RLIMIT_AS, megabytes << 20),)).finish()
            self.assertIn(code, (0, 1, 2, 127), f"{megabytes} MB: {said}")
            if code in (1, 2):
                self.assertIn("penumbra: ", said)
            self.expect_the_same_run(f"{megabytes} MB of memory")

    @unless_sanitized
    def test_the_system_grants_no_threads(self):
        code, said = self.start(self.folder, "thread:1+:EAGAIN").finish()
        self.assertEqual(code, 2, said)
        self.assertIn("the system grants 0 threads", said)
        self.expect_the_same_run("no threads")

    @unless_sanitized
    def test_a_clock_that_jumps(self):
        # The eighth reading and the twelfth are those of reports; the first is before everything.
        for number in (1, 8, 12) if LONG else (8,):
            for seconds in (-10**6, 10**6):
                code, said = self.start(self.folder, f"clock:{number}+:{seconds}").finish()
                self.assertEqual(code, 0, said)
                self.expect_jump(seconds, before_the_log=number == 1)
                self.expect_the_same_run(f"clock {number} {seconds}")

    @unless_sanitized
    def test_a_run_that_goes_on_when_the_clock_was_set(self):
        for seconds in (-10**6, 10**6) if LONG else (10**6,):
            process = self.start(self.folder, f"clock:1+:{seconds}")
            process.wait_until(lambda: newest_step(self.folder) >= STEPS // 2)
            process.send(signal.SIGKILL)
            process.finish()
            self.expect_jump(seconds, before_the_log=True)
            self.expect_the_same_run(f"a start {seconds} seconds from now")

    def expect_jump(self, seconds, before_the_log):
        """The run had another time in the end, and in the beginning or not: the fault was no empty threat."""
        off = [(moment - time.time()) / seconds for moment in wall_times(self.folder)]
        self.assertAlmostEqual(off[-1], 1, places=2)
        self.assertAlmostEqual(off[0], 1 if before_the_log else 0, places=2)

    def test_damaged_checkpoints(self):
        randomness = random.Random(3)
        for number in range(100 if LONG else 3):
            while len(checkpoints(self.folder)) != 2:  # it may be killed while it writes a third one
                shutil.rmtree(self.folder, ignore_errors=True)
                process = self.start(self.folder)
                process.wait_until(lambda: len(checkpoints(self.folder)) == 2)
                process.send(signal.SIGKILL)
                process.finish()
            damaged = checkpoints(self.folder)[0 if number % 3 == 2 else 1:]  # both, or the newest
            for path in damaged:
                content = bytearray(path.read_bytes())
                place = randomness.randrange(len(content))
                if number % 2 == 0:
                    content[place] ^= 1 << randomness.randrange(8)
                path.write_bytes(content if number % 2 == 0 else content[:place])
            _, said = self.start(self.folder).finish()
            self.assertIn("the checkpoint before it is used", said)
            if len(damaged) == 2:
                self.assertIn("the run begins anew", said)
            self.expect_the_same_run(f"damage {number}")

    def test_pictures_that_changed_since(self):
        photos = self.folder.parent / "photos"
        shutil.copytree(self.root / "photos", photos)
        process = self.start(self.folder, photos=photos)
        process.wait_until(lambda: checkpoints(self.folder))
        process.send(signal.SIGKILL)
        process.finish()
        before = {path: path.read_bytes() for path in checkpoints(self.folder)}
        (photos / "dark" / "1.png").write_bytes(png(99))
        code, said = self.start(self.folder).finish()
        self.assertEqual(code, 2, said)
        self.assertIn("belongs to another configuration or other data", said)
        self.assertEqual({path: path.read_bytes() for path in checkpoints(self.folder)}, before)
        Faults.cases += 1


if __name__ == "__main__":
    unittest.main()

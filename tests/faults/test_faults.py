"""Trainings that are killed, starved and lied to. Afterwards there is the run that would have been, or a clear
message and nothing lost. FAULTS=long is the whole of it, as `./test.sh --long` has it; else a sample."""
import collections
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

PENUMBRA = os.environ["PENUMBRA"]
FAILING_CALLS = os.environ["FAILING_CALLS"]
LONG = os.environ.get("FAULTS") == "long"
STEPS = 24
PHASES = ("reading", "starting", "training", "ending")


def png(value):
    """An 8 x 8 grey picture."""
    def chunk(kind, content):
        return (struct.pack(">I", len(content)) + kind + content
                + struct.pack(">I", zlib.crc32(kind + content)))

    rows = b"".join(b"\0" + bytes((value + 31 * row + 7 * column) % 256 for column in range(8)) for row in range(8))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Faults(unittest.TestCase):
    cases = 0
    phases = collections.Counter()  # in which a run was killed

    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="penumbra-faults-"))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        for number in range(60):
            place = cls.root / "photos" / ("dark" if number % 2 else "light")
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{number}.png").write_bytes(png(number if number % 2 else 255 - number))
        start = time.monotonic()
        code, _, error = cls.start(cls.root / "whole").finish()
        cls.seconds = time.monotonic() - start
        assert code == 0, error
        cls.expected = weights(cls.root / "whole")

    @classmethod
    def tearDownClass(cls):
        moments = ", ".join(f"{count} {phase}" for phase, count in sorted(cls.phases.items()))
        print(f"{cls.cases} faults, each followed by the run that would have been; killed: {moments}", file=sys.stderr)

    @classmethod
    def start(cls, folder, fault=None, limits=(), photos=None):
        return Process(photos or cls.root / "photos", folder, fault, limits)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="case-", dir=self.root)) / "run"

    def expect_the_same_run(self, what):
        """The run that is in the folder, or none yet, ends as the one that met no fault."""
        process = self.start(self.folder)
        code, _, error = process.finish()
        self.assertEqual(code, 0, f"after {what}: {error}")
        self.assertEqual(weights(self.folder), self.expected, f"after {what}: other weights")
        left = [path.name for path in self.folder.rglob("*") if ".tmp-" in path.name]
        self.assertEqual(left, [], f"after {what}")
        Faults.cases += 1
        shutil.rmtree(self.folder.parent)
        self.setUp()

    def test_killed_at_any_moment(self):
        randomness = random.Random(1)
        wanted, killed = 200 if LONG else 4, 0
        while killed < wanted:
            process = self.start(self.folder)
            moment = randomness.uniform(0, 1) * self.seconds
            code, _, _ = process.kill_after(moment, signal.SIGKILL)
            if code == -signal.SIGKILL:  # else it had ended
                killed += 1
                Faults.phases[self.phase()] += 1
            self.expect_the_same_run(f"kill {killed} after {moment:.2f} s")
        if LONG:
            self.assertEqual(set(Faults.phases), set(PHASES))

    def phase(self):
        """What the run was doing, as the files that it left tell."""
        if not (self.folder / "config.toml").exists():
            return "reading"
        steps = [int(path.stem.removeprefix("step-")) for path in self.checkpoints()]
        if not steps:
            return "starting"
        return "training" if max(steps) < STEPS else "ending"

    def test_interrupted_at_any_moment(self):
        randomness = random.Random(2)
        for number in range(50 if LONG else 2):
            process = self.start(self.folder)
            moment = randomness.uniform(0, 1.1) * self.seconds
            code, _, error = process.kill_after(moment, signal.SIGINT)
            if code == 2:
                self.assertIn("interrupted while reading", error)  # there is nothing to save yet
            else:
                self.assertIn(code, (0, -signal.SIGINT), error)  # before it listens it just ends
            self.expect_the_same_run(f"Ctrl-C {number} after {moment:.2f} s")

    def fail_calls(self, calls, every, lasting=""):
        """Each call, or some of them, made to fail, once or (+) from there on."""
        for call, error in calls.items():
            for number in range(1, 10**6, every):
                fault = f"{call}:{number}{lasting}:{error}"
                if not self.start(self.folder, fault).expect_failure_or_none(self):
                    break
                self.expect_the_same_run(fault)

    def test_every_call_fails_once(self):
        self.fail_calls(dict.fromkeys(("write", "fsync", "rename", "open", "mkdir"), "EIO"), 1 if LONG else 61)

    def test_the_disk_is_full_or_read_only_from_some_moment_on(self):
        self.fail_calls({"write": "ENOSPC", "open": "EROFS", "mkdir": "EACCES"}, 3 if LONG else 97, lasting="+")

    def test_few_file_descriptors(self):
        for most in (range(4, 40) if LONG else (6, 12, 20)):
            process = self.start(self.folder, limits=((resource.RLIMIT_NOFILE, most),))
            code, _, error = process.finish()
            self.assertIn(code, (0, 2, 127), error)  # 127: too few to load the program itself
            if code == 2:
                self.assertRegex(error, r"(?m)^penumbra: ")
            self.expect_the_same_run(f"{most} file descriptors")

    def test_little_memory(self):
        # Below a gigabyte the libraries that it is linked with do not get through their own start.
        for megabytes in range(1000, 4000, 50 if LONG else 600):
            process = self.start(self.folder, limits=((resource.RLIMIT_AS, megabytes << 20),))
            code, _, error = process.finish()
            self.assertIn(code, (0, 1, 2, 127), f"{megabytes} MB: {error}")
            if code in (1, 2):
                self.assertIn("penumbra: ", error)
            self.expect_the_same_run(f"{megabytes} MB of memory")

    def test_the_system_grants_no_threads(self):
        code, _, error = self.start(self.folder, "thread:1+:EAGAIN").finish()
        self.assertEqual(code, 2, error)
        self.assertIn("the system grants 0 threads", error)
        self.expect_the_same_run("no threads")

    def test_a_clock_that_jumps(self):
        for number in (1, 5, 25) if LONG else (5,):
            for seconds in (-10**6, 10**6):
                code, _, error = self.start(self.folder, f"clock:{number}+:{seconds}").finish()
                self.assertEqual(code, 0, error)
                self.expect_the_same_run(f"clock {number} {seconds}")

    def test_a_damaged_checkpoint(self):
        randomness = random.Random(3)
        for number in range(100 if LONG else 2):
            while len(self.checkpoints()) != 2:  # it may be killed while it writes a third one
                shutil.rmtree(self.folder, ignore_errors=True)
                self.start(self.folder).kill_when(lambda: len(self.checkpoints()) == 2)
            newest = self.checkpoints()[-1]
            content = bytearray(newest.read_bytes())
            place = randomness.randrange(len(content))
            if number % 2 == 0:
                content[place] ^= 1 << randomness.randrange(8)
            newest.write_bytes(content if number % 2 == 0 else content[:place])
            _, _, error = self.start(self.folder).finish()
            self.assertIn("the checkpoint before it is used", error)
            self.expect_the_same_run(f"damage {number}")

    def test_pictures_that_changed_since(self):
        photos = self.folder.parent / "photos"
        shutil.copytree(self.root / "photos", photos)
        self.start(self.folder, photos=photos).kill_when(lambda: self.checkpoints())
        before = {path: path.read_bytes() for path in self.checkpoints()}
        one = photos / "dark" / "1.png"
        one.write_bytes(png(99))
        code, _, error = self.start(self.folder).finish()
        self.assertEqual(code, 2, error)
        self.assertIn("belongs to another configuration or other data", error)
        self.assertEqual({path: path.read_bytes() for path in self.checkpoints()}, before)
        Faults.cases += 1

    def checkpoints(self):
        return sorted((self.folder / "state").glob("step-*.safetensors"))


class Process:
    """penumbra train on the pictures, into the folder, or going on there if it holds a run."""

    def __init__(self, photos, folder, fault, limits):
        self.mark = folder.parent / "mark"
        self.mark.unlink(missing_ok=True)
        command = [PENUMBRA, "train"]
        if (folder / "config.toml").exists():
            command += ["--resume", str(folder)]
        else:
            command += [str(photos), "--out", str(folder), "--backbone", "tiny", "--size", "8", "--steps",
                        str(STEPS), "--threads", "1", "--set", "train.checkpoint_seconds=0",
                        "--set", "train.batch=8", "--set", "train.evaluations=3", "--set", "train.report_every=8"]
        environment = {**os.environ, "PENUMBRA_DATA": str(folder.parent)}
        if fault:
            environment |= {"LD_PRELOAD": FAILING_CALLS, "FAULT": fault, "FAULT_MARK": str(self.mark),
                            "FAULT_UNDER": str(folder.parent)}

        def limit():
            for kind, most in limits:
                resource.setrlimit(kind, (most, most))

        self.process = subprocess.Popen(command, env=environment, text=True, preexec_fn=limit,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self):
        try:
            out, error = self.process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, out, error

    def kill_after(self, seconds, with_signal):
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.send_signal(with_signal)
        return self.finish()

    def kill_when(self, condition):
        while self.process.poll() is None and not condition():
            time.sleep(0.002)
        self.process.kill()
        return self.finish()

    def expect_failure_or_none(self, test):
        """False when the fault was beyond the run's last call."""
        code, _, error = self.finish()
        if not self.mark.exists():
            test.assertEqual(code, 0, error)
            return False
        test.assertIn(code, (0, 2), error)
        if code == 2:
            test.assertRegex(error, r"(?m)^penumbra: ")
            test.assertNotIn("internal error", error)
        return True


def weights(folder):
    """Names, shapes and bytes of the final weights, without the times that the file notes beside them."""
    content = (folder / "last.safetensors").read_bytes()
    size, = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + size])
    header.pop("__metadata__")
    return header, content[8 + size:]


if __name__ == "__main__":
    unittest.main()

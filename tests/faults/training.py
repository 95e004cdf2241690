"""A small training to be disturbed: its pictures and its process."""
import os
import resource
import struct
import subprocess
import tempfile
import time
import zlib

PENUMBRA = os.environ["PENUMBRA"]
FAILING_CALLS = os.environ["FAILING_CALLS"]
STEPS = 12
POLL = 0.0002  # seconds between two looks
# A report and a checkpoint for every step, so that each number in the log is that of one step: averages over several
# are taken over those since the run went on.
SETTINGS = ("train.checkpoint_seconds=0", "train.report_every=1", "train.evaluations=3", "train.batch=8")


def png(value, scale=64):
    """A grey picture of 8 x 8 squares, so large that a folder of them is not decoded in an instant."""
    def chunk(kind, content):
        return (struct.pack(">I", len(content)) + kind + content
                + struct.pack(">I", zlib.crc32(kind + content)))

    rows = b""
    for row in range(8):
        squares = ((value + 31 * row + 7 * column) % 256 for column in range(8))
        rows += (b"\0" + b"".join(bytes([square]) * scale for square in squares)) * scale
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8 * scale, 8 * scale, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write_pictures(folder):
    for number in range(60):
        place = folder / ("dark" if number % 2 else "light")
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.png").write_bytes(png(number if number % 2 else 255 - number))


class Process:
    """penumbra train on the pictures, into the folder, or going on there if it holds a run."""

    def __init__(self, photos, folder, fault=None, limits=()):
        self.mark = folder.parent / "mark"  # made when the fault happens
        self.mark.unlink(missing_ok=True)
        command = [PENUMBRA, "train"]
        if (folder / "config.toml").exists():
            command += ["--resume", str(folder)]
        else:
            command += [str(photos), "--out", str(folder), "--backbone", "tiny", "--size", "8", "--steps", str(STEPS),
                        "--threads", "1"]
            for setting in SETTINGS:
                command += ["--set", setting]
        environment = {**os.environ, "PENUMBRA_DATA": str(folder.parent)}
        if fault:
            environment |= {"LD_PRELOAD": FAILING_CALLS, "FAULT": fault, "FAULT_MARK": str(self.mark),
                            "FAULT_UNDER": str(folder.parent)}

        def limit():
            for kind, most in limits:
                resource.setrlimit(kind, (most, most))

        # A file and not a pipe: it is looked at while the process runs.
        self.error = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, env=environment, preexec_fn=limit, stdout=subprocess.DEVNULL,
                                        stderr=self.error)

    def said(self):
        return os.pread(self.error.fileno(), 1 << 20, 0).decode(errors="replace")

    def runs(self):
        return self.process.poll() is None

    def wait_until(self, condition, then=0.0):
        """Until the condition holds and for so many seconds more, or until the process ends."""
        while self.runs() and not condition():
            time.sleep(POLL)
        try:
            self.process.wait(then)
        except subprocess.TimeoutExpired:
            pass

    def send(self, signal):
        self.process.send_signal(signal)

    def finish(self):
        """Its exit code, and what it said."""
        try:
            code = self.process.wait(300)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            said = self.said()
            self.error.close()
        return code, said

"""What the folder of a run tells: what it is doing, and what it came to."""
import json
import re
import struct
import time

from training import POLL, STEPS

PHASES = ("reading", "caching", "starting", "training", "checkpointing", "evaluating", "reporting", "ending")
TIMES = ("seconds", "images_per_second")


def checkpoints(folder):
    return sorted((folder / "state").glob("step-*.safetensors"))


def newest_step(folder):
    return max((int(path.stem.removeprefix("step-")) for path in checkpoints(folder)), default=0)


def phase_of(folder, said):
    """What a new run is doing, or was when it was killed, by its files and by what it said."""
    cache = folder.parent / "packed"
    if any(cache.glob("*.tmp-*")):
        return "caching"
    if not any(cache.glob("*.packed")):
        return "reading"
    if not (folder / "metrics.jsonl").exists():
        return "starting"
    if any((folder / "state").glob("*.tmp-*")):
        return "checkpointing"
    if newest_step(folder) < STEPS:
        # A look at the validation images shows when a better model is written.
        return "evaluating" if any(folder.glob("best.*.tmp-*")) else "training"
    # The best model is judged before the report is written, the last one and the test set after it.
    if "uncertainties:" not in said:
        return "evaluating"
    return "ending" if (folder / "report.html").exists() else "reporting"


def watch(process, folder):
    """The most seconds that a new run stays in each of its phases."""
    longest = dict.fromkeys(PHASES, 0.0)
    last, since = "reading", time.monotonic()
    while process.runs():
        now = phase_of(folder, process.said())
        if now != last:
            last, since = now, time.monotonic()
        longest[now] = max(longest[now], time.monotonic() - since)
        time.sleep(POLL)
    return longest


def promised(folder):
    """What a run must come to whatever it met: everything that does not tell when it ran and how fast.
    TensorBoard's files do, one for each process with the time of day in it, and are left out."""
    return {**{name: (folder / name).read_bytes()
               for name in ("config.toml", "split.csv", "best.safetensors", "last.safetensors")},
            "checkpoint": read_checkpoint(checkpoints(folder)[-1]),
            "metrics.jsonl": read_metrics(folder / "metrics.jsonl"),
            "report.html": read_report(folder / "report.html")}


def read_checkpoint(path):
    content = path.read_bytes()
    size, = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + size])
    facts = json.loads(header.pop("__metadata__")["facts"])
    return header, without_times(facts), content[8 + size:]


def read_metrics(path):
    return [without_times(json.loads(line)) for line in path.read_text().splitlines()]


def read_report(path):
    """The data of the page, without the folder's name; nothing where penumbra was built without npm."""
    if not path.exists():
        return None
    data = re.search(r'id="penumbra-data"[^>]*>(.*?)</script>', path.read_text(), re.DOTALL)[1]
    run, = json.loads(data)["runs"]
    run["curves"] = [curve for curve in run["curves"] if curve["name"] not in TIMES]
    run["what"] = without_times(run["what"])
    del run["folder"]
    return run


def without_times(facts):
    return {name: value for name, value in facts.items() if name not in TIMES}


def wall_times(folder):
    """When each event for TensorBoard happened, by the clock that the run had."""
    file, = folder.glob("events.out.tfevents.*")
    content, at, times = file.read_bytes(), 0, []
    # A record is the length of an event, its checksum, the event, its checksum; a killed process may leave a part.
    while at + 12 <= len(content):
        size, = struct.unpack_from("<Q", content, at)
        if at + 16 + size > len(content):
            break
        times += struct.unpack_from("<d", content, at + 13)  # behind the number of its field
        at += 16 + size
    return times

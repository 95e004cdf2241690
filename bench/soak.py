#!/usr/bin/python3
"""Half an hour of training: do memory, open files and speed stay as they are?

Run: bench/soak.py build/release/penumbra [MINUTES]
Trains `fixmatch` on Fashion-MNIST and looks at the process two hundred times. Prints what was seen in each
tenth of the time, and fails when memory grew by more than 2 % or 20 MB, or files by any, after the first tenth,
or when the last tenth was more than 15 % slower than the first one of unlabelled steps.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def look(pid):
    """Megabytes of memory and number of open files."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    kilobytes = int(status.split("VmRSS:")[1].split()[0])
    return kilobytes / 1024, len(os.listdir(f"/proc/{pid}/fd"))


def main(penumbra, minutes):
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run"
        command = [penumbra, "train", "fashion_mnist", "--labels", "1000", "--minutes", str(minutes), "--set",
                   "run.report=false", "--set", "method.supervised=0", "--out", str(run)]
        said = pathlib.Path(folder) / "said"
        with said.open("wb") as file:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=file)
        looks, begin = [], time.monotonic()
        while process.poll() is None:
            try:
                looks.append((time.monotonic() - begin, *look(process.pid)))
            except (FileNotFoundError, IndexError, ProcessLookupError):
                break  # it has just ended
            time.sleep(minutes * 60 / 200)
        if process.wait() != 0:
            sys.exit(f"soak: training ended with exit code {process.returncode}: {said.read_text()[-500:]}")
        lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]

    trained = lines[-1]["seconds"]
    print(f"{'share':>6} {'memory MB':>10} {'files':>6} {'images/s':>9}")
    rows = []
    for tenth in range(10):
        def within(place, whole):
            return tenth / 10 <= place / whole < (tenth + 1) / 10
        seen = [entry for entry in looks if within(entry[0], looks[-1][0] + 1e-9)]
        speeds = [line["images_per_second"] for line in lines if within(line["seconds"], trained * 1.0001)]
        rows.append((max(entry[1] for entry in seen), max(entry[2] for entry in seen), statistics.median(speeds)))
        print(f"{tenth / 10:6.1f} {rows[-1][0]:10.1f} {rows[-1][1]:6d} {rows[-1][2]:9.0f}", flush=True)
    # The last tenth holds the evaluation of the finished model.
    (first_memory, first_files, first_speed), (memory, files, _) = rows[1], rows[8]
    failures = []
    if memory > max(1.02 * first_memory, first_memory + 20):
        failures.append(f"memory grew from {first_memory:.0f} to {memory:.0f} MB")
    if files > first_files:
        failures.append(f"open files grew from {first_files} to {files}")
    if rows[9][2] < 0.85 * first_speed:
        failures.append(f"speed fell from {first_speed:.0f} to {rows[9][2]:.0f} images/s")
    sys.exit("; ".join(failures) or 0)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 30)

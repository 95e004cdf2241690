#!/usr/bin/python3
"""A training step and prediction of WRN-28-2: PyTorch loops beside `penumbra bench`, in turns.

Run: bench/peer_step.py build/release/penumbra [ROUNDS]
`default` is what people write: NCHW, fp32. `tuned` is the same loop with what helps on a CPU:
channels_last, bf16 where the processor has it, and glibc's allocator keeping its memory. Both with
two threads. Prediction is measured with one. Prints medians and ratios.
"""
import json
import os
import statistics
import subprocess
import sys
import time

TUNED_MALLOC = {"MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "2000000000",
                "MALLOC_TOP_PAD_": "67108864"}
SECONDS = 8  # of each measurement


def has_bf16():
    with open("/proc/cpuinfo") as file:
        return "avx512_bf16" in file.read()


def measure(kind, work):
    """Runs in a process of its own, since allocator and threads are set at its start."""
    import torch
    import torch.nn.functional as F
    from wrn import Wrn

    torch.set_num_threads(2 if work == "train" else 1)
    layout = torch.channels_last if kind == "tuned" else torch.contiguous_format
    bf16 = kind == "tuned" and has_bf16()
    torch.manual_seed(0)
    model = Wrn().to(memory_format=layout)
    images = torch.randn(64, 3, 32, 32).contiguous(memory_format=layout)
    labels = torch.randint(0, 10, (64,))
    optimiser = torch.optim.SGD(model.parameters(), 0.03, momentum=0.9, nesterov=True, weight_decay=5e-4)

    def train():
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimiser.step()
        return loss.item()

    def predict():
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            return model(images).argmax(1)

    if work == "predict":
        model.eval()
    step = train if work == "train" else predict
    for _ in range(2):
        step()
    start, steps = time.perf_counter(), 0
    while steps < 3 or time.perf_counter() - start < SECONDS:
        step()
        steps += 1
    print(64 * steps / (time.perf_counter() - start))


def peer(kind, work):
    environment = {**os.environ, **(TUNED_MALLOC if kind == "tuned" else {})}
    return float(subprocess.run([sys.executable, __file__, "--measure", kind, work], check=True,
                                capture_output=True, text=True, env=environment).stdout)


def ours(penumbra, threads):
    command = [penumbra, "bench", "--rounds", "1", "--seconds", str(SECONDS), "--threads", str(threads),
               "--precision", "bf16" if has_bf16() else "fp32", "--format", "json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main(penumbra, rounds):
    results = {}

    def note(name, value):
        results.setdefault(name, []).append(value)
        print(f"{name:24} {value:8.2f}", flush=True)

    for _ in range(rounds):
        two = ours(penumbra, 2)
        note("train penumbra", two["train_images_per_second"])
        note("train bound", two["bound_images_per_second"])
        for kind in ("default", "tuned"):
            note("train " + kind, peer(kind, "train"))
        note("predict penumbra", ours(penumbra, 1)["predict_images_per_second"])
        note("predict tuned", peer("tuned", "predict"))
    # Ratios within a round, since machines drift.
    for name, base in (("train penumbra", "train default"), ("train penumbra", "train tuned"),
                       ("train penumbra", "train bound"), ("predict penumbra", "predict tuned")):
        ratio = statistics.median(a / b for a, b in zip(results[name], results[base]))
        print(f"{name} / {base}: {ratio:.2f} (median of {rounds}); "
              f"{statistics.median(results[name]):.1f} and {statistics.median(results[base]):.1f} images/s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(*sys.argv[2:])
    else:
        main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3)

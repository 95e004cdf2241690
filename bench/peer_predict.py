#!/usr/bin/python3
"""Prediction: ONNX Runtime and PyTorch beside `penumbra bench`, in turns.

Run: bench/peer_predict.py build/release/penumbra [ROUNDS [PRECISION]]      (ours: fp32, as `predict` has it, or bf16)
The same networks with random weights, 32 x 32 pictures: one at a time and sixty-four, on one and two threads.
ONNX Runtime is npm's onnxruntime-node, fetched into a folder of its own; its input is made once, as ours is.
PyTorch runs in channels_last, traced and frozen, under inference_mode. Both compute in fp32. Prints images per second, medians, and the
ratio to the faster of the two.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SECONDS = 3
NETWORKS = ("fast_32", "wrn_28_2")
NODE = """
const runtime = require('onnxruntime-node');
(async () => {
  const [file, batch, threads, seconds] = process.argv.slice(2);
  const n = Number(batch);
  const session = await runtime.InferenceSession.create(file, {
    intraOpNumThreads: Number(threads), interOpNumThreads: 1, graphOptimizationLevel: 'all' });
  const values = Float32Array.from({ length: n * 3 * 32 * 32 }, () => Math.random());
  const feeds = { images: new runtime.Tensor('float32', values, [n, 3, 32, 32]) };
  for (let i = 0; i < 5; ++i) await session.run(feeds);
  const start = process.hrtime.bigint();
  let runs = 0, spent = 0;
  while (spent < Number(seconds)) {
    await session.run(feeds);
    ++runs;
    spent = Number(process.hrtime.bigint() - start) / 1e9;
  }
  console.log(n * runs / spent);
})();
"""


def network(name):
    from fast import Fast
    from wrn import Wrn
    return (Fast(32) if name == "fast_32" else Wrn()).eval()


def export(name, batch, file):
    import torch
    torch.onnx.export(network(name), torch.randn(batch, 3, 32, 32), file, input_names=["images"], opset_version=13)


def measure_torch(name, batch, threads):
    import torch
    torch.set_num_threads(threads)
    images = torch.randn(batch, 3, 32, 32).contiguous(memory_format=torch.channels_last)
    with torch.inference_mode():
        model = torch.jit.freeze(torch.jit.trace(network(name).to(memory_format=torch.channels_last), images))
        for _ in range(5):
            model(images)
        start, runs = time.perf_counter(), 0
        while time.perf_counter() - start < SECONDS:
            model(images)
            runs += 1
        print(batch * runs / (time.perf_counter() - start))


def number(command, **options):
    return float(subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout)


def ours(penumbra, precision, name, batch, threads):
    command = [penumbra, "bench", "--backbone", name, "--batch", str(batch), "--threads", str(threads), "--rounds", "1",
               "--seconds", str(SECONDS), "--precision", precision, "--format", "json"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(out)["predict_images_per_second"]


def main(penumbra, rounds, precision):
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        subprocess.run(["npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--silent",
                        "onnxruntime-node"], check=True)
        (work / "run.cjs").write_text(NODE)
        for name in NETWORKS:
            for batch in (1, 64):
                file = work / f"{name}-{batch}.onnx"
                export(name, batch, str(file))
                for threads in (1, 2):
                    seen = {"penumbra": [], "onnxruntime": [], "pytorch": []}
                    for _ in range(rounds):
                        seen["penumbra"].append(ours(penumbra, precision, name, batch, threads))
                        seen["onnxruntime"].append(
                            number(["node", "run.cjs", str(file), str(batch), str(threads), str(SECONDS)], cwd=folder))
                        seen["pytorch"].append(
                            number([sys.executable, __file__, "--torch", name, str(batch), str(threads)]))
                    ratio = statistics.median(a / max(b, c) for a, b, c in zip(*seen.values()))
                    values = "  ".join(f"{peer} {statistics.median(rates):8.1f}" for peer, rates in seen.items())
                    print(f"{name:9} batch {batch:2} threads {threads}  {values}  ratio {ratio:.2f}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--torch"]:
        measure_torch(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        main(os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3,
             sys.argv[3] if len(sys.argv) > 3 else "fp32")

"""Coupling minibatches for flow matching: swgg.torch.OTPlanSampler beside POT's `ot.dist` and `ot.emd`, on one thread.

    flow_matching.py [k ...] [--dims d ...]

Standard normal noise against a mixture of eight Gaussians, f32 as in training. Prints a line per problem: processor seconds of both
(the least of several runs), their ratio, and how far the pairs of swgg cost above POT's optimum; then one JSON object.
"""

import json
import os
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np
import ot
import torch

from swgg.torch import OTPlanSampler


def samples(k, d, seed=0):
    rng = np.random.default_rng(seed)
    centres = 3.0 * rng.normal(size=(8, d)) / np.sqrt(d)
    noise, data = rng.normal(size=(k, d)), centres[rng.integers(0, 8, k)] + 0.3 * rng.normal(size=(k, d))
    return [torch.from_numpy(points.astype(np.float32)) for points in (noise, data)]


def timed(call, runs):
    """The least processor time, and what came out."""
    best, found = float("inf"), None
    for _ in range(runs):
        start = time.process_time()
        found = call()
        best = min(best, time.process_time() - start)
    return best, found


def pot(x0, x1):
    uniform = np.full(len(x0), 1.0 / len(x0))
    plan = ot.emd(uniform, uniform, ot.dist(x0.numpy(), x1.numpy()).astype(np.float64), numItermax=10**8)
    return torch.from_numpy(plan.argmax(axis=1))


def cost(x0, x1, order):
    return (x0.double() - x1[order].double()).square().sum(1).mean().item()


def main():
    words = sys.argv[1:]
    dims = [int(word) for word in words[words.index("--dims") + 1 :]] if "--dims" in words else [2, 50, 784]
    sizes = [int(word) for word in (words[: words.index("--dims")] if "--dims" in words else words)] or [256, 1024, 8192]
    torch.set_num_threads(1)
    rows = []
    for k in sizes:
        for d in dims:
            x0, x1 = samples(k, d)
            runs = 3 if k <= 1024 else 1
            row = {"k": k, "d": d}
            row["pot"], order = timed(lambda: pot(x0, x1), runs)
            optimum = cost(x0, x1, order)
            for method in ("exact", "auto"):
                sampler = OTPlanSampler(method, num_threads=1)
                row[method], (_, order) = timed(lambda: sampler.sample_indices(x0, x1), runs)
                row[f"{method}_above"] = cost(x0, x1, order) / optimum - 1.0
            rows.append(row)
            print(
                f"k {k:5} d {d:4}: POT {row['pot']:8.3f} s, exact {row['exact']:8.3f} s ({row['pot'] / row['exact']:5.1f}x), "
                f"auto {row['auto']:8.3f} s ({row['pot'] / row['auto']:5.1f}x, {100.0 * row['auto_above']:+.3f} %)",
                flush=True,
            )
    print(json.dumps(rows))


main()

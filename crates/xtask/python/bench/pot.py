"""One row of `cargo xtask bench pot`: POT and swgg on the same clouds, directions and threads.

    pot.py SWGG DIRECTORY n m d L threads

Each side runs in processes of its own, so that peak memory is its own; the two take turns, so that a busy moment of the
machine does not fall on one side only. Prints one JSON object.
"""

import json
import os
import resource
import subprocess
import sys
import time

RUNS = 5


def clouds(n, m, d, directions, directory):
    """Two Gaussian clouds (weighted when the sizes differ) and directions, as files."""
    import numpy as np

    rng = np.random.default_rng(0)
    arrays = {
        "x": rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) / np.sqrt(d),
        "y": rng.normal(size=(m, d)) @ rng.normal(size=(d, d)) / np.sqrt(d) + 1,
        "theta": rng.normal(size=(directions, d)),
    }
    arrays["theta"] /= np.linalg.norm(arrays["theta"], axis=1, keepdims=True)
    if n != m:
        arrays["a"], arrays["b"] = rng.random(n), rng.random(m)
        for side in "ab":
            arrays[side] /= arrays[side].sum()
    paths = {}
    for name, array in arrays.items():
        paths[name] = os.path.join(directory, name + ".npy")
        np.save(paths[name], array)
    return paths


def run_pot(paths, check):
    """In a process of its own: solves once and prints seconds and peak memory; with `check`, the costs of its plans too.

    The costs are computed here from POT's plans. Those that POT 0.9.7.post1 logs are not the costs of its plans unless it
    recognises two uniform clouds of one size: it multiplies each entry by the mass of another one.
    """
    import warnings

    import numpy as np

    warnings.simplefilter("ignore")
    import ot

    load = lambda name: np.load(paths[name]) if name in paths else None
    x, y, a, b, theta = (load(name) for name in ("x", "y", "a", "b", "theta"))
    start = time.perf_counter()
    ot.min_sliced_transport_plan(x, y, a, b, projections=theta.T, dense=False)
    result = {"seconds": time.perf_counter() - start}
    result["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if check:
        plans, _ = ot.sliced.sliced_plans(x, y, a, b, projections=theta.T)
        gaps = (np.sum((x[plan.rows] - y[plan.cols]) ** 2, axis=1) for plan in plans)
        result["costs"] = [float(np.sum(plan.data * gap)) for plan, gap in zip(plans, gaps)]
    print(json.dumps(result))


def run_swgg(swgg, paths, threads):
    """In a process of its own, which also measures the memory of its only child (and is small: a child counts its parent)."""
    command = [swgg, "solve", paths["x"], paths["y"], "--directions-file", paths["theta"]]
    command += ["--threads", str(threads), "--json"]
    if "a" in paths:
        command += ["--source-weights", paths["a"], "--target-weights", paths["b"]]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(json.dumps({"seconds": report["seconds"]["solve"], "costs": report["costs"], "megabytes": peak}))


def again(*words):
    """This script in a new process."""
    out = subprocess.run([sys.executable, __file__, *words], check=True, capture_output=True, text=True).stdout
    return json.loads(out.splitlines()[-1])


def main(swgg, directory, n, m, d, directions, threads):
    paths = json.dumps(clouds(int(n), int(m), int(d), int(directions), directory))
    pot, ours = [], []
    for run in range(RUNS):
        pot.append(again("pot", paths, "check" if run == 0 else ""))
        ours.append(again("swgg", swgg, paths, threads))
    pairs = zip(ours[0]["costs"], pot[0]["costs"])
    fastest = lambda runs: min(runs, key=lambda run: run["seconds"])
    print(json.dumps({
        "pot_seconds": fastest(pot)["seconds"],
        "swgg_seconds": fastest(ours)["seconds"],
        "pot_megabytes": fastest(pot)["megabytes"],
        "swgg_megabytes": fastest(ours)["megabytes"],
        "worst_relative_difference": max(abs(a - b) / abs(b) for a, b in pairs),
    }))


if __name__ == "__main__":
    if sys.argv[1] == "pot":
        run_pot(json.loads(sys.argv[2]), check=sys.argv[3] == "check")
    elif sys.argv[1] == "swgg":
        run_swgg(sys.argv[2], json.loads(sys.argv[3]), sys.argv[4])
    else:
        main(*sys.argv[1:])

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

import numpy as np

RUNS = 3


def clouds(n, m, d, directions, directory):
    """Two Gaussian clouds (weighted when the sizes differ) and directions, as files."""
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


def run_pot(paths):
    """In a process of its own: solves once and prints seconds, costs and peak memory."""
    import time
    import warnings

    warnings.simplefilter("ignore")
    import ot

    load = lambda name: np.load(paths[name]) if name in paths else None
    x, y, a, b, theta = (load(name) for name in ("x", "y", "a", "b", "theta"))
    start = time.perf_counter()
    _, _, log = ot.min_sliced_transport_plan(x, y, a, b, projections=theta.T, dense=False, log=True)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "costs": list(map(float, log["costs"])), "megabytes": peak}))


def run_swgg(swgg, paths, threads):
    """In a process of its own, which also measures the memory of its only child."""
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
    pairs = [(again("pot", paths), again("swgg", swgg, paths, threads)) for _ in range(RUNS)]
    pot, ours = min((p for p, _ in pairs), key=lambda r: r["seconds"]), min((o for _, o in pairs), key=lambda r: r["seconds"])
    costs, expected = np.array(ours["costs"]), np.array(pot["costs"])
    print(json.dumps({
        "pot_seconds": pot["seconds"],
        "swgg_seconds": ours["seconds"],
        "pot_megabytes": pot["megabytes"],
        "swgg_megabytes": ours["megabytes"],
        "worst_relative_difference": float(np.max(np.abs(costs - expected) / np.abs(expected))),
    }))


if __name__ == "__main__":
    if sys.argv[1] == "pot":
        run_pot(json.loads(sys.argv[2]))
    elif sys.argv[1] == "swgg":
        run_swgg(sys.argv[2], json.loads(sys.argv[3]), sys.argv[4])
    else:
        main(*sys.argv[1:])

"""One row of `cargo xtask bench scale`, in two processes so that the second one stays small:

    scale.py draw DIRECTORY n          writes two Gaussian clouds, float32
    scale.py run DIRECTORY SWGG L      solves three times, prints the best time and the peak memory as JSON
"""

import json
import os
import resource
import subprocess
import sys


def draw(directory, n):
    import numpy as np

    rng = np.random.default_rng(0)
    for shift, name in enumerate("xy"):
        cloud = rng.normal(loc=shift, size=(int(n), 3)).astype(np.float32)
        np.save(os.path.join(directory, name + ".npy"), cloud)
    print("{}")


def run(directory, swgg, directions):
    paths = [os.path.join(directory, name + ".npy") for name in "xy"]
    command = [swgg, "solve", *paths, "--directions", directions, "--threads", "2", "--json"]
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(3)]
    # The solver is the only child, so the peak of the children is its own.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(json.dumps({"seconds": min(run["seconds"]["solve"] for run in runs), "megabytes": peak}))


if __name__ == "__main__":
    {"draw": draw, "run": run}[sys.argv[1]](*sys.argv[2:])

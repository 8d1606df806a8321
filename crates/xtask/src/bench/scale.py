"""One row of `cargo xtask bench scale`: scale.py SWGG DIRECTORY n L. Prints one JSON object."""

import json
import os
import resource
import subprocess
import sys

import numpy as np


def main(swgg, directory, n, directions):
    rng = np.random.default_rng(0)
    paths = [os.path.join(directory, name + ".npy") for name in "xy"]
    for shift, path in enumerate(paths):
        np.save(path, rng.normal(loc=shift, size=(int(n), 3)).astype(np.float32))
    command = [swgg, "solve", *paths, "--directions", directions, "--threads", "2", "--json"]
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(3)]
    for path in paths:
        os.remove(path)
    # The solver is the only child, so the peak of the children is its own.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(json.dumps({"seconds": min(run["seconds"]["solve"] for run in runs), "megabytes": peak}))


if __name__ == "__main__":
    main(*sys.argv[1:])

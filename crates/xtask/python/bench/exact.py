"""One row of `cargo xtask bench exact`, and the golden costs of `cargo xtask golden`.

    exact.py row SWGG DIRECTORY pair threads    ot.emd2 of POT and swgg on the same clouds, in turn, each in its own process
    exact.py golden FILE exact|factored|divergence    costs of small random problems by POT or GeomLoss, as CSV

Prints one JSON object.
"""

import json
import os
import resource
import subprocess
import sys
import time

RUNS = 5
PROBLEMS = 200


def pairs(name):
    """The pairs of the field's table, and a weighted one."""
    import numpy as np

    rng = np.random.default_rng(0)
    if name == "weighted":
        x, y = rng.normal(size=(2000, 3)), rng.normal(size=(3000, 3)) * [2, 1, 0.5] + 1
        return {"x": x, "y": y, "a": rng.random(2000), "b": rng.random(3000)}
    n = 10_000 if name == "large" else 3000
    if name == "gaussians":
        a, b = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
        return {"x": rng.normal(size=(n, 3)) @ a, "y": rng.normal(size=(n, 3)) @ b + 2}
    if name in ("cube", "large"):
        return {"x": rng.random((n, 3)), "y": rng.random((n, 3))}
    sphere = rng.normal(size=(n, 3))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    return {"x": sphere, "y": rng.random((n, 3)) * 2 - 1}


def peer(directory):
    import numpy as np
    import ot

    x, y, a, b = (
        np.load(path) if os.path.exists(path := os.path.join(directory, name + ".npy")) else []
        for name in ("x", "y", "a", "b")
    )
    if len(a):
        a, b = a / a.sum(), b / b.sum()
    start = time.perf_counter()
    cost = ot.emd2(a, b, ot.dist(x, y), numItermax=10**9)
    return {"seconds": time.perf_counter() - start, "cost": float(cost)}


def ours(swgg, directory, threads):
    path = lambda name: os.path.join(directory, name + ".npy")
    command = [swgg, "solve", path("x"), path("y"), "--method", "exact", "--threads", str(threads), "--json"]
    if os.path.exists(path("a")):
        command += ["--source-weights", path("a"), "--target-weights", path("b")]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    # The largest of all children so far: of ours alone as long as no peer has run.
    megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {"seconds": found["seconds"]["solve"], "cost": found["cost"], "megabytes": megabytes}


def row(swgg, directory, name, threads):
    import numpy as np

    directory = os.path.join(directory, "exact-" + name)
    os.makedirs(directory, exist_ok=True)
    for key, array in pairs(name).items():
        np.save(os.path.join(directory, key + ".npy"), array)
    mine = [ours(swgg, directory, threads)]
    theirs = []
    runs = 1 if name == "large" else RUNS
    for _ in range(runs):
        command = [sys.executable, __file__, "peer", directory]
        theirs.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        mine.append(ours(swgg, directory, threads))
    best = lambda results: min(result["seconds"] for result in results)
    cost, other = mine[0]["cost"], theirs[0]["cost"]
    return {
        "peer_seconds": best(theirs),
        "swgg_seconds": best(mine),
        "peer_megabytes": theirs[0]["megabytes"],
        "swgg_megabytes": mine[0]["megabytes"],
        "difference": abs(cost - other) / other,
    }


def draws(seed):
    """Uniform numbers that need no library: splitmix64, as in the tests that read the golden costs."""
    state, mask = seed, 2**64 - 1
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield ((z ^ (z >> 31)) >> 11) / 2**53


def problem(seed):
    """A small problem: every third has ties, every second weights and unequal sizes."""
    import numpy as np

    draw = draws(seed)
    n, d = 2 + int(next(draw) * 28), 1 + int(next(draw) * 5)
    m = 2 + int(next(draw) * 28) if seed % 2 else n
    points = lambda count: np.array([next(draw) for _ in range(count * d)]).reshape(count, d)
    x, y = points(n), points(m)
    if seed % 3 == 0:
        x, y = np.floor(3 * x), np.floor(3 * y)
    a = np.array([next(draw) for _ in range(n)]) if seed % 2 else np.ones(n)
    b = np.array([next(draw) for _ in range(m)]) if seed % 2 else np.ones(m)
    return x, y, a / a.sum(), b / b.sum()


def golden(path, kind):
    if kind == "divergence":
        import geomloss
        import torch
    else:
        import ot

    def exact(x, y, a, b):
        return ot.emd2(a, b, ot.dist(x, y), numItermax=10**9)

    def factored(x, y, a, b):
        """The sum of both costs with a pivot that begins at the first three points of the source."""
        _, _, _, log = ot.factored_optimal_transport(
            x, y, a, b, r=min(3, len(x)), X0=x[:3], numItermax=200, stopThr=1e-12, log=True
        )
        return log["costa"] + log["costb"]

    def divergence(x, y, a, b):
        """GeomLoss at blur 0.3, with steps small enough to converge."""
        loss = geomloss.SamplesLoss("sinkhorn", p=2, blur=0.3, scaling=0.9995, backend="tensorized")
        return loss(*(torch.from_numpy(array) for array in (a, x, b, y)))

    cost = {"exact": exact, "factored": factored, "divergence": divergence}[kind]
    # Ties let two solvers of factored couplings go different ways, and end in different local minima.
    seeds = {
        "exact": range(PROBLEMS),
        "factored": [seed for seed in range(PROBLEMS) if seed % 3],
        "divergence": range(30),
    }[kind]
    with open(path, "w") as file:
        file.write("seed,cost\n")
        for seed in seeds:
            file.write(f"{seed},{float(cost(*problem(seed)))!r}\n")
    return {"problems": len(seeds)}


if __name__ == "__main__":
    kind, *rest = sys.argv[1:]
    if kind == "row":
        print(json.dumps(row(rest[0], rest[1], rest[2], int(rest[3]))))
    elif kind == "golden":
        print(json.dumps(golden(*rest)))
    else:
        found = peer(rest[0])
        found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(found))

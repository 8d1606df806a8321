"""The peer's side of `cargo xtask bench bsp`.

    bsp.py draw DIRECTORY kind n d           writes x.f32 and y.f32 (and a.f32, b.f32 for `weighted`), row by row
    bsp.py bsp DIRECTORY d plans,plans,...   ot.compute_bspot_bijection on them
    bsp.py emd DIRECTORY d                   ot.emd2 on them

Prints a JSON list with a row for each job.
"""

import contextlib
import json
import os
import resource
import sys
import time

import numpy as np

# As on our side: a job is done again until it was done so many times, or took so many seconds.
RUNS = 3
RUNS_SECONDS = 10.0
SEED = 0


def covariant(rng, d):
    return rng.normal(size=(d, d)) / np.sqrt(d)


def gaussians(rng, n, m, d):
    """Random covariances, and the second mean shifted."""
    one, other = covariant(rng, d), covariant(rng, d)
    x = rng.normal(size=(n, d)) @ one
    y = rng.normal(size=(m, d)) @ other
    return x, y + 2 * rng.normal(size=d) / np.sqrt(d)


def sphere_and_cube(rng, n, d):
    sphere = rng.normal(size=(n, d))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    return sphere, 2 * rng.random((n, d)) - 1


def mixtures(rng, n, d, parts=10):
    centers = [4 * rng.normal(size=(parts, d)) for _ in range(2)]
    return [c[rng.integers(parts, size=n)] + rng.normal(size=(n, d)) for c in centers]


def moons_and_ring(rng, n):
    blur = lambda: 0.05 * rng.normal(size=(n, 2))
    angle, lower = np.pi * rng.random(n), rng.integers(2, size=n) == 1
    moons = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    moons[lower] = [1, 0.5] - moons[lower]
    moons = moons + blur()
    angle = 2 * np.pi * rng.random(n)
    return moons, 2 * np.stack([np.cos(angle), np.sin(angle)], axis=1) + blur()


def pair(kind, n, d):
    rng = np.random.default_rng(SEED)
    if kind == "gauss":
        return dict(zip("xy", gaussians(rng, n, n, d)))
    if kind == "cube":
        return {"x": rng.random((n, d)), "y": rng.random((n, d))}
    if kind == "sphere":
        return dict(zip("xy", sphere_and_cube(rng, n, d)))
    if kind == "mix":
        return dict(zip("xy", mixtures(rng, n, d)))
    if kind == "moons":
        return dict(zip("xy", moons_and_ring(rng, n)))
    if kind == "weighted":
        m = 7 * n // 10
        x, y = gaussians(rng, n, m, d)
        return {"x": x, "y": y, "a": rng.uniform(0.2, 1, n), "b": rng.uniform(0.2, 1, m)}
    raise SystemExit(f"unknown kind {kind!r}")


def draw(directory, kind, n, d):
    os.makedirs(directory, exist_ok=True)
    for name, array in pair(kind, int(n), int(d)).items():
        array.astype("<f4").tofile(os.path.join(directory, name + ".f32"))
    return []


def timed(job):
    """Runs of a job that returns its cost: the lowest cost and the shortest time, even if they are of different runs."""
    costs, seconds = [], []
    while len(costs) < RUNS and sum(seconds) < RUNS_SECONDS:
        start = time.perf_counter()
        result = job()
        seconds.append(time.perf_counter() - start)
        costs.append(result())
    return {"cost": min(costs), "seconds": min(seconds)}


def clouds(directory, d):
    return [np.fromfile(os.path.join(directory, name + ".f32"), dtype="<f4").reshape(-1, d) for name in "xy"]


def bsp(directory, d, plans):
    import ot

    x, y = clouds(directory, int(d))

    def cost(permutation):
        # Its own cost is a sum in single precision.
        assert len(np.unique(permutation)) == len(x)
        return float(np.square(x.astype(float) - y[permutation].astype(float)).sum(1).mean())

    def job(count):
        _, permutation, _ = ot.compute_bspot_bijection(x, y, n_plans=count, seed=SEED)
        return lambda: cost(permutation)

    rows = []
    # It announces things on standard output.
    with contextlib.redirect_stdout(sys.stderr):
        ot.compute_bspot_bijection(x[:1000], y[:1000], n_plans=2)
        for count in map(int, plans.split(",")):
            rows.append({"job": f"bsp:{count}", **timed(lambda: job(count)), "megabytes": peak()})
    return rows


def emd(directory, d):
    import ot

    x, y = (cloud.astype(float) for cloud in clouds(directory, int(d)))

    def job():
        value = ot.emd2([], [], ot.dist(x, y), numItermax=10**9)
        return lambda: float(value)

    return [{"job": "emd", **timed(job), "megabytes": peak()}]


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    verb, *words = sys.argv[1:]
    print(json.dumps({"draw": draw, "bsp": bsp, "emd": emd}[verb](*words)))

"""`cargo xtask bench python --pot`: every function of swgg.pot beside POT's, in turn, on the same arguments. Prints one JSON list.

    functions.py [WORD ...]      only rows whose name has one of the words

The wheel is installed in the environment that runs this, and POT is.
"""

import json
import sys
import time
import warnings

import numpy as np
import ot

from swgg import pot

#: Runs of each side, at most, and the seconds after which there are no more (two at least).
RUNS, SECONDS = 200, 1.0


def clouds(n, m, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(m, d)) + 1.0


def masses(n, seed):
    weights = np.random.default_rng(seed).random(n) + 0.1
    return weights / weights.sum()


def histograms(side=28, seed=0):
    """Two pictures of a few blobs on a grid, as masses, and the costs between pixels."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2).astype(float)
    pictures = []
    for _ in range(2):
        centres = rng.uniform(0.0, side, size=(4, 2))
        blobs = np.exp(-((grid[:, None] - centres) ** 2).sum(axis=2) / (2 * 3.0**2)).sum(axis=1)
        pictures.append(blobs / blobs.sum())
    return (*pictures, ot.dist(grid, grid))


def cases():
    """Name of the row, and what is called with either module; values that have to agree are returned."""
    rows = []

    def row(name, call, agrees=1e-6):
        rows.append((name, call, agrees))

    for n in (10, 100, 1000, 2000):
        x, y = clouds(n, n, 3)
        a, b, M = masses(n, 1), masses(n, 2), ot.dist(x, y)
        row(f"emd, {n} x {n}", lambda o, a=a, b=b, M=M: (o.emd(a, b, M) * M).sum())
        row(f"emd2, {n} x {n}", lambda o, a=a, b=b, M=M: o.emd2(a, b, M))
        row(f"emd2, {n} x {n}, equal masses", lambda o, M=M: o.emd2([], [], M))
    a, b, M = histograms()
    row("emd2, pictures of 784 pixels", lambda o: o.emd2(a, b, M))
    row("emd, pictures of 784 pixels", lambda o: (o.emd(a, b, M) * M).sum())
    line = np.arange(784.0)
    tails = [np.exp(-0.5 * ((line - mean) / 60.0) ** 2) for mean in (250.0, 500.0)]
    tails = [tail / tail.sum() for tail in tails]
    N = (line[:, None] - line) ** 2
    row("emd2, Gaussian histograms of 784 bins", lambda o: o.emd2(tails[0], tails[1], N))
    same = np.ones((1000, 1000))
    row("emd2, 1000 x 1000, constant costs", lambda o: o.emd2(masses(1000, 1), masses(1000, 2), same))
    for n, m in ((3000, 30), (30, 3000)):
        x, y = clouds(n, m, 3)
        c, d, K = masses(n, 1), masses(m, 2), ot.dist(x, y)
        row(f"emd2, {n} x {m}", lambda o, c=c, d=d, K=K: o.emd2(c, d, K))
    x, y = clouds(1000, 1000, 3)
    row("emd2_lazy, 1000 x 1000", lambda o: o.emd2_lazy(x, y, masses(1000, 1), masses(1000, 2))[0])
    u, v = clouds(100_000, 100_000, 1)
    w = masses(100_000, 3)
    row("emd_1d, 1000", lambda o: (o.emd_1d(u[:1000], v[:1000]) > 0).sum())
    row("emd2_1d, 1000", lambda o: o.emd2_1d(u[:1000], v[:1000]))
    row("wasserstein_1d, 100 000", lambda o: o.wasserstein_1d(u[:, 0], v[:, 0], p=2))
    row("wasserstein_1d, 100 000, weights", lambda o: o.wasserstein_1d(u[:, 0], v[:, 0], w, w[::-1], p=2))
    X, Y = clouds(300, 300, 2)
    start = np.random.default_rng(5).normal(size=(100, 2))
    sides = [np.full(300, 1 / 300)] * 2
    row("free_support_barycenter, 2 of 300", lambda o: o.lp.free_support_barycenter([X, Y], sides, start, numItermax=20).mean())
    for n, d, reg in ((100, 3, 1.0), (1000, 3, 1.0), (1000, 256, 50.0)):
        p, q = clouds(n, n, d)
        e, f, C = masses(n, 1), masses(n, 2), ot.dist(p, q)
        row(f"sinkhorn, {n}, d = {d}", lambda o, e=e, f=f, C=C, r=reg: (o.sinkhorn(e, f, C, r) * C).sum(), 1e-4)
        row(f"sinkhorn2, {n}, d = {d}", lambda o, e=e, f=f, C=C, r=reg: o.sinkhorn2(e, f, C, r), 1e-4)
        row(f"solve_sample(reg), {n}, d = {d}", lambda o, p=p, q=q, r=reg: o.solve_sample(p, q, reg=r).value_linear, 1e-3)
    row("solve_sample, 1000", lambda o: o.solve_sample(x, y).value)
    row("solve_sample(method='gaussian'), 1000", lambda o: o.solve_sample(x, y, method="gaussian").value)
    row("solve_sample(method='1d'), 1000", lambda o: np.sum(o.solve_sample(x, y, method="1d").value))
    row("solve_sample(method='factored'), 1000", lambda o: o.solve_sample(x, y, method="factored", rank=20).value * 0.0)
    row("solve_sample(method='sliced'), 1000", lambda o: o.solve_sample(x, y, method="sliced", n_projections=100, random_state=0).value * 0.0)
    for d in (3, 50, 256):
        p, q = clouds(1000, 1000, d)
        for metric in ("sqeuclidean", "euclidean", "cityblock", "cosine"):
            row(f"dist, 1000 x 1000, d = {d}, {metric}", lambda o, p=p, q=q, m=metric: o.dist(p, q, metric=m).sum())
    row("unif, 1000", lambda o: o.unif(1000).sum())
    P, Q = clouds(10_000, 10_000, 3)
    theta = np.random.default_rng(7).normal(size=(3, 200))
    theta /= np.linalg.norm(theta, axis=0)
    few = theta[:, :20]
    row("get_random_projections, d = 50, 1000", lambda o: o.sliced.get_random_projections(50, 1000, seed=0).sum())
    row("sliced_wasserstein_distance, 10 000, 200 lines", lambda o: o.sliced_wasserstein_distance(P, Q, projections=theta))
    row("max_sliced_wasserstein_distance, 10 000, 200 lines", lambda o: o.max_sliced_wasserstein_distance(P, Q, projections=theta))
    row("sliced_plans, 1000, 20 lines", lambda o: len(o.sliced.sliced_plans(x, y, projections=few)[0]))
    # POT's own costs are off where 1 / n is not exact: see docs/for-pot-users.md.
    row("min_sliced_transport_plan, 10 000, 200 lines", lambda o: o.min_sliced_transport_plan(P, Q, projections=theta, dense=False)[1], 0.05)
    row("expected_sliced_plan, 1000, 20 lines", lambda o: o.expected_sliced_plan(x, y, projections=few, dense=False)[1], 0.05)
    row("bsp.compute_bspot_bijection, 10 000, 16 plans", lambda o: o.bsp.compute_bspot_bijection(P, Q, n_plans=16)[0], 0.05)
    a3, b3, M3 = masses(300, 1), masses(300, 2), ot.dist(x[:300], y[:300])
    row("partial.partial_wasserstein, 300", lambda o: (o.partial.partial_wasserstein(a3, b3, M3, m=0.7) * M3).sum())
    row("partial.partial_wasserstein2, 300", lambda o: o.partial.partial_wasserstein2(a3, b3, M3, m=0.7))
    row("partial.partial_wasserstein_lagrange, 300", lambda o: (o.partial.partial_wasserstein_lagrange(a3, b3, M3, reg_m=2.0) * M3).sum(), 1e-3)
    row("partial.partial_wasserstein_1d, 1000", lambda o: np.sum(o.partial.partial_wasserstein_1d(u[:1000, 0], v[:1000, 0], 700)[2]))
    return rows


def every_name():
    """Functions that have to have a row."""
    return {name.rpartition(".")[2] for name in pot.REPLACED} | {"unif"}


def timed(call):
    start = time.perf_counter()
    value = call()
    return time.perf_counter() - start, float(value)


def measured(name, call, agrees):
    try:
        return _measured(name, call, agrees)
    except Exception as error:
        raise RuntimeError(f"the row {name!r} failed") from error


def _measured(name, call, agrees):
    seconds = {"pot": [], "swgg": []}
    values = {}
    began = time.perf_counter()
    for run in range(RUNS):
        if run >= 2 and time.perf_counter() - began > SECONDS:
            break
        for side, module in (("pot", ot), ("swgg", pot)):
            took, values[side] = timed(lambda: call(module))
            seconds[side].append(took)
    theirs, ours = min(seconds["pot"]), min(seconds["swgg"])
    apart = abs(values["pot"] - values["swgg"]) / max(abs(values["pot"]), 1e-300) if values["pot"] != values["swgg"] else 0.0
    return {"name": name, "pot_seconds": theirs, "swgg_seconds": ours, "ratio": theirs / ours, "apart": apart, "allowed": agrees}


def main(words):
    warnings.simplefilter("ignore")
    rows = cases()
    missing = [name for name in every_name() if not any(name in row[0] for row in rows)]
    # Ends the interpreter in POT's wheel for Linux.
    missing = [name for name in missing if name != "merge_bijections"]
    if missing:
        sys.exit(f"no row for {', '.join(sorted(missing))}")
    chosen = [row for row in rows if not words or any(word in row[0] for word in words)]
    print(json.dumps([measured(*row) for row in chosen]))


if __name__ == "__main__":
    main(sys.argv[1:])

"""One case of `cargo xtask bench optimal`: swgg and its peers on the same clouds.

    optimal.py row SWGG DIRECTORY CASE

CASE is JSON: `draw` (what clouds), `jobs` (who solves them), `threads`, `limit` (seconds a run may take). The jobs are

    exact, auto, effort:E, gap:G      swgg, by its command line
    emd                               ot.dist and ot.emd2 of POT
    bsp:PLANS                         ot.compute_bspot_bijection of POT
    ortools:K                         linear sum assignment of OR-tools on the K targets nearest to where our plan takes each source

Prints one JSON object: for each job its fastest run, or `late` or `failed`. Every run has a process of its own, so that peak memory is its
own and a run past its limit can be ended; the jobs take turns, so that a busy moment of the machine does not fall on one of them only.
"""

import contextlib
import json
import os
import resource
import shutil
import subprocess
import sys
import time

# A job is done again until it was done so many times, or took so many seconds.
RUNS = 3
RUNS_SECONDS = 10.0
# Seconds for what is not timed: imports, files, the graph for OR-tools.
STARTING = 30.0
# Costs of OR-tools are whole numbers: the largest becomes this, and its product with the points still fits into 64 bits.
LARGEST_COST = 2**31


def path(directory, name):
    return os.path.join(directory, name)


def draw(directory, what):
    """Writes x and y, and where there are weights a and b."""
    import families
    import numpy as np

    what = json.loads(what)
    seed = what["seed"]
    if "side" in what:
        x, (a, b) = families.pictures(what["kind"], what["side"], seed)
        arrays = {"x": x, "y": x, "a": a, "b": b}
    else:
        n, m = what["n"], what["m"]
        arrays = dict(zip("xy", families.pair(what["kind"], n, m, what["d"], seed)))
        if what["weights"]:
            # Two seeds, or the two sides of clouds of one size would have the same weights.
            arrays["a"] = families.masses(what["weights"], n, 2 * seed)
            arrays["b"] = families.masses(what["weights"], m, 2 * seed + 1)
    for name, array in arrays.items():
        np.save(path(directory, name + ".npy"), array)
    return {}


def load(directory):
    """Both clouds, and their weights or nothing."""
    import numpy as np

    files = (path(directory, name + ".npy") for name in "xyab")
    return [np.load(file) if os.path.exists(file) else [] for file in files]


def command(swgg, directory, threads, flags):
    words = [swgg, "solve", path(directory, "x.npy"), path(directory, "y.npy"), "--threads", threads, "--json", *flags]
    if os.path.exists(path(directory, "a.npy")):
        words += ["--source-weights", path(directory, "a.npy"), "--target-weights", path(directory, "b.npy")]
    return words


def ours(swgg, directory, threads, limit, *flags):
    """In a small process of its own, which measures the memory of its only child (a child counts what its parent had)."""
    words = command(swgg, directory, threads, flags)
    done = subprocess.run(words, capture_output=True, text=True, timeout=float(limit))
    try:
        report = json.loads(done.stdout)
    except ValueError:
        raise RuntimeError(done.stderr.strip() or f"swgg ended with {done.returncode}") from None
    found = {name: report[name] for name in ("cost", "lower_bound", "gap", "cost_is", "stop", "story")}
    found["megabytes"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    # The bound is part of a certified answer, so its time counts.
    return {**found, "seconds": report["seconds"]["solve"] + report["seconds"].get("bound", 0.0)}


def emd(directory):
    import ot

    x, y, a, b = load(directory)
    x, y = x.astype(float), y.astype(float)
    start = time.perf_counter()
    cost = ot.emd2(a, b, ot.dist(x, y), numItermax=10**9)
    return {"seconds": time.perf_counter() - start, "cost": float(cost), "megabytes": peak()}


def bsp(directory, plans):
    import ot

    x, y, _, _ = load(directory)
    # The first call of a process pays for its threads.
    ot.compute_bspot_bijection(x[:1000], y[:1000], n_plans=2)
    start = time.perf_counter()
    _, permutation, _ = ot.compute_bspot_bijection(x, y, n_plans=int(plans), seed=0)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "cost": matched(x, y, permutation), "megabytes": peak()}


def ortools(directory, neighbors):
    """Only the solving is timed: neither the search of neighbours nor the making of the graph."""
    import numpy as np
    import scipy.sparse
    from ortools.graph.python import linear_sum_assignment
    from scipy.spatial import cKDTree

    x, y, _, _ = load(directory)
    x, y = x.astype(float), y.astype(float)
    n, count = len(x), min(int(neighbors), len(x))
    plan = scipy.sparse.load_npz(path(directory, "plan.npz")).tocsr()
    assert (np.diff(plan.indptr) == 1).all(), "the plan is no matching"
    targets = plan.indices
    near = cKDTree(y).query(y[targets], count)[1].reshape(n, count)
    # Where points coincide, none of the nearest need be the target itself, and without it there may be no matching at all.
    missing = (near != targets[:, None]).all(axis=1)
    near[missing, -1] = targets[missing]
    sources = np.repeat(np.arange(n), count)
    costs = np.square(x[sources] - y[near.ravel()]).sum(1)
    whole = np.rint(costs * (LARGEST_COST / costs.max())).astype(np.int64)
    graph = linear_sum_assignment.SimpleLinearSumAssignment()
    graph.add_arcs_with_cost(sources.astype(np.int32), near.ravel().astype(np.int32), whole)
    start = time.perf_counter()
    status = graph.solve()
    seconds = time.perf_counter() - start
    if status != graph.OPTIMAL:
        raise RuntimeError(f"OR-tools ended with {status}")
    permutation = np.array([graph.right_mate(source) for source in range(n)])
    return {"seconds": seconds, "cost": matched(x, y, permutation), "megabytes": peak()}


def matched(x, y, permutation):
    """The cost of a matching in double precision, as sums in single precision are off by more than plans differ."""
    import numpy as np

    assert len(np.unique(permutation)) == len(x)
    return float(np.square(x.astype(float) - y[permutation].astype(float)).sum(1).mean())


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def again(limit, *words):
    """This script in a new process; what went wrong there is an answer too."""
    try:
        out = subprocess.run(
            [sys.executable, __file__, *words], capture_output=True, text=True, timeout=limit + STARTING
        )
    except subprocess.TimeoutExpired:
        return {"late": True}
    if out.returncode:
        lines = out.stderr.strip().splitlines() or [f"ended with {out.returncode}"]
        return {"failed": lines[-1]}
    return json.loads(out.stdout.splitlines()[-1])


def run(job, swgg, directory, threads, limit):
    name, _, setting = job.partition(":")
    mine = {"exact": ["--method", "exact"], "auto": [], "effort": ["--effort", setting], "gap": ["--gap", setting]}
    if name in mine:
        return again(limit, "ours", swgg, directory, str(threads), str(limit), *mine[name])
    plan = path(directory, "plan.npz")
    if name == "ortools" and not os.path.exists(plan):
        found = again(limit, "ours", swgg, directory, str(threads), str(limit), "--plan", plan)
        if "seconds" not in found:
            return {"failed": f"no plan for its graph: {found.get('failed', 'too late')}"}
    found = again(limit, name, directory, *([setting] if setting else []))
    # Peers cannot be told about the limit, and end with it or not long after.
    return {"late": True} if found.get("seconds", 0.0) > limit else found


def row(swgg, directory, case):
    case = json.loads(case)
    limit, jobs = case["limit"], case["jobs"]
    directory = path(directory, "optimal")
    # Weights and plans of the case before must not be found.
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    drawn = again(limit, "draw", directory, json.dumps(case["draw"]))
    if drawn:
        return {job: {"failed": f"no clouds: {drawn.get('failed', 'too late')}"} for job in jobs}
    runs = {job: [] for job in jobs}
    for _ in range(RUNS):
        for job, found in runs.items():
            spent = sum(result.get("seconds", RUNS_SECONDS) for result in found)
            if spent < RUNS_SECONDS:
                found.append(run(job, swgg, directory, case["threads"], limit))
    # One that was late or failed at any time is not called fast.
    trouble = lambda found: next((result for result in found if "seconds" not in result), None)
    return {job: trouble(found) or min(found, key=lambda result: result["seconds"]) for job, found in runs.items()}


if __name__ == "__main__":
    verb, *words = sys.argv[1:]
    verbs = {"row": row, "draw": draw, "ours": ours, "emd": emd, "bsp": bsp, "ortools": ortools}
    try:
        # Peers announce things on standard output.
        with contextlib.redirect_stdout(sys.stderr):
            answer = verbs[verb](*words)
    except subprocess.TimeoutExpired:
        answer = {"late": True}
    print(json.dumps(answer))

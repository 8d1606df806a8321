"""One row of `cargo xtask bench sinkhorn`: POT and swgg on the same clouds and threads, in turn, each in its own process.

    sinkhorn.py EXAMPLE DIRECTORY n d relative_epsilon iterations threads

Both do exactly `iterations` plain iterations in logarithms, so the costs of their plans agree. Prints one JSON object.
"""

import json
import os
import resource
import subprocess
import sys
import time

RUNS = 5


def clouds(n, d, directory):
    import numpy as np

    rng = np.random.default_rng(0)
    arrays = {"x": rng.normal(size=(n, d)), "y": 0.7 * rng.normal(size=(n, d)) + 1}
    paths = {}
    for name, array in arrays.items():
        paths[name] = os.path.join(directory, f"sinkhorn-{name}.f64")
        array.astype("<f8").tofile(paths[name])
    mean = np.square(arrays["x"]).sum(1).mean() + np.square(arrays["y"]).sum(1).mean()
    return paths, mean - 2 * arrays["x"].mean(0) @ arrays["y"].mean(0)


def peer(paths, d, epsilon, iterations):
    import warnings

    import numpy as np

    warnings.simplefilter("ignore")
    import ot

    x, y = (np.fromfile(paths[name], dtype="<f8").reshape(-1, d) for name in "xy")
    a, b = (np.full(len(z), 1 / len(z)) for z in (x, y))
    costs = ot.dist(x, y)
    start = time.perf_counter()
    plan = ot.bregman.sinkhorn_log(a, b, costs, epsilon, numItermax=iterations, stopThr=0)
    seconds = time.perf_counter() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "value": float((plan * costs).sum()), "megabytes": megabytes}


def ours(example, paths, d, epsilon, iterations, threads):
    words = [example, paths["x"], paths["y"], str(d), repr(epsilon), str(iterations), threads]
    result = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    result["megabytes"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return result


def again(*words):
    out = subprocess.run([sys.executable, __file__, *words], check=True, capture_output=True, text=True).stdout
    return json.loads(out.splitlines()[-1])


def main(example, directory, n, d, relative, iterations, threads):
    paths, mean = clouds(int(n), int(d), directory)
    words = [json.dumps(paths), d, repr(float(mean) * float(relative)), iterations, threads, example]
    peers, mine = [], []
    for _ in range(RUNS):
        peers.append(again("peer", *words))
        mine.append(again("ours", *words))
    fastest = lambda runs: min(runs, key=lambda run: run["seconds"])
    record = {}
    for name, run in (("peer", fastest(peers)), ("swgg", fastest(mine))):
        record.update({f"{name}_{field}": run[field] for field in ("seconds", "megabytes", "value")})
    print(json.dumps(record))


if __name__ == "__main__":
    if sys.argv[1] in ("peer", "ours"):
        _, who, paths, d, epsilon, iterations, threads, example = sys.argv
        paths, d, epsilon, iterations = json.loads(paths), int(d), float(epsilon), int(iterations)
        if who == "peer":
            print(json.dumps(peer(paths, d, epsilon, iterations)))
        else:
            print(json.dumps(ours(example, paths, d, epsilon, iterations, threads)))
    else:
        main(*sys.argv[1:])

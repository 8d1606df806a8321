"""One row of `cargo xtask bench sliced`: a peer and swgg on the same clouds and threads, in turn, each in its own process.

    sliced.py sw SWGG DIRECTORY n d L threads          ot.sliced_wasserstein_distance of POT
    sliced.py gradient SWGG DIRECTORY n d s threads    one step of the smoothed descent in PyTorch

Prints one JSON object.
"""

import json
import os
import resource
import subprocess
import sys
import time

RUNS = 5
# Steps that are timed together; ours are timed as the difference of a long and a short run.
STEPS = 10


def clouds(n, d, directory):
    import numpy as np

    rng = np.random.default_rng(0)
    arrays = {
        "x": rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) / np.sqrt(d),
        "y": rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) / np.sqrt(d) + 1,
    }
    paths = {}
    for name, array in arrays.items():
        paths[name] = os.path.join(directory, name + ".npy")
        np.save(paths[name], array)
    return paths


def peer_sw(paths, directions):
    import warnings

    import numpy as np

    warnings.simplefilter("ignore")
    import ot

    x, y = np.load(paths["x"]), np.load(paths["y"])
    start = time.perf_counter()
    value = ot.sliced_wasserstein_distance(x, y, n_projections=directions, seed=0)
    return {"seconds": time.perf_counter() - start, "value": float(value) ** 2}


def peer_gradient(paths, copies, threads):
    """The paper's formulation: Algorithm 1 with autodiff, Adam, back onto the sphere."""
    import numpy as np
    import torch

    torch.set_num_threads(threads)
    x, y = (torch.from_numpy(np.load(paths[name])) for name in "xy")
    n, d = x.shape
    theta = torch.nn.functional.normalize(torch.ones(d, dtype=torch.float64), dim=0).requires_grad_()
    adam = torch.optim.Adam([theta], lr=5e-2)

    def surrogate():
        along = [z @ theta for z in (x, y)]
        order = [torch.argsort(p) for p in along]
        points = [z[o] for z, o in zip((x, y), order)]
        noise = 0.5 * torch.randn(n * copies, dtype=torch.float64)
        blurred = 0.0
        for z, p, o in zip(points, along, order):
            rank = torch.argsort(p[o].repeat_interleave(copies) + noise)
            blurred = blurred + z[rank // copies].reshape(n, copies, d).mean(1) / 2
        middle = (points[0] + points[1]) / 2
        pivot = (middle @ theta)[:, None] * theta[None, :]
        square = lambda gap: (gap**2).sum(1).mean()
        return 2 * square(points[0] - pivot) + 2 * square(points[1] - pivot) - 4 * square(blurred - pivot)

    def step():
        adam.zero_grad()
        value = surrogate()
        value.backward()
        adam.step()
        with torch.no_grad():
            theta.div_(theta.norm())
        return float(value.detach())

    step()
    start = time.perf_counter()
    for _ in range(STEPS):
        value = step()
    return {"seconds": (time.perf_counter() - start) / STEPS, "value": value}


def swgg_run(command):
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report["seconds"]["solve"], report["cost"]


def ours(kind, swgg, paths, size, threads):
    common = [paths["x"], paths["y"], "--threads", threads, "--json"]
    if kind == "sw":
        seconds, value = swgg_run([swgg, "distance", *common, "--kind", "sw", "--directions", size])
    else:
        search = ["--search", "gradient", "--starts", "1", "--copies", size, "--iterations"]
        short, _ = swgg_run([swgg, "solve", *common, *search, "2"])
        long, value = swgg_run([swgg, "solve", *common, *search, str(2 + STEPS)])
        seconds = (long - short) / STEPS
    megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {"seconds": seconds, "value": value, "megabytes": megabytes}


def again(*words):
    out = subprocess.run([sys.executable, __file__, *words], check=True, capture_output=True, text=True).stdout
    return json.loads(out.splitlines()[-1])


def main(kind, swgg, directory, n, d, size, threads):
    paths = json.dumps(clouds(int(n), int(d), directory))
    peers, mine = [], []
    for _ in range(RUNS):
        peers.append(again("peer", kind, paths, size, threads))
        mine.append(again("ours", kind, swgg, paths, size, threads))
    fastest = lambda runs: min(runs, key=lambda run: run["seconds"])
    print(json.dumps({
        "peer_seconds": fastest(peers)["seconds"],
        "swgg_seconds": fastest(mine)["seconds"],
        "peer_megabytes": fastest(peers)["megabytes"],
        "swgg_megabytes": fastest(mine)["megabytes"],
        "peer_value": fastest(peers)["value"],
        "swgg_value": fastest(mine)["value"],
    }))


if __name__ == "__main__":
    if sys.argv[1] == "peer":
        _, _, kind, paths, size, threads = sys.argv
        paths = json.loads(paths)
        result = peer_sw(paths, int(size)) if kind == "sw" else peer_gradient(paths, int(size), int(threads))
        result["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(result))
    elif sys.argv[1] == "ours":
        _, _, kind, swgg, paths, size, threads = sys.argv
        print(json.dumps(ours(kind, swgg, json.loads(paths), size, threads)))
    else:
        main(*sys.argv[1:])

"""The peer of `cargo xtask bench flows`: one step of a min-SWGG flow in PyTorch, f64, on the cubes of points that swgg gets.

    flows.py n L threads

The quicker of two ways of writing it: as the paper's code does, all lines in one tensor that is differentiated; or lines without
gradients first, some at a time, and then the gradient at the best one alone. Prints one JSON object.
"""

import json
import sys
import time

STEPS = 3
# Lines at a time where they are looked at without gradients: more of them do not fit into the caches.
CHUNK = 10


def cube(n, seed, torch):
    k = torch.arange(3 * n, dtype=torch.int64)
    return (((k * 2654435761 + seed * 40503) % 1000003).to(torch.float64) / 1000003).reshape(n, 3)


def lines(count, torch):
    return torch.nn.functional.normalize(torch.randn(count, 3, dtype=torch.float64), dim=1)


def whole(x, y, count, torch):
    """All lines in one tensor, differentiated."""
    thetas = lines(count, torch)
    u, v = torch.sort(thetas @ x.T, dim=1).indices, torch.sort(thetas @ y.T, dim=1).indices
    return ((x[u] - y[v]) ** 2).sum(2).mean(1).min()


def best_only(x, y, count, torch):
    """Lines without gradients, then the gradient at the best one."""
    thetas = lines(count, torch)
    best = (float("inf"), None, None)
    with torch.no_grad():
        for start in range(0, count, CHUNK):
            some = thetas[start : start + CHUNK]
            u, v = torch.sort(some @ x.T, dim=1).indices, torch.sort(some @ y.T, dim=1).indices
            costs = ((x[u] - y[v]) ** 2).sum(2).mean(1)
            k = int(costs.argmin())
            if float(costs[k]) < best[0]:
                best = (float(costs[k]), u[k], v[k])
    return ((x[best[1]] - y[best[2]]) ** 2).sum(1).mean()


def main():
    n, count, threads = (int(word) for word in sys.argv[1:4])
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    seconds = {}
    for name, loss in [("whole", whole), ("best_only", best_only)]:
        x, y = cube(n, 1, torch).requires_grad_(), cube(n, 2, torch)
        adam = torch.optim.Adam([x], lr=5e-3)
        times = []
        for _ in range(STEPS):
            start = time.perf_counter()
            adam.zero_grad()
            loss(x, y, count, torch).backward()
            adam.step()
            times.append(time.perf_counter() - start)
        seconds[name] = min(times)
    print(json.dumps({"step_seconds": min(seconds.values()), "ways": seconds, "torch": torch.__version__}))


main()

"""`cargo xtask bench python`: what the package costs on top of the engine, and POT beside it. Prints one JSON object.

The wheel is installed in the environment that runs this.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings


def imports(runs=9):
    """Seconds of `import swgg` in a process that has imported NumPy already."""
    code = "import numpy, time; start = time.perf_counter(); import swgg; print(time.perf_counter() - start)"
    return min(float(subprocess.check_output([sys.executable, "-c", code], text=True)) for _ in range(runs))


def small(n=10, runs=5000):
    """Seconds a call takes beyond those it spends in the engine, and those in the engine; the least of each."""
    import numpy as np
    import swgg

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(n, 3)), rng.normal(size=(n, 3)) + 1.0
    beyond, engine = [], []
    for _ in range(runs):
        start = time.perf_counter()
        result = swgg.solve(x, y)
        wall = time.perf_counter() - start
        beyond.append(wall - result.seconds)
        engine.append(result.seconds)
    return min(beyond), min(engine)


def large(threads, n=100_000, runs=7):
    """Seconds of a call, and those that the command reports for the same clouds; they take turns, the least of each."""
    import numpy as np
    import swgg

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(n, 3)), rng.normal(size=(n, 3)) + 1.0
    calls, commands = [], []
    with tempfile.TemporaryDirectory() as directory:
        files = [os.path.join(directory, name) for name in ("x.npy", "y.npy")]
        for name, values in zip(files, (x, y)):
            np.save(name, values)
        command = [sys.executable, "-m", "swgg", "solve", *files, "--effort", "1", "--threads", str(threads), "--json"]
        for _ in range(runs):
            start = time.perf_counter()
            result = swgg.solve(x, y, effort=1, n_threads=threads)
            calls.append(time.perf_counter() - start)
            report = json.loads(subprocess.check_output(command, text=True))
            assert report["cost"] == result.value, "the command finds something else"
            commands.append(report["seconds"]["solve"])
    return min(calls), min(commands)


def beside_pot(n=100_000, d=3, directions=200, runs=5):
    """Best seconds of POT and of its stand-in, which take turns, and how far their costs are apart.

    None if the package has no stand-in.
    """
    try:
        from swgg import pot
    except ImportError:
        return None
    import numpy as np
    import ot

    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(n, d)), rng.normal(size=(n, d)) + 1.0
    theta = rng.normal(size=(d, directions))
    theta /= np.linalg.norm(theta, axis=0)
    seconds, costs = {"pot": [], "swgg": []}, {}
    for _ in range(runs):
        for name, module in (("pot", ot), ("swgg", pot)):
            start = time.perf_counter()
            plan = module.min_sliced_transport_plan(x, y, projections=theta, dense=False)[0]
            seconds[name].append(time.perf_counter() - start)
            entries = plan.tocoo()
            rows, columns = entries.row, entries.col
            costs[name] = float(entries.data @ ((x[rows] - y[columns]) ** 2).sum(axis=1))
    return {
        "pot_seconds": min(seconds["pot"]),
        "swgg_seconds": min(seconds["swgg"]),
        "worst_relative_difference": abs(costs["pot"] / costs["swgg"] - 1.0),
    }


if __name__ == "__main__":
    small_beyond, small_engine = small()
    large_call, large_command = large(int(sys.argv[1]))
    facts = {
        "import_seconds": imports(),
        "small_beyond_seconds": small_beyond,
        "small_engine_seconds": small_engine,
        "large_call_seconds": large_call,
        "large_command_seconds": large_command,
        "pot": beside_pot(),
    }
    print(json.dumps(facts))

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


def call(threads, files):
    """In a process of its own: seconds of one call, of those in the engine, and the cost."""
    import numpy as np
    import swgg

    x, y = (np.load(file) for file in files)
    start = time.perf_counter()
    result = swgg.solve(x, y, effort=1, n_threads=threads)
    print(json.dumps([time.perf_counter() - start, result.seconds, result.value]))


def large(threads, n=100_000, runs=9):
    """Seconds of a call and those that the command reports for the same clouds, run by run.

    They take turns, and each has a process of its own: a process that has solved before is quicker, whoever asks.
    """
    import numpy as np

    rng = np.random.default_rng(0)
    calls, engine, commands = [], [], []
    with tempfile.TemporaryDirectory() as directory:
        files = [os.path.join(directory, name) for name in ("x.npy", "y.npy")]
        for file, shift in zip(files, (0.0, 1.0)):
            np.save(file, rng.normal(size=(n, 3)) + shift)
        command = [sys.executable, "-m", "swgg", "solve", *files, "--effort", "1", "--threads", str(threads), "--json"]
        for _ in range(runs):
            again = [sys.executable, __file__, "call", str(threads), *files]
            wall, inside, value = json.loads(subprocess.check_output(again, text=True))
            report = json.loads(subprocess.check_output(command, text=True))
            if report["cost"] != value:
                sys.exit(f"the command finds {report['cost']}, the call {value}")
            calls.append(wall)
            engine.append(inside)
            commands.append(report["seconds"]["solve"])
    return {"calls": calls, "engine": engine, "commands": commands}


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
    if sys.argv[1] == "call":
        call(int(sys.argv[2]), sys.argv[3:])
        sys.exit()
    small_beyond, small_engine = small()
    runs = large(int(sys.argv[1]))
    facts = {
        "import_seconds": imports(),
        "small_beyond_seconds": small_beyond,
        "small_engine_seconds": small_engine,
        "large_call_seconds": min(runs["calls"]),
        "large_command_seconds": min(runs["commands"]),
        # How far apart runs of the same command are: a difference below this says nothing.
        "large_spread": sorted(runs["commands"])[len(runs["commands"]) // 2] / min(runs["commands"]) - 1.0,
        "large_beyond_share": min(c / e - 1.0 for c, e in zip(runs["calls"], runs["engine"])),
        "large_runs": runs,
        "pot": beside_pot(),
    }
    print(json.dumps(facts))

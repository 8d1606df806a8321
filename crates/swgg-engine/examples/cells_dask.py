"""A plan by cells that Dask solves: split, solve each cell as a task, join.

    python cells_dask.py SOURCE TARGET PLAN CELLS [--scheduler ADDRESS] [flags of swgg split]

Every worker needs the programs `swgg` and `swgg-engine`, and the folder of the cells under the same path. Without an address the tasks run here, one per
processor. Tasks of other schedulers (Ray, Spark) look the same: a function of the number of a cell that runs a command.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import dask


def swgg(*words):
    """Runs `swgg`; what it says on standard error becomes the error of the task."""
    done = subprocess.run(["swgg", *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


@dask.delayed
def solved(folder, cell):
    part = json.loads(swgg("solve", folder, "--cell", cell, "--threads", 1, "--json"))["part"]
    return pathlib.Path(folder, part).stat().st_size


def main(source, target, plan, cells, *flags):
    flags = list(flags)
    address = None
    if "--scheduler" in flags:
        at = flags.index("--scheduler")
        address = flags[at + 1]
        del flags[at : at + 2]
    folder = pathlib.Path(plan + ".cells").absolute()
    split = json.loads(swgg("split", source, target, "--cells", cells, "--out", folder, "--json", *flags))
    tasks = [solved(folder, cell) for cell in range(len(split["cells"]))]
    if address is None:
        sizes = dask.compute(*tasks, scheduler="threads")
    else:
        from distributed import Client

        with Client(address) as client:
            sizes = client.gather(client.compute(tasks, retries=2))
    print(f"{len(sizes)} cells solved, {sum(sizes)} bytes", file=sys.stderr)
    print(swgg("join", folder, "--plan", plan), end="")
    shutil.rmtree(folder)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])

"""`cargo xtask bench cells`: couplings between drawn populations of cells, with growth. Prints one JSON object.

    cells.py CELLS THREADS

The wheel is installed in the environment that runs this, and anndata is.
"""

import json
import resource
import sys
import time

import anndata
import numpy as np
import pandas

from swgg.scverse import couple

#: Columns of the embedding, as principal components are usually kept, and cell types.
DIMENSION, TYPES = 50, 12


def drawn(count, day, seed):
    """An embedding like one of principal components: types that branch off each other, spread that falls from axis to axis, and a drift from day to day."""
    rng = np.random.default_rng(seed)
    scale = 6.0 / np.sqrt(1.0 + np.arange(DIMENSION))
    tree = np.random.default_rng(7)
    centres, drifts = np.zeros((TYPES, DIMENSION)), 0.4 * tree.normal(size=(TYPES, DIMENSION)) * scale
    for kind in range(1, TYPES):
        centres[kind] = centres[tree.integers(kind)] + 1.2 * tree.normal(size=DIMENSION) * scale
    shares = np.linspace(1.0, 2.0, TYPES) if day == 0 else np.linspace(2.0, 1.0, TYPES)
    kinds = rng.choice(TYPES, size=count, p=shares / shares.sum())
    points = centres[kinds] + day * drifts[kinds] + 0.35 * rng.normal(size=(count, DIMENSION)) * scale
    return points.astype(np.float32), kinds


def main(count, threads):
    sides = [drawn(count, day, seed=day) for day in (0, 1)]
    kinds = np.concatenate([side[1] for side in sides])
    # Types that become rarer die, those that become commoner divide.
    growth = (np.linspace(2.0, 1.0, TYPES) / np.linspace(1.0, 2.0, TYPES))[kinds]
    table = pandas.DataFrame(
        {"day": np.repeat([0, 1], count), "type": [f"type {kind}" for kind in kinds], "growth": growth},
        index=[f"cell {k}" for k in range(2 * count)],
    )
    cells = anndata.AnnData(obs=table, obsm={"X_pca": np.concatenate([side[0] for side in sides])})
    start = time.perf_counter()
    found = couple(cells, groupby="day", source=0, target=1, growth="growth", n_threads=threads)
    seconds = time.perf_counter() - start
    transitions = found.transitions("type")
    kept = float(np.mean([transitions.loc[kind, kind] for kind in transitions.index]))
    print(
        json.dumps(
            {
                "cells": count,
                "seconds": seconds,
                "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                "entries": int(found.plan.nnz),
                "value": found.value,
                "gap": found.result.gap,
                "kept_type": kept,
            }
        )
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

"""Matrices of costs as the caller has them: dense, or sparse with missing entries where nothing may go."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

from .. import _arrays, _swgg
from ..exceptions import InputError
from ._errors import AssertedError
from ._plans import check_memory

#: POT's default, which says nothing about what the caller wants.
DEFAULT_STEPS = 100_000
#: How many times as many sources as targets there are before sides are swapped.
_TURN = 2
#: Pairs up to which nothing is looked at first.
_FEW = 1024
#: The share of pairs with mass at both ends below which the others are left out.
_WORTHWHILE = 0.75
#: Masses below this share of the whole lose more than 1e-12 of themselves where the plan of a line is made.
_TINY = 2.0**-22


def is_sparse(M: Any) -> bool:
    """Whether it is a sparse matrix of SciPy or torch."""
    return (hasattr(M, "tocoo") and hasattr(M, "nnz")) or bool(getattr(M, "is_sparse", False))


class Solved(NamedTuple):
    """A plan of mass one by its entries, with potentials that prove it."""

    rows: np.ndarray
    cols: np.ndarray
    masses: np.ndarray
    u: np.ndarray
    v: np.ndarray
    cost: float

    def entries(self) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.rows, self.cols, self.masses


class Costs:
    """Costs for the engine, which takes none below zero and a number for every pair."""

    def __init__(self, M: Any) -> None:
        #: Where mass may go, if not everywhere.
        self.allowed: Optional[np.ndarray] = None
        if is_sparse(M):
            self.matrix = self._filled(*_entries(M))
        else:
            self.matrix = _arrays.matrix(M, "M")
        if 0 in self.matrix.shape:
            raise AssertedError(f"M: found shape {self.matrix.shape}, expected at least one row and one column")
        low = float(self.matrix.min())
        #: Taken from all costs: a constant on all of them changes no plan.
        self.shift = low if np.isfinite(low) and low < 0.0 else 0.0
        if self.shift:
            self.matrix = self.matrix - self.shift

    def _filled(self, rows: np.ndarray, cols: np.ndarray, costs: np.ndarray, shape: Tuple[int, int]) -> np.ndarray:
        """Dense, with a cost where nothing may go that no way around is worth: of every cycle, all other pairs together."""
        n, m = shape
        check_memory(9 * n * m, f"a sparse M of shape {shape} is worked on as a dense one, which takes", "leave rows out")
        if not np.isfinite(costs).all():
            raise AssertedError("M: found a cost that is not finite; leave the entry out where nothing may go")
        self.allowed = np.zeros(shape, dtype=bool)
        self.allowed[rows, cols] = True
        most, least = (float(costs.max()), float(costs.min())) if len(costs) else (0.0, 0.0)
        dear = most + (min(n, m) + 1) * (most - least) + max(abs(most), 1.0)
        dense = np.zeros(shape)
        # Entries of one place add up, as everywhere in sparse matrices.
        np.add.at(dense, (rows, cols), costs)
        dense[~self.allowed] = dear
        return dense

    def solve(self, a: Optional[np.ndarray], b: Optional[np.ndarray]) -> Solved:
        """The cheapest plan of mass one and its potentials."""
        costs, (n, m) = self.matrix, self.matrix.shape
        # Few take microseconds as they are. What is wrong is refused by the engine, with its place.
        if costs.size <= _FEW or not (np.isfinite(costs.sum()) and are_masses(a) and are_masses(b)):
            return _by_engine(costs, a, b)
        first = float(costs[0, 0])
        if costs[-1, -1] == first and costs[0, -1] == first and (costs == first).all():
            if not (_has_tiny(a) or _has_tiny(b)):
                return _any_plan(first, a, b, n, m)
        rows = np.arange(n) if a is None else np.flatnonzero(a)
        cols = np.arange(m) if b is None else np.flatnonzero(b)
        if len(rows) * len(cols) < _WORTHWHILE * n * m:
            return _between_some(costs, a, b, rows, cols)
        return _either_way(costs, a, b)

    def check(self, rows: np.ndarray, cols: np.ndarray) -> None:
        """Refuses a plan that has to go where nothing may go."""
        if self.allowed is not None and not self.allowed[rows, cols].all():
            k = int(np.argmin(self.allowed[rows, cols]))
            raise AssertedError(
                f"M: no plan from a to b goes along its entries alone, mass would have to go from {rows[k]} to {cols[k]}; "
                "add entries, or change the masses"
            )


def are_masses(side: Optional[np.ndarray]) -> bool:
    """Whether there is nothing to refuse."""
    return side is None or bool(side.min() >= 0.0 and 0.0 < side.sum() < np.inf)


def _has_tiny(side: Optional[np.ndarray]) -> bool:
    return side is not None and bool(((side > 0.0) & (side < _TINY * side.sum())).any())


def _by_engine(costs: np.ndarray, a: Optional[np.ndarray], b: Optional[np.ndarray]) -> Solved:
    answer = _swgg.emd_matrix(costs, a, b, _arrays.how())
    assert answer.plan is not None and answer.potentials is not None
    return Solved(*answer.plan.entries(), *answer.potentials, answer.value)


def _either_way(costs: np.ndarray, a: Optional[np.ndarray], b: Optional[np.ndarray]) -> Solved:
    """From few to many, which is quicker than from many to few."""
    if len(costs) <= _TURN * costs.shape[1]:
        return _by_engine(costs, a, b)
    found = _by_engine(np.ascontiguousarray(costs.T), b, a)
    order = np.argsort(found.cols, kind="stable")
    return Solved(found.cols[order], found.rows[order], found.masses[order], found.v, found.u, found.cost)


def _between_some(
    costs: np.ndarray, a: Optional[np.ndarray], b: Optional[np.ndarray], rows: np.ndarray, cols: np.ndarray
) -> Solved:
    """Points without mass left out, and given the highest potentials that are allowed."""
    found = _either_way(costs[np.ix_(rows, cols)], None if a is None else a[rows], None if b is None else b[cols])
    n, m = costs.shape
    u, v = np.empty(n), np.empty(m)
    u[rows], v[cols] = found.u, found.v
    without = np.setdiff1d(np.arange(n), rows, assume_unique=True)
    u[without] = (costs[np.ix_(without, cols)] - found.v).min(axis=1)
    others = np.setdiff1d(np.arange(m), cols, assume_unique=True)
    v[others] = (costs[:, others] - u[:, None]).min(axis=0)
    return Solved(rows[found.rows], cols[found.cols], found.masses, u, v, found.cost)


def _any_plan(cost: float, a: Optional[np.ndarray], b: Optional[np.ndarray], n: int, m: int) -> Solved:
    """Where all pairs cost the same, every plan is the cheapest: that of the line."""
    line = [np.arange(count, dtype=np.float64)[None] for count in (n, m)]
    masses = [None if side is None else side[None] for side in (a, b)]
    _, plans = _swgg.pot_lines(line[0], line[1], masses[0], masses[1], 1.0, True, True, False)
    rows, cols, moved = plans[0]
    if moved is None:
        moved = np.full(len(rows), 1.0 / len(rows))
    return Solved(rows, cols, moved, np.full(n, cost), np.zeros(m), cost)


def _entries(M: Any) -> Tuple[np.ndarray, np.ndarray, np.ndarray, Tuple[int, int]]:
    if hasattr(M, "tocoo"):
        found = M.tocoo()
        return found.row, found.col, np.asarray(found.data, dtype=np.float64), found.shape
    found = M.detach().coalesce()
    rows, cols = found.indices().numpy()
    return rows, cols, found.values().double().numpy(), tuple(found.shape)


def check_unneeded(numItermax: Any, numThreads: Any, shape: Tuple[int, ...]) -> None:
    """Warns of a number of steps in which no plan is found, though the optimum is found all the same; and of threads, as POT."""
    if not (type(numThreads) is int and numThreads == 1):
        if numThreads != "max" if isinstance(numThreads, str) else _arrays.threads(numThreads) is None and numThreads != -1:
            raise InputError(f"numThreads: found {_arrays.shown(numThreads)}, expected a number, or 'max'")
        warnings.warn("numThreads is deprecated in POT and not needed: leave it out", DeprecationWarning, stacklevel=4)
    if type(numItermax) is int and numItermax == DEFAULT_STEPS:
        return
    steps = _arrays.number(numItermax, "numItermax")
    if steps < sum(shape) - 1:
        warnings.warn(
            f"numItermax = {steps:g} is less than the {sum(shape) - 1} steps that a plan of this size takes, and not needed: "
            "the answer is the optimum",
            stacklevel=4,
        )

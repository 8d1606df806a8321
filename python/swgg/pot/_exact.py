"""Exact transport at given costs."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .. import _arrays
from ._costs import Costs, check_unneeded
from ._errors import AssertedError
from ._frame import Frame, flag, float_kind
from ._plans import check_dense, plan_matrix, total_mass

#: POT's code for an optimal plan.
OPTIMAL = 1
_REMEDY = "for the cost alone call emd2, and for a sparse plan between clouds swgg.solve(X, Y, method='exact')"


def emd(
    a: Any,
    b: Any,
    M: Any,
    numItermax: int = 100000,
    log: bool = False,
    center_dual: bool = True,
    numThreads: Any = 1,
    check_marginals: bool = True,
    potentials_init: Any = None,
) -> Any:
    """The cheapest plan at costs ``M``; ``log["cost"]`` is the sum of plan times costs, not rooted.

    Parameters
    ----------
    a, b : array-like of shape (n,) and (m,)
        Masses, of equal sum; an empty list means equal masses that add up to one.
    M : array-like or sparse matrix of shape (n, m)
        Costs, finite. Where a sparse one has no entry nothing may go, and the plan is sparse too; it is worked on as a
        dense one.
    log : bool
        Whether to return a dictionary as well.
    center_dual : bool
        Whether the potentials share the cost equally, ``a @ u == b @ v``.
    check_marginals : bool
        Whether masses of different sum are refused; otherwise ``b`` is scaled.
    numItermax, numThreads, potentials_init
        Not needed: the answer is always the optimum, on all threads. A ``numItermax`` below ``n + m - 1`` is warned of.

    Returns
    -------
    plan : array of shape (n, m)
    log : dict, if ``log``
        ``cost``, potentials ``u`` and ``v`` with ``u[i] + v[j] <= M[i, j]``, ``warning`` (none), ``result_code`` (1).

    Examples
    --------
    >>> import swgg.pot as ot
    >>> ot.emd([0.5, 0.5], [0.5, 0.5], [[0.0, 1.0], [1.0, 0.0]])
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    log, center_dual = flag(log, "log"), flag(center_dual, "center_dual")
    problem = _Posed(a, b, M, flag(check_marginals, "check_marginals"), numItermax, numThreads)
    if problem.several:
        raise AssertedError(f"b: found shape {problem.b_shape}, expected one column; emd2 takes several")
    if problem.is_dense:
        check_dense(problem.shape, _REMEDY)
    # Potentials are only told in the log.
    found = problem.solve(None, center_dual and log)
    plan = problem.matrix(found)
    return (plan, found.log(problem.frame)) if log else plan


def emd2(
    a: Any,
    b: Any,
    M: Any,
    processes: int = 1,
    numItermax: int = 100000,
    log: bool = False,
    return_matrix: bool = False,
    center_dual: bool = True,
    numThreads: Any = 1,
    check_marginals: bool = True,
    potentials_init: Any = None,
) -> Any:
    """The least cost of moving ``a`` to ``b`` at costs ``M``: the sum of plan times costs, not rooted.

    Parameters
    ----------
    a, b : array-like of shape (n,) and (m,)
        As in :func:`emd`; ``b`` may have several columns, and then the answer is a list with one cost for each.
    M : array-like or sparse matrix of shape (n, m)
        Costs, finite, as in :func:`emd`.
    log, return_matrix : bool
        With either, ``[cost, log]`` is returned, where ``log`` is that of :func:`emd`, with the plan as ``G`` if
        ``return_matrix``.
    center_dual, check_marginals : bool
        As in :func:`emd`.
    processes, numItermax, numThreads, potentials_init
        Not needed: the answer is always the optimum, on all threads.

    Examples
    --------
    >>> import swgg.pot as ot
    >>> ot.emd2([0.5, 0.5], [0.5, 0.5], [[0.0, 1.0], [1.0, 0.0]])
    0.0
    """
    log, return_matrix = flag(log, "log"), flag(return_matrix, "return_matrix")
    center_dual = flag(center_dual, "center_dual")
    problem = _Posed(a, b, M, flag(check_marginals, "check_marginals"), numItermax, numThreads)
    if return_matrix and problem.is_dense:
        check_dense(problem.shape, "leave return_matrix out for the cost alone")

    def answer(column: Optional[int]) -> Any:
        found = problem.solve(column, center_dual and (log or return_matrix))
        cost = problem.frame.number(found.cost)
        if not (log or return_matrix):
            return cost
        facts = found.log(problem.frame)
        if return_matrix:
            facts["G"] = problem.matrix(found)
        return [cost, facts]

    if not problem.several:
        return answer(None)
    return [answer(column) for column in range(problem.b_shape[1])]


def centred(u: np.ndarray, v: np.ndarray, a: np.ndarray, b: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Potentials shifted so that both sides account for the same share of the cost."""
    shift = (b @ v - a @ u) / (a.sum() + b.sum())
    return u + shift, v - shift


class ExactPlan:
    """A plan of total mass one and its proof, with the cost of the mass there is."""

    __slots__ = ("cost", "kind", "plan", "u", "v")

    def __init__(self, plan: Any, cost: float, u: np.ndarray, v: np.ndarray, kind: Any) -> None:
        self.plan, self.cost, self.u, self.v, self.kind = plan, cost, u, v, kind

    def log(self, frame: Frame) -> Dict[str, Any]:
        return {
            "cost": frame.number(self.cost),
            "u": frame.array(self.u.astype(self.kind, copy=False)),
            "v": frame.array(self.v.astype(self.kind, copy=False)),
            "warning": None,
            "result_code": OPTIMAL,
        }


class _Posed:
    """Arguments of both functions, checked."""

    def __init__(self, a: Any, b: Any, M: Any, check_marginals: bool, numItermax: Any, numThreads: Any) -> None:
        self.frame = Frame(a, b, M)
        self.kind = float_kind(a, b, M)
        self.costs = Costs(M)
        self.shape = n, m = self.costs.matrix.shape
        self.a = masses(a, "a")
        self.b = masses(b, "b")
        self.b_shape: Tuple[int, ...] = (m,) if self.b is None else self.b.shape
        self.several = len(self.b_shape) == 2
        for name, found, count, side in (("a", self.a, n, "rows"), ("b", self.b, m, "columns")):
            if found is not None and (len(found) != count or found.ndim > (2 if name == "b" else 1)):
                wanted = f"expected {count} masses, as many as M has {side}"
                raise AssertedError(f"{name}: found shape {found.shape}, {wanted}")
        columns: List[Optional[np.ndarray]] = list(self.b.T) if self.b is not None and self.several else [self.b]
        self.total = 1.0
        for column in columns:
            self.total = total_mass(self.a, column, check=check_marginals)
        check_unneeded(numItermax, numThreads, self.shape)

    def solve(self, column: Optional[int], center: bool) -> ExactPlan:
        b = self.b if column is None or self.b is None else np.ascontiguousarray(self.b[:, column])
        found = self.costs.solve(self.a, b)
        self.costs.check(found.rows, found.cols)
        u, v = found.u + self.costs.shift, found.v
        if center:
            n, m = self.shape
            of_a = np.full(n, 1.0 / n) if self.a is None else self.a / self.a.sum()
            of_b = np.full(m, 1.0 / m) if b is None else b / b.sum()
            u, v = centred(u, v, of_a, of_b)
        return ExactPlan(found, (found.cost + self.costs.shift) * self.total, u, v, self.kind)

    def matrix(self, found: ExactPlan) -> Any:
        """The plan: dense, or sparse if the costs are."""
        rows, cols, moved = found.plan.entries()
        return plan_matrix(rows, cols, moved * self.total, self.shape, self.is_dense, self.kind, self.frame)

    @property
    def is_dense(self) -> bool:
        return self.costs.allowed is None


def masses(value: Any, name: str) -> Optional[np.ndarray]:
    """Masses, or none for equal ones; an empty list is POT's way to say so."""
    if value is None:
        return None
    array = _arrays.numbers(value, name)
    return None if array.size == 0 else np.ascontiguousarray(array, dtype=np.float64)

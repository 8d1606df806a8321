"""Entropic transport at given costs."""

from __future__ import annotations

import warnings
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .. import _arrays
from ..exceptions import KindError
from ._errors import AssertedError, NotHereError
from ._exact import masses
from ._frame import Frame, flag
from ._plans import check_memory, total_mass
from ._scaling import Scaled, scaled

#: POT's names of ways to one plan; here they are one way.
METHODS = ("sinkhorn", "sinkhorn_log", "sinkhorn_stabilized", "sinkhorn_epsilon_scaling", "greenkhorn")
#: Those that POT has for the cost alone.
METHODS2 = METHODS[:3]


def sinkhorn(
    a: Any,
    b: Any,
    M: Any,
    reg: float,
    method: str = "sinkhorn",
    numItermax: int = 1000,
    stopThr: float = 1e-9,
    verbose: bool = False,
    log: bool = False,
    warn: bool = True,
    warmstart: Any = None,
    **kwargs: Any,
) -> Any:
    """The plan that pays least for ``sum(plan * M) + reg * sum(plan * log(plan))``.

    Parameters
    ----------
    a, b : array-like of shape (n,) and (m,)
        Masses, of equal sum; an empty list means equal masses that add up to one.
    M : array-like of shape (n, m)
        Costs, finite.
    reg : float
        Weight of the entropy, above 0.
    method : str
        Names of POT, which all mean the one method here: factors of rows and columns that are taken into the kernel
        before they overflow, with ``reg`` falling in steps where it is small.
    numItermax : int
        Most iterations.
    stopThr : float
        By how much the masses that leave may be off, in all.
    log : bool
        Whether to return a dictionary as well.
    warn : bool
        Whether to warn if ``numItermax`` iterations were too few.
    warmstart : pair of arrays, optional
        Logarithms of the factors of rows and columns to start from, as ``log["warmstart"]`` has them.
    verbose, **kwargs
        Not needed.

    Returns
    -------
    plan : array of shape (n, m)
    log : dict, if ``log``
        ``err`` (one in ten iterations), ``niter``, the factors ``u`` and ``v``, their logarithms ``log_u`` and ``log_v``,
        and both as ``warmstart``.

    Examples
    --------
    >>> import swgg.pot as ot
    >>> ot.sinkhorn([0.5, 0.5], [0.5, 0.5], [[0.0, 1.0], [1.0, 0.0]], 1).round(6)
    array([[0.365529, 0.134471],
           [0.134471, 0.365529]])
    """
    _method(method, METHODS)
    problem = _Posed(a, b, M, reg, numItermax, stopThr, warmstart)
    if problem.several:
        raise NotHereError(f"b: found shape {problem.b_shape}, expected one column; sinkhorn2 takes several")
    found = problem.solve(None, flag(warn, "warn"))
    facts = problem.facts(found) if flag(log, "log") else None
    plan = problem.frame.array(found.plan().astype(problem.kind, copy=False))
    return plan if facts is None else (plan, facts)


def sinkhorn2(
    a: Any,
    b: Any,
    M: Any,
    reg: float,
    method: str = "sinkhorn",
    numItermax: int = 1000,
    stopThr: float = 1e-9,
    verbose: bool = False,
    log: bool = False,
    warn: bool = False,
    warmstart: Any = None,
    **kwargs: Any,
) -> Any:
    """What the plan of :func:`sinkhorn` pays, ``sum(plan * M)``: without the entropy, not rooted.

    ``b`` may have several columns, and then the answer is an array with one cost for each. Other arguments are those of
    :func:`sinkhorn`.

    Examples
    --------
    >>> import swgg.pot as ot
    >>> round(ot.sinkhorn2([0.5, 0.5], [0.5, 0.5], [[0.0, 1.0], [1.0, 0.0]], 1), 6)
    0.268941
    """
    _method(method, METHODS2)
    problem = _Posed(a, b, M, reg, numItermax, stopThr, warmstart)
    log, warn = flag(log, "log"), flag(warn, "warn")

    def answer(column: Optional[int]) -> Tuple[float, Optional[Dict[str, Any]]]:
        found = problem.solve(column, warn)
        facts = problem.facts(found) if log else None
        return float(np.vdot(found.plan(), problem.costs)), facts

    if not problem.several:
        paid, facts = answer(None)
        return (problem.frame.number(paid), facts) if log else problem.frame.number(paid)
    answers = [answer(column) for column in range(problem.b_shape[1])]
    costs = problem.frame.array(np.array([paid for paid, _ in answers]).astype(problem.kind, copy=False))
    return (costs, _together([facts for _, facts in answers if facts is not None])) if log else costs


def _method(value: Any, known: Tuple[str, ...]) -> None:
    _arrays.choice(value.lower() if isinstance(value, str) else value, "method", known)


class _Posed:
    """Arguments of both functions, checked."""

    def __init__(
        self, a: Any, b: Any, M: Any, reg: Any, most: Any, tolerance: Any, warmstart: Any
    ) -> None:
        self.frame = Frame(a, b, M)
        found = _arrays.numbers(M, "M")
        self.kind = found.dtype
        self.costs = _arrays.matrix(found, "M")
        if 0 in self.costs.shape or not np.isfinite(self.costs).all():
            raise AssertedError(f"M: found a matrix of shape {self.costs.shape}, expected finite costs, at least one")
        check_memory(2 * self.costs.nbytes, f"Sinkhorn at costs of shape {self.costs.shape} takes", "pass the clouds to solve_sample")
        self.reg = _arrays.positive(reg, "reg", zero=True)
        if self.reg == 0.0:
            raise NotHereError("reg: found 0, expected a number above 0; without entropy see emd and emd2")
        self.most = _arrays.whole(most, "numItermax", 0, 10**9)
        self.tolerance = _arrays.positive(tolerance, "stopThr", zero=True)
        n, m = self.costs.shape
        sides = []
        for name, value, count in (("a", a, n), ("b", b, m)):
            side = masses(value, name)
            if side is None:
                side = np.full(count, 1.0 / count)
            if len(side) != count or side.ndim > (2 if name == "b" else 1):
                raise AssertedError(f"{name}: found shape {side.shape}, expected {count} masses, as the shape {(n, m)} of M asks")
            if not (np.isfinite(side).all() and (side >= 0.0).all() and (side.sum(axis=0) > 0.0).all()):
                raise AssertedError(f"{name}: found masses that are negative, not finite or all 0, expected numbers of 0 or more")
            sides.append(side)
        self.a, self.b = sides
        self.b_shape = self.b.shape
        self.several = self.b.ndim == 2
        for column in self.b.T if self.several else [self.b]:
            total_mass(self.a, column)
        self.start = None if warmstart is None else self._start(warmstart)

    def _start(self, warmstart: Any) -> Tuple[np.ndarray, np.ndarray]:
        if not isinstance(warmstart, (tuple, list)):
            raise KindError(f"warmstart: found {_arrays.shown(warmstart)}, expected a pair of vectors")
        both = [_arrays.numbers(side, "warmstart").astype(np.float64) for side in warmstart]
        if self.several or len(both) != 2 or tuple(side.shape for side in both) != tuple((n,) for n in self.costs.shape):
            shapes = ", ".join(str(side.shape) for side in both)
            raise NotHereError(f"warmstart: found shapes {shapes}, expected vectors of {self.costs.shape} numbers, for one column")
        return both[0], both[1]

    def solve(self, column: Optional[int], warn: bool) -> Scaled:
        b = self.b if column is None else np.ascontiguousarray(self.b[:, column])
        found = scaled(self.costs, self.a, b, self.reg, self.most, self.tolerance, self.start)
        if warn and not found.converged:
            warnings.warn(
                f"Sinkhorn did not converge in numItermax = {self.most} iterations: masses that leave are off by "
                f"{found.errors[-1]:.1e}; raise numItermax, stopThr or reg",
                stacklevel=3,
            )
        return found

    def facts(self, found: Scaled) -> Dict[str, Any]:
        array = self.frame.array
        with np.errstate(over="ignore"):
            u, v = np.exp(found.u), np.exp(found.v)
        return {
            "err": found.errors,
            "niter": found.n_iter,
            "u": array(u),
            "v": array(v),
            "log_u": array(found.u),
            "log_v": array(found.v),
            "warmstart": (array(found.u), array(found.v)),
        }


def _together(logs: List[Dict[str, Any]]) -> Dict[str, Any]:
    """Logs of several columns as one: factors side by side, as in POT."""
    factors = {name: np.stack([np.asarray(log[name]) for log in logs], axis=1) for name in ("u", "v", "log_u", "log_v")}
    return {
        "err": [log["err"] for log in logs],
        "niter": max(log["niter"] for log in logs),
        **factors,
        "warmstart": (factors["log_u"], factors["log_v"]),
    }

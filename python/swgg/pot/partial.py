"""Transport of a part of the mass: POT's ``ot.partial``."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np

from .. import _arrays, _swgg
from .. import partial as _line
from ..exceptions import InputError, KindError
from ._errors import AssertedError
from ._exact import OPTIMAL
from ._exact import masses as read_masses
from ._forward import forwarding
from ._frame import Frame, flag, float_kind
from ._plans import check_dense, plan_matrix

__all__ = ["partial_wasserstein", "partial_wasserstein2", "partial_wasserstein_1d", "partial_wasserstein_lagrange"]

_REMEDY = "for clouds, swgg.solve(X, Y, mass=...) has a sparse plan"
#: By how much masses may be above one in POT's Lagrangian form.
_SLACK = 1e-15


def partial_wasserstein(
    a: Any, b: Any, M: Any, m: Optional[float] = None, nb_dummies: int = 1, log: bool = False, **kwargs: Any
) -> Any:
    """The cheapest plan that moves the mass ``m`` at costs ``M``; masses are not scaled.

    Parameters
    ----------
    a, b : array-like of shape (n,) and (m,)
        Masses, whose sums may differ; an empty list means equal masses that add up to one.
    M : array-like of shape (n, m)
        Costs, finite.
    m : float, optional
        How much moves, at most the smaller sum; that sum if left out, for which both sums must be at most one as in
        :func:`partial_wasserstein_lagrange`.
    log : bool
        Whether to return a dictionary as well.
    nb_dummies, **kwargs
        Not needed: the answer is always the optimum.

    Returns
    -------
    plan : array of shape (n, m)
    log : dict, if ``log``
        ``partial_w_dist`` and ``cost``, the sum of plan times costs; potentials ``u`` and ``v`` with ``u[i] + v[j] <=
        M[i, j]``; ``warning`` (none), ``result_code`` (1).

    Examples
    --------
    >>> import swgg.pot as ot
    >>> ot.partial.partial_wasserstein([0.1, 0.2], [0.1, 0.1], [[0.0, 1.0], [2.0, 3.0]], m=0.1)
    array([[0.1, 0. ],
           [0. , 0. ]])
    """
    problem = _Posed(a, b, M)
    if m is None:
        problem.check_sums()
        mass = problem.smaller
    else:
        mass = _arrays.number(m, "m")
        if mass < 0.0:
            raise InputError(f"m: found {mass}, expected 0 or more: how much mass moves")
        if mass > problem.smaller:
            raise InputError(f"m: found {mass}, expected at most {problem.smaller:.9g}, the smaller sum of a and b")
    check_dense(problem.costs.shape, _REMEDY)
    plan, facts = problem.solved(mass=mass)
    return (plan, facts) if flag(log, "log") else plan


def partial_wasserstein2(
    a: Any, b: Any, M: Any, m: Optional[float] = None, nb_dummies: int = 1, log: bool = False, **kwargs: Any
) -> Any:
    """What the plan of :func:`partial_wasserstein` costs: the sum over what moved, not divided by its mass, not rooted.

    With ``log``, its dictionary is returned as well, with the plan as ``T``.

    Examples
    --------
    >>> import swgg.pot as ot
    >>> ot.partial.partial_wasserstein2([0.1, 0.2], [0.1, 0.1], [[0.0, 1.0], [2.0, 3.0]], m=0.1)
    0.0
    """
    plan, facts = partial_wasserstein(a, b, M, m, nb_dummies, True, **kwargs)
    cost = facts["partial_w_dist"]
    facts["T"] = plan
    return (cost, facts) if flag(log, "log") else cost


def partial_wasserstein_lagrange(
    a: Any, b: Any, M: Any, reg_m: Optional[float] = None, nb_dummies: int = 1, log: bool = False, **kwargs: Any
) -> Any:
    """The plan that moves mass wherever that costs at most ``reg_m`` per unit: the least of ``sum(plan * (M - reg_m))``.

    Parameters
    ----------
    a, b : array-like of shape (n,) and (m,)
        Masses, whose sums may differ and are at most one.
    M : array-like of shape (n, m)
        Costs, finite.
    reg_m : float, optional
        What moving a unit of mass is worth; more than any cost if left out, so that the smaller sum moves.
    log : bool
        Whether to return a dictionary as well, with the keys of :func:`partial_wasserstein`.
    nb_dummies, **kwargs
        Not needed: the answer is always the optimum.

    Examples
    --------
    >>> import swgg.pot as ot
    >>> ot.partial.partial_wasserstein_lagrange([0.1, 0.2], [0.1, 0.1], [[0.0, 1.0], [2.0, 3.0]], reg_m=2)
    array([[0.1, 0. ],
           [0. , 0. ]])
    """
    problem = _Posed(a, b, M)
    problem.check_sums()
    check_dense(problem.costs.shape, _REMEDY)
    if reg_m is None:
        plan, facts = problem.solved(mass=problem.smaller)
    else:
        plan, facts = problem.solved(discard=_arrays.number(reg_m, "reg_m"))
    return (plan, facts) if flag(log, "log") else plan


def partial_wasserstein_1d(
    x_a: Any, x_b: Any, n_transported_samples: Optional[int] = None, p: float = 1
) -> Tuple[Any, Any, Any]:
    """Partial transport on the line for every number of pairs up to ``n_transported_samples``, at costs ``|x - y|**p``.

    Returns
    -------
    indices_x, indices_y : array
        Which points come in, step by step.
    marginal_costs : array
        What each step adds to the cost.

    Examples
    --------
    >>> import numpy as np
    >>> import swgg.pot as ot
    >>> x, y = np.array([5.0, -2.0, 4.0]), np.array([-1.0, 1.0, 3.0])
    >>> ind_x, ind_y, costs = ot.partial.partial_wasserstein_1d(x, y, n_transported_samples=2)
    >>> ind_x, ind_y, float(costs.sum())
    (array([1, 2]), array([0, 2]), 2.0)
    """
    frame = Frame(x_a, x_b)
    try:
        left, right = _line.line(x_a, "x_a"), _line.line(x_b, "x_b")
    except InputError as error:
        raise AssertedError(str(error)) from None
    most = min(len(left), len(right))
    steps = most
    if n_transported_samples is not None:
        steps = _arrays.whole(n_transported_samples, "n_transported_samples", 0, most)
    found = _swgg.partial_line(left, right, _arrays.exponent(p))
    sources, targets, costs = (frame.array(np.ascontiguousarray(part[:steps])) for part in found)
    return sources, targets, costs


class _Posed:
    """Arguments of the functions at given costs, checked."""

    def __init__(self, a: Any, b: Any, M: Any) -> None:
        if hasattr(M, "toarray") and hasattr(M, "nnz"):
            raise KindError("M: found a sparse matrix, expected a dense one; call its toarray()")
        self.frame = Frame(a, b, M)
        self.kind = float_kind(a, b, M)
        self.costs = _arrays.matrix(M, "M")
        if 0 in self.costs.shape:
            raise InputError(f"M: found shape {self.costs.shape}, expected at least one row and one column")
        sides = []
        for name, value, count, side in (("a", a, self.costs.shape[0], "rows"), ("b", b, self.costs.shape[1], "columns")):
            masses = read_masses(value, name)
            if masses is not None and masses.shape != (count,):
                raise InputError(f"{name}: found shape {masses.shape}, expected ({count},), as many as M has {side}")
            sides.append(masses)
        self.a, self.b = sides
        self.sums = tuple(1.0 if side is None else float(side.sum()) for side in sides)
        self.smaller = min(self.sums)
        # The engine takes no negative costs; a constant on all of them changes no plan of a given mass.
        low = float(self.costs.min())
        self.shift = low if np.isfinite(low) and low < 0.0 else 0.0
        if self.shift:
            self.costs = self.costs - self.shift

    def check_sums(self) -> None:
        """POT's Lagrangian form wants masses of at most one."""
        for name, total in zip("ab", self.sums):
            if total > 1.0 + _SLACK * max(1, self.costs.size):
                raise InputError(f"{name}: found a sum of {total:.17g}, expected at most 1; divide a and b by the larger sum")

    def solved(self, mass: float = 0.0, discard: Optional[float] = None) -> Tuple[Any, Dict[str, Any]]:
        """The plan and its dictionary."""
        n, m = self.costs.shape
        worth = None if discard is None else discard - self.shift
        if worth < 0.0 if worth is not None else mass == 0.0:
            # Refuses what the engine would refuse.
            _swgg.partial_matrix(self.costs, self.a, self.b, {"discard_cost": 0.0}, _arrays.how())
            rows = cols = np.zeros(0, dtype=np.int64)
            masses, u, v = np.zeros(0), np.zeros(n), np.zeros(m)
            u += min(self.shift, 0.0)
        else:
            part = {"moved": mass} if worth is None else {"discard_cost": worth}
            answer = _swgg.partial_matrix(self.costs, self.a, self.b, part, _arrays.how())
            assert answer.plan is not None
            rows, cols, masses = answer.plan.entries()
            u, v = answer.potentials if answer.potentials is not None else (np.zeros(n), np.zeros(m))
            u = u + self.shift
        plan = plan_matrix(rows, cols, masses, (n, m), True, self.kind, self.frame)
        cost = float(np.sum(masses * (self.costs[rows, cols] + self.shift)))
        facts = {
            "cost": self.frame.number(cost),
            "partial_w_dist": self.frame.number(cost),
            "u": self.frame.array(u.astype(self.kind, copy=False)),
            "v": self.frame.array(v.astype(self.kind, copy=False)),
            "warning": None,
            "result_code": OPTIMAL,
        }
        return plan, facts

__getattr__ = forwarding(__name__, "ot.partial")

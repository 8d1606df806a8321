"""Transport on the line."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np

from .. import _arrays, _swgg
from ._errors import AssertedError
from ._frame import Frame, flag, float_kind
from ._plans import Entries, check_dense, plan_matrix, total_mass, tuples

METRICS = ("sqeuclidean", "minkowski", "cityblock", "euclidean")
DENSE_REMEDY = "pass dense=False for a sparse one"


def wasserstein_1d(
    u_values: Any,
    v_values: Any,
    u_weights: Any = None,
    v_weights: Any = None,
    p: float = 1,
    require_sort: bool = True,
    return_plans: Any = False,
) -> Any:
    """``W_p**p`` (not rooted) between measures on the line, one per column.

    Parameters
    ----------
    u_values, v_values : array-like of shape (n, ...) and (m, ...)
        Where the points are.
    u_weights, v_weights : array-like of shape (n,) or (n, ...), and the same for m, optional
        Masses, for all columns or for each; equal if left out.
    p : float
        The power of the distance, 1 or more.
    require_sort : bool
        Whether values are sorted here; otherwise they are taken in the order they have.
    return_plans : bool or "coo_tuple"
        Whether to return the plans too, as sparse arrays or as tuples ``(data, rows, cols)``.

    Returns
    -------
    cost : float or array of the shape of a row of ``u_values``
    plans : list, if ``return_plans``

    Examples
    --------
    >>> import swgg.pot as ot
    >>> import numpy as np
    >>> float(ot.wasserstein_1d(np.array([0.0, 1.0]), np.array([3.0, 5.0, 4.0, 6.0]), p=2))
    16.5
    """
    frame = Frame(u_values, v_values, u_weights, v_weights)
    as_tuples = isinstance(return_plans, str) and return_plans == "coo_tuple"
    if not (as_tuples or isinstance(return_plans, (bool, np.bool_))):
        raise AssertedError(f'return_plans: found {return_plans!r}, expected True, False or "coo_tuple"')
    u, v = _arrays.numbers(u_values, "u_values"), _arrays.numbers(v_values, "v_values")
    for name, values in (("u_values", u), ("v_values", v)):
        if values.ndim == 0 or values.size == 0:
            raise AssertedError(f"{name}: found shape {values.shape}, expected at least one point")
    shape = u.shape[1:]
    if v.shape[1:] != shape:
        raise AssertedError(f"u_values and v_values must have the same columns, found shapes {u.shape} and {v.shape}")
    a, b = _column_weights(u_weights, u.shape, "u_weights"), _column_weights(v_weights, v.shape, "v_weights")
    totals = _totals(a, b)
    kind = float_kind(u_values)
    rows_u, rows_v = _as_rows(u), _as_rows(v)
    power = _arrays.number(p, "p")
    if power < 1.0:
        raise AssertedError(f"p: found {power}, expected an exponent of 1 or more")
    as_given = not flag(require_sort, "require_sort")
    costs, plans = _swgg.pot_lines(rows_u, rows_v, a, b, power, as_given, bool(return_plans), True)
    costs = costs * totals
    answer = frame.scalar(float(costs[0])) if not shape else frame.array(costs.reshape(shape))
    if not return_plans:
        return answer
    totals = np.broadcast_to(totals, (len(plans),))
    if as_tuples:
        return answer, [tuples([plan], float(total), kind, frame)[0] for plan, total in zip(plans, totals)]
    size = (len(u), len(v))
    entries = [Entries(*plan) for plan in plans]
    return answer, [
        plan_matrix(plan.rows, plan.cols, plan.scaled(float(total)), size, False, kind, frame)
        for plan, total in zip(entries, totals)
    ]


def emd_1d(
    x_a: Any,
    x_b: Any,
    a: Any = None,
    b: Any = None,
    metric: str = "sqeuclidean",
    p: float = 1.0,
    dense: bool = True,
    log: bool = False,
    check_marginals: bool = True,
) -> Any:
    """The cheapest plan on the line; ``log["cost"]`` is its cost, not rooted.

    Parameters
    ----------
    x_a, x_b : array-like of shape (n,) or (n, 1), and the same for m
        Where the points are.
    a, b : array-like of shape (n,) and (m,), optional
        Masses, of equal sum; equal masses that add up to one if left out or empty.
    metric : {"sqeuclidean", "minkowski", "cityblock", "euclidean"}
        The square of the distance, its power ``p``, or the distance itself.
    p : float
        The power for ``"minkowski"``, 1 or more.
    dense : bool
        Whether the plan is a dense array; otherwise a sparse one.
    log : bool
        Whether to return a dictionary as well, with ``cost`` and the indices ``perms_x_a``, ``perms_x_b`` of entries.
    check_marginals : bool
        Whether masses of different sum are refused; otherwise ``b`` is scaled.

    Examples
    --------
    >>> import swgg.pot as ot
    >>> ot.emd_1d([2.0, 0.0], [0.0, 3.0])
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    frame = Frame(x_a, x_b, a, b)
    dense, log, check_marginals = flag(dense, "dense"), flag(log, "log"), flag(check_marginals, "check_marginals")
    u, v, mass_a, mass_b = _pair(x_a, x_b, a, b)
    shape = (u.shape[1], v.shape[1])
    if dense:
        check_dense(shape, DENSE_REMEDY)
    total = total_mass(_only(mass_a), _only(mass_b), check=check_marginals)
    costs, plans = _swgg.pot_lines(u, v, mass_a, mass_b, _power(metric, p), False, True, False)
    entries = Entries(*plans[0])
    plan = plan_matrix(entries.rows, entries.cols, entries.scaled(total), shape, dense, float_kind(x_a), frame)
    if not log:
        return plan
    return plan, {
        "cost": frame.number(float(costs[0]) * total),
        "perms_x_a": frame.array(entries.rows),
        "perms_x_b": frame.array(entries.cols),
    }


def emd2_1d(
    x_a: Any,
    x_b: Any,
    a: Any = None,
    b: Any = None,
    metric: str = "sqeuclidean",
    p: float = 1.0,
    dense: bool = True,
    log: bool = False,
) -> Any:
    """The least cost of transport on the line, not rooted: see :func:`emd_1d`.

    With ``log``, a dictionary with the plan as ``G`` is returned as well, dense or not.

    Examples
    --------
    >>> import swgg.pot as ot
    >>> ot.emd2_1d([2.0, 0.0], [0.0, 3.0])
    0.5
    """
    if flag(log, "log"):
        plan, facts = emd_1d(x_a, x_b, a, b, metric, p, dense, True)
        return facts["cost"], {"G": plan}
    frame = Frame(x_a, x_b, a, b)
    u, v, mass_a, mass_b = _pair(x_a, x_b, a, b)
    total = total_mass(_only(mass_a), _only(mass_b))
    costs, _ = _swgg.pot_lines(u, v, mass_a, mass_b, _power(metric, p), False, False, False)
    return frame.number(float(costs[0]) * total)


def _power(metric: str, p: float) -> float:
    _arrays.choice(metric, "metric", METRICS)
    return {"sqeuclidean": 2.0, "cityblock": 1.0, "euclidean": 1.0}.get(metric) or _arrays.number(p, "p")


def _pair(
    x_a: Any, x_b: Any, a: Any, b: Any
) -> Tuple[np.ndarray, np.ndarray, Optional[np.ndarray], Optional[np.ndarray]]:
    sides: List[Tuple[np.ndarray, Optional[np.ndarray]]] = []
    for name, value, weights_name, weights in (("x_a", x_a, "a", a), ("x_b", x_b, "b", b)):
        points = _arrays.numbers(value, name)
        if not (points.ndim == 1 or points.ndim == 2 and points.shape[1] == 1) or points.size == 0:
            raise AssertedError(f"{name}: found shape {points.shape}, expected (n,) or (n, 1): points on the line")
        row = np.ascontiguousarray(points.reshape(1, -1), dtype=np.float64)
        masses = None if weights is None else _arrays.numbers(weights, weights_name)
        if masses is None or masses.size == 0 or masses.ndim == 0:
            sides.append((row, None))
            continue
        if masses.shape != (row.shape[1],):
            wanted = f"expected ({row.shape[1]},): one mass per point of {name}"
            raise AssertedError(f"{weights_name}: found shape {masses.shape}, {wanted}")
        sides.append((row, np.ascontiguousarray(masses.reshape(1, -1), dtype=np.float64)))
    return sides[0][0], sides[1][0], sides[0][1], sides[1][1]


def _only(masses: Optional[np.ndarray]) -> Optional[np.ndarray]:
    return None if masses is None else masses[0]


def _as_rows(values: np.ndarray) -> np.ndarray:
    """A row per measure."""
    return np.ascontiguousarray(values.reshape(len(values), -1).T, dtype=np.float64)


def _column_weights(value: Any, shape: Tuple[int, ...], name: str) -> Optional[np.ndarray]:
    """One row of weights for all measures, or one each."""
    if value is None:
        return None
    weights = _arrays.numbers(value, name)
    if weights.shape not in (shape, shape[:1]):
        raise AssertedError(f"{name}: found shape {weights.shape}, expected {shape[:1]} or {shape}: one mass per point")
    return _as_rows(weights)


def _totals(a: Optional[np.ndarray], b: Optional[np.ndarray]) -> np.ndarray:
    """What the measures weigh: one number for all, or one each."""
    of_a = np.ones(1) if a is None else a.sum(axis=1)
    of_b = np.ones(1) if b is None else b.sum(axis=1)
    apart = ~(np.abs(of_a - of_b) <= 1.5e-6 * np.maximum(1.0, np.abs(of_a)))
    if apart.any():
        k = int(apart.argmax())
        raise AssertedError(
            f"u_weights and v_weights must have the same sum, found {of_a[min(k, len(of_a) - 1)]:.9g} and "
            f"{of_b[min(k, len(of_b) - 1)]:.9g} in column {k}; scale one of them"
        )
    return np.broadcast_to(of_a, np.broadcast_shapes(of_a.shape, of_b.shape))

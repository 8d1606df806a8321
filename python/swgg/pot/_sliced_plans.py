"""Plans by lines: all of them, the cheapest, or their mean."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .. import _arrays, _swgg
from ..exceptions import InputError
from ._errors import AssertedError
from ._frame import Frame, flag
from ._line import DENSE_REMEDY, METRICS
from ._plans import Entries, check_dense, plan_matrix, total_mass, tuples
from ._projections import as_rows, given_or_drawn
from ._sliced_distances import same_kind


def sliced_plans(
    X_s: Any,
    X_t: Any,
    a: Any = None,
    b: Any = None,
    metric: str = "sqeuclidean",
    p: float = 1,
    projections: Any = None,
    n_projections: Optional[int] = None,
    seed: Any = None,
    batch_size: Any = None,
    log: bool = False,
) -> Any:
    """The plan of every line and what each costs between the points (not along the line, not rooted).

    Parameters
    ----------
    X_s, X_t : array-like of shape (n, d) and (m, d)
    a, b : array-like of shape (n,) and (m,), optional
        Masses, of equal sum; equal if left out.
    metric : {"sqeuclidean", "minkowski", "cityblock", "euclidean"}
        What a pair costs; ``"minkowski"`` is the norm with power ``p``.
    projections : array-like of shape (d, n_projections), optional
        The lines, one per column.
    n_projections : int
        How many lines to draw, unless ``projections`` are given.
    seed : int or numpy.random.RandomState, optional
        The same integer gives the same lines as in POT.
    batch_size
        Not needed: memory is that of the plans.
    log : bool
        Whether to return a dictionary as well: ``X_projection``, ``Y_projection``, ``projections``.

    Returns
    -------
    plans : list of tuples (data, rows, cols)
        Masses and indices, from one end of the line to the other.
    costs : array of shape (n_projections,)

    Examples
    --------
    >>> import numpy as np
    >>> import swgg.pot as ot
    >>> x, y = np.array([[3.0, 3.0], [1.0, 1.0]]), np.array([[2.0, 2.5], [3.0, 2.0]])
    >>> plans, costs = ot.sliced_plans(x, y, projections=np.eye(2))
    >>> costs
    array([2.125, 3.125])
    >>> plans[0].rows, plans[0].cols
    (array([1, 0]), array([0, 1]))
    """
    log = flag(log, "log")
    posed = _Posed(X_s, X_t, a, b, metric, p, projections, n_projections, seed)
    plans, costs = posed.plans(posed.projections)
    found = tuples(plans, posed.total, posed.mass_kind, posed.frame)
    if not log:
        return found, posed.frame.array(costs)
    facts = {
        "X_projection": posed.frame.array(posed.x @ posed.projections),
        "Y_projection": posed.frame.array(posed.y @ posed.projections),
        "projections": posed.frame.array(posed.projections),
    }
    return found, posed.frame.array(costs), facts


def min_sliced_transport_plan(
    X_s: Any,
    X_t: Any,
    a: Any = None,
    b: Any = None,
    projections: Any = None,
    metric: str = "sqeuclidean",
    p: float = 2,
    n_projections: Optional[int] = None,
    seed: Any = None,
    batch_size: Any = None,
    dense: bool = True,
    log: bool = False,
) -> Any:
    """The plan of the cheapest line and its cost (not rooted): min-SWGG over given or random lines.

    Parameters
    ----------
    X_s, X_t, a, b, projections, metric, p, n_projections, seed, batch_size
        As in :func:`sliced_plans`.
    dense : bool
        Whether the plan is a dense array; otherwise a sparse one, which large clouds need. There is a warning above
        10**8 entries, and a refusal above what memory holds.
    log : bool
        Whether to return a dictionary as well: ``projections``, ``costs``, ``min_projection``, ``X_min_projection``,
        ``Y_min_projection``.

    Returns
    -------
    plan : array of shape (n, m), dense or sparse
    cost : float

    Examples
    --------
    >>> import numpy as np
    >>> import swgg.pot as ot
    >>> x, y = np.array([[3.0, 3.0], [1.0, 1.0]]), np.array([[2.0, 2.5], [3.0, 2.0]])
    >>> plan, cost = ot.min_sliced_transport_plan(x, y, projections=np.array([[1, 0], [0, 1]]))
    >>> plan
    array([[0. , 0.5],
           [0.5, 0. ]])
    >>> float(cost)
    2.125
    """
    dense, log = flag(dense, "dense"), flag(log, "log")
    posed = _Posed(X_s, X_t, a, b, metric, p, projections, n_projections, seed)
    if dense:
        check_dense(posed.shape, DENSE_REMEDY)
    costs = posed.costs()
    best = int(costs.argmin())
    theta = posed.projections[:, best]
    plans, _ = posed.plans(theta[:, None])
    plan = posed.matrix([Entries(*plans[0])], np.ones(1), dense)
    cost = posed.frame.scalar(float(costs[best]))
    if not log:
        return plan, cost
    array = posed.frame.array
    return (
        plan,
        cost,
        {
            "projections": array(posed.projections),
            "costs": array(costs),
            "min_projection": array(theta),
            "X_min_projection": array(posed.x @ theta),
            "Y_min_projection": array(posed.y @ theta),
        },
    )


def expected_sliced_plan(
    X_s: Any,
    X_t: Any,
    a: Any = None,
    b: Any = None,
    projections: Any = None,
    metric: str = "sqeuclidean",
    p: float = 2,
    n_projections: Optional[int] = None,
    beta: float = 0.0,
    seed: Any = None,
    dense: bool = True,
    batch_size: Any = None,
    log: bool = False,
) -> Any:
    """The mean of the plans of all lines and its cost (not rooted).

    Parameters
    ----------
    X_s, X_t, a, b, projections, metric, p, n_projections, seed, batch_size
        As in :func:`sliced_plans`.
    beta : float
        Lines count as ``exp(-beta * cost)``; all alike at 0.
    dense : bool
        Whether the plan is a dense array; otherwise a sparse one, where equal places add up.
    log : bool
        Whether to return a dictionary as well: ``projections``, ``costs``, ``G`` (the plans) and ``weights``.

    Returns
    -------
    plan : array of shape (n, m), dense or sparse
    cost : float

    Examples
    --------
    >>> import numpy as np
    >>> import swgg.pot as ot
    >>> x, y = np.array([[3.0, 3.0], [1.0, 1.0]]), np.array([[2.0, 2.5], [3.0, 2.0]])
    >>> plan, cost = ot.expected_sliced_plan(x, y, projections=np.array([[1, 0], [0, 1]]))
    >>> plan
    array([[0.25, 0.25],
           [0.25, 0.25]])
    >>> float(cost)
    2.625
    """
    dense, log = flag(dense, "dense"), flag(log, "log")
    posed = _Posed(X_s, X_t, a, b, metric, p, projections, n_projections, seed)
    if dense:
        check_dense(posed.shape, DENSE_REMEDY)
    inverse = _arrays.number(beta, "beta")
    plans, costs = posed.plans(posed.projections)
    # From the cheapest line on, so that no exponential overflows.
    shares = np.exp(-inverse * costs - (-inverse * costs).max())
    shares /= shares.sum()
    plan = posed.matrix([Entries(*one) for one in plans], shares, dense)
    cost = posed.frame.scalar(float(shares @ costs))
    if not log:
        return plan, cost
    array = posed.frame.array
    found = tuples(plans, posed.total, posed.mass_kind, posed.frame)
    facts = {"projections": array(posed.projections), "costs": array(costs), "G": found, "weights": array(shares)}
    return plan, cost, facts


class _Posed:
    """Arguments of all three, checked."""

    def __init__(
        self, X_s: Any, X_t: Any, a: Any, b: Any, metric: Any, p: Any, projections: Any, n_projections: Any, seed: Any
    ) -> None:
        self.frame = Frame(X_s, X_t, a, b, projections)
        x, y = _arrays.numbers(X_s, "X_s"), _arrays.numbers(X_t, "X_t")
        for name, cloud in (("X_s", x), ("X_t", y)):
            if cloud.ndim != 2:
                found = f"found {cloud.ndim} axes of shape {cloud.shape}"
                raise AssertedError(f"{name}: {found}, expected 2: one row per point, one column per coordinate")
        self.x, self.y = same_kind(np.ascontiguousarray(x), np.ascontiguousarray(y))
        self.a, self.b = _arrays.weights(a, "a"), _arrays.weights(b, "b")
        self.total = total_mass(self.a, self.b)
        try:
            self.metric = _arrays.choice(metric, "metric", METRICS)
        except InputError as error:
            raise AssertedError(str(error)) from None
        self.p = _arrays.number(p, "p")
        self.projections = given_or_drawn(projections, self.x.shape[1], n_projections, seed, self.frame, self.x)
        self.shape = (len(self.x), len(self.y))
        self.mass_kind = np.dtype(np.float64)

    def costs(self) -> np.ndarray:
        """What the plan of each line costs, at the mass there is."""
        thetas = as_rows(self.projections)
        return _swgg.pot_costs((self.x, self.y, self.a, self.b), thetas, self.metric, self.p) * self.total

    def plans(self, projections: np.ndarray) -> Any:
        """The plans of total mass one, and their costs at the mass there is."""
        pair = (self.x, self.y, self.a, self.b)
        plans, costs = _swgg.pot_plans(pair, as_rows(projections), self.metric, self.p)
        return plans, costs * self.total

    def matrix(self, plans: Any, shares: np.ndarray, dense: bool) -> Any:
        """A mean of plans."""
        if len(plans) == 1:
            rows, cols, masses = plans[0].rows, plans[0].cols, plans[0].scaled(self.total)
        else:
            rows = np.concatenate([plan.rows for plan in plans])
            cols = np.concatenate([plan.cols for plan in plans])
            masses = np.concatenate([plan.scaled(self.total * share) for plan, share in zip(plans, shares)])
        return plan_matrix(rows, cols, masses, self.shape, dense, self.x.dtype, self.frame)

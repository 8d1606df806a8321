"""Barycenters: the cloud in the middle of several clouds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from ._arrays import Callback
from ._registry import PLANS, settings
from .batch import _listed, _weights_of_each
from .exceptions import InputError

#: More points than this are looked at twice: do they fit in memory?
_MANY = 10**6


@dataclass(frozen=True)
class BarycenterStep:
    """One step of a search for a barycenter: plans to all clouds, then a move."""

    #: The weighted sum of the costs of all plans, after the move; never above that of the step before.
    objective: float
    #: Sum of the squared distances that points have moved.
    shift_sq: float
    #: The effort of ``"auto"`` in this step; none for other methods, and where it was exact.
    effort: Optional[int]


@dataclass(frozen=True, eq=False)
class Barycenter:
    """The cloud in the middle of several, and how it was found."""

    #: Its points, one per row.
    points: NDArray[Any]
    #: Their masses, which sum to one.
    masses: NDArray[np.float64]
    #: What each cloud counts; they sum to one.
    weights: NDArray[np.float64]
    #: The weighted sum of the costs of the plans to all clouds, not rooted.
    objective: float
    #: What no cloud at all, of however many points, is below; none where ``bounds=False``.
    lower_bound: Optional[float]
    #: By how much the objective can be above the least of all, as a share of it; none where nothing is known.
    gap: Optional[float]
    #: Cost of the plan to each cloud, not rooted; NaN for clouds of weight 0.
    costs: NDArray[np.float64]
    #: Every step; none for a geodesic.
    steps: Tuple[BarycenterStep, ...]
    #: Whether it is a point of the geodesic between two clouds, and so needed no steps.
    is_geodesic: bool
    #: Why it ended: ``"converged"``, ``"max-iterations"``, ``"time-limit"``, ``"interrupted"``, or as in :func:`solve` for a
    #: geodesic.
    stop: str
    #: One sentence about what was run.
    story: str
    #: Time in the engine.
    seconds: float
    _plans: Tuple[Optional[_swgg.Plan], ...]

    def plan(self, k: int) -> Tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """The plan to cloud ``k``: points of the barycenter, points of the cloud, and the mass that goes from one to the other."""
        k = _arrays.whole(k, "k", 0, len(self._plans) - 1)
        plan = self._plans[k]
        if plan is None:
            raise InputError(f"k: found {k}, a cloud of weight 0, which takes no part and has no plan")
        return plan.entries()

    def __repr__(self) -> str:
        n, d = self.points.shape
        plural = "" if len(self.steps) == 1 else "s"
        return f"Barycenter({n} points in dimension {d}, objective={self.objective:.6g}, {len(self.steps)} step{plural}, {self.stop})"


def barycenter(
    clouds: Any,
    weights: Any = None,
    n_points: Optional[int] = None,
    start: Any = None,
    method: str = "auto",
    seed: Optional[int] = 0,
    *,
    masses: Any = None,
    start_masses: Any = None,
    effort: Optional[int] = None,
    time_limit: Optional[float] = None,
    max_steps: int = 100,
    tolerance: Optional[float] = None,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
    bounds: bool = True,
    **own: Any,
) -> Barycenter:
    """The cloud whose weighted sum of squared Wasserstein distances to several clouds is small (free support).

    Plans from its points to every cloud, then each point to the weighted mean of the places its mass goes to, in turn.
    The sum never rises, whatever the method of the plans. Two clouds of weights ``1 - t`` and ``t`` need no steps: their barycenter
    is the geodesic of their plan at ``t``, unless ``n_points`` or ``start`` ask for other points.

    Parameters
    ----------
    clouds : sequence of N arrays (n_k, d), or an array (N, n, d)
        Two or more; sizes may differ, columns may not.
    weights : array-like of shape (N,), optional
        What each cloud counts; equal if left out. A cloud of weight 0 takes no part.
    n_points : int, optional
        Points of the barycenter; as many as the largest cloud has if left out (between two clouds: as the geodesic has).
    start : array-like of shape (n_points, d), optional
        Points to begin with; drawn from all clouds together if left out.
    method : str
        Any method of :func:`solve` that has a plan. ``"auto"`` is exact for small clouds; for others it begins with the effort of 1 and
        tries harder when a step gains little.
    seed : int, optional
        Seed of the draw and of everything random in plans.
    masses : sequence of N vectors or None, or an array (N, n), optional
        Weights of the points of each cloud; equal if left out.
    start_masses : array-like of shape (n_points,), optional
        Weights of the points of the start, which the barycenter keeps.
    effort : int, optional
        The most effort of ``"auto"`` for clouds that are too large to be exact; 2 if left out.
    time_limit : float, optional
        Seconds for all steps; the best by then is the answer.
    max_steps : int
        Steps at most.
    tolerance : float, optional
        A step that lowers the objective by no more than this share is the last one; 1e-9 where plans are exact, else 1e-3.
    n_threads : int, optional
        Threads, all of them by default. The answer does not depend on it.
    callback : callable, optional
        Told ``(plans so far, objective)``; returns ``True`` to stop with the best so far.
    bounds : bool
        Whether to look for a lower bound of the objective.
    **own
        Settings of the method by name, as in :func:`solve`: ``trees=8`` for ``"tree"``.

    Returns
    -------
    Barycenter

    Examples
    --------
    >>> import numpy as np, swgg
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> found = swgg.barycenter([square, square + [9.0, 0.0], square + [0.0, 3.0]])
    >>> found.points[np.lexsort(found.points.T)].round(6)
    array([[3., 1.],
           [4., 1.],
           [3., 2.],
           [4., 2.]])
    >>> round(found.objective, 6)
    20.0
    """
    rows = [_arrays.points(cloud, f"clouds[{k}]") for k, cloud in enumerate(_listed(clouds, "clouds"))]
    if len(rows) < 2:
        raise InputError(f"clouds: found {len(rows)}, expected at least 2: a barycenter is between clouds")
    dim = rows[0].shape[1]
    for k, cloud in enumerate(rows):
        if cloud.shape[1] != dim:
            raise InputError(
                f"clouds[{k}]: found {cloud.shape[1]} columns, expected {dim} as in clouds[0]; all must live in the same space"
            )
    each = _weights_of_each(masses, "masses", len(rows))
    shares = None if weights is None else _shares(weights, len(rows))
    begin: Any = None
    if start is not None:
        points = _arrays.points(start, "start")
        if points.shape[1] != dim:
            raise InputError(f"start: found {points.shape[1]} columns, expected {dim} as in the clouds")
        begin = (points.astype(np.float64, copy=False), _arrays.weights(start_masses, "start_masses"))
    elif start_masses is not None:
        raise InputError("start_masses: found weights without a start; give start too, or leave them out")
    count = None if n_points is None else _arrays.whole(n_points, "n_points", 1, 2**32 - 2)
    if count is not None and count > _MANY:
        from .pot._plans import check_memory

        check_memory(count * (24 * dim + 40 * len(rows)), f"{count} points take", "ask for fewer")
    _arrays.choice(method, "method", PLANS)
    given = settings(method, {"effort": effort, "time_limit": time_limit, **own}, dim)
    choices = {
        "weights": shares,
        "n_points": count,
        "max_steps": _arrays.whole(max_steps, "max_steps", 1, 2**32),
        "tolerance": None if tolerance is None else _arrays.positive(tolerance, "tolerance", zero=True),
        "shift": None,
    }
    how = _arrays.how(bounds, seed, n_threads, callback)
    pile = [(cloud.astype(np.float64, copy=False), of_cloud) for cloud, of_cloud in zip(rows, each)]
    names = ("clouds", "masses", "start", "start_masses")
    (places, unequal), judged, plans, steps, story = _swgg.barycenter(pile, begin, choices, method, given, how, names)
    shares_found, objective, lower_bound, gap, costs = judged
    is_geodesic, stop, sentence, seconds = story
    single = all(cloud.dtype == np.float32 for cloud in rows)
    return Barycenter(
        points=places.astype(np.float32) if single else places,
        masses=np.full(len(places), 1.0 / len(places)) if unequal is None else unequal,
        weights=np.array(shares_found),
        objective=objective,
        lower_bound=lower_bound,
        gap=gap,
        costs=np.array([np.nan if cost is None else cost for cost in costs]),
        steps=tuple(BarycenterStep(*step) for step in steps),
        is_geodesic=is_geodesic,
        stop=stop,
        story=sentence,
        seconds=seconds,
        _plans=tuple(plans),
    )


def _shares(value: Any, count: int) -> Any:
    """What each cloud counts, as a list for the engine, which looks at the numbers themselves."""
    array = _arrays.numbers(value, "weights")
    if array.shape != (count,):
        raise InputError(f"weights: found shape {array.shape}, expected ({count},): one number for each cloud")
    return [float(x) for x in array]

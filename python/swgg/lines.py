"""Plans of single lines: SWGG, min-SWGG and its searches, clouds that lie on a line."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from ._arrays import Callback
from ._registry import settings
from .exceptions import InputError
from .result import Result


class LineResult(Result):
    """The plan of a line: a :class:`Result` with its direction :attr:`theta`, and what the search says about itself."""

    __slots__ = ()

    @property
    def search(self) -> Optional[str]:
        """Name of the search, or none at a given direction."""
        return None if self.method == "swgg" else self._answer.facts["search"]

    @property
    def costs(self) -> Optional[NDArray[np.float64]]:
        """Cost of every direction tried, in their order, if ``keep_costs`` asked for them."""
        return self._answer.facts.get("costs")


def swgg(
    X: Any,
    Y: Any,
    theta: Any,
    a: Any = None,
    b: Any = None,
    *,
    bounds: bool = True,
    n_threads: Optional[int] = None,
) -> LineResult:
    """Squared cost (``value``, not rooted) of the plan that a direction induces: ``SWGG_2^2(X, Y, theta)``.

    Both clouds are projected on ``theta``, sorted and paired by rank, or by quantiles where sizes or weights differ;
    the plan is paid in the full space. Never below ``W_2^2``, whatever the direction.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d)
        The clouds, one point per row.
    theta : array-like of shape (d,)
        The direction; its length does not matter.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.
    bounds : bool
        Whether to look for a lower bound of ``W_2^2``.
    n_threads : int, optional
        All of them if left out, or -1.

    Returns
    -------
    LineResult

    Examples
    --------
    >>> import numpy as np, swgg
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> Y = np.array([[1.0, 2.0], [0.0, 2.0]])
    >>> result = swgg.swgg(X, Y, [1.0, 0.0])
    >>> result.value, result.permutation
    (4.0, array([1, 0]))
    """
    pair = _arrays.pair(X, Y, a, b)
    theta = _arrays.direction(theta, "theta", pair[0].shape[1])
    return LineResult(_swgg.swgg_at(pair, theta, _arrays.how(bounds, 0, n_threads)), *pair)


def min_swgg(
    X: Any,
    Y: Any,
    a: Any = None,
    b: Any = None,
    *,
    search: Optional[str] = None,
    n_projections: Optional[int] = None,
    projections: Any = None,
    start: Any = None,
    steps: Optional[int] = None,
    restarts: Optional[int] = None,
    reach: Optional[float] = None,
    tolerance: Optional[float] = None,
    starts: Optional[int] = None,
    copies: Optional[int] = None,
    blur: Optional[float] = None,
    pairs: Optional[int] = None,
    radius: Optional[float] = None,
    learning_rate: Optional[float] = None,
    optimizer: Optional[str] = None,
    keep_costs: bool = False,
    bounds: bool = True,
    seed: Optional[int] = 0,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
) -> LineResult:
    """Squared cost (``value``, not rooted) and plan of the best direction found: ``min-SWGG_2^2``.

    Settings that a search does not have are refused, not ignored.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d)
        The clouds, one point per row.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.
    search : {"random", "annealing", "gradient", "stein", "sweep"}, optional
        How to look: the best of random directions; simulated annealing with the schedule of the paper; descent on a
        smoothed cost, the optimisation of the paper; descent by the costs of nearby directions; every direction of the
        plane, which is the true minimum (up to about 2000 points). If left out: a sweep for small clouds in the plane,
        random directions for large ones, ``"stein"`` from dimension 3 on, and ``"random"`` wherever directions are
        given or counted.
    n_projections : int, optional
        random: how many directions (200).
    projections : array-like of shape (d, L), optional
        random: exactly these directions, one per column as POT stores them; their lengths do not matter.
    start : array-like of shape (d,), optional
        annealing, gradient, stein, sweep: a direction to begin with.
    steps : int, optional
        annealing, gradient, stein: steps to take (500, 100, 25).
    restarts : int, optional
        annealing: further walks beside the first (0).
    reach, tolerance : float, optional
        annealing: length of the first proposals (0.5), and the share by which a cost may be worse at first (0.01).
    starts : int, optional
        gradient: how many starts (2).
    copies : int, optional
        gradient: copies of each point (10 000 in all, at least 4 of each).
    blur : float, optional
        gradient: the paper's epsilon, noise of deviation ``sqrt(blur) / 2`` (a deviation of a tenth of the spread of
        the projections).
    pairs : int, optional
        stein: pairs of perturbed directions per step (8).
    radius : float, optional
        stein: distance of the first perturbed directions (0.2).
    learning_rate : float, optional
        gradient, stein: length of the first steps (0.05).
    optimizer : {"adam", "sgd"}, optional
        gradient, stein: how a gradient becomes a step (``"adam"``).
    keep_costs : bool
        Whether to keep the cost of every direction tried, in :attr:`LineResult.costs`.
    bounds : bool
        Whether to look for a lower bound of ``W_2^2``.
    seed : int, optional
        Same seed, same bits, whatever the number of threads; None for another one each time.
    n_threads : int, optional
        All of them if left out, or -1.
    callback : callable, optional
        Called as ``callback(i, best)`` after each batch of directions; returning ``True`` ends the search.

    Returns
    -------
    LineResult

    Examples
    --------
    >>> import numpy as np, swgg
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(100, 2)), rng.normal(size=(100, 2)) + 3.0
    >>> best = swgg.min_swgg(X, Y)
    >>> best.search
    'sweep'
    >>> best.value <= swgg.min_swgg(X, Y, n_projections=50).value
    True
    >>> bool(np.isclose(best.value, swgg.swgg(X, Y, best.theta).value))
    True
    """
    pair = _arrays.pair(X, Y, a, b)
    given = {
        "search": search,
        "n_projections": n_projections,
        "projections": projections,
        "start": start,
        "steps": steps,
        "restarts": restarts,
        "reach": reach,
        "tolerance": tolerance,
        "starts": starts,
        "copies": copies,
        "blur": blur,
        "pairs": pairs,
        "radius": radius,
        "learning_rate": learning_rate,
        "optimizer": optimizer,
        "keep_costs": keep_costs,
    }
    told = settings("min-swgg", given, pair[0].shape[1])
    return LineResult(_swgg.solve(pair, "min-swgg", told, _arrays.how(bounds, seed, n_threads, callback)), *pair)


def line_wasserstein(X: Any, Y: Any, a: Any = None, b: Any = None, *, p: float = 2.0) -> Result:
    """Exact ``W_p^p`` (``value``, not rooted) in closed form, where one of the clouds lies on a line.

    Sorting along the line is then optimal, whatever the other cloud looks like: ``W_2^2`` in the time of a sort. Clouds
    of which neither lies on a line (to rounding) are refused.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d), or (n,) and (m,)
        The clouds, one point per row; plain sequences are clouds on the line.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.
    p : float
        The power of the distance, 1 or more; other than 2 in dimension one only.

    Returns
    -------
    Result
        With the direction of the line as ``theta``.

    Examples
    --------
    >>> import swgg
    >>> swgg.line_wasserstein([0.0, 1.0], [3.0, 5.0, 4.0, 6.0]).value
    16.5
    >>> swgg.line_wasserstein([0.0, 1.0], [3.0, 5.0, 4.0, 6.0], p=1).value
    4.0
    >>> swgg.line_wasserstein([[0, 0], [1, 1], [2, 2]], [[5, 0], [0, 0], [2, 4]]).permutation
    array([1, 0, 2])
    """
    pair = _arrays.pair(X, Y, a, b)
    p = _arrays.exponent(p)
    return Result(_swgg.line_wasserstein(pair, p), *pair, p)


def generalized_geodesic(
    X: Any, Y: Any, theta: Any, t: float, a: Any = None, b: Any = None
) -> Tuple[NDArray[Any], NDArray[np.float64]]:
    """Points and weights on the way from one cloud to another by the plan of a direction (no cost, squared or rooted).

    At ``t = 0`` it is ``X``, at ``t = 1`` it is ``Y``; between them every piece of mass walks straight. Its pivot lies
    on the line of ``theta``. For other plans see :meth:`Result.interpolate`.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d)
        The clouds, one point per row.
    theta : array-like of shape (d,)
        The direction; its length does not matter.
    t : float
        Time from 0 to 1.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.

    Returns
    -------
    points : numpy.ndarray of shape (k, d)
        One per pair that moves mass, in the precision of the clouds; with a matching, row ``i`` began at ``X[i]``.
    weights : numpy.ndarray of shape (k,)
        Their masses.

    Examples
    --------
    >>> import swgg
    >>> points, weights = swgg.generalized_geodesic([[0.0, 0.0], [1.0, 0.0]], [[1.0, 2.0], [0.0, 2.0]], [1.0, 0.0], 0.5)
    >>> points
    array([[0., 1.],
           [1., 1.]])
    >>> weights
    array([0.5, 0.5])
    """
    pair = _arrays.pair(X, Y, a, b)
    x = pair[0]
    t = _arrays.number(t, "t")
    if not 0.0 <= t <= 1.0:
        raise InputError(f"t: found {t}, expected a time from 0 to 1")
    points, masses = _swgg.geodesic(pair, _arrays.direction(theta, "theta", x.shape[1]), t)
    return points.astype(x.dtype, copy=False), masses

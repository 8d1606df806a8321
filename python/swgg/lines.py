"""Plans of single lines: SWGG, min-SWGG and its searches, clouds that lie on a line."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from ._arrays import Callback
from .exceptions import InputError
from .result import Result

#: Searches of :func:`min_swgg`.
SEARCHES = ("random", "annealing", "gradient", "stein", "sweep")

#: To which searches a setting belongs.
_BELONGS = {
    "n_projections": ("random",),
    "projections": ("random",),
    "start": ("annealing", "gradient", "stein", "sweep"),
    "steps": ("annealing", "gradient", "stein"),
    "restarts": ("annealing",),
    "reach": ("annealing",),
    "tolerance": ("annealing",),
    "starts": ("gradient",),
    "copies": ("gradient",),
    "blur": ("gradient",),
    "pairs": ("stein",),
    "radius": ("stein",),
    "learning_rate": ("gradient", "stein"),
    "optimizer": ("gradient", "stein"),
}

#: Settings that are whole numbers, from this one on.
_WHOLE = {"n_projections": 1, "steps": 1, "restarts": 0, "starts": 1, "copies": 1, "pairs": 1}


class LineResult(Result):
    """The plan of a line: a :class:`Result` with its direction :attr:`theta`, and what the search says about itself."""

    __slots__ = ("costs", "search")

    #: Name of the search, or none at a given direction.
    search: Optional[str]
    #: Cost of every direction tried, in their order, if ``keep_costs`` asked for them.
    costs: Optional[NDArray[np.float64]]


def swgg(
    X: Any,
    Y: Any,
    theta: Any,
    a: Any = None,
    b: Any = None,
    *,
    bounds: bool = False,
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
        Whether to look for a lower bound of ``W_2^2`` too.
    n_threads : int, optional
        All of them if left out.

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
    x, y = _arrays.clouds(X, Y)
    a, b = _arrays.weights(a, "a"), _arrays.weights(b, "b")
    theta = _arrays.direction(theta, "theta", x.shape[1])
    answer = _swgg.swgg_at(x, y, a, b, theta, _arrays.flag(bounds, "bounds"), _arrays.threads(n_threads))
    return _line_result(answer, x, y, a, b, None, None)


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
    bounds: bool = False,
    seed: int = 0,
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
        Whether to look for a lower bound of ``W_2^2`` too.
    seed : int
        Same seed, same bits, whatever the number of threads.
    n_threads : int, optional
        All of them if left out.
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
    given = {
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
    }
    if search is not None:
        _arrays.choice(search, "search", SEARCHES)
    elif n_projections is not None or projections is not None:
        search = "random"
    _refuse_strangers(search, given)
    if n_projections is not None and projections is not None:
        raise InputError("n_projections and projections: found both, expected one of them; a list is as long as it is")
    x, y = _arrays.clouds(X, Y)
    a, b = _arrays.weights(a, "a"), _arrays.weights(b, "b")
    look = {name: _setting(name, value) for name, value in given.items() if name not in ("projections", "start")}
    look.update(search=search, keep_costs=_arrays.flag(keep_costs, "keep_costs"))
    answer, name, costs = _swgg.min_swgg(
        x,
        y,
        a,
        b,
        look,
        _arrays.projections(projections, "projections", x.shape[1]),
        None if start is None else _arrays.direction(start, "start", x.shape[1]),
        _arrays.flag(bounds, "bounds"),
        _arrays.whole(seed, "seed"),
        _arrays.threads(n_threads),
        _arrays.function(callback, "callback"),
    )
    return _line_result(answer, x, y, a, b, name, costs)


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
    x, y = _arrays.clouds(X, Y)
    a, b = _arrays.weights(a, "a"), _arrays.weights(b, "b")
    p = _arrays.exponent(p)
    return Result(_swgg.line_wasserstein(x, y, a, b, p), x, y, a, b, p)


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
    x, y = _arrays.clouds(X, Y)
    a, b = _arrays.weights(a, "a"), _arrays.weights(b, "b")
    t = _arrays.number(t, "t")
    if not 0.0 <= t <= 1.0:
        raise InputError(f"t: found {t}, expected a time from 0 to 1")
    points, masses = _swgg.geodesic(x, y, a, b, _arrays.direction(theta, "theta", x.shape[1]), t)
    return points.astype(x.dtype, copy=False), masses


def _line_result(
    answer: _swgg.Answer,
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    search: Optional[str],
    costs: Optional[NDArray[np.float64]],
) -> LineResult:
    result = LineResult(answer, x, y, a, b)
    result.search = search
    result.costs = costs
    return result


def _refuse_strangers(search: Optional[str], given: Dict[str, Any]) -> None:
    """Settings that the search does not have are slips of the finger."""
    for name, value in given.items():
        belongs = _BELONGS[name]
        if value is None or search in belongs:
            continue
        others = " or ".join(map(repr, belongs))
        if search is None:
            raise InputError(f"{name}: found a setting without a search it belongs to; add search={others}")
        raise InputError(
            f"{name}: found a setting that search={search!r} does not have; leave it out, or use search={others}"
        )


def _setting(name: str, value: Any) -> Any:
    """A setting of a search, checked; none stays as usual."""
    if value is None:
        return None
    if name in _WHOLE:
        return _arrays.whole(value, name, _WHOLE[name], 10**9)
    if name == "optimizer":
        return _arrays.choice(value, name, ("adam", "sgd"))
    return _arrays.positive(value, name, zero=name == "blur")

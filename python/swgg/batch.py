"""Many clouds in one call: plans of many pairs, and distances between all of several clouds."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Union

import numpy as np

from . import _arrays, _swgg
from ._registry import PLANS, foreign, methods_with, renamed, settings
from .exceptions import InputError, KindError
from .result import Result

#: Told ``(done, total)``; returns ``True`` to stop.
Progress = Callable[[int, int], Any]
#: A cost or distance of two clouds, and of their weights if there are any.
Metric = Callable[..., float]

#: Points of the largest cloud up to which plans of the default solver, which are optimal there, are quicker than those of many lines.
_SMALL = 200

#: Names of distances, and the method behind them.
METRICS = {"swgg": "min-swgg", "sliced": "sliced", **{name: name for name in PLANS}}


def solve_batch(
    Xs: Any,
    Ys: Any,
    a: Any = None,
    b: Any = None,
    *,
    method: str = "auto",
    effort: Optional[int] = None,
    time_limit: Optional[float] = None,
    seed: Optional[int] = 0,
    n_threads: Optional[int] = None,
    callback: Optional[Progress] = None,
    bounds: bool = True,
    **own: Any,
) -> List[Result]:
    """Transport plans between pairs of clouds, and their squared costs, in one call.

    Each answer is that of :func:`solve`, to the bit. Pairs are shared out among threads, one thread each, which is
    quicker than all threads on one pair after the other.

    Parameters
    ----------
    Xs, Ys : sequence of arrays (n, d) and (m, d), or arrays (B, n, d) and (B, m, d)
        The clouds; sizes and dimensions may differ from pair to pair.
    a, b : sequence of weights or None, or arrays (B, n) and (B, m), optional
        Weights of each cloud, as in :func:`solve`; a vector is shared by all pairs.
    method, effort, time_limit, seed, bounds
        As in :func:`solve`, for each pair.
    n_threads : int, optional
        All of them if left out, or -1.
    callback : callable, optional
        Called as ``callback(done, total)`` now and then; returning ``True`` ends the call with the pairs that have
        begun, which are the first ones.
    **own
        Settings of the method by name, as in :func:`solve`: ``trees=8`` for ``"tree"``, ``n_projections=50`` for
        ``"merged"`` and ``"min-swgg"``.

    Returns
    -------
    list of Result
        In the order of the pairs.

    Examples
    --------
    >>> import numpy as np, swgg
    >>> Xs = np.random.default_rng(0).normal(size=(4, 50, 2))
    >>> [round(result.value, 6) for result in swgg.solve_batch(Xs, Xs + 1.0)]
    [2.0, 2.0, 2.0, 2.0]
    """
    xs, ys = _listed(Xs, "Xs"), _listed(Ys, "Ys")
    if len(xs) != len(ys):
        raise InputError(f"Ys: found {len(ys)} clouds for {len(xs)} in Xs, expected as many: one target per source")
    masses = _weights_of_each(a, "a", len(xs)), _weights_of_each(b, "b", len(ys))
    pairs = []
    for k, (x, y) in enumerate(zip(xs, ys)):
        x, y = _arrays.points(x, f"Xs[{k}]"), _arrays.points(y, f"Ys[{k}]")
        if x.dtype != y.dtype:
            x, y = x.astype(np.float64, copy=False), y.astype(np.float64, copy=False)
        pairs.append((x, y, masses[0][k], masses[1][k]))
    _arrays.choice(method, "method", PLANS)
    if method == "tree":
        own = renamed(own, "n_projections", "trees")
    given = settings(method, {"effort": effort, "time_limit": time_limit, **own})
    how = _arrays.how(bounds, seed, n_threads, _counting(callback))
    answers = _swgg.solve_batch(pairs, method, given, how)
    return [Result(answer, *pair) for answer, pair in zip(answers, pairs)]


def pairwise(
    clouds: Any,
    weights: Any = None,
    *,
    metric: Union[str, Metric, None] = None,
    squared: bool = False,
    condensed: bool = False,
    p: float = 2.0,
    n_projections: Optional[int] = None,
    effort: Optional[int] = None,
    seed: Optional[int] = 0,
    n_threads: Optional[int] = None,
    n_jobs: Optional[int] = None,
    callback: Optional[Progress] = None,
    **own: Any,
) -> np.ndarray:
    """The symmetric matrix of distances (rooted, unless ``squared``) between all pairs of several clouds.

    Pairs are shared out among threads, one thread each. The diagonal is zero, and each distance is computed once.

    Parameters
    ----------
    clouds : sequence of N arrays (n_k, d), or an array (N, n, d)
        Sizes may differ, columns may not.
    weights : sequence of N vectors or None, or an array (N, n), optional
        Weights of each cloud; equal if left out.
    metric : str or callable, optional
        If left out, ``"auto"`` where no cloud has more than 200 points and no setting of another is given, and ``"swgg"``
        otherwise. ``"swgg"`` is min-SWGG, never below the Wasserstein distance, and ``"sliced"`` the sliced Wasserstein distance,
        never above it. ``"exact"`` is the Wasserstein distance itself, ``"auto"`` that of :func:`solve`, exact for
        small clouds, and any other method of :func:`solve` is the cost of its plan. A function is called as
        ``metric(X, Y)``, or ``metric(X, Y, a, b)`` if there are weights, in turn; what it returns is taken as it is.
    squared : bool
        Leave the root out: costs rather than distances (to the power ``p``).
    condensed : bool
        The part above the diagonal, row by row, as SciPy's ``pdist`` returns it and its ``linkage`` takes it.
    p : float
        Exponent of ``"sliced"`` and ``"exact"``; the others have 2.
    n_projections : int, optional
        Lines of ``"swgg"``, ``"sliced"`` and other methods that count lines.
    effort, seed, n_threads
        As in :func:`solve`.
    n_jobs : int, optional
        Scikit-learn's name of ``n_threads``, which it takes the place of if it is given.
    callback : callable, optional
        Called as ``callback(done, total)`` now and then, in pairs; returning ``True`` ends the call, and distances
        that are missing are NaN.
    **own
        Other settings of the method by name, as in :func:`solve`: ``trees=8`` for ``"tree"``, ``search="stein"`` for
        ``"swgg"``.

    Returns
    -------
    array of shape (N, N), or (N * (N - 1) / 2,) if condensed

    Examples
    --------
    >>> import numpy as np, swgg
    >>> cloud = np.random.default_rng(0).normal(size=(30, 2))
    >>> swgg.pairwise([cloud, cloud + [3.0, 4.0], cloud + [0.0, 4.0]], metric="exact").round(6)
    array([[0., 5., 4.],
           [5., 0., 3.],
           [4., 3., 0.]])
    >>> swgg.pairwise([cloud, cloud + [3.0, 4.0], cloud + [0.0, 4.0]], condensed=True).round(6)
    array([5., 4., 3.])
    """
    condensed = _arrays.flag(condensed, "condensed")
    if n_jobs is not None:
        n_threads = _arrays.threads(n_jobs, "n_jobs")
    rows = [_arrays.points(cloud, f"clouds[{k}]") for k, cloud in enumerate(_listed(clouds, "clouds"))]
    for k, cloud in enumerate(rows):
        if cloud.shape[1] != rows[0].shape[1]:
            raise InputError(
                f"clouds[{k}]: found {cloud.shape[1]} columns, expected {rows[0].shape[1]} as in clouds[0]; all "
                "must live in the same space"
            )
    masses = _weights_of_each(weights, "weights", len(rows))
    progress = _arrays.function(callback, "callback")
    if callable(metric):
        return _shaped(len(rows), _by_hand(rows, masses if weights is not None else None, metric, progress), condensed)
    if metric is None:
        is_told = n_projections is not None or p != 2.0 or bool(own)
        metric = "swgg" if is_told or max(map(len, rows), default=0) > _SMALL else "auto"
    method = METRICS[_arrays.choice(metric, "metric", tuple(METRICS))]
    power = _arrays.number(p, "p")
    if method not in ("sliced", "exact") and power != 2.0:
        raise InputError(
            f"p: found {power}, expected 2 for metric={metric!r}; other exponents have 'sliced' and 'exact'"
        )
    if len({cloud.dtype for cloud in rows}) > 1:
        rows = [cloud.astype(np.float64, copy=False) for cloud in rows]
    given = {"effort": effort, "n_projections": n_projections, **own}
    if method == "sliced":
        for name in (name for name, value in given.items() if value is not None and name != "n_projections"):
            # What no method has is refused by the name of a method that has settings like those.
            settings("merged", {name: given[name]})
            raise foreign(name, "metric", "sliced", [owner for owner in METRICS if METRICS[owner] in methods_with(name)])
        # Its lines are counted like those of plans.
        told = {**settings("merged", {"n_projections": n_projections}), "p": power}
    else:
        if method == "tree":
            given = renamed(given, "n_projections", "trees")
        dim = rows[0].shape[1] if rows else None
        told = settings(method, {**given, "p": power if method == "exact" else None}, dim)
    how = _arrays.how(False, seed, n_threads, _counting(progress))
    costs = _swgg.pairwise(list(zip(rows, masses)), rows[0].shape[1] if rows else 1, method, told, how)
    distances = costs if squared else costs ** (1.0 / power) if power != 2.0 else np.sqrt(costs)
    return _shaped(len(rows), distances, condensed)


def _shaped(count: int, values: Any, condensed: bool) -> np.ndarray:
    """Values above the diagonal, row by row, or the symmetric matrix of them; missing ones are NaN."""
    above = np.full(count * (count - 1) // 2, np.nan)
    above[: len(values)] = values
    if condensed:
        return above
    matrix = np.zeros((count, count))
    rows, columns = np.triu_indices(count, 1)
    matrix[rows, columns] = matrix[columns, rows] = above
    return matrix


def _by_hand(
    rows: List[np.ndarray], masses: Optional[List[Any]], metric: Metric, progress: Optional[Progress]
) -> List[float]:
    values: List[float] = []
    total = len(rows) * (len(rows) - 1) // 2
    for i, j in zip(*np.triu_indices(len(rows), 1)):
        more = () if masses is None else (masses[i], masses[j])
        value = metric(rows[i], rows[j], *more)
        try:
            values.append(float(value))
        except (TypeError, ValueError):
            raise KindError(f"metric: found {value!r} for clouds {i} and {j}, expected a number") from None
        if progress is not None and progress(len(values), total) is True:
            break
    return values


def _listed(value: Any, name: str) -> List[Any]:
    """Clouds one by one: of a sequence, or along the first axis of an array."""
    if isinstance(value, (str, bytes, dict, set)) or value is None:
        raise KindError(
            f"{name}: found {type(value).__name__}, expected a sequence of clouds, or an array of "
            "shape (B, n, d)"
        )
    shape = getattr(value, "shape", None)
    if shape is not None and len(shape) != 3:
        raise InputError(
            f"{name}: found an array of shape {tuple(shape)}, expected (B, n, d): several clouds; a single "
            "pair goes to solve()"
        )
    if shape is not None:
        return list(_arrays.numbers(value, name))
    try:
        return list(value)
    except TypeError:
        raise KindError(
            f"{name}: found {type(value).__name__}, expected a sequence of clouds, or an array of "
            "shape (B, n, d)"
        ) from None


def _weights_of_each(value: Any, name: str, count: int) -> List[Optional[np.ndarray]]:
    """Weights of each cloud: none, a vector for all, or one per cloud."""
    if value is None:
        return [None] * count
    shape = getattr(value, "shape", None)
    if shape is not None and len(shape) == 1 and getattr(value, "dtype", None) != object:
        return [_arrays.weights(value, name)] * count
    try:
        each = list(value)
    except TypeError:
        raise KindError(f"{name}: found {type(value).__name__}, expected weights of each cloud") from None
    if len(each) != count:
        raise InputError(f"{name}: found weights of {len(each)} clouds, expected {count}")
    return [_arrays.weights(weights, f"{name}[{k}]") for k, weights in enumerate(each)]


def _counting(callback: Optional[Progress]) -> Optional[Callable[[int, float], Any]]:
    """The native half reports numbers of which the second is not whole."""
    listener = _arrays.function(callback, "callback")
    if listener is None:
        return None

    def counted(done: int, total: float) -> Any:
        return listener(done, int(total))

    return counted


__all__ = ["pairwise", "solve_batch"]

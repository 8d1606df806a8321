"""One call: two clouds in, a plan out."""

from __future__ import annotations

from typing import Any, Optional

from . import _arrays, _swgg
from ._arrays import Callback as Callback
from .classic import factored, subspace_detour, subspace_robust
from .entropic import sinkhorn
from .lines import line_wasserstein, min_swgg
from .result import Result

#: What :func:`solve` takes as its method.
METHODS = (
    "auto",
    "tree",
    "merged",
    "exact",
    "min-swgg",
    "line",
    "sinkhorn",
    "factored",
    "subspace-robust",
    "subspace-detour",
)


def solve(
    X: Any,
    Y: Any,
    a: Any = None,
    b: Any = None,
    *,
    method: str = "auto",
    effort: int = 5,
    time_limit: Optional[float] = None,
    seed: int = 0,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
    bounds: bool = True,
) -> Result:
    """A transport plan between two clouds and its squared cost, with a bound that says how good it is.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d)
        The clouds, one point per row. ``float32`` stays ``float32``; sums are in double precision all the same.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.
    method : str
        ``"auto"`` is exact where that is quick, and otherwise makes many lines into one plan; ``"tree"`` and
        ``"merged"`` are its parts, ``"exact"`` is the optimum whatever it takes (some thousand points). Others are
        functions of their own, here with their usual settings: ``"min-swgg"`` (:func:`min_swgg`), ``"line"``
        (:func:`line_wasserstein`), ``"sinkhorn"``, ``"factored"``, ``"subspace-robust"`` and ``"subspace-detour"``.
    effort : int
        From 1, a quick look, to 10, close to the optimum (``"auto"`` only). With the same seed, more effort
        never costs more.
    time_limit : float, optional
        Seconds for the plan, instead of an effort (``"auto"`` only): the best so far is returned, and bounds
        come on top.
    seed : int
        Same seed, same bits, whatever the number of threads.
    n_threads : int, optional
        All of them if left out.
    callback : callable, optional
        Called as ``callback(i, best)`` after each step, which waits for it; returning ``True`` ends the call with the
        best plan so far. What it raises ends the call too, and comes out of it.
    bounds : bool
        Whether to look for a lower bound, which can take longer than the plan of a large cloud. Bounds that a method
        has anyway are kept.

    Returns
    -------
    Result

    Examples
    --------
    >>> import numpy as np, swgg
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(500, 3)), rng.normal(size=(500, 3)) + 1.0
    >>> result = swgg.solve(X, Y)
    >>> bool(np.isclose(result.value, ((X - Y[result.permutation]) ** 2).sum(axis=1).mean()))
    True
    >>> result.gap < 1e-9
    True
    """
    x, y = _arrays.clouds(X, Y)
    a, b = _arrays.weights(a, "a"), _arrays.weights(b, "b")
    _arrays.choice(method, "method", METHODS)
    time_limit = _arrays.limit(time_limit, method)
    effort, seed = _arrays.whole(effort, "effort", 1, 10), _arrays.whole(seed, "seed")
    bounds = _arrays.flag(bounds, "bounds")
    if method == "min-swgg":
        return min_swgg(x, y, a, b, bounds=bounds, seed=seed, n_threads=n_threads, callback=callback)
    if method == "line":
        # A closed form has nothing to share and nothing to tell, but slips of the finger are still refused.
        _arrays.threads(n_threads)
        _arrays.function(callback, "callback")
        return line_wasserstein(x, y, a, b)
    if method == "sinkhorn":
        return sinkhorn(x, y, a, b, bounds=bounds, n_threads=n_threads, callback=callback)
    if method == "factored":
        return factored(x, y, a, b, bounds=bounds, seed=seed, n_threads=n_threads, callback=callback)
    if method == "subspace-robust":
        return subspace_robust(x, y, a, b, bounds=bounds, n_threads=n_threads, callback=callback)
    if method == "subspace-detour":
        return subspace_detour(x, y, a, b, bounds=bounds, n_threads=n_threads, callback=callback)
    answer = _swgg.solve(
        x,
        y,
        a,
        b,
        method,
        effort,
        time_limit,
        None,
        bounds,
        2.0,
        seed,
        _arrays.threads(n_threads),
        _arrays.function(callback, "callback"),
    )
    return Result(answer, x, y, a, b)

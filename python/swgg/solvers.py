"""One call: two clouds in, a plan out."""

from __future__ import annotations

from typing import Any, Callable, Optional

from . import _arrays, _swgg
from .result import Result

#: Told ``(i, best)``: steps so far and the lowest cost; returns ``True`` to stop.
Callback = Callable[[int, float], Any]

METHODS = ("auto", "tree", "merged", "exact")


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
    method : {"auto", "tree", "merged", "exact", ...}
        ``"auto"`` is exact where that is quick, and otherwise makes many lines into one plan; ``"tree"`` and ``"merged"`` are
        its parts, ``"exact"`` is the optimum whatever it takes (some thousand points). The names of the searches of
        :func:`min_swgg` (``"min-swgg"``) give the plan of the best single line.
    effort : int
        From 1, a quick look, to 10, close to the optimum (``"auto"`` only). With the same seed, more effort never costs more.
    time_limit : float, optional
        Seconds for the plan, instead of an effort: the best so far is returned, and bounds come on top.
    seed : int
        Same seed, same bits, whatever the number of threads.
    n_threads : int, optional
        All of them if left out.
    callback : callable, optional
        Called as ``callback(i, best)`` after each step, which waits for it; returning ``True`` ends the call with the best
        plan so far. What it raises ends the call too, and comes out of it.
    bounds : bool
        Whether to look for a lower bound, which can take longer than the plan of a large cloud.

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
    answer = _swgg.solve(
        x,
        y,
        a,
        b,
        _arrays.choice(method, "method", METHODS),
        _arrays.whole(effort, "effort", 1, 10),
        _arrays.seconds(time_limit, "time_limit"),
        None,
        _arrays.flag(bounds, "bounds"),
        2.0,
        _arrays.whole(seed, "seed"),
        _arrays.threads(n_threads),
        _arrays.function(callback, "callback"),
    )
    return Result(answer, x, y, a, b)

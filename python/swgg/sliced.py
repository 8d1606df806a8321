"""Distances that average, or maximise, over lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from ._arrays import Callback
from .exceptions import InputError


@dataclass(frozen=True)
class SlicedResult:
    """A mean over lines."""

    #: The mean, not rooted.
    value: float
    #: Monte-Carlo standard error of :attr:`value`: the mean over all directions lies within two of these with 95 %
    #: probability. NaN for a single direction.
    standard_error: float
    #: The power, whose root makes a distance of :attr:`value`.
    p: float
    #: How many directions were averaged.
    n_projections: int
    #: Why it ended: ``all-tried``, or ``interrupted`` by the callback.
    status: str
    #: Time in the engine.
    seconds: float

    @property
    def distance(self) -> float:
        """Root of order :attr:`p` of :attr:`value`."""
        return float(self.value ** (1.0 / self.p))


@dataclass(frozen=True, eq=False)
class SliceResult:
    """The line that tells two clouds apart best."""

    #: The cost along the line, not rooted.
    value: float
    #: Direction of the line.
    theta: NDArray[np.float64]
    #: The power, whose root makes a distance of :attr:`value`.
    p: float
    #: How many directions were tried.
    n_iter: int
    #: Why the ascent ended.
    status: str
    #: Time in the engine.
    seconds: float

    @property
    def distance(self) -> float:
        """Root of order :attr:`p` of :attr:`value`."""
        return float(self.value ** (1.0 / self.p))


def sliced_wasserstein(
    X: Any,
    Y: Any,
    a: Any = None,
    b: Any = None,
    *,
    p: float = 2.0,
    n_projections: Optional[int] = None,
    projections: Any = None,
    orthogonal: bool = False,
    seed: Optional[int] = 0,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
) -> SlicedResult:
    """Sliced Wasserstein distance to the power ``p`` (``value`` is ``SW_p^p``, not rooted; ``distance`` is its root).

    The mean over lines of the transport cost along them; with ``p = 2`` never above ``W_2^2``. It has no plan.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d)
        The clouds, one point per row.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.
    p : float
        The power of the distance along a line, 1 or more.
    n_projections : int, optional
        How many directions (200).
    projections : array-like of shape (d, L), optional
        Exactly these directions instead, one per column as POT stores them; their lengths do not matter.
    orthogonal : bool
        Whether directions are drawn in orthonormal batches: the same mean, often with less noise.
    seed : int, optional
        Same seed, same bits, whatever the number of threads; None for another one each time.
    n_threads : int, optional
        All of them if left out, or -1.
    callback : callable, optional
        Called as ``callback(i, mean)`` after each batch of directions; returning ``True`` ends with the mean so far.

    Returns
    -------
    SlicedResult

    Examples
    --------
    A shift by a vector ``v`` is seen as ``|v|^2 / d`` on average.

    >>> import numpy as np, swgg
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> found = swgg.sliced_wasserstein(X, X + [3.0, 4.0], n_projections=2000)
    >>> abs(found.value - 12.5) < 4.0 * found.standard_error
    True
    """
    p = _arrays.exponent(p)
    return _mean(X, Y, a, b, False, p, n_projections, projections, orthogonal, seed, n_threads, callback)


def pwd(
    X: Any,
    Y: Any,
    a: Any = None,
    b: Any = None,
    *,
    n_projections: Optional[int] = None,
    projections: Any = None,
    orthogonal: bool = False,
    seed: Optional[int] = 0,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
) -> SlicedResult:
    """Projected Wasserstein distance, squared (``value`` is ``PWD_2^2``, not rooted; ``distance`` is its root).

    The mean over lines of what their plans cost in the full space, ``SWGG_2^2``; never below ``W_2^2``, nor below
    :func:`min_swgg` over the same directions. Parameters are those of :func:`sliced_wasserstein`.

    Examples
    --------
    >>> import numpy as np, swgg
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> round(swgg.pwd(X, X + [3.0, 4.0]).distance, 12)
    5.0
    """
    return _mean(X, Y, a, b, True, 2.0, n_projections, projections, orthogonal, seed, n_threads, callback)


def max_sliced(
    X: Any,
    Y: Any,
    a: Any = None,
    b: Any = None,
    *,
    p: float = 2.0,
    steps: int = 50,
    starts: int = 4,
    learning_rate: float = 0.1,
    optimizer: str = "adam",
    start: Any = None,
    seed: Optional[int] = 0,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
) -> SliceResult:
    """Max-sliced Wasserstein distance to the power ``p`` (``value``, not rooted; ``distance`` is its root).

    The largest transport cost along a line, by gradient ascent from the best of several starts; never above ``W_p^p``.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d)
        The clouds, one point per row.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.
    p : float
        The power of the distance along a line, 1 or more.
    steps, starts : int
        Steps from each start, and how many starts.
    learning_rate : float
        Length of the first steps.
    optimizer : {"adam", "sgd"}
        How a gradient becomes a step.
    start : array-like of shape (d,), optional
        A direction to start from, besides those chosen.
    seed : int, optional
        Same seed, same bits, whatever the number of threads; None for another one each time.
    n_threads : int, optional
        All of them if left out, or -1.
    callback : callable, optional
        Called as ``callback(i, best)`` after each step; returning ``True`` ends the ascent.

    Returns
    -------
    SliceResult

    Examples
    --------
    >>> import numpy as np, swgg
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> found = swgg.max_sliced(X, X + [0.0, 3.0])
    >>> round(found.distance, 6)
    3.0
    """
    pair = _arrays.pair(X, Y, a, b)
    p = _arrays.exponent(p)
    found = _swgg.max_sliced(
        pair,
        p,
        _arrays.whole(steps, "steps", 1, 10**9),
        _arrays.whole(starts, "starts", 1, 100_000),
        _arrays.positive(learning_rate, "learning_rate"),
        _arrays.choice(optimizer, "optimizer", ("adam", "sgd")) == "adam",
        None if start is None else _arrays.direction(start, "start", pair[0].shape[1]),
        _arrays.seed(seed),
        _arrays.threads(n_threads),
        _arrays.function(callback, "callback"),
    )
    return SliceResult(found.value, found.theta, p, found.n_iter, found.stop, found.seconds)


def _mean(
    X: Any,
    Y: Any,
    a: Any,
    b: Any,
    across: bool,
    p: float,
    n_projections: Optional[int],
    projections: Any,
    orthogonal: bool,
    seed: Optional[int],
    n_threads: Optional[int],
    callback: Optional[Callback],
) -> SlicedResult:
    orthogonal = _arrays.flag(orthogonal, "orthogonal")
    if projections is not None:
        for name, given in (("n_projections", n_projections is not None), ("orthogonal", orthogonal)):
            if given:
                raise InputError(f"{name}: found beside projections, expected one of them; the list says it all")
    pair = _arrays.pair(X, Y, a, b)
    found = _swgg.sliced(
        pair,
        across,
        p,
        _arrays.projections(projections, "projections", pair[0].shape[1]),
        200 if n_projections is None else _arrays.whole(n_projections, "n_projections", 1, 10**9),
        orthogonal,
        _arrays.seed(seed),
        _arrays.threads(n_threads),
        _arrays.function(callback, "callback"),
    )
    return SlicedResult(found.value, found.standard_error, p, found.n_projections, found.stop, found.seconds)

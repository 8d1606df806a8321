"""Plans of other methods: through a pivot of a few points, and by subspaces."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from ._arrays import Callback
from .exceptions import InputError
from .result import Result


class FactoredResult(Result):
    """A plan through a pivot."""

    __slots__ = ("glue", "halves", "pivot")

    #: The points of the pivot, ``(k, d)``, all of one weight.
    pivot: NDArray[np.float64]
    #: ``W_2^2(X, pivot) + W_2^2(pivot, Y)``, what was lowered.
    halves: float
    #: How the two plans were glued: ``independent`` or ``monotone``.
    glue: str


class RobustResult(Result):
    """The plan that the worst subspace asks for."""

    __slots__ = ("omega", "robust_upper", "robust_value")

    #: The squared robust distance ``S_k^2``: the best lower bound found, and so never above ``W_2^2``.
    robust_value: float
    #: What ``S_k^2`` is at most.
    robust_upper: float
    #: How much of each direction is seen, ``(d, d)``: eigenvalues between 0 and 1 that sum to ``k``.
    omega: NDArray[np.float64]


class DetourResult(Result):
    """The plan that is optimal on a subspace."""

    __slots__ = ("basis", "fibres", "subspace_value")

    #: Squared cost on the subspace, ``W_2^2`` of the projections.
    subspace_value: float
    #: Orthonormal rows that span the subspace, ``(k, d)``.
    basis: NDArray[np.float64]
    #: How many different places the points of ``X`` and of ``Y`` have on the subspace.
    fibres: Tuple[int, int]


def factored(
    X: Any,
    Y: Any,
    a: Any = None,
    b: Any = None,
    *,
    k: Optional[int] = None,
    glue: str = "independent",
    max_iter: int = 100,
    tolerance: float = 1e-7,
    bounds: bool = False,
    seed: int = 0,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
) -> FactoredResult:
    """Factored coupling: the squared cost (``value``, not rooted) of a plan through a pivot of ``k`` points.

    Such a plan has low rank and is steady under sampling noise; it costs more than the best one.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d)
        The clouds, one point per row.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.
    k : int, optional
        Points of the pivot (100, or as many as the smaller cloud has).
    glue : {"independent", "monotone"}
        Whether mass that meets at a point of the pivot mixes, or leaves in the order it came. Plans that would have too
        many entries are glued monotonically.
    max_iter : int
        Most turns.
    tolerance : float
        Ends when a turn would lower the sum of the two halves by less than this share.
    bounds : bool
        Whether to look for a lower bound of ``W_2^2`` too.
    seed : int
        Of the points the pivot starts from. Same seed, same bits, whatever the number of threads.
    n_threads : int, optional
        All of them if left out.
    callback : callable, optional
        Called as ``callback(i, halves)``; returning ``True`` ends with the plan so far.

    Returns
    -------
    FactoredResult

    Examples
    --------
    >>> import numpy as np, swgg
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]])
    >>> Y = np.array([[2.0, 0.0], [2.0, 1.0], [7.0, 0.0], [7.0, 1.0]])
    >>> found = swgg.factored(X, Y, k=2, seed=1)
    >>> round(found.value, 9), found.pivot.shape
    (4.5, (2, 2))
    """
    x, y = _arrays.clouds(X, Y)
    a, b = _arrays.weights(a, "a"), _arrays.weights(b, "b")
    k = max(1, min(100, len(x), len(y))) if k is None else _arrays.whole(k, "k", 1, 100_000)
    answer, pivot, halves, glued = _swgg.factored(
        x,
        y,
        a,
        b,
        k,
        _arrays.choice(glue, "glue", ("independent", "monotone")) == "monotone",
        _arrays.whole(max_iter, "max_iter", 1, 10**9),
        _arrays.positive(tolerance, "tolerance", zero=True),
        _arrays.flag(bounds, "bounds"),
        _arrays.whole(seed, "seed"),
        _arrays.threads(n_threads),
        _arrays.function(callback, "callback"),
    )
    result = FactoredResult(answer, x, y, a, b)
    result.pivot, result.halves, result.glue = pivot, halves, glued
    return result


def subspace_robust(
    X: Any,
    Y: Any,
    a: Any = None,
    b: Any = None,
    *,
    k: Optional[int] = None,
    max_iter: int = 100,
    tolerance: float = 1e-3,
    bounds: bool = False,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
) -> RobustResult:
    """Subspace robust transport, squared (not rooted): ``robust_value`` is ``S_k^2``, ``value`` what its plan costs.

    The transport cost as the worst subspace of dimension ``k`` sees it. It grows with ``k`` and is ``W_2^2`` for ``k =
    d``.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d)
        The clouds, one point per row.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.
    k : int, optional
        Dimension of the subspace (2, or 1 on the line).
    max_iter : int
        Most iterations, each an exact transport.
    tolerance : float
        Ends when ``robust_value`` is within this share of ``robust_upper``.
    bounds : bool
        Whether to look for lower bounds of ``W_2^2`` besides ``robust_value``.
    n_threads : int, optional
        All of them if left out.
    callback : callable, optional
        Called as ``callback(i, upper)``; returning ``True`` ends with what there is.

    Returns
    -------
    RobustResult

    Examples
    --------
    >>> import numpy as np, swgg
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0]])
    >>> found = swgg.subspace_robust(X, X + [3.0, 0.0], k=1)
    >>> round(found.robust_value, 6), found.omega.round(3).tolist()
    (9.0, [[1.0, 0.0], [0.0, 0.0]])
    """
    x, y = _arrays.clouds(X, Y)
    a, b = _arrays.weights(a, "a"), _arrays.weights(b, "b")
    answer, value, upper, omega = _swgg.subspace_robust(
        x,
        y,
        a,
        b,
        _dimension(k, x.shape[1]),
        _arrays.whole(max_iter, "max_iter", 1, 10**9),
        _arrays.positive(tolerance, "tolerance", zero=True),
        _arrays.flag(bounds, "bounds"),
        _arrays.threads(n_threads),
        _arrays.function(callback, "callback"),
    )
    result = RobustResult(answer, x, y, a, b)
    result.robust_value, result.robust_upper, result.omega = value, upper, omega
    return result


def subspace_detour(
    X: Any,
    Y: Any,
    a: Any = None,
    b: Any = None,
    *,
    k: Optional[int] = None,
    subspace: Any = None,
    lift: str = "knothe",
    bounds: bool = False,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
) -> DetourResult:
    """Subspace detour: the squared cost (``value``, not rooted) of a plan that is optimal on a subspace.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d)
        The clouds, one point per row.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.
    k : int, optional
        Dimension of the subspace, spanned by the first principal axes of both clouds (2, or 1 on the line).
    subspace : array-like of shape (k, d), optional
        Rows that span another subspace instead; independent, not necessarily orthonormal.
    lift : {"knothe", "independent"}
        How points are joined that look alike on the subspace: by exact transport across it, or each with all.
    bounds : bool
        Whether to look for lower bounds of ``W_2^2`` besides that of the subspace.
    n_threads : int, optional
        All of them if left out.
    callback : callable, optional
        Called as ``callback(i, cost)``; returning ``True`` ends with the plan so far.

    Returns
    -------
    DetourResult

    Examples
    --------
    From the first axis all these points look alike: they are joined each with all, or in the best way.

    >>> import swgg
    >>> X, Y = [[0.0, 0.0], [0.0, 1.0]], [[2.0, 1.0], [2.0, 0.0]]
    >>> swgg.subspace_detour(X, Y, subspace=[[1.0, 0.0]], lift="independent").value
    4.5
    >>> swgg.subspace_detour(X, Y, subspace=[[1.0, 0.0]]).value
    4.0
    """
    x, y = _arrays.clouds(X, Y)
    a, b = _arrays.weights(a, "a"), _arrays.weights(b, "b")
    rows = None
    if subspace is not None:
        if k is not None:
            raise InputError("k: found beside subspace, expected one of them; the rows say how many there are")
        rows = _arrays.matrix(subspace, "subspace")
        if rows.shape[1] != x.shape[1]:
            raise InputError(f"subspace: found shape {rows.shape}, expected (k, {x.shape[1]}): one vector per row")
    answer, value, basis, fibres = _swgg.subspace_detour(
        x,
        y,
        a,
        b,
        _dimension(k, x.shape[1]),
        rows,
        _arrays.choice(lift, "lift", ("knothe", "independent")) == "independent",
        _arrays.flag(bounds, "bounds"),
        _arrays.threads(n_threads),
        _arrays.function(callback, "callback"),
    )
    result = DetourResult(answer, x, y, a, b)
    result.subspace_value, result.basis, result.fibres = value, basis, fibres
    return result


def _dimension(k: Optional[int], dim: int) -> int:
    """Dimension of a subspace; what cannot be is left to the engine to refuse."""
    return min(2, dim) if k is None else _arrays.whole(k, "k", 1, max(1, dim))

"""Plans of other methods: through a pivot of a few points, and by subspaces."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from ._arrays import Callback
from ._registry import renamed, settings
from .exceptions import InputError, SwggError
from .result import Result


class FactoredResult(Result):
    """A plan through a pivot."""

    __slots__ = ()

    @property
    def pivot(self) -> NDArray[np.float64]:
        """The points of the pivot, ``(k, d)``, all of one weight."""
        return self._answer.facts["pivot"]

    @property
    def halves(self) -> float:
        """``W_2^2(X, pivot) + W_2^2(pivot, Y)``, what was lowered."""
        return self._answer.facts["factored"]

    @property
    def glue(self) -> str:
        """How the two plans were glued: ``independent`` or ``monotone``."""
        return self._answer.facts["glue"]


class RobustResult(Result):
    """The plan that the worst subspace asks for."""

    __slots__ = ()

    @property
    def robust_value(self) -> float:
        """The squared robust distance ``S_k^2``: the best lower bound found, and so never above ``W_2^2``."""
        return self._answer.facts["robust_lower"]

    @property
    def robust_upper(self) -> float:
        """What ``S_k^2`` is at most."""
        return self._answer.facts["robust_upper"]

    @property
    def omega(self) -> NDArray[np.float64]:
        """How much of each direction is seen, ``(d, d)``: eigenvalues between 0 and 1 that sum to ``k``.

        Refused beyond dimension 8192, where it takes more than half a gigabyte.
        """
        if "omega" not in self._answer.facts:
            raise SwggError("omega is a matrix of (d, d) and is not made beyond d = 8192; reduce the dimension first")
        return self._answer.facts["omega"]


class DetourResult(Result):
    """The plan that is optimal on a subspace."""

    __slots__ = ()

    @property
    def subspace_value(self) -> float:
        """Squared cost on the subspace, ``W_2^2`` of the projections."""
        return self._answer.facts["subspace_cost"]

    @property
    def basis(self) -> NDArray[np.float64]:
        """Orthonormal rows that span the subspace, ``(k, d)``."""
        return self._answer.facts["basis"]

    @property
    def fibres(self) -> Tuple[int, int]:
        """How many different places the points of ``X`` and of ``Y`` have on the subspace."""
        return self._answer.facts["fibres"]


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
    bounds: bool = True,
    seed: Optional[int] = 0,
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
        Whether to look for a lower bound of ``W_2^2``.
    seed : int, optional
        Of the points the pivot starts from. Same seed, same bits, whatever the number of threads; None for another one each time.
    n_threads : int, optional
        All of them if left out, or -1.
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
    pair = _arrays.pair(X, Y, a, b)
    answer = _swgg.factored(
        pair,
        settings("factored", {"k": k}).get("k"),
        _arrays.choice(glue, "glue", ("independent", "monotone")) == "monotone",
        _arrays.whole(max_iter, "max_iter", 1, 10**9),
        _arrays.positive(tolerance, "tolerance", zero=True),
        _arrays.how(bounds, seed, n_threads, callback),
    )
    return FactoredResult(answer, *pair)


def subspace_robust(
    X: Any,
    Y: Any,
    a: Any = None,
    b: Any = None,
    *,
    k: Optional[int] = None,
    max_iter: int = 100,
    tolerance: float = 1e-3,
    bounds: bool = True,
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
        All of them if left out, or -1.
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
    pair = _arrays.pair(X, Y, a, b)
    answer = _swgg.subspace_robust(
        pair,
        _dimension(k, pair[0].shape[1]),
        _arrays.whole(max_iter, "max_iter", 1, 10**9),
        _arrays.positive(tolerance, "tolerance", zero=True),
        _arrays.how(bounds, 0, n_threads, callback),
    )
    return RobustResult(answer, *pair)


def subspace_detour(
    X: Any,
    Y: Any,
    a: Any = None,
    b: Any = None,
    *,
    k: Optional[int] = None,
    subspace: Any = None,
    detour: Optional[str] = None,
    bounds: bool = True,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
    lift: Optional[str] = None,
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
    detour : {"knothe", "independent"}, optional
        How points are joined that look alike on the subspace: by exact transport across it (if left out), or each with
        all.
    bounds : bool
        Whether to look for lower bounds of ``W_2^2`` besides that of the subspace.
    n_threads : int, optional
        All of them if left out, or -1.
    callback : callable, optional
        Called as ``callback(i, cost)``; returning ``True`` ends with the plan so far.
    lift : str, optional
        The old name of ``detour``.

    Returns
    -------
    DetourResult

    Examples
    --------
    From the first axis all these points look alike: they are joined each with all, or in the best way.

    >>> import swgg
    >>> X, Y = [[0.0, 0.0], [0.0, 1.0]], [[2.0, 1.0], [2.0, 0.0]]
    >>> swgg.subspace_detour(X, Y, subspace=[[1.0, 0.0]], detour="independent").value
    4.5
    >>> swgg.subspace_detour(X, Y, subspace=[[1.0, 0.0]]).value
    4.0
    """
    pair = _arrays.pair(X, Y, a, b)
    dim, rows = pair[0].shape[1], None
    if subspace is not None:
        if k is not None:
            raise InputError("k: found beside subspace, expected one of them; the rows say how many there are")
        rows = _arrays.matrix(subspace, "subspace")
        if rows.shape[1] != dim:
            raise InputError(f"subspace: found shape {rows.shape}, expected (k, {dim}): one vector per row")
    given = settings("subspace-detour", renamed({"detour": detour, "lift": lift}, "lift", "detour"))
    answer = _swgg.subspace_detour(
        pair,
        _dimension(k, dim),
        rows,
        given.get("detour") == "independent",
        _arrays.how(bounds, 0, n_threads, callback),
    )
    return DetourResult(answer, *pair)


def _dimension(k: Optional[int], dim: int) -> Optional[int]:
    """Dimension of a subspace, or none for the usual one; what cannot be is left to the engine to refuse."""
    return None if k is None else _arrays.whole(k, "k", 1, max(1, dim))

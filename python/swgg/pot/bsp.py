"""Bijections between clouds of one size: POT's ``ot.bsp``, grown by the trees of swgg."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from .. import _arrays, _swgg
from ..exceptions import InputError, KindError
from ._forward import forwarding
from ._frame import Frame
from ._plans import check_memory

__all__ = ["compute_bspot_bijection", "merge_bijections"]


def compute_bspot_bijection(
    X: Any,
    Y: Any,
    n_plans: int = 64,
    p: float = 2,
    initial_perm: Any = None,
    gaussian_slicing: Any = "auto",
    seed: int = 0,
) -> Tuple[Any, Any, Any]:
    """A cheap bijection and its mean cost (not rooted): trees with a line per cell, merged.

    Parameters
    ----------
    X, Y : array-like of shape (n, d)
    n_plans : int
        How many trees.
    p : float
        A pair costs the sum of ``|x - y|**p`` over its coordinates; -1 for the largest ``|x - y|``.
    initial_perm : array-like of shape (n,), optional
        A bijection to merge with; what is returned costs no more.
    gaussian_slicing : "auto" or bool
        Not needed: cells are always cut alike, in dimensions above 12 as a random subspace of 12 sees them.
    seed : int
        Same seed, same bits.

    Returns
    -------
    cost : float
        Mean cost of the pairs.
    perm : array of int32, shape (n,)
        ``X[i]`` goes to ``Y[perm[i]]``.
    perms : array of int32, shape (n_plans, n)
        The bijection of each tree by itself. For ``p`` other than 2 the trees are the same, and are merged at the cost
        asked for.

    Examples
    --------
    >>> import numpy as np
    >>> import swgg.pot as ot
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> cost, perm, perms = ot.compute_bspot_bijection(X, X[[2, 0, 1]] + 1.0, n_plans=4)
    >>> float(cost), perm, perms.shape
    (2.0, array([1, 2, 0], dtype=int32), (4, 3))
    """
    frame = Frame(X, Y)
    x, y = _same_clouds(X, Y)
    automatic = isinstance(gaussian_slicing, str) and gaussian_slicing == "auto"
    if not (automatic or isinstance(gaussian_slicing, (bool, np.bool_))):
        raise InputError(f'gaussian_slicing: found {gaussian_slicing!r}, expected "auto", True or False')
    start: Optional[np.ndarray] = None
    if initial_perm is not None:
        start = _indices(initial_perm, "initial_perm")
        if start.shape != (len(x),):
            raise InputError(f"initial_perm: found shape {start.shape}, expected ({len(x)},): one index per point")
    power = _arrays.number(p, "p")
    trees = _arrays.whole(n_plans, "n_plans", 1, 2**31)
    check_memory(12 * trees * len(x), f"n_plans: {trees} bijections of {len(x)} points take", "ask for fewer")
    perm, perms = _swgg.pot_trees(
        (x, y, None, None), trees, power, start, _arrays.whole(seed, "seed", -(2**63)) % 2**64
    )
    return frame.scalar(_mean_cost(x, y, perm, power)), frame.array(perm), frame.array(perms)


def merge_bijections(X: Any, Y: Any, perms: Any, p: float = 2) -> Tuple[Any, Any]:
    """One bijection out of several and its mean cost (not rooted), which is at most that of the cheapest of them.

    Parameters
    ----------
    X, Y : array-like of shape (n, d)
    perms : array-like of int, shape (k, n)
        One bijection per row: ``X[i]`` goes to ``Y[perms[k, i]]``.
    p : float
        A pair costs the sum of ``|x - y|**p`` over its coordinates; -1 for the largest ``|x - y|``.

    Returns
    -------
    cost : float
    perm : array of int32, shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> import swgg.pot as ot
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> cost, perm = ot.merge_bijections(X, X, [[0, 1, 3, 2], [1, 0, 2, 3]])
    >>> float(cost), perm
    (0.0, array([0, 1, 2, 3], dtype=int32))
    """
    frame = Frame(X, Y)
    x, y = _same_clouds(X, Y)
    rows = np.atleast_2d(_indices(perms, "perms"))
    if rows.ndim != 2 or rows.shape[1] != len(x) or not len(rows):
        raise InputError(f"perms: found shape {rows.shape}, expected (k, {len(x)}): a bijection per row, at least one")
    power = _arrays.number(p, "p")
    perm = _swgg.pot_merge((x, y, None, None), np.ascontiguousarray(rows), power)
    return frame.scalar(_mean_cost(x, y, perm, power)), frame.array(perm)


def _same_clouds(X: Any, Y: Any) -> Tuple[np.ndarray, np.ndarray]:
    x, y = _arrays.clouds(X, Y)
    if x.shape != y.shape:
        raise InputError(f"X and Y must have the same shape, found {x.shape} and {y.shape}")
    return x, y


def _indices(value: Any, name: str) -> np.ndarray:
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, RuntimeError) as error:
        raise KindError(f"{name}: found rows that make no array ({error}), expected rows of equal length") from error
    if array.dtype.kind not in "iu":
        raise KindError(f"{name}: found an array of {array.dtype}, expected whole numbers")
    return np.ascontiguousarray(array, dtype=np.int64)


def _mean_cost(x: np.ndarray, y: np.ndarray, perm: np.ndarray, p: float) -> float:
    gaps = np.abs(x.astype(np.float64, copy=False) - y[perm])
    total = gaps.max(axis=1).sum() if p == -1 else (gaps * gaps if p == 2 else gaps**p).sum()
    return float(total) / len(x)

__getattr__ = forwarding(__name__, "ot.bsp")

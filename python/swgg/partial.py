"""Partial transport on the line: every mass at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from .exceptions import InputError


class PartialPath(NamedTuple):
    """The cheapest pairs of ``k`` points for every ``k``: the first ``k`` sources and targets, paired by rank."""

    #: The point of ``x`` that comes in at each step.
    sources: NDArray[np.int64]
    #: The point of ``y`` that comes in at each step.
    targets: NDArray[np.int64]
    #: What each step adds to the sum of ``|x - y|**p``, never less than the step before.
    marginal_costs: NDArray[np.float64]


def partial_1d(x: Any, y: Any, *, p: float = 2.0) -> PartialPath:
    """The cheapest pairs of ``k`` points on the line for all ``k`` at once (costs are not rooted).

    Time grows as ``n log n`` for ``p = 1``, and for other powers where the clouds overlap; it is quadratic at worst.

    Parameters
    ----------
    x, y : array-like of shape (n,) or (n, 1), and the same for m
        Where the points are; each counts as one unit of mass.
    p : float
        The power of the distance, 1 or more (2).

    Returns
    -------
    PartialPath
        ``marginal_costs.cumsum()`` are the costs of 1, 2, ... pairs.

    Examples
    --------
    >>> import swgg
    >>> path = swgg.partial_1d([5.0, -2.0, 4.0], [-1.0, 1.0, 3.0], p=1.0)
    >>> path.marginal_costs
    array([1., 1., 4.])
    >>> path.sources[:2], path.targets[:2]
    (array([1, 2]), array([0, 2]))
    """
    return PartialPath(*_swgg.partial_line(line(x, "x"), line(y, "y"), _arrays.exponent(p)))


def line(value: Any, name: str) -> NDArray[np.float64]:
    """Points on the line."""
    points = _arrays.numbers(value, name)
    if not (points.ndim == 1 or points.ndim == 2 and points.shape[1] == 1) or points.size == 0:
        raise InputError(f"{name}: found shape {points.shape}, expected (n,) or (n, 1): points on the line")
    return np.ascontiguousarray(points.reshape(-1), dtype=np.float64)

"""Clouds as Gaussians."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from .exceptions import InputError


@dataclass(frozen=True, eq=False)
class GaussianResult:
    """Transport between the Gaussians that two clouds look like: an affine map, and no plan between the points."""

    #: Squared distance ``W_2^2`` of the two Gaussians.
    value: float
    #: The same, a little lower where rounding asks for it: never above ``W_2^2`` of the clouds (Gelbrich's bound).
    lower_bound: float
    #: Mean of ``X``.
    mean_x: NDArray[np.float64]
    #: Mean of ``Y``.
    mean_y: NDArray[np.float64]
    #: Covariance of ``X``, divided by the whole mass.
    cov_x: NDArray[np.float64]
    #: Covariance of ``Y``.
    cov_y: NDArray[np.float64]
    #: Matrix ``A`` of the optimal map ``x -> mean_y + A (x - mean_x)``.
    linear: NDArray[np.float64]

    @property
    def distance(self) -> float:
        """Square root of :attr:`value`."""
        return math.sqrt(self.value)

    def transform(self, X_new: Any) -> NDArray[Any]:
        """Points moved by the map, in their own precision.

        >>> import swgg
        >>> swgg.gaussian([-1.0, 1.0], [4.0, 8.0]).transform([[1.0], [3.0]]).round(6)
        array([[ 8.],
               [12.]])
        """
        new = _arrays.points(X_new, "X_new")
        if new.shape[1] != len(self.mean_x):
            raise InputError(f"X_new: found {new.shape[1]} columns, expected {len(self.mean_x)} as in the clouds")
        moved: NDArray[np.float64] = self.mean_y + (new - self.mean_x) @ self.linear.T
        return moved.astype(new.dtype, copy=False)


def bures(first: Any, second: Any) -> float:
    """Squared Bures distance (not rooted) between two covariance matrices.

    ``tr A + tr B - 2 tr (A^(1/2) B A^(1/2))^(1/2)``: what ``W_2^2`` between two Gaussians of one mean is.

    Parameters
    ----------
    first, second : array-like of shape (d, d)
        Symmetric and positive semi-definite to nine digits; of any rank.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np, swgg
    >>> round(swgg.bures(np.diag([9.0, 1.0]), np.diag([1.0, 4.0])), 12)
    5.0
    """
    one, other = _arrays.matrix(first, "first"), _arrays.matrix(second, "second")
    if one.shape != other.shape:
        raise InputError(f"second: found shape {other.shape}, expected {one.shape} as the first")
    return _swgg.bures(one, other)


def gaussian(X: Any, Y: Any, a: Any = None, b: Any = None) -> GaussianResult:
    """Squared distance (``value``, not rooted) between the Gaussians fitted to two clouds, and the map between them.

    A lower bound of ``W_2^2`` of the clouds, in closed form.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d)
        The clouds, one point per row.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.

    Returns
    -------
    GaussianResult

    Examples
    --------
    >>> import swgg
    >>> round(swgg.gaussian([-1.0, 1.0], [4.0, 8.0]).value, 9)
    37.0
    """
    found = _swgg.gaussian(_arrays.pair(X, Y, a, b))
    return GaussianResult(
        found.value, found.lower_bound, found.mean_x, found.mean_y, found.cov_x, found.cov_y, found.linear
    )

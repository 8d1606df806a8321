"""Many clouds as vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, List, Optional

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from .exceptions import InputError, KindError


@dataclass(frozen=True, eq=False)
class LinearResult:
    """Clouds as vectors, by their plans from one pivot."""

    #: One row of ``k d`` numbers per cloud: displacements of the points of the pivot, times the roots of their weights.
    vectors: NDArray[np.float64]
    #: Squared distances between all pairs of clouds, symmetric.
    sq_distances: NDArray[np.float64]

    @property
    def distances(self) -> NDArray[np.float64]:
        """Square roots of :attr:`sq_distances`."""
        return np.sqrt(self.sq_distances)

    @property
    def sq_lengths(self) -> NDArray[np.float64]:
        """Squared distances of the clouds from the pivot."""
        lengths: NDArray[np.float64] = (self.vectors**2).sum(axis=1)
        return lengths

    def __repr__(self) -> str:
        clouds, numbers = self.vectors.shape
        return f"swgg.LinearResult({clouds} clouds, vectors of {numbers} numbers)"


def linear_ot(
    clouds: Iterable[Any],
    pivot: Any,
    *,
    weights: Optional[Iterable[Any]] = None,
    pivot_weights: Any = None,
    plans: str = "exact",
    seed: Optional[int] = 0,
    n_threads: Optional[int] = None,
) -> LinearResult:
    """Linear optimal transport: vectors whose squared distances (``sq_distances``, not rooted) stand for ``W_2^2``.

    Comparing many clouds then takes one plan for each of them rather than one for each pair. Where all plans are
    matchings (equal weights, clouds as large as the pivot), squared distances are never below ``W_2^2``; where plans
    split points, they are bounds neither way.

    Parameters
    ----------
    clouds : iterable of array-like of shape (n_i, d)
        The clouds, one point per row.
    pivot : array-like of shape (k, d)
        The cloud that all are seen from.
    weights : iterable of array-like of shape (n_i,) or None, optional
        Weights of each cloud; equal if left out.
    pivot_weights : array-like of shape (k,), optional
        Weights of the pivot; equal if left out.
    plans : {"exact", "min-swgg"}
        How each plan from the pivot is found.
    seed : int, optional
        Same seed, same bits, whatever the number of threads; None for another one each time.
    n_threads : int, optional
        All of them if left out, or -1.

    Returns
    -------
    LinearResult

    Examples
    --------
    >>> import swgg
    >>> found = swgg.linear_ot([[5.0, 4.0], [4.0, 7.0]], pivot=[0.0, 1.0])
    >>> found.sq_distances.round(9)
    array([[0., 2.],
           [2., 0.]])
    """
    centre = _double(pivot, "pivot")
    given = _listed(clouds, "clouds")
    if not given:
        raise InputError("clouds: found none, expected at least one")
    shares = [None] * len(given) if weights is None else _listed(weights, "weights")
    if len(shares) != len(given):
        raise InputError(f"weights: found {len(shares)}, expected one entry for each of the {len(given)} clouds")
    parts = []
    for k, (cloud, share) in enumerate(zip(given, shares)):
        rows = _double(cloud, f"clouds[{k}]")
        if rows.shape[1] != centre.shape[1]:
            raise InputError(f"clouds[{k}]: found {rows.shape[1]} columns, expected {centre.shape[1]} as in the pivot")
        parts.append((rows, _arrays.weights(share, f"weights[{k}]")))
    vectors, distances = _swgg.linear_ot(
        (centre, _arrays.weights(pivot_weights, "pivot_weights")),
        parts,
        _arrays.choice(plans, "plans", ("exact", "min-swgg")),
        _arrays.how(False, seed, n_threads),
    )
    return LinearResult(vectors, distances)


def _listed(value: Any, name: str) -> List[Any]:
    try:
        if isinstance(value, (str, bytes, bytearray, dict, set, frozenset)):
            raise TypeError
        return list(value)
    except Exception:
        raise KindError(f"{name}: found {_arrays.shown(value)}, expected a list of arrays") from None


def _double(value: Any, name: str) -> NDArray[np.float64]:
    return _arrays.points(value, name).astype(np.float64, copy=False)

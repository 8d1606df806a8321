"""Costs by the names of POT and SciPy: as matrices, and as the engine pays them between points."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from .. import _arrays, _swgg
from ..exceptions import InputError, MissingPackageError
from ._plans import LITTLE, check_memory

#: Those computed here.
OWN = ("sqeuclidean", "euclidean", "cityblock", "minkowski", "chebyshev", "cosine", "correlation")
#: Those left to SciPy.
SCIPY = (
    "braycurtis", "canberra", "dice", "hamming", "jaccard", "jensenshannon", "kulczynski1", "mahalanobis", "matching",
    "rogerstanimoto", "russellrao", "seuclidean", "sokalmichener", "sokalsneath", "wminkowski", "yule",
)  # fmt: skip
METRICS = OWN + SCIPY
#: Those that exact and entropic transport pay between points, without a matrix.
BETWEEN_POINTS = (*OWN, "mahalanobis", "seuclidean")
#: Of the above, those that SciPy weighs otherwise than by a factor for each coordinate.
_WEIGHED_BY_SCIPY = ("chebyshev",)
#: Columns up to which differences are squared one by one; beyond, products of matrices are faster.
_FEW = 12
_REMEDY = "no matrix is needed between points: see emd2_lazy and solve_sample"

Cloud = NDArray[Any]


def weights(value: Any, dim: int) -> Optional[NDArray[np.float64]]:
    """A weight for each coordinate, or none."""
    if value is None:
        return None
    found = _arrays.vector(value, "w")
    if found.shape != (dim,):
        raise InputError(f"w: found {found.shape[0]} weights, expected {dim}: one for each column of the clouds")
    if not (np.isfinite(found).all() and (found >= 0.0).all()):
        raise InputError("w: found a weight that is negative or not finite, expected numbers of 0 or more")
    return found


def matrix(x: Cloud, y: Cloud, metric: Any, p: Any = 2, w: Any = None, by_scipy: bool = False) -> NDArray[Any]:
    """Costs between all pairs of rows; ``y`` may be ``x`` itself."""
    if not callable(metric):
        _arrays.choice(metric, "metric", METRICS)
    if len(x) * len(y) > LITTLE:
        check_memory(8 * len(x) * len(y), f"a matrix of {len(x)} x {len(y)} costs takes", _REMEDY)
    power = 2.0
    if isinstance(metric, str) and metric.endswith("minkowski"):
        power = _arrays.positive(p, "p")
    weighed = weights(w, x.shape[1])
    if by_scipy or callable(metric) or metric in SCIPY or (weighed is not None and metric in _WEIGHED_BY_SCIPY):
        return _from_scipy(x, y, metric, power, weighed)
    kind = np.result_type(x, y)
    # What does not fit is infinite, and refused by whoever gets the matrix.
    with np.errstate(all="ignore"):
        if metric in ("cosine", "correlation"):
            costs = _angles(x, y, weighed, metric == "correlation")
        elif x.shape[1] > _FEW and (metric in ("sqeuclidean", "euclidean") or (metric == "minkowski" and power == 2.0)):
            costs = _squares(x, y, weighed)
            if metric != "sqeuclidean":
                np.sqrt(costs, out=costs)
        else:
            one, other = _doubles(x), _doubles(y)
            return _swgg.pot_dist(one, other, metric, power, weighed, kind == np.float32)
        return costs.astype(kind, copy=False)


def between_points(x: Cloud, y: Cloud, metric: Any) -> Optional[Tuple[Cloud, Cloud, str]]:
    """Points and a cost of the engine that make the metric; none if there are no such points.

    The cost is one of ``sqeuclidean``, ``euclidean``, ``cityblock``, ``chebyshev`` and ``cosine``.
    """
    if metric not in BETWEEN_POINTS:
        return None
    # POT computes the distances of its solvers with the default exponent.
    if metric == "minkowski":
        return x, y, "euclidean"
    if metric == "correlation":
        return _doubles(_centred_rows(x, None)), _doubles(_centred_rows(y, None)), "cosine"
    if metric in ("seuclidean", "mahalanobis"):
        both = np.concatenate([_doubles(x), _doubles(y)])
        if metric == "seuclidean":
            change = _scales(both)
            return x * change, y * change, "euclidean"
        change = _whitening(both)
        return x @ change, y @ change, "euclidean"
    return x, y, metric


def _scales(both: Cloud) -> Cloud:
    spread = both.std(axis=0, ddof=1) if len(both) > 1 else np.zeros(both.shape[1])
    if not (spread > 0.0).all():
        column = int((~(spread > 0.0)).argmax())
        raise InputError(f"metric 'seuclidean': column {column} does not vary; leave it out")
    return 1.0 / spread


def _whitening(both: Cloud) -> Cloud:
    """A factor of the inverse of the covariance."""
    try:
        with np.errstate(all="ignore"):
            covariance = np.atleast_2d(np.cov(both.T)) if len(both) > 1 else np.zeros((both.shape[1],) * 2)
            # As one matrix in units of its own, so that small coordinates are no reason to refuse.
            size = np.sqrt(np.diagonal(covariance))
            values, vectors = np.linalg.eigh(covariance / size[:, None] / size)
        if not values[0] > 1e-13 * values[-1]:
            raise np.linalg.LinAlgError
        change: Cloud = (vectors / np.sqrt(values)) / size[:, None]
        return change
    except np.linalg.LinAlgError:
        raise InputError(
            "metric 'mahalanobis': the covariance of both clouds together has no inverse; leave out columns that others determine"
        ) from None


def _squares(x: Cloud, y: Cloud, w: Optional[Cloud]) -> Cloud:
    """``|x|^2 + |y|^2 - 2 <x, y>`` as one product, about the mean so that little is lost far from the origin."""
    d, kind = x.shape[1], np.result_type(x, y)
    centre = x.mean(axis=0, dtype=np.float64).astype(kind)

    def factor(points: Cloud, squares: int, ones: int) -> Cloud:
        rows = np.empty((len(points), d + 2), dtype=kind)
        moved = np.subtract(points, centre, out=rows[:, :d], casting="same_kind")
        if w is not None:
            moved *= np.sqrt(w)
        rows[:, squares] = np.einsum("ij,ij->i", moved, moved)
        rows[:, ones] = 1.0
        return rows

    left, right = factor(x, d, d + 1), factor(y, d + 1, d)
    right[:, :d] *= -2.0
    costs: Cloud = left @ right.T
    np.maximum(costs, 0.0, out=costs)
    if x is y:
        np.fill_diagonal(costs, 0.0)
    return costs


def _angles(x: Cloud, y: Cloud, w: Optional[Cloud], centred: bool) -> Cloud:
    """``1 - <x, y> / (|x| |y|)``; no number where a row has no direction, as in POT."""

    def units(points: Cloud) -> Cloud:
        rows = _centred_rows(points, w) if centred else _doubles(points)
        if w is not None:
            rows = rows * np.sqrt(w)
        directions: Cloud = rows / np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
        return directions

    one = units(x)
    costs: Cloud = one @ (-(one if x is y else units(y))).T
    costs += 1.0
    return np.maximum(costs, 0.0, out=costs)


def _centred_rows(points: Cloud, w: Optional[Cloud]) -> Cloud:
    rows = _doubles(points)
    mean = rows.mean(axis=1) if w is None else rows @ (w / w.sum())
    centred: Cloud = rows - mean[:, None]
    return centred


def _doubles(points: Cloud) -> Cloud:
    return np.ascontiguousarray(points, dtype=np.float64)


def _from_scipy(x: Cloud, y: Cloud, metric: Any, power: float, w: Optional[Cloud]) -> Cloud:
    try:
        from scipy.spatial.distance import cdist  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        here = ", ".join(map(repr, OWN))
        raise MissingPackageError(
            f"metric {_arrays.shown(metric)} needs SciPy (pip install scipy); without it there are {here}"
        ) from error
    options: Dict[str, Any] = {} if w is None else {"w": w}
    if callable(metric):
        # What it raises is the caller's.
        costs: Cloud = cdist(x, y, metric, **options)
        return costs
    if metric.endswith("minkowski"):
        options["p"] = power
    try:
        with np.errstate(all="ignore"):
            found: Cloud = cdist(x, y, metric, **options)
            return found
    except (ValueError, TypeError, np.linalg.LinAlgError) as error:
        raise InputError(f"metric {metric!r}: SciPy refuses ({error})") from error

"""Small helpers that POT's examples call: weights and matrices of costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _arrays
from ..exceptions import InputError
from ._frame import Frame

#: Numbers of a block of differences.
_BLOCK = 2**20


def unif(n: Any, type_as: Any = None) -> Any:
    """Equal weights that sum to one.

    >>> import swgg.pot as ot
    >>> ot.unif(4)
    array([0.25, 0.25, 0.25, 0.25])
    """
    count = _arrays.whole(n, "n", 1, 2**40)
    kind = np.float64 if type_as is None else _arrays.numbers(type_as, "type_as").dtype
    return Frame(type_as).array(np.full(count, 1.0 / count, dtype=kind))


def dist(
    x1: Any,
    x2: Any = None,
    metric: str = "sqeuclidean",
    p: float = 2,
    w: Any = None,
    backend: str = "auto",
    nx: Any = None,
    use_tensor: bool = False,
) -> Any:
    """Matrix of costs between two clouds: squared distances unless ``metric`` says otherwise.

    Metrics are ``"sqeuclidean"``, ``"euclidean"``, ``"cityblock"`` and ``"minkowski"`` with ``p``; ``w``, ``backend``, ``nx`` and
    ``use_tensor`` are there for POT's sake, and weights are refused. To transport clouds no matrix is needed: see
    :func:`swgg.solve`.

    >>> import numpy as np, swgg.pot as ot
    >>> ot.dist(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([[25.,  1.]])
    """
    if w is not None:
        raise InputError("w: weighted metrics are not here; scale the columns of the clouds instead")
    _arrays.choice(metric, "metric", ("sqeuclidean", "euclidean", "cityblock", "minkowski"))
    x = _arrays.points(x1, "x1")
    y = x if x2 is None else _arrays.points(x2, "x2")
    if x.shape[1] != y.shape[1]:
        raise InputError(f"x1 has {x.shape[1]} columns and x2 has {y.shape[1]}; both clouds must live in the same space")
    power = {"sqeuclidean": 2.0, "euclidean": 2.0, "cityblock": 1.0}.get(metric, p)
    power = _arrays.number(power, "p")
    if power <= 0.0:
        raise InputError(f"p: found {power}, expected an exponent above 0")
    costs = np.empty((len(x), len(y)), dtype=np.result_type(x, y))
    rows = max(1, _BLOCK // max(1, y.size))
    for start in range(0, len(x), rows):
        apart = np.abs(x[start : start + rows, None, :] - y[None, :, :])
        sums = (apart**power).sum(axis=2)
        costs[start : start + rows] = sums if metric == "sqeuclidean" else sums ** (1.0 / power)
    return Frame(x1, x2).array(costs)


__all__ = ["dist", "unif"]

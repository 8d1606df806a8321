"""Small helpers that POT's examples call: weights and matrices of costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _arrays
from ..exceptions import InputError
from ._frame import Frame

#: Columns up to which differences are squared one column at a time.
_FEW = 8


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
    # What does not fit is infinite, and refused by whoever gets the matrix.
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        return Frame(x1, x2).array(_costs(x, y, metric, power))


def _costs(x: NDArray[Any], y: NDArray[Any], metric: str, power: float) -> NDArray[Any]:
    kind = np.result_type(x, y)
    costs: NDArray[Any]
    if metric in ("sqeuclidean", "euclidean") and x.shape[1] > _FEW:
        # |x|^2 + |y|^2 - 2 <x, y>, about the mean so that little is lost where clouds are far from the origin.
        centre = x.mean(axis=0, dtype=np.float64)
        x, y = x - centre, y - centre
        costs = np.maximum((x * x).sum(axis=1)[:, None] + (y * y).sum(axis=1) - 2.0 * (x @ y.T), 0.0)
    else:
        costs = np.zeros((len(x), len(y)), dtype=kind)
        for one, other in zip(x.T, y.T):
            apart = np.abs(one[:, None] - other)
            costs += apart if power == 1.0 else apart * apart if power == 2.0 else apart**power
    if metric != "sqeuclidean" and power != 1.0:
        costs = np.sqrt(costs) if power == 2.0 else costs ** (1.0 / power)
    return costs.astype(kind, copy=False)


__all__ = ["dist", "unif"]

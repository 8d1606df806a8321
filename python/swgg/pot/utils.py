"""Small helpers that POT's examples call: weights, matrices of costs, a stopwatch."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .. import _arrays
from ..exceptions import InputError
from . import _metrics
from ._forward import forwarding
from ._frame import Frame
from ._result import OTResult

#: When :func:`tic` was called.
_started = time.perf_counter()


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
    metric: Any = "sqeuclidean",
    p: float = 2,
    w: Any = None,
    backend: str = "auto",
    nx: Any = None,
    use_tensor: bool = False,
) -> Any:
    """Matrix of costs between two clouds: squared distances unless ``metric`` says otherwise.

    To transport clouds no matrix is needed: see :func:`emd2_lazy`, :func:`solve_sample` and :func:`swgg.solve`.

    Parameters
    ----------
    x1, x2 : array-like of shape (n, d) and (m, d)
        The clouds, one point per row; ``x1`` with itself if ``x2`` is left out.
    metric : str or callable
        ``"sqeuclidean"``, ``"euclidean"``, ``"cityblock"``, ``"minkowski"`` (of order ``p``), ``"chebyshev"``,
        ``"cosine"`` and ``"correlation"`` are computed here. The others of ``scipy.spatial.distance.cdist``, and
        functions of two points, need SciPy.
    p : float
        The order of ``"minkowski"``, above 0.
    w : array-like of shape (d,), optional
        How often each column counts, for every metric that SciPy knows weights for.
    backend : {"auto", "scipy", "numpy", "torch"}
        ``"scipy"`` leaves every metric to SciPy; the others are one.
    nx, use_tensor
        Not needed.

    Examples
    --------
    >>> import numpy as np, swgg.pot as ot
    >>> ot.dist(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([[25.,  1.]])
    >>> ot.dist(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]), metric="cityblock", w=[1.0, 10.0])
    array([[43.]])
    """
    _arrays.choice(backend, "backend", ("auto", "scipy", "numpy", "torch"))
    x = _arrays.points(x1, "x1")
    y = x if x2 is None or x2 is x1 else _arrays.points(x2, "x2")
    if x.shape[1] != y.shape[1]:
        raise InputError(f"x1 has {x.shape[1]} columns and x2 has {y.shape[1]}; both clouds must live in the same space")
    return Frame(x1, x2).array(_metrics.matrix(x, y, metric, p, w, by_scipy=backend == "scipy"))


def tic() -> None:
    """Starts the stopwatch.

    >>> import swgg.pot as ot
    >>> ot.tic()
    >>> ot.toq() < 60.0
    True
    """
    global _started
    _started = time.perf_counter()


def toc(message: str = "Elapsed time : {} s") -> float:
    """Prints the seconds since :func:`tic`, and returns them.

    >>> import swgg.pot as ot
    >>> ot.tic()
    >>> ot.toc("done") < 60.0
    done
    True
    """
    seconds = time.perf_counter() - _started
    try:
        print(message.format(seconds))
    except (AttributeError, LookupError, ValueError) as error:
        raise InputError(f"message: found {_arrays.shown(message)}, expected text with {{}} for the seconds") from error
    return seconds


def toq() -> float:
    """Seconds since :func:`tic`.

    >>> import swgg.pot as ot
    >>> ot.tic()
    >>> 0.0 <= ot.toq() < 60.0
    True
    """
    return time.perf_counter() - _started


__all__ = ["OTResult", "dist", "tic", "toc", "toq", "unif"]

__getattr__ = forwarding(__name__, "ot.utils")

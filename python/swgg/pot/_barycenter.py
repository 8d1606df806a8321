"""Barycenters with free support, by exact transport."""

from __future__ import annotations

from typing import Any, List

import numpy as np

from .. import _arrays, _swgg
from ..exceptions import InputError, KindError
from ._frame import Frame, flag, float_kind
from ._plans import total_mass


def free_support_barycenter(
    measures_locations: Any,
    measures_weights: Any,
    X_init: Any,
    b: Any = None,
    weights: Any = None,
    numItermax: int = 100,
    stopThr: float = 1e-7,
    verbose: bool = False,
    log: Any = None,
    numThreads: Any = 1,
) -> Any:
    """The points whose weighted sum of squared distances ``W_2^2`` to several measures is small, from a start.

    Parameters
    ----------
    measures_locations : list of N array-like of shape (k_i, d)
        Points of every measure.
    measures_weights : list of N array-like of shape (k_i,)
        Their masses, of the sum of ``b``.
    X_init : array-like of shape (k, d)
        Points to begin with.
    b : array-like of shape (k,), optional
        Their masses, which stay; equal if left out.
    weights : array-like of shape (N,), optional
        What each measure counts, of sum one; equal if left out.
    numItermax : int
        Steps at most.
    stopThr : float
        A step that moves points by at most this much, as the sum of all squared distances, is the last one.
    verbose : bool
        Whether to print that sum after the last step.
    log : bool, optional
        Whether to return a dictionary as well.
    numThreads
        Not needed: all threads are used.

    Returns
    -------
    X : array of shape (k, d)
    log : dict, if ``log``
        ``displacement_square_norms``: that sum for every step.

    Examples
    --------
    >>> import numpy as np
    >>> import swgg.pot as ot
    >>> x = np.array([[0.0, 0.0], [4.0, 0.0]])
    >>> half = np.array([0.5, 0.5])
    >>> ot.free_support_barycenter([x, x + [0.0, 2.0]], [half, half], np.array([[1.0, 0.0], [3.0, 0.0]]))
    array([[0., 1.],
           [4., 1.]])
    """
    log, verbose = flag(log, "log"), flag(verbose, "verbose")
    places, masses = _each(measures_locations, "measures_locations"), _each(measures_weights, "measures_weights")
    if len(places) != len(masses) or not places:
        counts = f"found {len(places)} measures and masses of {len(masses)}"
        raise InputError(f"measures_locations and measures_weights: {counts}, expected as many of both, at least one")
    frame, kind = Frame(*places, *masses, X_init), float_kind(X_init)
    start = _rows(X_init, "X_init")
    if 0 in start.shape:
        raise InputError(f"X_init: found shape {start.shape}, expected at least one row and one column")
    clouds = [_rows(rows, f"measures_locations[{k}]") for k, rows in enumerate(places)]
    for k, cloud in enumerate(clouds):
        if cloud.shape[1] != start.shape[1]:
            wanted = f"expected {start.shape[1]} as in X_init"
            raise InputError(f"measures_locations[{k}]: found {cloud.shape[1]} columns, {wanted}")
    of_start = None if b is None else _arrays.weights(b, "b")
    if of_start is not None and len(of_start) != len(start):
        raise InputError(f"b: found {len(of_start)} masses, expected {len(start)} as X_init has rows")
    pile = []
    for k, cloud in enumerate(clouds):
        name = f"measures_weights[{k}]"
        of_cloud = _arrays.weights(masses[k], name)
        if of_cloud is not None and len(of_cloud) != len(cloud):
            raise InputError(f"{name}: found {len(of_cloud)} masses, expected {len(cloud)}: one for each point")
        try:
            total_mass(of_start, of_cloud)
        except InputError as error:
            raise InputError(f"b and {name}: {error}") from None
        pile.append((cloud, of_cloud))
    shares = _shares(weights, len(pile))
    if len(pile) == 1:
        # The engine looks for what is between clouds; one that counts nothing changes nothing.
        pile, shares = pile * 2, [1.0, 0.0]
    choices = {
        "weights": shares,
        "n_points": None,
        "max_steps": _arrays.whole(numItermax, "numItermax", 0, 2**32),
        "tolerance": None,
        "shift": _arrays.positive(stopThr, "stopThr", zero=True),
    }
    found: Any = start
    shifts: List[float] = []
    if choices["max_steps"] != 0:
        names = ("measures_locations", "measures_weights", "X_init", "b")
        (found, _), _, _, steps, _ = _swgg.barycenter(
            pile, (start, of_start), choices, "exact", {}, _arrays.how(), names
        )
        shifts = [shift for _, shift, _ in steps]
    if verbose and shifts:
        print(f"iteration {len(shifts) - 1}, displacement_square_norm={shifts[-1]:f}")
    answer = frame.array(found.astype(kind, copy=False))
    return (answer, {"displacement_square_norms": shifts}) if log else answer


def _each(value: Any, name: str) -> List[Any]:
    """Arrays one by one."""
    if value is None or isinstance(value, (str, bytes, dict, set)):
        raise KindError(f"{name}: found {type(value).__name__}, expected a list of arrays")
    try:
        return list(value)
    except Exception:
        raise KindError(f"{name}: found {type(value).__name__}, expected a list of arrays") from None


def _rows(value: Any, name: str) -> Any:
    """Points as rows of doubles; POT has no clouds on the line without columns."""
    return _arrays.matrix(value, name)


def _shares(weights: Any, count: int) -> Any:
    """What each measure counts."""
    if weights is None:
        return None
    array = _arrays.numbers(weights, "weights")
    if array.shape != (count,):
        raise InputError(f"weights: found shape {array.shape}, expected ({count},): one number for each measure")
    total = float(np.sum(array))
    if not abs(total - 1.0) <= 1e-6:
        raise InputError(f"weights: found a sum of {total:.9g}, expected 1; divide them by it")
    return [float(x) for x in array]

"""Distances that average, or maximise, over lines."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from .. import _arrays, _swgg
from ..exceptions import KindError
from ._errors import AssertedError
from ._frame import Frame, flag
from ._plans import total_mass
from ._projections import as_rows, given_or_drawn


def sliced_wasserstein_distance(
    X_s: Any,
    X_t: Any,
    a: Any = None,
    b: Any = None,
    n_projections: int = 50,
    p: float = 2,
    projections: Any = None,
    seed: Any = None,
    log: bool = False,
    scaler: Any = None,
) -> Any:
    """The sliced Wasserstein distance, rooted: the ``p``-th root of the mean over lines of ``W_p**p``.

    Parameters
    ----------
    X_s, X_t : array-like of shape (n, d) and (m, d)
    a, b : array-like of shape (n,) and (m,), optional
        Masses, of equal sum; equal if left out.
    n_projections : int
        How many lines, unless ``projections`` are given.
    p : float
        The power, 1 or more.
    projections : array-like of shape (d, n_projections), optional
        The lines, one per column, of any length: a longer column counts for more.
    seed : int or numpy.random.RandomState, optional
        The same integer gives the same lines as in POT.
    log : bool
        Whether to return a dictionary as well: ``projections``, and ``projected_emds`` (``W_p**p`` along each line).
    scaler : callable or object with ``transform``, optional
        Applied to both clouds first.

    Examples
    --------
    >>> import numpy as np
    >>> import swgg.pot as ot
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> float(ot.sliced_wasserstein_distance(X, X, seed=0))
    0.0
    >>> round(float(ot.sliced_wasserstein_distance(X, X + [3.0, 4.0], n_projections=2000, seed=0)), 1)
    3.5
    """
    emds, drawn, frame, power = _projected(X_s, X_t, a, b, n_projections, p, projections, seed, scaler)
    log = flag(log, "log")
    value = frame.scalar(float(emds.sum() / len(emds)) ** (1.0 / power))
    return (value, {"projections": frame.array(drawn), "projected_emds": frame.array(emds)}) if log else value


def max_sliced_wasserstein_distance(
    X_s: Any,
    X_t: Any,
    a: Any = None,
    b: Any = None,
    n_projections: int = 50,
    p: float = 2,
    projections: Any = None,
    seed: Any = None,
    log: bool = False,
    scaler: Any = None,
) -> Any:
    """The largest Wasserstein distance along some lines, rooted.

    Arguments are those of :func:`sliced_wasserstein_distance`.

    Examples
    --------
    >>> import numpy as np
    >>> import swgg.pot as ot
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> float(ot.max_sliced_wasserstein_distance(X, X + [3.0, 4.0], projections=np.array([[1.0, 0.6], [0.0, 0.8]])))
    5.0
    """
    emds, drawn, frame, power = _projected(X_s, X_t, a, b, n_projections, p, projections, seed, scaler)
    log = flag(log, "log")
    value = frame.scalar(float(emds.max()) ** (1.0 / power))
    return (value, {"projections": frame.array(drawn), "projected_emds": frame.array(emds)}) if log else value


def _projected(
    X_s: Any, X_t: Any, a: Any, b: Any, n_projections: Any, p: Any, projections: Any, seed: Any, scaler: Any
) -> Tuple[np.ndarray, np.ndarray, Frame, float]:
    """``W_p**p`` along each line, the lines, and what both need to become an answer."""
    if scaler is not None:
        apply = getattr(scaler, "transform", scaler)
        if not callable(apply):
            raise KindError(f"scaler: found {type(scaler).__name__}, expected a function or an object with transform()")
        X_s, X_t = apply(X_s), apply(X_t)
    frame = Frame(X_s, X_t, a, b, projections)
    x, y = _arrays.points(X_s, "X_s"), _arrays.points(X_t, "X_t")
    x, y = same_kind(x, y)
    a, b = _arrays.weights(a, "a"), _arrays.weights(b, "b")
    power = _arrays.number(p, "p")
    drawn = given_or_drawn(projections, x.shape[1], n_projections, seed, frame, x)
    total = total_mass(a, b)
    emds = _swgg.pot_slices((x, y, a, b), as_rows(drawn), power)
    # The engine takes lines as directions; the length of a column counts here.
    return emds * (np.sqrt((drawn**2).sum(axis=0)) ** power * total), drawn, frame, power


def same_kind(x: np.ndarray, y: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Two clouds of one space, in one precision: single only if both are."""
    if x.shape[1] != y.shape[1]:
        raise AssertedError(f"X_s and X_t must have the same number of columns, found shapes {x.shape} and {y.shape}")
    if x.dtype != y.dtype:
        x, y = x.astype(np.float64, copy=False), y.astype(np.float64, copy=False)
    return x, y

"""Anything array-like, made into what the engine reads: contiguous rows of ``float32`` or ``float64``."""

from __future__ import annotations

import operator
from typing import Any, Callable, Optional, Tuple

import numpy as np

from .exceptions import InputError, KindError

#: Told ``(i, best)``: steps so far and the lowest cost; returns ``True`` to stop.
Callback = Callable[[int, float], Any]

_FLOAT32 = np.dtype(np.float32)
_FLOAT64 = np.dtype(np.float64)


def numbers(value: Any, name: str) -> np.ndarray:
    """An array of floats; without a copy wherever the numbers already are floats in memory."""
    if not isinstance(value, np.ndarray):
        value = _from_other(value, name)
    kind = value.dtype.kind
    if kind == "f":
        # Native byte order, and one of two sizes: halves fit in single precision, longer ones are rounded.
        wanted = _FLOAT32 if value.dtype.itemsize <= 4 else _FLOAT64
        return value if value.dtype == wanted else value.astype(wanted)
    if kind in "iub":
        return value.astype(_FLOAT64)
    if kind == "c":
        raise KindError(f"{name}: found complex numbers, expected real ones; pass their real and imaginary parts as columns")
    if kind == "O":
        raise KindError(f"{name}: found an array of Python objects, expected numbers; if rows differ in length, or some are missing, mend them first")
    raise KindError(f"{name}: found an array of {value.dtype}, expected numbers")


def _from_other(value: Any, name: str) -> np.ndarray:
    if value is None:
        raise KindError(f"{name}: found None, expected an array of numbers")
    if isinstance(value, (str, bytes, dict, set)):
        raise KindError(f"{name}: found {type(value).__name__}, expected an array of numbers")
    if hasattr(value, "toarray") and hasattr(value, "nnz"):
        raise KindError(f"{name}: found a sparse matrix, expected a dense array of points; call its toarray()")
    if getattr(value, "requires_grad", False) and hasattr(value, "detach"):
        # A tensor in the middle of a computation: its numbers are what is asked for. Gradients are in swgg.torch.
        value = value.detach()
    device = getattr(value, "device", None)
    if device is not None and str(getattr(device, "type", "cpu")) != "cpu":
        raise KindError(f"{name}: found an array on device {device}, expected one in main memory; call its cpu()")
    try:
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            return np.from_dlpack(value)
        return np.asarray(value)
    except (ValueError, TypeError, RuntimeError, BufferError, OverflowError) as error:
        raise KindError(f"{name}: found {type(value).__name__} that is not an array of numbers ({error}); expected rows of equal length") from error


def points(value: Any, name: str) -> np.ndarray:
    """Points as rows; a plain sequence of numbers is a cloud on the line."""
    array = numbers(value, name)
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    elif array.ndim != 2:
        raise InputError(f"{name}: found {array.ndim} axes of shape {array.shape}, expected 2: one row per point, one column per coordinate")
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def clouds(X: Any, Y: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Two clouds in one precision: single only if both are."""
    x, y = points(X, "X"), points(Y, "Y")
    if x.dtype is not y.dtype and x.dtype != y.dtype:
        x, y = x.astype(_FLOAT64, copy=False), y.astype(_FLOAT64, copy=False)
    return x, y


def weights(value: Any, name: str) -> Optional[np.ndarray]:
    """Weights in double precision, or none for equal ones."""
    if value is None:
        return None
    array = numbers(value, name)
    if array.ndim != 1:
        raise InputError(f"{name}: found weights of shape {array.shape}, expected one number per point")
    return np.ascontiguousarray(array, dtype=_FLOAT64)


def vector(value: Any, name: str) -> np.ndarray:
    """A plain vector in double precision."""
    array = numbers(value, name)
    if array.ndim != 1:
        raise InputError(f"{name}: found shape {array.shape}, expected one number per coordinate")
    return np.ascontiguousarray(array, dtype=_FLOAT64)


def matrix(value: Any, name: str) -> np.ndarray:
    """A matrix in double precision."""
    array = numbers(value, name)
    if array.ndim != 2:
        raise InputError(f"{name}: found shape {array.shape}, expected a matrix")
    return np.ascontiguousarray(array, dtype=_FLOAT64)


def direction(value: Any, name: str, dim: int) -> np.ndarray:
    """A direction of the space of the points; its length does not matter."""
    array = vector(value, name)
    if array.shape != (dim,):
        raise InputError(f"{name}: found {array.shape[0]} coordinates, expected {dim} as in the clouds")
    return array


def projections(value: Any, name: str, dim: int) -> Optional[np.ndarray]:
    """Directions as columns, as POT stores them, turned into rows; none stays none."""
    if value is None:
        return None
    array = numbers(value, name)
    if array.ndim != 2 or array.shape[0] != dim:
        turned = "; pass its transpose" if array.ndim == 2 and array.shape[1] == dim else ""
        raise InputError(f"{name}: found shape {array.shape}, expected ({dim}, L): one direction per column{turned}")
    return array.T.astype(_FLOAT64, copy=False)


def whole(value: Any, name: str, low: int = 0, high: int = 2**64 - 1) -> int:
    """A whole number within a range; truth values and fractions are refused."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise KindError(f"{name}: found {value!r}, expected a whole number") from None
    if not low <= number <= high:
        most = "2**64 - 1" if high == 2**64 - 1 else str(high)
        raise InputError(f"{name}: found {number}, expected a whole number from {low} to {most}")
    return number


def number(value: Any, name: str) -> float:
    """A finite number."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise KindError(f"{name}: found {value!r}, expected a number") from None
    if not np.isfinite(result):
        raise InputError(f"{name}: found {result}, expected a finite number")
    return result


def positive(value: Any, name: str, zero: bool = False) -> float:
    """A finite number above zero, or from zero on."""
    result = number(value, name)
    if result < 0.0 or (result == 0.0 and not zero):
        raise InputError(f"{name}: found {result}, expected a number {'of 0 or more' if zero else 'above 0'}")
    return result


def exponent(value: Any) -> float:
    """The power of a distance."""
    result = number(value, "p")
    if result < 1.0:
        raise InputError(f"p: found {result}, expected 1 or more")
    return result


def threads(value: Any) -> Optional[int]:
    """Threads: none for all of them."""
    return None if value is None else whole(value, "n_threads", 1, 1024)


def function(value: Any, name: str) -> Any:
    """Something to call, or none."""
    if value is not None and not callable(value):
        raise KindError(f"{name}: found {value!r}, expected a function")
    return value


def choice(value: Any, name: str, known: Tuple[str, ...]) -> str:
    """One word out of several."""
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{name}: found {value!r}, expected one of {', '.join(map(repr, known))}")
    return value

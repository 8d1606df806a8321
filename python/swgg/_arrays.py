"""Anything array-like, made into what the engine reads: contiguous rows of ``float32`` or ``float64``."""

from __future__ import annotations

import operator
import secrets
from typing import Any, Callable, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from .exceptions import InputError, KindError, SizeError

#: Told ``(i, best)``: steps so far and the lowest cost; returns ``True`` to stop.
Callback = Callable[[int, float], Any]

#: Two clouds and their weights, as the engine reads them.
Pair = Tuple[NDArray[Any], NDArray[Any], Optional[NDArray[np.float64]], Optional[NDArray[np.float64]]]
#: How a call runs: whether bounds are wanted, the seed, threads, and who is told.
How = Tuple[bool, int, Optional[int], Optional[Callback]]

_FLOAT32 = np.dtype(np.float32)
_FLOAT64 = np.dtype(np.float64)
_SEEDS = 2**64 - 1
#: Seconds of a year, the longest time limit: more are a slip of the finger.
_YEAR = 31_536_000


def numbers(value: Any, name: str) -> NDArray[Any]:
    """An array of floats; without a copy wherever the numbers already are floats in memory."""
    array: NDArray[Any] = value if type(value) is np.ndarray else plain(value, name)
    found = array.dtype
    # The two kinds of nearly every call; dtypes of native byte order are single objects.
    if found is _FLOAT64 or found is _FLOAT32:
        return array
    kind = found.kind
    if kind == "f":
        # Native byte order, and one of two sizes: halves fit in single precision, longer ones are rounded.
        wanted = _FLOAT32 if found.itemsize <= 4 else _FLOAT64
        return array if found == wanted else _cast(array, wanted, name)
    if kind in "iub":
        return _cast(array, _FLOAT64, name)
    if kind == "c":
        raise KindError(
            f"{name}: found complex numbers, expected real ones; pass their real and imaginary parts as columns"
        )
    if kind == "O":
        if array.ndim == 0:
            raise KindError(f"{name}: found {_kind(array[()])}, expected an array of numbers")
        raise KindError(
            f"{name}: found an array of Python objects, expected numbers; "
            "if rows differ in length, or values are missing, mend them first"
        )
    raise KindError(f"{name}: found an array of {found}, expected numbers; convert it with astype(float)")


def _cast(array: NDArray[Any], wanted: np.dtype[Any], name: str) -> NDArray[Any]:
    try:
        # What does not fit becomes infinite, and is refused with its row and column like any infinity.
        with np.errstate(over="ignore"):
            return array.astype(wanted)
    except MemoryError as error:
        raise SizeError(f"{name}: a copy of shape {array.shape} in {wanted} does not fit in memory") from error


def plain(value: Any, name: str) -> NDArray[Any]:
    """A NumPy array out of something else, sharing its memory where it can be shared."""
    if isinstance(value, np.ma.MaskedArray):
        raise KindError(
            f"{name}: found a masked array, expected plain numbers; drop its masked rows, or call its filled()"
        )
    if isinstance(value, np.ndarray):
        return value.view(np.ndarray)
    if value is None or isinstance(value, (str, bytes, bytearray, dict, set, frozenset)):
        raise KindError(f"{name}: found {_kind(value)}, expected an array of numbers")
    try:
        if hasattr(value, "toarray") and hasattr(value, "nnz"):
            raise KindError(f"{name}: found a sparse matrix, expected a dense array of points; call its toarray()")
        if getattr(value, "requires_grad", False) and hasattr(value, "detach"):
            # A tensor in the middle of a computation: its numbers are what is asked for. Gradients are in swgg.torch.
            value = value.detach()
        device = getattr(value, "device", None)
        if device is not None and str(getattr(device, "type", "cpu")) != "cpu":
            raise KindError(f"{name}: found an array on device {device}, expected one in main memory; call its cpu()")
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            return np.from_dlpack(value)
        return np.asarray(np.asanyarray(value))
    except KindError:
        raise
    except MemoryError as error:
        raise SizeError(f"{name}: its numbers do not fit in memory") from error
    except Exception as error:  # Whatever other people's conversions raise.
        reason = _cut(str(error))
        raise KindError(
            f"{name}: found {_kind(value)} that is not an array of numbers ({reason}); expected rows of equal length"
        ) from error


def _contiguous(array: NDArray[Any], name: str) -> NDArray[Any]:
    flags = array.flags
    if flags.c_contiguous and flags.aligned:
        return array
    try:
        return array.copy(order="C")
    except MemoryError as error:
        raise SizeError(f"{name}: a contiguous copy of shape {array.shape} does not fit in memory") from error


def points(value: Any, name: str) -> NDArray[Any]:
    """Points as rows; a plain sequence of numbers is a cloud on the line."""
    if type(value) is np.ndarray and value.dtype is _FLOAT64 and value.ndim == 2 and value.shape[1]:
        # Nearly every call.
        return _contiguous(value, name)
    array = numbers(value, name)
    axes = array.ndim
    if axes == 1:
        array = array[:, np.newaxis]
    elif axes == 0:
        raise InputError(f"{name}: found a single number, expected an array with one row per point")
    elif axes != 2:
        raise InputError(
            f"{name}: found {axes} axes of shape {array.shape}, expected 2: one row per point, one column per "
            "coordinate; reshape it, or pass the clouds one by one"
        )
    elif array.shape[1] == 0 and len(array) != 0:
        raise InputError(f"{name}: found points without coordinates, of shape {array.shape}, expected a column or more")
    return _contiguous(array, name)


def clouds(X: Any, Y: Any) -> Tuple[NDArray[Any], NDArray[Any]]:
    """Two clouds in one precision: single only if both are."""
    x, y = points(X, "X"), points(Y, "Y")
    if x.dtype != y.dtype:
        x, y = x.astype(_FLOAT64, copy=False), y.astype(_FLOAT64, copy=False)
    return x, y


def weights(value: Any, name: str) -> Optional[NDArray[np.float64]]:
    """Weights in double precision, or none for equal ones."""
    if value is None:
        return None
    array = numbers(value, name)
    if array.ndim == 0:
        raise InputError(
            f"{name}: found the number {shown(array.item())}, expected weights, one per point; settings go by name, as in "
            "epsilon=0.1, n_projections=50"
        )
    if array.ndim != 1:
        remedy = "call its ravel()" if array.size == max(array.shape) else "a matrix of costs goes by name, M=..."
        raise InputError(f"{name}: found weights of shape {array.shape}, expected one number per point; {remedy}")
    return _doubles(array, name)


def pair(X: Any, Y: Any, a: Any, b: Any) -> Pair:
    """Two clouds in one precision, and their weights."""
    # Small problems take a few microseconds, of which a call of a function is a tenth of one.
    x, y = points(X, "X"), points(Y, "Y")
    if x.dtype is not y.dtype:
        x, y = clouds(x, y)
    return x, y, None if a is None else weights(a, "a"), None if b is None else weights(b, "b")


def vector(value: Any, name: str) -> NDArray[np.float64]:
    """A plain vector in double precision."""
    array = numbers(value, name)
    if array.ndim != 1:
        raise InputError(f"{name}: found shape {array.shape}, expected one number per coordinate")
    return _doubles(array, name)


def matrix(value: Any, name: str) -> NDArray[np.float64]:
    """A matrix in double precision."""
    array = numbers(value, name)
    if array.ndim != 2:
        raise InputError(f"{name}: found shape {array.shape}, expected a matrix")
    return _doubles(array, name)


def _doubles(array: NDArray[Any], name: str) -> NDArray[np.float64]:
    return _contiguous(array if array.dtype is _FLOAT64 else _cast(array, _FLOAT64, name), name)


def direction(value: Any, name: str, dim: int) -> NDArray[np.float64]:
    """A direction of the space of the points; its length does not matter."""
    array = vector(value, name)
    if array.shape != (dim,):
        raise InputError(f"{name}: found {array.shape[0]} coordinates, expected {dim} as in the clouds")
    return array


def projections(value: Any, name: str, dim: int) -> Optional[NDArray[np.float64]]:
    """Directions as columns, as POT stores them, turned into rows; none stays none."""
    if value is None:
        return None
    array = numbers(value, name)
    if array.ndim != 2 or array.shape[0] != dim:
        turned = "; pass its transpose" if array.ndim == 2 and array.shape[1] == dim else ""
        raise InputError(f"{name}: found shape {array.shape}, expected ({dim}, L): one direction per column{turned}")
    return (array if array.dtype is _FLOAT64 else _cast(array, _FLOAT64, name)).T


def whole(value: Any, name: str, low: int = 0, high: int = _SEEDS) -> int:
    """A whole number within a range; truth values and fractions are refused."""
    if type(value) is int:
        number = value
    else:
        try:
            if isinstance(value, (bool, np.bool_)):
                raise TypeError
            number = operator.index(value)
        except Exception:
            raise KindError(f"{name}: found {shown(value)}, expected a whole number") from None
    if not low <= number <= high:
        most = "2**64 - 1" if high == _SEEDS else str(high)
        raise InputError(f"{name}: found {shown(number)}, expected a whole number from {low} to {most}")
    return number


def number(value: Any, name: str) -> float:
    """A finite number."""
    try:
        if isinstance(value, (str, bytes, bytearray, bool, np.bool_, complex, np.complexfloating)):
            raise TypeError
        if getattr(value, "ndim", 0) != 0:
            raise TypeError
        result = float(value)
    except Exception:
        raise KindError(f"{name}: found {shown(value)}, expected a number") from None
    # Also refuses what is not a number.
    if not abs(result) < float("inf"):
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


def seconds(value: Any, name: str) -> Optional[float]:
    """A time limit, or none."""
    if value is None:
        return None
    result = number(value, name)
    if result <= 0.0:
        raise InputError(f"{name}: found {result}, expected seconds above 0; leave it out for no limit")
    if result > _YEAR:
        raise InputError(f"{name}: found {result}, expected at most {_YEAR} seconds, a year; leave it out for no limit")
    return result


def seed(value: Any, name: str = "seed") -> int:
    """A seed; none for another one each time."""
    return secrets.randbits(64) if value is None else whole(value, name)


def threads(value: Any, name: str = "n_threads") -> Optional[int]:
    """Threads: none or -1 for all of them."""
    if value is None or (type(value) is int and value == -1):
        return None
    return whole(value, name, 1, 1024)


def flag(value: Any, name: str) -> bool:
    """Yes or no."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise KindError(f"{name}: found {shown(value)}, expected True or False")


def function(value: Any, name: str) -> Any:
    """Something to call, or none."""
    if value is not None and not callable(value):
        raise KindError(f"{name}: found {shown(value)}, expected a function to call")
    return value


def how(bounds: Any = False, chance: Any = 0, n_threads: Any = None, callback: Any = None) -> How:
    """How a call runs, checked."""
    if n_threads is None and callback is None and type(bounds) is bool and type(chance) is int and 0 <= chance <= _SEEDS:
        # Nearly every call.
        return bounds, chance, None, None
    return flag(bounds, "bounds"), seed(chance), threads(n_threads), function(callback, "callback")


def choice(value: Any, name: str, known: Tuple[str, ...]) -> str:
    """One word out of several."""
    if isinstance(value, str) and value in known:
        return str(value)
    words = ", ".join(map(repr, known))
    if not isinstance(value, str):
        raise KindError(f"{name}: found {shown(value)}, expected one of {words}")
    import difflib

    close = difflib.get_close_matches(value.lower(), known, 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise InputError(f"{name}: found {shown(value)}, expected one of {words}{hint}")


def shown(value: Any) -> str:
    """A value as it looks in a message, whatever it is."""
    try:
        return _cut(repr(value))
    except Exception:
        return _kind(value)


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else text[:77] + "..."


def _kind(value: Any) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"

"""Colour: that of one picture for another, by transport between their colours."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from .exceptions import InputError, KindError

_METHODS = tuple(_swgg.color_methods())
_SPACES = ("rgb", "oklab", "lab")
#: White, of the kinds of whole numbers; it is 1 for floats.
_WHITE = {"u1": 255, "u2": 65535}


def color_transfer(
    img: Any,
    ref: Any,
    *,
    method: str = "auto",
    strength: float = 1.0,
    space: str = "rgb",
    mask: Any = None,
    samples: Optional[int] = None,
    smoothing: float = 0.7,
    mass: float = 1.0,
    seed: Optional[int] = 0,
    n_threads: Optional[int] = None,
) -> NDArray[Any]:
    """Give a picture the colours of another one.

    Every pixel gets the colour of a pixel of the reference: at strength 1 the result has its colours, as many of each
    (scaled, and right to one, where the sizes differ). Pixels of alpha 0 take no part, in either picture.

    Parameters
    ----------
    img : array-like of shape (H, W, 3) or (H, W, 4)
        The picture: ``uint8``, ``uint16``, or floats from 0 to 1. A fourth channel is alpha and stays as it is.
    ref : array-like of shape (h, w, 3) or (h, w, 4)
        The picture with the colours, of any size. One of another kind is scaled and rounded to that of ``img``.
    method : "auto", "min-swgg", "min-swgg-random", "exact", "sinkhorn", "subspace-detour", "gaussian" or another
        Many lines made into one plan; the best line, found by descent or among 100; a classic, between at most 3000
        groups of colours; or mean and covariance of the reference instead of its colours. Every other method of
        :func:`solve` that has a plan will do, too, between at most 3000 groups. ``"smooth"`` is a map
        without seams, whose colours are like those of the reference: the default of the command, in ``space="oklab"``.
    strength : float
        How far to go, from 0, where nothing changes, to 1.
    space : "rgb", "oklab" or "lab"
        Where distances between colours are measured, and where the way of ``strength`` runs.
    mask : array-like of bool, of shape (H, W), optional
        Where to change the picture; everywhere by default.
    samples : int, optional
        Make the plan from so many random pixels of each picture and extend it by nearest neighbours, as in the paper;
        from all pixels by default. The colours of the result are then not exactly those of the reference.
    smoothing : float
        How much to spare smooth parts such as skies, from 0, the cheapest plan, which may be grainy, to 1.
    mass : float
        Change only this share of the pixels, the cheapest ones: colours without a counterpart in the reference stay what they
        are. For ``"auto"`` and ``"exact"``, between at most 3000 groups of colours.
    seed : int, optional
        Seed of everything random.
    n_threads : int, optional
        Threads, all of them by default. The answer does not depend on it.

    Returns
    -------
    ndarray
        A new array of the shape and kind of ``img``. Floats are computed in single precision.

    Examples
    --------
    >>> import numpy as np, swgg
    >>> dusk = np.array([[[10, 10, 40], [60, 20, 20]]], dtype=np.uint8)
    >>> noon = np.array([[[255, 240, 210]], [[200, 220, 255]]], dtype=np.uint8)
    >>> swgg.color_transfer(dusk, noon)
    array([[[200, 220, 255],
            [255, 240, 210]]], dtype=uint8)
    """
    source = _picture(img, "img")
    reference = _scaled(_picture(ref, "ref"), source)
    choices = {
        "method": _arrays.choice(method, "method", _METHODS),
        "strength": _share(strength, "strength"),
        "space": _arrays.choice(space, "space", _SPACES),
        "smoothing": _share(smoothing, "smoothing"),
        "mass": _share(mass, "mass"),
        "samples": None if samples is None else _arrays.whole(samples, "samples", 1, 2**32),
        "seed": _arrays.seed(seed),
    }
    if samples is not None and method == "gaussian":
        raise InputError("samples: found beside method='gaussian', which looks at all pixels; leave it out")
    part = _part(source, "img", _mask(mask, source.shape[:2]))
    reference_part = _part(reference, "ref", None)
    threads = _arrays.threads(n_threads)
    if choices["strength"] == 0.0:
        return source.copy()
    colors = _swgg.color_transfer(
        _colors(source), _colors(reference), part, reference_part, choices, threads
    )
    if source.dtype.kind == "f":
        # As with whole numbers; a mixture, or a map, may leave the colours that there are.
        np.clip(colors, 0.0, 1.0, out=colors)
    result = source.copy()
    np.copyto(result[..., :3], colors, where=True if part is None else part[..., np.newaxis])
    return result


def colorize(gray: Any, ref: Any, *, n_threads: Optional[int] = None) -> NDArray[Any]:
    """Give a gray picture the colours of another one: exact transport, in closed form.

    Grays lie on a line, so that both pictures need only be sorted by brightness. Among pixels of one gray the
    surroundings decide. The result has the colours of the reference, as many of each (scaled, and right to one, where
    the sizes differ).

    Parameters
    ----------
    gray : array-like of shape (H, W)
        The grays: ``uint8``, ``uint16``, or floats from 0 to 1.
    ref : array-like of shape (h, w, 3) or (h, w, 4)
        The picture with the colours, of any size; pixels of alpha 0 take no part. One of another kind is scaled and
        rounded to that of ``gray``.
    n_threads : int, optional
        Threads, all of them by default. The answer does not depend on it.

    Returns
    -------
    ndarray of shape (H, W, 3)
        Of the kind of ``gray``. Floats are computed in single precision.

    Examples
    --------
    >>> import numpy as np, swgg
    >>> gray = np.array([[10, 200]], dtype=np.uint8)
    >>> ref = np.array([[[200, 180, 90]], [[30, 60, 20]]], dtype=np.uint8)
    >>> swgg.colorize(gray, ref)
    array([[[ 30,  60,  20],
            [200, 180,  90]]], dtype=uint8)
    """
    grays = _samples(gray, "gray")
    if grays.ndim != 2 or grays.size == 0:
        hint = "; make it gray first, as in gray.mean(axis=2).astype(gray.dtype)" if grays.ndim == 3 else ""
        raise InputError(f"gray: found shape {grays.shape}, expected (height, width), one gray per pixel{hint}")
    _range(grays, "gray")
    reference = _scaled(_picture(ref, "ref"), grays)
    colors = _swgg.colorize(
        _native(grays), _colors(reference), _part(reference, "ref", None), _arrays.threads(n_threads)
    )
    return colors.astype(grays.dtype, copy=False)


def _samples(value: Any, name: str) -> NDArray[Any]:
    """An array of a kind that pictures have, in native byte order."""
    array: NDArray[Any] = value if type(value) is np.ndarray else _arrays.plain(value, name)
    kind = array.dtype.newbyteorder("=")
    if kind.str[1:] in ("u1", "u2", "f4", "f8"):
        return array.astype(kind, copy=False)
    hint = ""
    if kind.kind in "iub":
        hint = "; convert it with astype(np.uint8) if it goes from 0 to 255"
    raise KindError(f"{name}: found an array of {array.dtype}, expected uint8, uint16, float32 or float64{hint}")


def _picture(value: Any, name: str) -> NDArray[Any]:
    """A picture of three channels, or four with alpha."""
    array = _samples(value, name)
    if array.ndim != 3 or array.shape[2] not in (3, 4) or array.size == 0:
        hint = ""
        if array.ndim == 2:
            hint = f"; a gray picture has three equal channels, np.stack([{name}] * 3, axis=2)"
            hint += ", or gets colours from swgg.colorize" if name == "img" else ""
        elif array.ndim == 3 and array.shape[0] in (3, 4):
            hint = f"; channels go last, np.moveaxis({name}, 0, 2)"
        raise InputError(f"{name}: found shape {array.shape}, expected (height, width, 3), or 4 with alpha{hint}")
    _range(array, name)
    return array


def _range(array: NDArray[Any], name: str) -> None:
    """Refuses floats that are not from 0 to 1."""
    if array.dtype.kind != "f":
        return
    low, high = float(array.min()), float(array.max())
    if low >= 0.0 and high <= 1.0:
        return
    bad = ~np.isfinite(array)
    if bad.any():
        row, column = np.argwhere(bad)[0][:2]
        raise InputError(f"{name}: row {row}, column {column} (counted from 0) is not finite; replace it")
    found = f"floats from {low:.6g} to {high:.6g}"
    raise InputError(f"{name}: found {found}, expected 0 to 1; scale them, as in {name} / 255")


def _white(dtype: np.dtype[Any]) -> int:
    return _WHITE.get(dtype.str[1:], 1)


def _scaled(array: NDArray[Any], to: NDArray[Any]) -> NDArray[Any]:
    """A picture in the kind of another one."""
    if array.dtype == to.dtype:
        return array
    units = array / np.float64(_white(array.dtype))
    if to.dtype.kind == "u":
        units = np.rint(units * _white(to.dtype))
    return units.astype(to.dtype)


def _native(array: NDArray[Any]) -> NDArray[Any]:
    """As the engine reads it: contiguous, floats in single precision."""
    kind = np.dtype(np.float32) if array.dtype.kind == "f" else array.dtype
    return np.require(array, kind, ["C", "A"])


def _colors(array: NDArray[Any]) -> NDArray[Any]:
    return _native(array[..., :3])


def _mask(value: Any, shape: Tuple[int, ...]) -> Optional[NDArray[np.bool_]]:
    """Truth values, one per pixel; none for everywhere."""
    if value is None:
        return None
    mask = _arrays.plain(value, "mask")
    if mask.dtype != np.bool_:
        raise KindError(f"mask: found an array of {mask.dtype}, expected truth values; compare it, as in mask > 127")
    if mask.shape != shape:
        raise InputError(f"mask: found shape {mask.shape}, expected {shape}: one value per pixel of img")
    return mask


def _part(array: NDArray[Any], name: str, mask: Optional[NDArray[np.bool_]]) -> Optional[NDArray[np.bool_]]:
    """Which pixels take part: those that can be seen, and that the mask has; none for all."""
    part = mask
    if array.shape[2] == 4:
        seen = array[..., 3] > 0
        part = seen if part is None else part & seen
    if part is None or part.all():
        return None
    if not part.any():
        raise InputError(f"{name}: no pixel takes part; all are transparent{' or masked' if name == 'img' else ''}")
    return np.ascontiguousarray(part)


def _share(value: Any, name: str) -> float:
    """A number from 0 to 1."""
    share = _arrays.number(value, name)
    if not 0.0 <= share <= 1.0:
        raise InputError(f"{name}: found {share}, expected a number from 0 to 1")
    return share

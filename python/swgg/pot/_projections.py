"""Directions, drawn as POT draws them."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .. import _arrays
from ..exceptions import InputError, KindError
from ._errors import AssertedError
from ._frame import Frame
from ._plans import LITTLE, check_memory


def get_random_projections(
    d: int, n_projections: int, seed: Any = None, backend: Any = None, type_as: Any = None
) -> Any:
    """Random directions as columns of length one; the same integer seed gives the same directions as in POT.

    Parameters
    ----------
    d, n_projections : int
    seed : int or numpy.random.RandomState, optional
    backend
        Not needed: the kind of ``type_as`` decides.
    type_as : array, optional
        A tensor of torch, for directions as POT draws them by torch.

    Returns
    -------
    array of shape (d, n_projections)

    Examples
    --------
    >>> import numpy as np
    >>> import swgg.pot as ot
    >>> thetas = ot.get_random_projections(3, 100, seed=0)
    >>> thetas.shape, bool(np.allclose((thetas**2).sum(axis=0), 1.0))
    ((3, 100), True)
    """
    frame = Frame(type_as)
    kind = None if type_as is None else _arrays.numbers(type_as, "type_as")
    return frame.array(draw(_arrays.whole(d, "d", 1), n_projections, seed, frame, kind))


def draw(d: int, n_projections: Any, seed: Any, frame: Frame, type_as: Optional[np.ndarray]) -> np.ndarray:
    """Directions as columns."""
    count = _arrays.whole(n_projections, "n_projections", 1, 2**40)
    if d * count > LITTLE:
        check_memory(16 * d * count, f"n_projections: {count} directions in dimension {d} take", "ask for fewer")
    if isinstance(seed, np.random.RandomState):
        normals = seed.randn(d, count)
    else:
        if seed is not None:
            _arrays.whole(seed, "seed", 0, 2**32 - 1)
        normals = frame.normals(d, count, seed, type_as)
    unit: np.ndarray = normals / np.sqrt((normals**2).sum(axis=0, keepdims=True))
    return unit


def given_or_drawn(
    projections: Any, d: int, n_projections: Any, seed: Any, frame: Frame, type_as: np.ndarray
) -> np.ndarray:
    """Directions as columns, in double precision; their lengths are the caller's."""
    if projections is None:
        if n_projections is None:
            raise AssertedError("n_projections: found None, expected how many directions to draw; or give projections")
        return draw(d, n_projections, seed, frame, type_as)
    if isinstance(projections, str):
        raise KindError(f"projections: found {projections!r}, expected an array of shape ({d}, n_projections)")
    found = _arrays.numbers(projections, "projections")
    if found.ndim != 2 or found.shape[0] != d or found.shape[1] == 0:
        wanted = f"expected ({d}, n_projections): one direction per column"
        raise InputError(f"projections: found shape {found.shape}, {wanted}")
    return found.astype(np.float64, copy=False)


def as_rows(projections: np.ndarray) -> np.ndarray:
    """As the engine takes them."""
    return np.ascontiguousarray(projections.T)

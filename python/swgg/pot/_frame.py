"""Arrays back in the kind they came in: tensors of torch for tensors, NumPy arrays for anything else."""

from __future__ import annotations

import sys
import threading
from typing import Any, Optional

import numpy as np

from ..exceptions import KindError

_DOUBLE = np.dtype(np.float64)
#: A generator of each thread: seeding one again is fifty times as quick as making one.
_GENERATORS = threading.local()


class Frame:
    """Knows whether one of the arguments was a tensor; torch is never imported for it."""

    __slots__ = ("torch",)

    def __init__(self, *arguments: Any) -> None:
        torch = sys.modules.get("torch")
        tensor = getattr(torch, "Tensor", None)
        found = tensor is not None and any(isinstance(argument, tensor) for argument in arguments)
        self.torch: Any = torch if found else None

    def array(self, array: np.ndarray) -> Any:
        """An array, in the caller's kind."""
        return array if self.torch is None else self.torch.from_numpy(np.ascontiguousarray(array))

    def scalar(self, value: float) -> Any:
        """A number as POT returns it: one of NumPy, or a tensor without axes."""
        return np.float64(value) if self.torch is None else self.torch.tensor(value, dtype=self.torch.float64)

    def number(self, value: float) -> Any:
        """A number where POT returns a plain one."""
        return float(value) if self.torch is None else self.torch.tensor(value, dtype=self.torch.float64)

    def normals(self, d: int, count: int, seed: Any, type_as: Optional[np.ndarray]) -> np.ndarray:
        """Normal numbers as POT draws them for this kind of array."""
        if self.torch is None:
            return _generator(seed).randn(d, count)
        generator = self.torch.Generator("cpu")
        if seed is None:
            generator.seed()
        else:
            generator.manual_seed(seed)
        single = type_as is not None and type_as.dtype == np.float32
        kind = self.torch.float32 if single else self.torch.float64
        drawn: np.ndarray = self.torch.randn(size=(d, count), dtype=kind, generator=generator).numpy()
        return drawn.astype(np.float64)


def _generator(seed: Any) -> np.random.RandomState:
    if seed is None:
        return np.random.RandomState()
    found: Optional[np.random.RandomState] = getattr(_GENERATORS, "legacy", None)
    if found is None:
        found = _GENERATORS.legacy = np.random.RandomState()
    found.seed(seed)
    return found


def flag(value: Any, name: str) -> bool:
    """Yes or no; an array is neither."""
    try:
        return bool(value)
    except Exception as error:
        raise KindError(f"{name}: found {type(value).__name__}, expected True or False") from error


def float_kind(*arrays: Any) -> Any:
    """The kind of the first array that is there; whole numbers count as doubles."""
    for array in arrays:
        kind = getattr(array, "dtype", None)
        if kind is _DOUBLE and array.size:
            # Its name takes as long to find as a small plan.
            return _DOUBLE
        if kind is not None and np.size(array):
            single = str(kind).endswith("float32") or str(kind).endswith("float16")
            return np.dtype(np.float32) if single else _DOUBLE
    return _DOUBLE

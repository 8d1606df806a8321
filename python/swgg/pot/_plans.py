"""Plans as matrices: dense as long as they fit, sparse otherwise."""

from __future__ import annotations

import functools
import os
import time
import warnings
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ..exceptions import MissingPackageError, SizeError
from ._errors import AssertedError
from ._frame import Frame

#: Entries of a matrix that nobody asks the system about.
LITTLE = 10**7
#: Seconds for which an answer of the system holds.
_MOMENT = 0.05
#: Entries of a dense plan above which there is a warning.
MANY = 10**8


class DensePlanWarning(UserWarning):
    """A dense plan so large that a sparse one would serve better."""


class PlanTuple(NamedTuple):
    """The entries of a plan: masses, source indices and target indices."""

    data: Any
    rows: Any
    cols: Any


def check_dense(shape: Tuple[int, ...], remedy: str, frames: int = 3) -> None:
    """Warns of a large matrix, and refuses one that memory does not hold."""
    n, m = shape
    needed = 8 * n * m
    check_memory(needed, f"a dense {n} x {m} plan takes", remedy)
    if n * m > MANY:
        message = f"a dense {n} x {m} plan takes {needed / 1e9:.3g} GB; {remedy}"
        warnings.warn(message, DensePlanWarning, stacklevel=frames)


def check_memory(needed: int, what: str, remedy: str) -> None:
    """Refuses what memory does not hold."""
    free = free_memory()
    if free is not None and needed > free:
        raise SizeError(f"{what} {needed / 1e9:.3g} GB, {free / 1e9:.3g} GB are free; {remedy}")


def free_memory() -> Optional[int]:
    """Bytes that can be had, or none if the system does not tell; as of a moment ago, since asking takes fifty microseconds."""
    return _free_memory(int(time.monotonic() / _MOMENT))


@functools.lru_cache(maxsize=1)
def _free_memory(moment: int) -> Optional[int]:
    try:
        with open("/proc/meminfo", encoding="ascii") as facts:
            for line in facts:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    try:
        return int(os.sysconf("SC_PAGE_SIZE")) * int(os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return None


def plan_matrix(
    rows: np.ndarray, cols: np.ndarray, masses: np.ndarray, shape: Tuple[int, ...], dense: bool, kind: Any, frame: Frame
) -> Any:
    """The plan as POT returns it: dense, or a sparse array of SciPy (of torch, for tensors); equal places add up."""
    n, m = shape
    if dense:
        try:
            flat = np.bincount(rows * m + cols, weights=masses, minlength=n * m)
            return frame.array(flat.reshape(n, m).astype(kind, copy=False))
        except MemoryError as error:
            remedy = "pass dense=False for a sparse one"
            raise SizeError(f"a dense {n} x {m} plan does not fit in memory; {remedy}") from error
    masses = masses.astype(kind, copy=False)
    if frame.torch is not None:
        places = frame.torch.from_numpy(np.stack([rows, cols]))
        return frame.torch.sparse_coo_tensor(places, frame.torch.from_numpy(masses), size=shape, check_invariants=False)
    try:
        from scipy import sparse  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        raise MissingPackageError("dense=False needs SciPy (pip install scipy)") from error
    return sparse.coo_array((masses, (rows, cols)), shape=shape)


class Entries(NamedTuple):
    """What the engine says about a plan of total mass one; equal masses if none are given."""

    rows: np.ndarray
    cols: np.ndarray
    masses: Optional[np.ndarray]

    def scaled(self, total: float) -> np.ndarray:
        """Masses that add up to ``total``."""
        if self.masses is None:
            return np.full(len(self.rows), total / len(self.rows))
        return self.masses if total == 1.0 else self.masses * total


def tuples(plans: Sequence[Any], total: float, kind: Any, frame: Frame) -> List[PlanTuple]:
    """Plans as tuples; matchings share one array of masses, as in POT."""
    shared: Any = None
    found = []
    for plan in plans:
        entries = Entries(*plan)
        if entries.masses is not None:
            data = frame.array(entries.scaled(total).astype(kind, copy=False))
        else:
            if shared is None:
                shared = frame.array(entries.scaled(total).astype(kind, copy=False))
            data = shared
        found.append(PlanTuple(data, frame.array(entries.rows), frame.array(entries.cols)))
    return found


def total_mass(a: Optional[np.ndarray], b: Optional[np.ndarray], check: bool = True) -> float:
    """What both sides weigh; refused unless it is the same, since the plan would have to make mass up."""
    of_a = 1.0 if a is None else float(a.sum())
    of_b = 1.0 if b is None else float(b.sum())
    if check and not abs(of_a - of_b) <= 1.5e-6 * max(1.0, abs(of_a)):
        raise AssertedError(f"a and b must have the same sum, found {of_a:.9g} and {of_b:.9g}; scale one of them")
    return of_a

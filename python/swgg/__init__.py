"""Optimal transport plans between large point clouds.

>>> import numpy as np, swgg
>>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
>>> Y = np.array([[3.0, 1.0], [3.0, 0.0], [4.0, 0.0]])
>>> swgg.solve(X, Y).permutation
array([1, 2, 0])
"""

from __future__ import annotations

from ._swgg import __version__
from .batch import pairwise, solve_batch
from .estimator import Transport
from .exceptions import InputError, InternalError, KindError, MissingPackageError, NotFittedError, SizeError, SwggError
from .result import Result
from .solvers import solve

__all__ = [
    "InputError",
    "InternalError",
    "KindError",
    "MissingPackageError",
    "NotFittedError",
    "Result",
    "SizeError",
    "SwggError",
    "Transport",
    "__version__",
    "pairwise",
    "solve",
    "solve_batch",
]

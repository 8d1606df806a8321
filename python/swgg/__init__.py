"""Optimal transport plans between large point clouds.

>>> import numpy as np, swgg
>>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
>>> Y = np.array([[3.0, 1.0], [3.0, 0.0], [4.0, 0.0]])
>>> swgg.solve(X, Y).permutation
array([1, 2, 0])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, List

from ._swgg import __version__
from .barycenters import Barycenter, BarycenterStep, barycenter
from .batch import pairwise, solve_batch
from .classic import DetourResult, FactoredResult, RobustResult, factored, subspace_detour, subspace_robust
from .color import color_transfer, colorize
from .data_sets import OtddMatrix, OtddResult, otdd, otdd_matrix
from .entropic import DivergenceResult, SinkhornResult, sinkhorn, sinkhorn_divergence
from .estimator import Transport
from .exact import ExactResult, emd
from .exceptions import (
    GapWarning,
    InputError,
    InternalError,
    KindError,
    MissingPackageError,
    NotFittedError,
    SizeError,
    SwggError,
)
from .flows import FlowResult, flow
from .gaussians import GaussianResult, bures, gaussian
from .linear import LinearResult, linear_ot
from .lines import LineResult, generalized_geodesic, line_wasserstein, min_swgg, swgg
from .partial import PartialPath, partial_1d
from .registration import Registration, RegistrationStep, register
from .result import Result
from .sliced import SlicedResult, SliceResult, max_sliced, pwd, sliced_wasserstein
from .solvers import solve

if TYPE_CHECKING:
    from .semi_discrete import SemiDiscrete

__all__ = [
    "Barycenter",
    "BarycenterStep",
    "DetourResult",
    "DivergenceResult",
    "ExactResult",
    "FactoredResult",
    "FlowResult",
    "GapWarning",
    "GaussianResult",
    "InputError",
    "InternalError",
    "KindError",
    "LineResult",
    "LinearResult",
    "MissingPackageError",
    "NotFittedError",
    "OtddMatrix",
    "OtddResult",
    "PartialPath",
    "Registration",
    "RegistrationStep",
    "Result",
    "RobustResult",
    "SemiDiscrete",
    "SinkhornResult",
    "SizeError",
    "SliceResult",
    "SlicedResult",
    "SwggError",
    "Transport",
    "__version__",
    "barycenter",
    "bures",
    "color_transfer",
    "colorize",
    "emd",
    "factored",
    "flow",
    "gaussian",
    "generalized_geodesic",
    "line_wasserstein",
    "linear_ot",
    "max_sliced",
    "min_swgg",
    "otdd",
    "otdd_matrix",
    "pairwise",
    "partial_1d",
    "pwd",
    "register",
    "sinkhorn",
    "sinkhorn_divergence",
    "sliced_wasserstein",
    "solve",
    "solve_batch",
    "subspace_detour",
    "subspace_robust",
    "swgg",
]


#: Modules that need packages or programs of their own, or stand for another package.
_MODULES = ("engine", "pot", "scverse", "torch")


def __getattr__(name: str) -> Any:
    """What few programs need is imported when it is first asked for."""
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name == "SemiDiscrete":
        return import_module(".semi_discrete", __name__).SemiDiscrete
    raise AttributeError(f"module 'swgg' has no attribute {name!r}")


def __dir__() -> List[str]:
    return sorted([*__all__, *_MODULES])

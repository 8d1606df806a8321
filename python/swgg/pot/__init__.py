"""The calls of POT 0.9.7 by their own names, on the engine of swgg: change the import, keep the code.

Names, argument order, shapes, return values and keys of logs are POT's. What differs is in one table:
``docs/for-pot-users.md``. Names that are not here come from POT, if it is installed: ``ot.da`` and ``ot.gromov`` are
POT's own, which call POT's own functions unless :func:`patch` has put ours there.

>>> import numpy as np
>>> import swgg.pot as ot
>>> x = np.array([[3.0, 3.0], [1.0, 1.0]])
>>> y = np.array([[2.0, 2.5], [3.0, 2.0]])
>>> plan, cost = ot.min_sliced_transport_plan(x, y, projections=np.array([[1, 0], [0, 1]]))
>>> plan
array([[0. , 0.5],
       [0.5, 0. ]])
>>> float(cost)
2.125
"""

from __future__ import annotations

from . import bregman, bsp, lp, partial, sliced, solvers, utils
from ._errors import AssertedError, NotHereError
from ._forward import forwarding, listen
from ._patch import REPLACED, Patch, patch
from ._plans import DensePlanWarning
from .bregman import sinkhorn, sinkhorn2
from .bsp import compute_bspot_bijection, merge_bijections
from .lp import emd, emd2, emd2_1d, emd2_lazy, emd_1d, free_support_barycenter, wasserstein_1d
from .sliced import (
    expected_sliced_plan,
    get_random_projections,
    max_sliced_wasserstein_distance,
    min_sliced_transport_plan,
    sliced_plans,
    sliced_wasserstein_distance,
)
from .solvers import solve_sample
from .utils import dist, tic, toc, toq, unif

__all__ = [
    "REPLACED",
    "AssertedError",
    "DensePlanWarning",
    "NotHereError",
    "Patch",
    "bregman",
    "bsp",
    "compute_bspot_bijection",
    "dist",
    "emd",
    "emd2",
    "emd2_1d",
    "emd2_lazy",
    "emd_1d",
    "expected_sliced_plan",
    "free_support_barycenter",
    "get_random_projections",
    "lp",
    "max_sliced_wasserstein_distance",
    "merge_bijections",
    "min_sliced_transport_plan",
    "partial",
    "patch",
    "sinkhorn",
    "sinkhorn2",
    "sliced",
    "sliced_plans",
    "sliced_wasserstein_distance",
    "solve_sample",
    "solvers",
    "tic",
    "toc",
    "toq",
    "unif",
    "utils",
    "wasserstein_1d",
]

__getattr__ = forwarding(__name__, "ot")
listen()

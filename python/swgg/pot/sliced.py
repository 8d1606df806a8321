"""Plans and distances by lines: POT's ``ot.sliced``."""

from __future__ import annotations

from ._forward import forwarding
from ._projections import get_random_projections
from ._sliced_distances import max_sliced_wasserstein_distance, sliced_wasserstein_distance
from ._sliced_plans import expected_sliced_plan, min_sliced_transport_plan, sliced_plans

__all__ = [
    "expected_sliced_plan",
    "get_random_projections",
    "max_sliced_wasserstein_distance",
    "min_sliced_transport_plan",
    "sliced_plans",
    "sliced_wasserstein_distance",
]

__getattr__ = forwarding(__name__, "ot.sliced")

"""Exact transport, in one dimension, at given costs and between points, and barycenters by it: POT's ``ot.lp``."""

from __future__ import annotations

from ._barycenter import free_support_barycenter
from ._exact import emd, emd2
from ._forward import forwarding
from ._lazy import emd2_lazy
from ._line import emd2_1d, emd_1d, wasserstein_1d

__all__ = ["emd", "emd2", "emd2_1d", "emd2_lazy", "emd_1d", "free_support_barycenter", "wasserstein_1d"]

__getattr__ = forwarding(__name__, "ot.lp")

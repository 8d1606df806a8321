"""Exact transport, in one dimension, at given costs and between points: POT's ``ot.lp``."""

from __future__ import annotations

from ._exact import emd, emd2
from ._lazy import emd2_lazy
from ._line import emd2_1d, emd_1d, wasserstein_1d

__all__ = ["emd", "emd2", "emd2_1d", "emd2_lazy", "emd_1d", "wasserstein_1d"]

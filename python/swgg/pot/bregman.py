"""Entropic transport at given costs: POT's ``ot.bregman``."""

from __future__ import annotations

from ._forward import forwarding
from ._sinkhorn import sinkhorn, sinkhorn2

__all__ = ["sinkhorn", "sinkhorn2"]

__getattr__ = forwarding(__name__, "ot.bregman")

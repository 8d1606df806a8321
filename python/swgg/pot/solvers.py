"""One call for many problems: POT's ``ot.solvers``."""

from __future__ import annotations

from ._forward import forwarding
from ._solve_sample import solve_sample

__all__ = ["solve_sample"]

__getattr__ = forwarding(__name__, "ot.solvers")

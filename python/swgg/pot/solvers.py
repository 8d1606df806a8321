"""One call for many problems: POT's ``ot.solvers``."""

from __future__ import annotations

from ._solve_sample import solve_sample

__all__ = ["solve_sample"]

"""What swgg raises: one root, and below it also what Python would raise."""

from __future__ import annotations


class SwggError(Exception):
    """Root of everything swgg raises."""


class InputError(SwggError, ValueError):
    """An argument that cannot be used: its shape, its values, its weights."""


class KindError(InputError, TypeError):
    """An argument of a kind that cannot be used, such as text where numbers belong."""


class NotFittedError(SwggError, ValueError, AttributeError):
    """A plan that is asked for before there is one."""


class SizeError(SwggError, MemoryError):
    """An answer that would not fit, such as the dense matrix of a large plan."""


class InternalError(SwggError, RuntimeError):
    """A mistake of swgg itself."""


class MissingPackageError(SwggError, ImportError):
    """An optional package that a call needs and that is not installed."""


class GapWarning(UserWarning):
    """A gap that was asked for and could not be certified."""


__all__ = [
    "GapWarning",
    "InputError",
    "InternalError",
    "KindError",
    "MissingPackageError",
    "NotFittedError",
    "SizeError",
    "SwggError",
]

"""Errors that are also those of POT."""

from __future__ import annotations

from ..exceptions import InputError


class AssertedError(InputError, AssertionError):
    """An argument that POT asserts something about: a ``ValueError`` like any of ours, and an ``AssertionError`` as in POT.

    >>> import swgg.pot as ot
    >>> try:
    ...     ot.emd([0.5, 0.5], [1.0, 1.0], [[0.0, 1.0], [1.0, 0.0]])
    ... except AssertionError as error:
    ...     print(error)
    a and b must have the same sum, found 1 and 2; scale one of them
    """


class NotHereError(InputError, NotImplementedError):
    """What POT can do and ``swgg.pot`` cannot: call POT's own function. Patched functions do so by themselves."""


__all__ = ["AssertedError", "NotHereError"]

"""Exact transport."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from ._arrays import Callback
from .exceptions import InputError
from .result import Result


class ExactResult(Result):
    """The cheapest plan: a :class:`Result` with the potentials that prove it."""

    __slots__ = ()

    @property
    def potentials(self) -> Tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Potentials ``(u, v)`` of sources and targets.

        ``u[i] + v[j]`` is never above the cost from ``i`` to ``j``, and equal to it where mass moves. Where only a part of
        the mass moves, ``u`` is at most what the last unit costs, and ``v`` at most 0.
        """
        both = self._answer.potentials
        if both is None:
            raise InputError("potentials: found none, as points on the line are matched without; expected two dimensions or more")
        return both

    def _need_clouds(self, what: str) -> None:
        if self.X is None:
            raise InputError(f"{what} needs points, and emd was given costs alone; pass X and Y besides M")

    def barycentric(self) -> NDArray[Any]:
        """See :meth:`Result.barycentric`; needs the clouds."""
        self._need_clouds("barycentric")
        return super().barycentric()

    def transform(self, X_new: Any, *, neighbors: int = 1) -> NDArray[Any]:
        """See :meth:`Result.transform`; needs the clouds."""
        self._need_clouds("transform")
        return super().transform(X_new, neighbors=neighbors)

    def inverse_transform(self, Y_new: Any, *, neighbors: int = 1) -> NDArray[Any]:
        """See :meth:`Result.inverse_transform`; needs the clouds."""
        self._need_clouds("inverse_transform")
        return super().inverse_transform(Y_new, neighbors=neighbors)

    def interpolate(self, t: float) -> Tuple[NDArray[Any], NDArray[np.float64]]:
        """See :meth:`Result.interpolate`; needs the clouds."""
        self._need_clouds("interpolate")
        return super().interpolate(t)


def emd(
    X: Any = None,
    Y: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    M: Any = None,
    p: Optional[float] = None,
    mass: Optional[float] = None,
    mass_source: Optional[float] = None,
    mass_target: Optional[float] = None,
    discard_cost: Optional[float] = None,
    seed: Optional[int] = 0,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
) -> ExactResult:
    """Exact transport: the least cost of all plans (``value`` is ``W_p^p``, not rooted; ``distance`` is its root).

    Time grows a little faster than the number of pairs: some thousand points take a fraction of a second.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d)
        The clouds, one point per row; may be left out where ``M`` is given.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.
    M : array-like of shape (n, m), optional
        What it costs to go from each source (row) to each target (column), instead of distances: finite, not negative.
    p : float, optional
        The power of the distance, 1 or more (2). Beside ``M`` it only says which root makes a ``distance`` of the
        ``value`` (1).
    mass, mass_source, mass_target, discard_cost : float, optional
        Move only a part of the mass, as in :func:`solve`: the cheapest share of the smaller total of ``a`` and ``b``, of
        the source or of the target, or what moves for at most ``discard_cost`` per unit.
    seed : int, optional
        Of the samples that teach the solver where to begin; the cost does not depend on it, the plan only among equals.
    n_threads : int, optional
        All of them if left out, or -1.
    callback : callable, optional
        Called as ``callback(i, cost)`` now and then; returning ``True`` ends with the best plan so far.

    Returns
    -------
    ExactResult

    Examples
    --------
    >>> import numpy as np, swgg
    >>> found = swgg.emd([[0.0, 0.0], [1.0, 0.0]], [[1.0, 1.0], [0.0, 1.0]])
    >>> found.value, found.permutation
    (1.0, array([1, 0]))
    >>> swgg.emd(M=[[4.0, 1.0], [2.0, 3.0]]).value
    1.5
    >>> part = swgg.emd(M=[[4.0, 1.0], [2.0, 3.0]], mass=0.5)
    >>> part.value, part.unmatched_source[0]
    (0.5, array([1]))
    """
    # Its own potentials are the proof.
    how = _arrays.how(False, seed, n_threads, callback)
    parts = {"mass": mass, "mass_source": mass_source, "mass_target": mass_target, "discard_cost": discard_cost}
    part = {name: _arrays.number(value, name) for name, value in parts.items() if value is not None}
    if len(part) > 1:
        raise InputError(f"{' and '.join(part)}: found both, expected one of them")
    if M is None:
        pair = _arrays.pair(X, Y, a, b)
        p = 2.0 if p is None else _arrays.exponent(p)
        return ExactResult(_swgg.solve(pair, "exact", {"p": p, **part}, how), *pair, p)
    a, b = _arrays.weights(a, "a"), _arrays.weights(b, "b")
    x: Any = None
    y: Any = None
    costs = _arrays.matrix(M, "M")
    if (X is None) != (Y is None):
        raise InputError("X and Y: found one of them beside M, expected both or neither")
    if X is not None:
        x, y = _arrays.clouds(X, Y)
        if costs.shape != (len(x), len(y)):
            raise InputError(
                f"M: found shape {costs.shape}, expected ({len(x)}, {len(y)}): "
                "a row per point of X, a column per point of Y"
            )
    p = 1.0 if p is None else _arrays.exponent(p)
    if part:
        return ExactResult(_swgg.partial_matrix(costs, a, b, part, how), x, y, a, b, p)
    return ExactResult(_swgg.emd_matrix(costs, a, b, how), x, y, a, b, p)

"""Entropic transport."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from ._arrays import Callback
from .exceptions import InputError, SizeError
from .result import Result


class SinkhornResult(Result):
    """Entropic transport: a :class:`Result` whose plan has exact marginals, and the potentials it was made of.

    The smooth plan is ``P[i, j] = a[i] b[j] exp((f[i] + g[j] - |x_i - y_j|^p) / epsilon)``; see :meth:`smooth_plan`.
    The plan of the :class:`Result` has the entries of it that matter, made to meet both marginals exactly, and
    ``value`` is what that plan pays. Where it has too many entries to hold, asking for it is refused, and ``value`` is
    what the smooth plan pays.
    """

    __slots__ = ()

    @property
    def potentials(self) -> Tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Potentials ``(f, g)`` of sources and targets."""
        both = self._answer.potentials
        assert both is not None
        return both

    @property
    def epsilon(self) -> float:
        """The epsilon used, in the units of costs."""
        return self._answer.facts["epsilon"]

    @property
    def entropic_value(self) -> float:
        """The entropic objective, ``sum P c + epsilon KL(P | a b^T)``."""
        return self._answer.facts["value"]

    @property
    def smooth_cost(self) -> float:
        """What the smooth plan pays, ``sum P c``."""
        return self._answer.facts["smooth_cost"]

    @property
    def marginal_error(self) -> float:
        """How much the smooth plan misses the weights of the targets by, in all; NaN if stopped with no time left to look."""
        return self._answer.facts.get("marginal_error", float("nan"))

    def smooth_plan(self, limit: int = 2**30) -> NDArray[np.float64]:
        """The plan before it was rounded, as a dense ``(n, m)`` matrix; refused above ``limit`` bytes."""
        n, m = len(self.X), len(self.Y)
        if 8 * n * m > _arrays.whole(limit, "limit"):
            raise SizeError(
                f"a dense {n} x {m} plan takes {8 * n * m} bytes, the limit is {limit}; use the sparse plan"
            )
        x, y = self.X.astype(np.float64, copy=False), self.Y.astype(np.float64, copy=False)
        a, b = _shares(self.a, n), _shares(self.b, m)
        if "tau_a" in self._answer.facts:
            # Masses as they were given.
            a *= 1.0 if self.a is None else self.a.sum()
            b *= 1.0 if self.b is None else self.b.sum()
        f, g = self.potentials
        plan = np.empty((n, m))
        # Some rows at a time: all differences at once would take d times the memory of the plan.
        rows = max(1, 10**6 // (m * x.shape[1]))
        for start in range(0, n, rows):
            part = slice(start, start + rows)
            squares = ((x[part, None, :] - y[None, :, :]) ** 2).sum(axis=2)
            costs = squares if self.p == 2.0 else squares ** (0.5 * self.p)
            # Potentials of points without mass may be anything; nothing goes there.
            with np.errstate(over="ignore", invalid="ignore"):
                shares = a[part, None] * b[None, :]
                plan[part] = np.where(shares > 0.0, shares * np.exp((f[part, None] + g[None, :] - costs) /
                self.epsilon), 0.0)
        return plan

    def _facts(self) -> List[Tuple[str, str]]:
        facts = super()._facts()
        return [*facts[:-1], ("epsilon", f"{self.epsilon:.6g}"), facts[-1]]


@dataclass(frozen=True)
class DivergenceResult:
    """A Sinkhorn divergence and its three terms, in the units of costs."""

    #: ``between - of_x / 2 - of_y / 2``, never negative.
    value: float
    #: The entropic value between the clouds.
    between: float
    #: The entropic value of ``X`` with itself.
    of_x: float
    #: The entropic value of ``Y`` with itself.
    of_y: float
    #: The epsilon used, the same for all three.
    epsilon: float
    #: Whether all three are within the tolerance.
    converged: bool
    #: Iterations of all three.
    n_iter: int


def sinkhorn(
    X: Any,
    Y: Any,
    a: Any = None,
    b: Any = None,
    *,
    epsilon: Optional[float] = None,
    relative_epsilon: Optional[float] = None,
    blur: Optional[float] = None,
    p: float = 2.0,
    max_iter: int = 5000,
    tolerance: float = 1e-6,
    scaling: Optional[float] = 0.5,
    accelerate: bool = True,
    tau_a: float = 1.0,
    tau_b: float = 1.0,
    bounds: bool = True,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
) -> SinkhornResult:
    """Entropic transport: the cost to the power ``p`` (``value``, squared by default, not rooted) of a smoothed plan.

    Potentials come first, and the plan is made of them, rounded so that both marginals are met exactly: its cost is
    never below ``W_p^p``. Memory grows as the number of points, time as the number of pairs.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d)
        The clouds, one point per row.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.
    epsilon, relative_epsilon, blur : float, optional
        How much the plan is smoothed, by one of them: the weight of the entropy in the units of costs, the same as a
        share of the mean cost (0.01 is usual), or the length over which mass is smeared, for which epsilon is ``2
        blur^2``.
    p : float
        The power of the distance, 1 or more.
    max_iter : int
        Most iterations.
    tolerance : float
        Converged when the weights of the targets are missed by at most this in all; 0 asks for all the iterations.
    scaling : float, optional
        Factor from one epsilon to the next on the way down to the last; ``None`` begins with it.
    accelerate : bool
        Whether steps may go beyond the next marginal.
    tau_a, tau_b : float
        How strictly the weights of source and target are met, above 0 and at most 1, which is exactly: ``rho / (rho +
        epsilon)`` with ``rho`` the weight of a Kullback-Leibler penalty in their place, as OTT has it (POT's ``reg_m`` is
        ``rho``). Below 1 the sums of ``a`` and ``b`` count and may differ, the plan is the smooth one, and ``value`` is what
        it pays for the mass it moves.
    bounds : bool
        Whether to look for lower bounds besides that of the potentials.
    n_threads : int, optional
        All of them if left out, or -1.
    callback : callable, optional
        Called as ``callback(i, value)`` after iterations; returning ``True`` ends with what there is.

    Returns
    -------
    SinkhornResult

    Examples
    --------
    >>> import numpy as np, swgg
    >>> found = swgg.sinkhorn([[0.0, 0.0], [1.0, 0.0]], [[1.0, 1.0], [0.0, 1.0]])
    >>> found.converged, round(found.value, 6)
    (True, 1.0)
    >>> np.round(found.smooth_plan(), 6)
    array([[0. , 0.5],
           [0.5, 0. ]])
    >>> relaxed = swgg.sinkhorn([0.0, 1.0, 9.0], [0.0, 1.0, 2.0], epsilon=0.1, tau_a=0.9, tau_b=0.9)
    >>> bool(relaxed.dense_plan()[2].sum() < 1e-3)
    True
    """
    pair = _arrays.pair(X, Y, a, b)
    smoothing = _smoothing(epsilon, relative_epsilon, blur, p, max_iter, tolerance, scaling, accelerate)
    for name, value in (("tau_a", tau_a), ("tau_b", tau_b)):
        smoothing[name] = _arrays.number(value, name)
    answer = _swgg.sinkhorn(pair, smoothing, _arrays.how(bounds, 0, n_threads, callback))
    return SinkhornResult(answer, *pair, smoothing["p"])


def sinkhorn_divergence(
    X: Any,
    Y: Any,
    a: Any = None,
    b: Any = None,
    *,
    epsilon: Optional[float] = None,
    relative_epsilon: Optional[float] = None,
    blur: Optional[float] = None,
    p: float = 2.0,
    max_iter: int = 5000,
    tolerance: float = 1e-6,
    scaling: Optional[float] = 0.5,
    n_threads: Optional[int] = None,
) -> DivergenceResult:
    """Sinkhorn divergence, in the units of costs (``value``, squared by default, not rooted).

    Entropic transport less what smoothing itself costs: zero between equal clouds. With ``blur`` and ``p = 2`` it is
    twice GeomLoss's ``SamplesLoss("sinkhorn")``, whose cost is half of ours. Parameters are those of :func:`sinkhorn`;
    a relative epsilon is a share of the mean cost between the two clouds.

    Examples
    --------
    >>> import swgg
    >>> round(swgg.sinkhorn_divergence([0.0, 1.0, 2.0], [3.0, 4.0, 5.0], blur=0.5).value, 6)
    9.0
    """
    pair = _arrays.pair(X, Y, a, b)
    smoothing = _smoothing(epsilon, relative_epsilon, blur, p, max_iter, tolerance, scaling, True)
    return DivergenceResult(*_swgg.sinkhorn_divergence(pair, smoothing, _arrays.threads(n_threads)))


def _smoothing(
    epsilon: Optional[float],
    relative_epsilon: Optional[float],
    blur: Optional[float],
    p: float,
    max_iter: int,
    tolerance: float,
    scaling: Optional[float],
    accelerate: bool,
) -> Dict[str, Any]:
    given = {"epsilon": epsilon, "relative_epsilon": relative_epsilon, "blur": blur}
    found = {name: _arrays.positive(value, name) for name, value in given.items() if value is not None}
    if len(found) > 1:
        raise InputError(f"{' and '.join(found)}: found together, expected one of them; each says how much to smooth")
    p = _arrays.exponent(p)
    if "blur" in found:
        if p != 2.0:
            raise InputError(f"blur: found beside p = {p:g}, expected p = 2; use epsilon")
        found = {"epsilon": 2.0 * found["blur"] ** 2}
    return {
        "epsilon": found.get("epsilon"),
        "relative_epsilon": found.get("relative_epsilon"),
        "p": p,
        "max_iter": _arrays.whole(max_iter, "max_iter", 1, 10**9),
        "tolerance": _arrays.positive(tolerance, "tolerance", zero=True),
        "scaling": None if scaling is None else _arrays.number(scaling, "scaling"),
        "accelerate": _arrays.flag(accelerate, "accelerate"),
        "tau_a": 1.0,
        "tau_b": 1.0,
    }


def _shares(weights: Optional[NDArray[np.float64]], count: int) -> NDArray[np.float64]:
    """Weights that sum to one."""
    if weights is None:
        return np.full(count, 1.0 / count)
    shares: NDArray[np.float64] = weights / weights.max()
    shares /= shares.sum()
    return shares

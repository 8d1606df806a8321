"""Sinkhorn by scaling rows and columns of a matrix, for costs that are given or cheap to hold."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Tuple

import numpy as np

#: Factors beyond which they are taken into the kernel, so that nothing overflows.
_LARGE = 1e60
#: Range of the costs, in units of ``reg``, above which ``reg`` falls in steps.
_STEEP = 100.0
#: By how much ``reg`` falls in a step, and iterations on the way.
_FALL, _ON_THE_WAY = 4.0, 40
#: Iterations before their rate is known well enough to go further in each of them, and between such looks.
_LOOK = 10


class Scaled(NamedTuple):
    """Potentials in units of ``reg``, ``plan = exp(u + v - costs / reg)``, and how they were found."""

    u: np.ndarray
    v: np.ndarray
    n_iter: int
    #: How much the masses that leave are off in all, at each look.
    errors: List[float]
    converged: bool
    #: The kernel that the last factors belong to, and these.
    kernel: np.ndarray
    left: np.ndarray
    right: np.ndarray

    def plan(self) -> np.ndarray:
        """The plan; the kernel is used up."""
        plan = self.kernel
        plan *= self.left[:, None]
        plan *= self.right
        return plan


def scaled(
    costs: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    reg: float,
    most: int,
    tolerance: float,
    start: Optional[Tuple[np.ndarray, np.ndarray]] = None,
) -> Scaled:
    """Masses that arrive are exact in the end, those that leave up to ``tolerance`` in all.

    Steps go further than Sinkhorn's once it is known how slowly those converge (successive over-relaxation), and as far as
    his if that does not help.
    """
    if start is None:
        f = costs.min(axis=1)
        g = (costs - f[:, None]).min(axis=0)
    else:
        # Points without mass have potentials of minus infinity.
        f, g = (np.where(np.isfinite(side), side, 0.0) * reg for side in start)
    spread = float(costs.max() - costs.min())
    steps = [reg]
    while start is None and spread / steps[-1] > _STEEP:
        steps.append(_FALL * steps[-1])
    done, errors = 0, []
    for epsilon in reversed(steps):
        last = epsilon == reg
        search = _Search(costs, a, b, epsilon, f, g)
        allowed = most - done if last else min(_ON_THE_WAY, max(0, most - done - _ON_THE_WAY))
        done += search.run(allowed, tolerance if last else 1e-3 * float(a.sum()))
        errors += search.errors
        f, g = search.potentials()
    with np.errstate(divide="ignore"):
        u = np.where(a > 0.0, f / reg, -np.inf)
        v = np.where(b > 0.0, g / reg, -np.inf)
    return Scaled(u, v, done, errors, search.converged, search.kernel, search.left, search.right)


class _Search:
    """Factors of one kernel."""

    def __init__(
        self, costs: np.ndarray, a: np.ndarray, b: np.ndarray, reg: float, f: np.ndarray, g: np.ndarray
    ) -> None:
        self.costs, self.a, self.b, self.reg, self.f, self.g = costs, a, b, reg, f, g
        self.errors: List[float] = []
        self.converged = False
        self._rebuild()

    def _rebuild(self) -> None:
        """The kernel at potentials ``f`` and ``g``, at which all factors are one, but for points without mass."""
        kernel = self.costs - self.f[:, None]
        kernel -= self.g
        kernel /= -self.reg
        with np.errstate(over="ignore", under="ignore"):
            self.kernel = np.exp(kernel, out=kernel)
        self.left = (self.a > 0.0).astype(np.float64)
        self.right = (self.b > 0.0).astype(np.float64)

    def potentials(self) -> Tuple[np.ndarray, np.ndarray]:
        f, g = self.f.copy(), self.g.copy()
        f[self.a > 0.0] += self.reg * np.log(self.left[self.a > 0.0])
        g[self.b > 0.0] += self.reg * np.log(self.right[self.b > 0.0])
        return f, g

    def run(self, most: int, tolerance: float) -> int:
        """Iterations made; each is a pass over the kernel for the sources and one for the targets."""
        a, b, relaxed, best, before = self.a, self.b, 1.0, np.inf, np.inf
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            for step in range(most + 1):
                through = self.kernel @ self.right
                # With exact columns, which plain steps leave behind, this is all that is wrong.
                error = float(np.abs(self.left * through - a).sum())
                look = step % _LOOK == 0
                if look:
                    self.errors.append(error)
                if relaxed != 1.0 and (error <= tolerance or step >= most - 1):
                    # Exact columns come from a plain step.
                    relaxed = 1.0
                elif (error <= tolerance and step > 0) or step == most:
                    self.converged = error <= tolerance
                    return step
                elif look and step > 0:
                    relaxed = _relaxation(relaxed, before, error, best)
                if look:
                    before = error
                best = min(best, error)
                left = self._new(self.left, a, through, relaxed)
                right = self._new(self.right, b, left @ self.kernel, relaxed)
                if not (_is_tame(left, a) and _is_tame(right, b)):
                    self._soften(left, right)
                    relaxed = 1.0
                    continue
                self.left, self.right = left, right
        raise AssertionError("unreachable")

    @staticmethod
    def _new(old: np.ndarray, masses: np.ndarray, through: np.ndarray, relaxed: float) -> np.ndarray:
        new: np.ndarray = np.where(masses > 0.0, masses / through, 0.0)
        if relaxed == 1.0:
            return new
        return np.where(masses > 0.0, old * (new / old) ** relaxed, 0.0)

    def _soften(self, left: np.ndarray, right: np.ndarray) -> None:
        """Takes the factors into the kernel; where they have no number, a step in logarithms takes their place."""
        if np.isfinite(left).all() and np.isfinite(right).all() and (left[self.a > 0.0] > 0.0).all() and (right[self.b > 0.0] > 0.0).all():
            self.left, self.right = left, right
            self.f, self.g = self.potentials()
        else:
            self.f, self.g = self.potentials()
            self.f = _soft(self.costs - self.g, self.b, self.a, self.reg, 1)
            self.g = _soft(self.costs - self.f[:, None], self.a, self.b, self.reg, 0)
        self._rebuild()


def _relaxation(relaxed: float, before: float, error: float, best: float) -> float:
    """How far a step goes, in steps of Sinkhorn's."""
    if not error < 2.0 * best:
        return 1.0
    if not 0.0 < error < before < np.inf:
        return relaxed
    seen = (error / before) ** (1.0 / _LOOK)
    if seen <= relaxed - 1.0:
        return relaxed
    # The rate of plain steps, by Young's relation between both.
    rate = min((seen + relaxed - 1.0) ** 2 / (seen * relaxed * relaxed), 1.0)
    # The best for a linear iteration of this rate, kept a little below, where misjudging it costs least.
    return float(min(1.999, 2.0 / (1.0 + np.sqrt(1.0 - rate))))


def _is_tame(factors: np.ndarray, masses: np.ndarray) -> bool:
    some = factors[masses > 0.0] if (masses == 0.0).any() else factors
    return bool(some.max() < _LARGE and some.min() > 1.0 / _LARGE)


def _soft(rest: np.ndarray, other: np.ndarray, own: np.ndarray, reg: float, axis: int) -> np.ndarray:
    """A step of Sinkhorn's in logarithms: potentials of one side from what the others leave of the costs."""
    from_others = rest / -reg
    empty = other == 0.0
    if empty.any():
        from_others[(slice(None), empty) if axis == 1 else (empty, slice(None))] = -np.inf
    high = from_others.max(axis=axis, keepdims=True)
    sums = np.exp(from_others - high).sum(axis=axis)
    heights = high.ravel() + np.log(sums)
    found: np.ndarray = np.where(own > 0.0, reg * (np.log(np.where(own > 0.0, own, 1.0)) - heights), 0.0)
    return found

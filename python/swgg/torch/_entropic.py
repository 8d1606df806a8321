"""Entropic transport as a loss: values and gradients out of the engine's potentials."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from .. import _arrays, _swgg
from ._operator import KERNELS, Pair, Slopes

#: Pairs of points that are looked at together: 16 MB of costs.
_BLOCK = 2**21


class Term(NamedTuple):
    """Entropic transport between two clouds: potentials, value, and gradients in points and weights."""

    #: Potentials of source and target.
    potentials: Tuple[np.ndarray, np.ndarray]
    value: float
    #: In the points of source and target.
    points: Tuple[np.ndarray, np.ndarray]
    #: In the weights of source and target; each up to a constant where all mass has to move.
    weights: Tuple[np.ndarray, np.ndarray]


def term(pair: Pair, told: Dict[str, Any], is_self: bool = False) -> Term:
    """Entropic transport at the cost ``|x - y|^p``; of a cloud with itself, the potentials of both sides are equal."""
    epsilon, reach, p = told["epsilon"], told["reach"], told["p"]
    tau = 1.0 if reach is None else reach / (reach + epsilon)
    smoothing = {
        "epsilon": epsilon,
        "relative_epsilon": None,
        "p": p,
        "max_iter": told["max_iter"],
        "tolerance": told["tolerance"],
        "scaling": told["scaling"],
        "accelerate": True,
        "tau_a": tau,
        "tau_b": tau,
    }
    answer = _swgg.sinkhorn(pair, smoothing, _arrays.how(False, 0, told["n_threads"]))
    assert answer.potentials is not None
    f, g = answer.potentials
    if is_self:
        f = g = 0.5 * (f + g)
    a, b = (_masses(w, len(z), reach is None) for z, w in zip(pair[:2], pair[2:]))
    x, y = pair[0].astype(np.float64, copy=False), pair[1].astype(np.float64, copy=False)
    gx, gy, moved = _slopes(x, y, a, b, f, g, epsilon, p)
    if reach is None:
        return Term((f, g), answer.facts["value"], (gx, gy), (f, g))
    total_a, total_b = a.sum(), b.sum()
    # The dual objective, which errors of the potentials change in second order only.
    left_a, left_b = (np.where(w > 0.0, np.exp(-h / reach), 0.0) for w, h in ((a, f), (b, g)))
    value = (
        reach * (total_a - a @ left_a + total_b - b @ left_b) - epsilon * (moved - total_a * total_b)
    )
    in_a = reach - (reach + epsilon) * left_a + epsilon * total_b
    in_b = reach - (reach + epsilon) * left_b + epsilon * total_a
    return Term((f, g), float(value), (gx, gy), (in_a, in_b))


def divergence(pair: Pair, told: Dict[str, Any]) -> Tuple[Term, Optional[Tuple[Term, Term]]]:
    """The term between two clouds, and those of each with itself if they are to be taken away."""
    x, y, a, b = pair
    between = term(pair, told)
    if not told["debias"]:
        return between, None
    return between, (term((x, x, a, a), told, True), term((y, y, b, b), told, True))


def _kernel(
    pairs: List[Pair], lines: Optional[np.ndarray], seed: int, weighted: bool, told: Dict[str, Any]
) -> List[Slopes]:
    return [_loss(pair, told) for pair in pairs]


def _loss(pair: Pair, told: Dict[str, Any]) -> Slopes:
    between, own = divergence(pair, told)
    value, points, weights = between.value, list(between.points), list(between.weights)
    if own is not None:
        value -= 0.5 * own[0].value + 0.5 * own[1].value
        for side, alone in enumerate(own):
            # Both sides of a cloud with itself move.
            points[side] = points[side] - 0.5 * (alone.points[0] + alone.points[1])
            weights[side] = weights[side] - 0.5 * (alone.weights[0] + alone.weights[1])
        if told["reach"] is not None:
            totals = [_masses(w, len(z), False).sum() for z, w in zip(pair[:2], pair[2:])]
            apart = totals[0] - totals[1]
            value += 0.5 * told["epsilon"] * apart**2
            weights = [weights[0] + told["epsilon"] * apart, weights[1] - told["epsilon"] * apart]
    # GeomLoss counts |x - y|^p / p.
    scale = 1.0 / told["p"]
    if told["reach"] is None:
        for side, given in enumerate(pair[2:]):
            # Weights are scaled to sum to one: raising all of them alike changes nothing.
            total = 1.0 if given is None else given.sum()
            shares = _masses(given, len(weights[side]), True)
            weights[side] = (weights[side] - shares @ weights[side]) / total
    return value * scale, points[0] * scale, points[1] * scale, (weights[0] * scale, weights[1] * scale)


KERNELS["sinkhorn"] = _kernel


def _masses(weights: Optional[np.ndarray], count: int, is_scaled: bool) -> np.ndarray:
    if weights is None:
        return np.full(count, 1.0 / count)
    return weights / weights.sum() if is_scaled else weights


def _slopes(
    x: np.ndarray,
    y: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    f: np.ndarray,
    g: np.ndarray,
    epsilon: float,
    p: float,
) -> Tuple[np.ndarray, np.ndarray, float]:
    """Gradients of ``sum P |x - y|^p`` in both clouds with the smooth plan held fixed, and the mass of the plan."""
    # Distances by products of matrices; without the common centre, little is lost in them.
    centre = 0.5 * (x.mean(axis=0) + y.mean(axis=0))
    x, y = x - centre, y - centre
    gx, gy, moved = np.empty_like(x), np.zeros_like(y), 0.0
    norms = (y * y).sum(axis=1)
    with np.errstate(divide="ignore"):
        log_a, log_b = np.log(a), np.log(b)
    rows = max(1, _BLOCK // len(y))
    for start in range(0, len(x), rows):
        part = slice(start, start + rows)
        squares = np.maximum((x[part] ** 2).sum(axis=1)[:, None] + norms - 2.0 * x[part] @ y.T, 0.0)
        costs = squares if p == 2.0 else squares ** (0.5 * p)
        # Potentials of points without mass may be anything; nothing goes there.
        with np.errstate(invalid="ignore"):
            exponents = (f[part, None] + g - costs) / epsilon + log_a[part, None] + log_b
        pulls = np.exp(np.where(exponents < math.log(1e300), exponents, -np.inf))
        moved += float(pulls.sum())
        if p == 2.0:
            pulls *= 2.0
        else:
            with np.errstate(divide="ignore"):
                pulls *= np.where(squares > 0.0, p * squares ** (0.5 * p - 1.0), 0.0)
        gx[part] = pulls.sum(axis=1)[:, None] * x[part] - pulls @ y
        gy += pulls.sum(axis=0)[:, None] * y - pulls.T @ x[part]
    return gx, gy, moved

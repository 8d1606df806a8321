"""Plans of any function to the line, and functions that learn."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import numpy as np
import torch
from torch import Tensor

from .. import _arrays, _swgg
from .._arrays import Callback
from ..exceptions import InputError
from ..lines import line_wasserstein
from ..result import Result
from ._tensors import array, arrays, check_kind, precision

#: Maps points ``(n, d)`` to the line, as ``(n,)`` or ``(n, 1)``.
Slicer = Callable[[Tensor], Tensor]

#: Copies of points with noise on the line, over which costs are smoothed.
_COPIES = 10_000
#: Window of ranks, as a share of all, over which means along the line are taken.
_WINDOW = 0.01


class SlicerResult(Result):
    """The plan of a function to the line: a :class:`swgg.Result` with the :attr:`slicer` and the cost of each step."""

    __slots__ = ("costs", "slicer")

    #: The function, with the best parameters that were seen.
    slicer: Any
    #: Cost of the plan (squared) before each step, and at the end.
    costs: List[float]


def min_swgg(
    x: Tensor,
    y: Tensor,
    a: Optional[Tensor] = None,
    b: Optional[Tensor] = None,
    *,
    slicer: Slicer,
    search: str = "gradient",
    steps: int = 100,
    learning_rate: float = 0.01,
    blur: float = 0.1,
    pairs: int = 8,
    radius: float = 0.1,
    seed: int = 0,
    callback: Optional[Callback] = None,
) -> SlicerResult:
    """Squared cost (``value``, not rooted) and plan of a function to the line, whose parameters are made better first.

    Points are sorted by what the function says of them and paired by rank, or by quantiles where sizes or weights differ;
    the plan is paid in the full space. Whatever the function, the cost is never below ``W_2^2``. With a linear function
    this is min-SWGG; others may bend. The function keeps the best parameters that were seen.

    Parameters
    ----------
    x, y : tensor of shape (n, d) and (m, d)
        The clouds.
    a, b : tensor of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.
    slicer : torch.nn.Module or callable
        Maps ``(n, d)`` to ``(n,)`` or ``(n, 1)``. What has no parameters is taken as it is.
    search : {"gradient", "stein"}
        How parameters descend: by the gradient of the cost smoothed along the line, as the paper does for directions,
        which needs a function that can be differentiated; or by the costs of perturbed parameters (Stein's identity),
        which needs nothing.
    steps : int
        Steps to take, by Adam.
    learning_rate : float
        Length of the steps.
    blur : float
        gradient: deviation of the noise on the line, as a share of the spread of the points there.
    pairs, radius : int, float
        stein: pairs of perturbed parameters per step, and the perturbation as a share of the size of each parameter.
    seed : int
        Of noise and perturbations.
    callback : callable, optional
        Called as ``callback(i, best)`` after each step; returning ``True`` ends the descent.

    Returns
    -------
    SlicerResult

    Examples
    --------
    >>> import torch, swgg.torch
    >>> generator = torch.Generator().manual_seed(0)
    >>> angle = 6.28 * torch.rand(200, 1, generator=generator)
    >>> ring = torch.hstack([torch.cos(angle), torch.sin(angle)])
    >>> radius = torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
    >>> found = swgg.torch.min_swgg(ring, 2.0 * ring, slicer=lambda z: torch.atan2(z[:, 1], z[:, 0]))
    >>> round(found.value, 4)
    1.0
    >>> learned = swgg.torch.min_swgg(ring, 2.0 * ring, slicer=radius, steps=5)
    >>> learned.value <= learned.costs[0]
    True
    """
    check_kind(x, "x")
    check_kind(y, "y")
    if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[1] or len(x) == 0 or len(y) == 0:
        raise InputError(f"found x of shape {tuple(x.shape)} and y of shape {tuple(y.shape)}, expected (n, d) and (m, d)")
    _arrays.function(slicer, "slicer")
    _arrays.choice(search, "search", ("gradient", "stein"))
    steps = _arrays.whole(steps, "steps", 0, 10**9)
    listener = _arrays.function(callback, "callback")
    start = time.perf_counter()
    cost = _Cost(x.detach(), y.detach(), a, b)
    parameters = [p for p in slicer.parameters() if p.requires_grad] if isinstance(slicer, torch.nn.Module) else []
    generator = torch.Generator().manual_seed(_arrays.whole(seed, "seed", 0, 2**63))
    best = cost.of(slicer)
    costs, kept, taken, stop = [best], [p.detach().clone() for p in parameters], 0, "all-tried"
    if parameters and steps:
        if search == "gradient":
            descend: Any = _Gradient(cost, _arrays.positive(blur, "blur"), generator)
        else:
            count = _arrays.whole(pairs, "pairs", 1, 10**6)
            descend = _Stein(cost, count, _arrays.positive(radius, "radius"), generator)
        adam = torch.optim.Adam(parameters, lr=_arrays.positive(learning_rate, "learning_rate"))
        for taken in range(1, steps + 1):
            adam.zero_grad(set_to_none=True)
            descend(slicer, parameters)
            adam.step()
            costs.append(cost.of(slicer))
            if costs[-1] < best:
                best, kept = costs[-1], [p.detach().clone() for p in parameters]
            if listener is not None and listener(taken, best) is True:
                stop = "interrupted"
                break
        adam.zero_grad(set_to_none=True)
        with torch.no_grad():
            for parameter, good in zip(parameters, kept):
                parameter.copy_(good)
    rows, columns, masses, value = cost.plan(slicer)
    story = f"a function to the line after {taken} steps" if taken else "a function to the line as it was given"
    # Engines know matchings as such, in the order of their sources.
    order = np.argsort(rows, kind="stable")
    is_matching = len(rows) == len(x) == len(y) and len(np.unique(rows)) == len(x) and cost.is_uniform
    plan = _swgg.Plan(
        len(x), len(y), rows[order].astype(np.uint32), columns[order].astype(np.uint32), None if is_matching else masses[order]
    )
    seconds = time.perf_counter() - start
    answer = _swgg.Answer(value, None, plan, None, "min-swgg", story, stop, taken, seconds, None, None, {})
    found = SlicerResult(answer, *cost.pair)
    found.slicer, found.costs = slicer, costs
    return found


class _Cost:
    """What the plan of a function costs."""

    def __init__(self, x: Tensor, y: Tensor, a: Any, b: Any) -> None:
        self.x, self.y = x, y
        for name, weights, cloud in (("a", a, x), ("b", b, y)):
            if weights is not None:
                check_kind(weights, name)
                if tuple(weights.shape) != (len(cloud),):
                    raise InputError(f"{name}: found shape {tuple(weights.shape)}, expected ({len(cloud)},)")
        kind = precision(x, y)
        found = arrays([x, y, a, b], [kind, kind, torch.float64, torch.float64])
        assert found[0] is not None and found[1] is not None
        self.pair = (found[0], found[1], found[2], found[3])
        self.is_uniform = found[2] is None and found[3] is None

    def line(self, slicer: Slicer, points: Tensor, name: str) -> Tensor:
        """Where the points are on the line."""
        places = slicer(points)
        if not isinstance(places, torch.Tensor) or places.numel() != len(points):
            shape = tuple(places.shape) if isinstance(places, torch.Tensor) else type(places).__name__
            raise InputError(f"slicer: found {shape} for {name}, expected a number per point: ({len(points)},)")
        return places.reshape(-1)

    def plan(self, slicer: Slicer) -> Tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Pairs, their masses, and the cost."""
        with torch.no_grad():
            u, v = (array(self.line(slicer, z, name), torch.float64) for z, name in ((self.x, "x"), (self.y, "y")))
        for name, places in (("x", u), ("y", v)):
            if not np.isfinite(places).all():
                raise InputError(f"slicer: found a place of {name} on the line that is not finite; lower learning_rate")
        x, y, a, b = self.pair
        rows, columns, masses = line_wasserstein(u, v, a, b).entries
        squares = ((x[rows].astype(np.float64) - y[columns]) ** 2).sum(axis=1)
        return rows, columns, masses, float(masses @ squares)

    def of(self, slicer: Slicer) -> float:
        """The cost alone."""
        return self.plan(slicer)[3]


class _Gradient:
    """Gradients of the cost smoothed by noise on the line.

    A piece of mass of ``x_i`` that moves up the line by ``ds`` meets targets that differ by ``dY``, and those it overtakes
    step back by as much: the cost changes by ``-2 <x_i - X, dY>``, with ``X`` and ``Y`` the means of source and target at
    that place. Noise makes the means smooth.
    """

    def __init__(self, cost: _Cost, blur: float, generator: torch.Generator) -> None:
        self.cost, self.blur, self.generator = cost, blur, generator
        x, y, a, b = cost.pair
        self.clouds = [torch.from_numpy(z.astype(np.float64)) for z in (x, y)]
        self.levels = max(_COPIES, 4 * len(x), 4 * len(y))
        self.shares = [
            torch.full((len(z),), 1.0 / len(z), dtype=torch.float64) if w is None else torch.from_numpy(w / w.sum())
            for z, w in ((x, a), (y, b))
        ]

    def __call__(self, slicer: Any, parameters: List[Tensor]) -> None:
        lines = [self.cost.line(slicer, z, name) for z, name in ((self.cost.x, "x"), (self.cost.y, "y"))]
        if not any(line.requires_grad for line in lines):
            raise InputError('slicer: found a function without gradients, expected search="stein" for it')
        slopes = self.slopes([line.detach().double().cpu() for line in lines])
        torch.autograd.backward(lines, [slope.to(line) for slope, line in zip(slopes, lines)])

    def slopes(self, lines: List[Tensor]) -> List[Tensor]:
        """The gradient in the places of both clouds on the line."""
        spread = torch.cat(lines).std(correction=0).clamp_min(1e-300)
        indices, places, means = [], [], []
        width = max(1, int(_WINDOW * self.levels))
        for line, share, cloud in zip(lines, self.shares, self.clouds):
            copies = -(-self.levels // len(line))
            who = torch.arange(len(line)).repeat(copies)
            noisy = line[who] + self.blur * spread * torch.randn(
                len(who), generator=self.generator, dtype=torch.float64
            )
            where, order = torch.sort(noisy)
            # The copy at each level of mass.
            reached = torch.cumsum(share[who[order]] / copies, 0)
            level = (torch.arange(self.levels, dtype=torch.float64) + 0.5) / self.levels
            at = torch.searchsorted(reached, level).clamp_max(len(who) - 1)
            indices.append(who[order[at]])
            places.append(where[at])
            means.append(_windowed(cloud[indices[-1]], width))
        slopes = []
        for side in (0, 1):
            other, where = means[1 - side], places[side]
            low = (torch.arange(self.levels) - width).clamp_min(0)
            high = (torch.arange(self.levels) + width).clamp_max(self.levels - 1)
            way = (other[high] - other[low]) / (where[high] - where[low]).clamp_min(1e-12 * spread)[:, None]
            beyond = self.clouds[side][indices[side]] - means[side]
            pull = -2.0 / self.levels * (beyond * way).sum(1)
            slopes.append(torch.zeros(len(lines[side]), dtype=torch.float64).index_add_(0, indices[side], pull))
        return slopes


def _windowed(rows: Tensor, width: int) -> Tensor:
    """Means of the rows within a window around each."""
    sums = torch.cat([torch.zeros(1, rows.shape[1], dtype=rows.dtype), torch.cumsum(rows, 0)])
    low = (torch.arange(len(rows)) - width).clamp_min(0)
    high = (torch.arange(len(rows)) + width + 1).clamp_max(len(rows))
    means: Tensor = (sums[high] - sums[low]) / (high - low)[:, None]
    return means


class _Stein:
    """Gradients by Stein's identity: costs of perturbed parameters, in pairs of opposite ones."""

    def __init__(self, cost: _Cost, pairs: int, radius: float, generator: torch.Generator) -> None:
        self.cost, self.pairs, self.radius, self.generator = cost, pairs, radius, generator

    def __call__(self, slicer: Any, parameters: List[Tensor]) -> None:
        middle = [p.detach().clone() for p in parameters]
        sizes = [float(p.square().mean().sqrt().clamp_min(1e-3)) * self.radius for p in middle]
        slopes = [torch.zeros_like(p) for p in middle]
        with torch.no_grad():
            for _ in range(self.pairs):
                steps = [
                    size * torch.randn(p.shape, generator=self.generator, dtype=torch.float64).to(p)
                    for size, p in zip(sizes, middle)
                ]
                found = []
                for sign in (1.0, -1.0):
                    for parameter, centre, step in zip(parameters, middle, steps):
                        parameter.copy_(centre + sign * step)
                    found.append(self.cost.of(slicer))
                for slope, step, size in zip(slopes, steps, sizes):
                    slope.add_((found[0] - found[1]) / (2.0 * self.pairs * size**2) * step)
            for parameter, centre in zip(parameters, middle):
                parameter.copy_(centre)
        for parameter, slope in zip(parameters, slopes):
            parameter.grad = slope


def save_slicer(slicer: torch.nn.Module, path: Union[str, "os.PathLike[str]"]) -> None:
    """Writes the parameters of a slicer to a file; a file that is there already is replaced at the end."""
    target = os.fspath(path)
    partial = f"{target}.partial-{os.getpid()}"
    try:
        torch.save(slicer.state_dict(), partial)
        os.replace(partial, target)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def load_slicer(slicer: torch.nn.Module, path: Union[str, "os.PathLike[str]"]) -> torch.nn.Module:
    """Reads parameters that :func:`save_slicer` wrote into a slicer of the same build, and returns it."""
    state: Dict[str, Any] = torch.load(os.fspath(path), map_location="cpu", weights_only=True)
    try:
        slicer.load_state_dict(state)
    except RuntimeError as error:
        raise InputError(f"{os.fspath(path)}: found the parameters of another slicer: {error}") from error
    return slicer

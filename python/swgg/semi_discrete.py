"""Transport from a law that can be sampled to finitely many points: prices, and lookups by price."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from ._arrays import Callback
from .exact import emd
from .exceptions import InputError, KindError, NotFittedError

#: Draws so many points of the source.
Sampler = Callable[[int], Any]

#: Up to this dimension the tree of nearest neighbours is quicker than products of matrices.
_TREE_DIMENSION = 8
#: Pairs of a query and a target that are looked at together: 32 MB.
_BLOCK = 2**22
#: Targets of the exact problem that prices begin with.
_BEGIN = 3000
#: Source points of that problem, at least.
_SAMPLE = 4000


class SemiDiscrete:
    """Transport at squared cost from a law that can be sampled to finitely many points.

    Each target has a price ``g``, and a point ``x`` of the source goes to the target where ``|x - y|^2 - g(y)`` is least:
    at the right prices every target gets its weight, and that is optimal. Prices are fitted once; after that each new
    point is looked up on its own, so that flow matching needs no batch problem. They begin with those of exact transport
    between samples, and go on by averaged stochastic ascent.

    Parameters
    ----------
    steps : int
        Steps of the ascent; 0 keeps the prices of the samples.
    batch_size : int, optional
        Source points per step (four times the targets, from 4096 to 16 384).
    learning_rate : float
        Length of the first steps, as a share of what the second best target costs more than the best.
    seed : int
        Of all that is drawn here; a sampler has a seed of its own.
    n_threads : int, optional
        All of them if left out.

    Attributes
    ----------
    prices_ : numpy.ndarray of shape (m,)
        Price of each target; those without weight have minus infinity.
    value_ : float
        The dual objective at the last source points drawn, an estimate of the squared distance (not rooted).
    error_ : float
        Half the sum of ``|share - weight|`` over targets at those points: mass that goes to the wrong target. Of this,
        about ``sqrt(m / n) / 2.5`` is the chance of ``n`` points.

    Notes
    -----
    On the line, where each target has two neighbours only, what targets at both ends pay is known last: shares are met
    long before the dual objective is. Use :func:`swgg.line_wasserstein` there.

    Examples
    --------
    >>> import numpy as np, swgg
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.normal(size=(50, 2)) + 3.0
    >>> fitted = swgg.SemiDiscrete().fit(Y)              # from standard normal points
    >>> noise = rng.normal(size=(10_000, 2))
    >>> shares = np.bincount(fitted.assign(noise), minlength=50) / 10_000
    >>> bool(np.abs(shares - 1 / 50).max() < 0.01)
    True
    """

    prices_: NDArray[np.float64]
    value_: float
    error_: float

    def __init__(
        self,
        *,
        steps: int = 200,
        batch_size: Optional[int] = None,
        learning_rate: float = 0.5,
        seed: int = 0,
        n_threads: Optional[int] = None,
    ) -> None:
        self.steps = _arrays.whole(steps, "steps", 0, 10**9)
        self.batch_size = None if batch_size is None else _arrays.whole(batch_size, "batch_size", 1, 10**9)
        self.learning_rate = _arrays.positive(learning_rate, "learning_rate")
        self.seed = _arrays.whole(seed, "seed")
        self.n_threads = _arrays.threads(n_threads)

    def fit(
        self,
        Y: Any,
        b: Any = None,
        *,
        source: Union[Sampler, Any, None] = None,
        callback: Optional[Callback] = None,
    ) -> SemiDiscrete:
        """Fits the prices of the targets.

        Parameters
        ----------
        Y : array-like of shape (m, d)
            The targets.
        b : array-like of shape (m,), optional
            Weights, scaled to sum to one; equal if left out.
        source : callable or array-like of shape (n, d), optional
            What draws ``n`` points, called as ``source(n)``; or a large sample to draw from. Standard normal points if
            left out.
        callback : callable, optional
            Called as ``callback(i, error)`` after each step with the mass that went to the wrong target; returning
            ``True`` ends the ascent with what there is.

        Returns
        -------
        self
        """
        targets = np.ascontiguousarray(_arrays.points(Y, "Y"), dtype=np.float64)
        if len(targets) == 0:
            raise InputError("Y: found no points, expected at least one")
        _refuse_holes(targets, "Y")
        weights = _arrays.weights(b, "b")
        listener = _arrays.function(callback, "callback")
        if weights is None:
            weights = np.full(len(targets), 1.0 / len(targets))
        elif len(weights) != len(targets):
            raise InputError(f"b: found {len(weights)} weights for {len(targets)} targets, expected as many")
        elif not (np.isfinite(weights).all() and (weights >= 0.0).all() and weights.sum() > 0.0):
            raise InputError("b: found weights that are negative, not finite or all zero, expected shares of the mass")
        weights = weights / weights.sum()
        random = np.random.default_rng(self.seed)
        draw = _drawing(source, targets.shape[1], random)
        self._kept = np.flatnonzero(weights > 0.0)
        self._targets, self._weights = targets[self._kept], weights[self._kept]
        prices = self._beginning(draw, random)
        prices, shares, points, least = self._ascent(prices, draw, listener)
        self._prices = prices
        self.prices_ = np.full(len(targets), -np.inf)
        self.prices_[self._kept] = prices
        self.error_ = 0.5 * float(np.abs(shares - self._weights).sum())
        self.value_ = float(least.mean() + self._weights @ prices)
        return self

    def assign(self, X: Any) -> NDArray[np.int64]:
        """The target of each point, as its row in ``Y``."""
        chosen = self._lookup(self._fitted(X), self._fitted_prices())[0]
        found: NDArray[np.int64] = self._kept[chosen]
        return found

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Where each point goes: the rows of ``Y`` at :meth:`assign`, in double precision."""
        return self._targets[self._lookup(self._fitted(X), self._fitted_prices())[0]]

    def dual(self, X: Any) -> float:
        """The dual objective of the prices at a sample: at most the squared distance between its law and the targets.

        That holds on average over samples, for whatever prices.
        """
        least = self._lookup(self._fitted(X), self._fitted_prices())[1]
        return float(least.mean() + self._weights @ self._prices)

    # How it is done.

    def _fitted_prices(self) -> NDArray[np.float64]:
        if not hasattr(self, "_prices"):
            raise NotFittedError("SemiDiscrete has no prices yet; call its fit()")
        return self._prices

    def _fitted(self, X: Any) -> NDArray[np.float64]:
        self._fitted_prices()
        points = np.ascontiguousarray(_arrays.points(X, "X"), dtype=np.float64)
        if points.shape[1] != self._targets.shape[1]:
            raise InputError(f"X: found {points.shape[1]} columns, expected {self._targets.shape[1]} as in the targets")
        _refuse_holes(points, "X")
        return points

    def _beginning(self, draw: Sampler, random: np.random.Generator) -> NDArray[np.float64]:
        """Prices of exact transport between a sample and some of the targets, extended to all of them."""
        count = len(self._targets)
        some = np.arange(count) if count <= _BEGIN else np.sort(random.choice(count, _BEGIN, replace=False))
        sample = draw(max(_SAMPLE, 2 * len(some)))
        found = emd(sample, self._targets[some], None, self._weights[some], seed=self.seed, n_threads=self.n_threads)
        if len(some) == count:
            return _centred(found.potentials[1], self._weights)
        # What a target can pay at most for the points of the sample, which pay their own potentials.
        paid, *_ = found.potentials
        prices = self._cheapest(np.ascontiguousarray(self._targets), sample, paid)[1]
        return _centred(prices, self._weights)

    def _ascent(
        self, prices: NDArray[np.float64], draw: Sampler, listener: Optional[Callback]
    ) -> Tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Prices after averaged steps; shares, points and what they pay at the last ones."""
        count = len(self._targets)
        size = self.batch_size or int(min(max(4096, 4 * count), 16_384))
        weights, mean, taken = self._weights, np.zeros(count), 0
        unit = self._unit(prices, draw(min(size, 2048)))
        for step in range(self.steps):
            shares = np.bincount(self._lookup(draw(size), prices)[0], minlength=count) / size
            # Where a step sees less than one point of a target, its relative error says little.
            trust = np.minimum(1.0, size * weights)
            error = np.clip((weights - shares) / weights, -1.0, 1.0)
            prices = prices + self.learning_rate / np.sqrt(1.0 + step) * unit * trust * error
            # The first half of the steps finds the place, the second is averaged.
            if 2 * step >= self.steps:
                taken += 1
                mean += (prices - mean) / taken
            if listener is not None and listener(step + 1, 0.5 * float(np.abs(shares - weights).sum())) is True:
                break
        prices = _centred(mean if taken else prices, weights)
        points = draw(size)
        chosen, least = self._lookup(points, prices)
        return prices, np.bincount(chosen, minlength=count) / len(points), points, least

    def _unit(self, prices: NDArray[np.float64], points: NDArray[np.float64]) -> float:
        """By how much the second best target is dearer than the best, on average: a price of that size changes shares."""
        if len(prices) == 1:
            return 0.0
        total, rows = 0.0, max(1, _BLOCK // len(prices))
        for start in range(0, len(points), rows):
            two = np.partition(self._costs(points[start : start + rows], self._targets, prices), 1, axis=1)[:, :2]
            total += float((two[:, 1] - two[:, 0]).sum())
        return total / len(points)

    def _lookup(
        self, points: NDArray[np.float64], prices: NDArray[np.float64]
    ) -> Tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The cheapest target of each point, and what it costs less its price."""
        return self._cheapest(points, self._targets, prices)

    def _cheapest(
        self, points: NDArray[np.float64], targets: NDArray[np.float64], prices: NDArray[np.float64]
    ) -> Tuple[NDArray[np.int64], NDArray[np.float64]]:
        if len(points) == 0:
            return np.empty(0, dtype=np.int64), np.empty(0)
        if targets.shape[1] <= _TREE_DIMENSION:
            # One more column, in which a target is the further away the lower its price: the cheapest is the nearest.
            lifted = np.column_stack([targets, np.sqrt(prices.max() - prices)])
            asked = np.column_stack([points, np.zeros(len(points))])
            near = _swgg.nearest(lifted, asked, 1, self.n_threads)[0][:, 0]
        else:
            near = np.empty(len(points), dtype=np.int64)
            rows = max(1, _BLOCK // len(targets))
            for start in range(0, len(points), rows):
                near[start : start + rows] = self._costs(points[start : start + rows], targets, prices).argmin(axis=1)
        least = ((points - targets[near]) ** 2).sum(axis=1) - prices[near]
        return near, least

    @staticmethod
    def _costs(
        points: NDArray[np.float64], targets: NDArray[np.float64], prices: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Costs less prices, without the part that depends on the point alone."""
        costs: NDArray[np.float64] = points @ targets.T
        costs *= -2.0
        costs += (targets * targets).sum(axis=1) - prices
        return costs


def _centred(prices: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """A constant is free: prices of mean zero."""
    centred: NDArray[np.float64] = prices - weights @ prices
    return centred


def _drawing(source: Any, dim: int, random: np.random.Generator) -> Sampler:
    """What draws points of the source, checked."""
    if source is None:
        return lambda count: random.normal(size=(count, dim))
    if callable(source) and not hasattr(source, "__array__"):

        def drawn(count: int) -> NDArray[np.float64]:
            points = np.ascontiguousarray(_arrays.points(source(count), "source"), dtype=np.float64)
            if points.shape != (count, dim):
                raise InputError(f"source: found points of shape {points.shape}, expected ({count}, {dim}) as asked for")
            _refuse_holes(points, "source")
            return points

        return drawn
    try:
        cloud = np.ascontiguousarray(_arrays.points(source, "source"), dtype=np.float64)
    except KindError as error:
        raise KindError(f"{error}; or pass a function that draws n points, as source(n)") from None
    if len(cloud) == 0 or cloud.shape[1] != dim:
        raise InputError(f"source: found shape {cloud.shape}, expected (n, {dim}) as in the targets")
    _refuse_holes(cloud, "source")
    return lambda count: cloud[random.integers(0, len(cloud), count)]


def _refuse_holes(points: NDArray[np.float64], name: str) -> None:
    bad = np.argwhere(~np.isfinite(points))
    if len(bad):
        row, column = bad[0]
        raise InputError(
            f"{name}: row {row}, column {column} (counted from 0) is not a finite number; drop the row or fill it in"
        )


__all__ = ["SemiDiscrete"]

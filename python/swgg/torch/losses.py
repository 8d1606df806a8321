"""Costs of plans and sliced distances as losses."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import numpy as np
import torch
from torch import Tensor

from .. import _arrays, _swgg
from .._registry import PLANS, settings
from ..exceptions import InputError
from ._operator import KERNELS, Pair, Slopes, values
from ._tensors import check_clouds, spread


def _centred(slope: Slopes, pair: Pair) -> Slopes:
    """Gradients in weights that are scaled to sum to one: raising all of them alike changes nothing."""
    if slope[3] is None:
        return slope
    shares = []
    for potentials, weights in zip(slope[3], pair[2:]):
        weights = np.ones(len(potentials)) if weights is None else weights
        total = weights.sum()
        shares.append((potentials - weights @ potentials / total) / total)
    return (*slope[:3], (shares[0], shares[1]))


def _plans(
    pairs: List[Pair], lines: Optional[np.ndarray], seed: int, weighted: bool, told: Dict[str, Any]
) -> List[Slopes]:
    """Costs of plans."""
    method = told["method"]
    if weighted and method not in ("exact", "min-swgg"):
        raise InputError(
            "a and b: found weights that require a gradient, which is not defined for the plans of "
            f"method={method!r}: "
            'they are not optimal; take method="exact", or detach the weights'
        )
    how = _arrays.how(False, seed, told["n_threads"])
    found = _swgg.envelope(pairs, method, settings(method, told["settings"]), weighted, how)
    return [_centred((one.value, *one.points, one.weights), pair) for one, pair in zip(found, pairs)]


def _sliced(
    pairs: List[Pair], lines: Optional[np.ndarray], seed: int, weighted: bool, told: Dict[str, Any]
) -> List[Slopes]:
    """Means over lines."""
    how = False, seed, told["n_threads"], None
    return [
        _centred(_swgg.sliced_gradient(pair, lines, told["n_projections"], told["p"], weighted, how), pair)
        for pair in pairs
    ]


KERNELS.update(plans=_plans, sliced=_sliced)


class _Loss(torch.nn.Module):
    """What the losses share: checks of tensors, batches, and reductions."""

    def __init__(self, reduction: str, seed: Optional[int], n_threads: Optional[int]) -> None:
        super().__init__()
        self.reduction = _arrays.choice(reduction, "reduction", ("mean", "sum", "none"))
        self.seed = None if seed is None else _arrays.whole(seed, "seed")
        self.n_threads = _arrays.threads(n_threads)

    def forward(self, x: Tensor, y: Tensor, a: Optional[Tensor] = None, b: Optional[Tensor] = None) -> Tensor:
        """The loss of clouds ``(n, d)`` and ``(m, d)``, or of a batch ``(B, n, d)`` and ``(B, m, d)``."""
        check_clouds(x, y)
        kind = torch.promote_types(x.dtype, y.dtype)
        is_batch = x.ndim == 3
        if not is_batch:
            x, y = x[None], y[None]
        x, y = x.to(kind), y.to(kind)
        a = None if a is None else spread(a, "a", x)
        b = None if b is None else spread(b, "b", y)
        # Drawn by PyTorch's generator where no number was given, at each call.
        seed = torch.randint(2**62, (), dtype=torch.int64) if self.seed is None else None
        each = values(x, y, a, b, self._asked(), lines=self._lines(), seed=seed)
        if not is_batch:
            return each[0]
        if self.reduction == "none":
            return each
        return each.mean() if self.reduction == "mean" else each.sum()

    def _asked(self) -> str:
        """What the operator is asked, as text; of plain values only, so that ``torch.compile`` can follow."""
        raise NotImplementedError

    def _lines(self) -> Optional[Tensor]:
        """Directions, where they were given."""
        return None

    def extra_repr(self) -> str:
        """The settings, as PyTorch prints them."""
        settings = {name: value for name, value in vars(self).items() if name[0] != "_" and name != "training"}
        return ", ".join(f"{name}={value!r}" for name, value in settings.items())


class _PlanLoss(_Loss):
    """Losses that are costs of plans."""

    method: str

    def _asked(self) -> str:
        told = self._settings()
        return (
            f"{{'kernel': 'plans', 'method': {self.method!r}, 'settings': {told!r}, 'seed': {self.seed!r}, "
            f"'n_threads': {self.n_threads!r}}}"
        )

    def _settings(self) -> Dict[str, Any]:
        raise NotImplementedError

    def _check(self) -> None:
        """Refuses settings now rather than at the first loss: a batch of no pairs is done at once."""
        told = settings(self.method, self._settings())
        for name in self._settings():
            # As plain numbers, whatever kind they came in.
            setattr(self, name, told.get(name))
        _swgg.envelope([], self.method, told, False, _arrays.how())


class SolveLoss(_PlanLoss):
    """Squared transport cost: that of the plan of :func:`swgg.solve`, as a loss.

    Gradients in the points are ``2 a_i (x_i - T(x_i))`` with ``T`` the barycentric map. Those in the weights, which
    are scaled to sum to one, are the dual potentials of exact transport; they are there for ``method="exact"`` only.

    Parameters
    ----------
    method, effort, time_limit, n_threads
        As in :func:`swgg.solve`.
    seed : int, optional
        None draws a new one from PyTorch's generator at each call.
    reduction : {"mean", "sum", "none"}
        What becomes of the losses of a batch; ``"none"`` returns all of them.

    Examples
    --------
    >>> import torch
    >>> from swgg.torch import SolveLoss
    >>> x = torch.zeros(5, 40, 3, requires_grad=True)
    >>> SolveLoss(reduction="none")(x, torch.ones(5, 40, 3)).tolist()
    [3.0, 3.0, 3.0, 3.0, 3.0]
    """

    def __init__(
        self,
        method: str = "auto",
        *,
        effort: Optional[int] = None,
        time_limit: Optional[float] = None,
        seed: Optional[int] = 0,
        n_threads: Optional[int] = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction, seed, n_threads)
        self.method = _arrays.choice(method, "method", PLANS)
        self.effort = effort
        self.time_limit = _arrays.seconds(time_limit, "time_limit")
        self._check()

    def _settings(self) -> Dict[str, Any]:
        return {"effort": self.effort, "time_limit": self.time_limit}


class MinSWGGLoss(_PlanLoss):
    """Squared min-SWGG: the cost of the plan of the best single line, as a loss.

    Gradients are those of the plan of the best line found. In the weights they are there wherever the plan holds all
    points together, which it does not with equal weights and sizes.

    Parameters
    ----------
    n_projections : int, optional
        Random lines to try; if left out, the search recommended for the dimension is used.
    seed : int, optional
        None draws a new one from PyTorch's generator at each call.
    n_threads, reduction
        As in :class:`SolveLoss`.

    Examples
    --------
    >>> import torch
    >>> from swgg.torch import MinSWGGLoss
    >>> x = torch.arange(12.0).reshape(6, 2).requires_grad_()
    >>> MinSWGGLoss(n_projections=50)(x, x.detach() + 1.0).item()
    2.0
    """

    def __init__(
        self,
        n_projections: Optional[int] = None,
        *,
        seed: Optional[int] = 0,
        n_threads: Optional[int] = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction, seed, n_threads)
        self.method = "min-swgg"
        self.n_projections = n_projections
        self._check()

    def _settings(self) -> Dict[str, Any]:
        return {"n_projections": self.n_projections}


class SlicedWassersteinLoss(_Loss):
    """Sliced Wasserstein distance to the power ``p`` (not rooted): the mean of ``W_p^p`` over lines, as a loss.

    Gradients in the weights, which are scaled to sum to one, are the dual potentials along the lines, averaged.

    Parameters
    ----------
    n_projections : int
        How many random lines.
    p : float
        The exponent, 1 or more.
    projections : tensor or array of shape (d, L), optional
        Directions to use instead, one per column; their lengths do not matter.
    seed : int, optional
        With a number, 0 unless said otherwise, every call uses the same lines. None draws new ones from PyTorch's
        generator at each call, which is what training over many steps wants.
    n_threads, reduction
        As in :class:`SolveLoss`.

    Examples
    --------
    >>> import torch
    >>> from swgg.torch import SlicedWassersteinLoss
    >>> x = torch.zeros(10, 2, requires_grad=True)
    >>> loss = SlicedWassersteinLoss(projections=[[1.0, 0.0], [0.0, 1.0]])(x, torch.full((10, 2), 3.0))
    >>> loss.backward()
    >>> loss.item(), x.grad[0]
    (9.0, tensor([-0.3000, -0.3000]))
    """

    def __init__(
        self,
        n_projections: int = 200,
        *,
        p: float = 2.0,
        projections: Any = None,
        seed: Optional[int] = 0,
        n_threads: Optional[int] = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction, seed, n_threads)
        self.n_projections = _arrays.whole(n_projections, "n_projections", 1, 2**40)
        self.p = _arrays.number(p, "p")
        if self.p < 1.0:
            raise InputError(f"p: found {self.p}, expected an exponent of 1 or more")
        # The engine has one direction per row.
        given = None if projections is None else _arrays.matrix(projections, "projections")
        self.projections = None if given is None else np.ascontiguousarray(given.T)
        self._rows = None if self.projections is None else torch.from_numpy(self.projections)

    def _asked(self) -> str:
        return (
            f"{{'kernel': 'sliced', 'n_projections': {self.n_projections!r}, 'p': {self.p!r}, 'seed': {self.seed!r}, "
            f"'n_threads': {self.n_threads!r}}}"
        )

    def _lines(self) -> Optional[Tensor]:
        return self._rows

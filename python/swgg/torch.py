"""Losses for PyTorch with gradients in both clouds, and couplings of minibatches for flow matching.

Needs PyTorch, which nothing else of swgg does. Plans are computed in main memory: tensors on another device are copied
there, and gradients back. Gradients hold the plan fixed, which is exact wherever a small move of the points does not
change it. They cannot be differentiated again.

>>> import torch
>>> from swgg.torch import SolveLoss
>>> x = torch.tensor([[0.0, 0.0], [1.0, 0.0]], requires_grad=True)
>>> loss = SolveLoss()(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
>>> loss.backward()
>>> loss.item(), x.grad
(1.0, tensor([[ 0., -1.],
        [ 0., -1.]]))
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _arrays, _swgg
from ._registry import PLANS, settings
from .batch import solve_batch
from .exceptions import InputError, KindError, MissingPackageError

try:
    import torch
    from torch import Tensor
except ImportError as error:
    raise MissingPackageError("swgg.torch needs PyTorch (pip install torch); swgg itself works without") from error

#: A pair as the engine reads it: clouds and weights.
Pair = Tuple[np.ndarray, np.ndarray, Optional[np.ndarray], Optional[np.ndarray]]
#: Value, gradients in both clouds, and potentials if they were asked for.
Slopes = Tuple[float, np.ndarray, np.ndarray, Optional[Tuple[np.ndarray, np.ndarray]]]


class _Envelope(torch.autograd.Function):
    """Values of a batch of pairs; their gradients are known as soon as the values are."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, y: Tensor, a: Optional[Tensor], b: Optional[Tensor], slopes: Callable[..., List[Slopes]]
    ) -> Tensor:
        clouds = [_numbers(x, np.float64 if x.dtype == torch.float64 else np.float32) for x in (x, y)]
        masses = [None if w is None else _numbers(w, np.float64) for w in (a, b)]
        pairs = [
            (clouds[0][k], clouds[1][k], *(None if w is None else w[k] for w in masses)) for k in range(len(clouds[0]))
        ]
        weighted = any(ctx.needs_input_grad[2:4])
        found = slopes(pairs, weighted)
        saved: List[Optional[Tensor]] = [_tensor([slope[side] for slope in found], (x, y)[side - 1]) for side in (1, 2)]
        for side, given in enumerate((a, b)):
            if given is None or not ctx.needs_input_grad[2 + side]:
                saved.append(None)
                continue
            centred = []
            for slope, pair in zip(found, pairs):
                potentials, weights = slope[3], pair[2 + side]
                assert potentials is not None and weights is not None
                # Weights are scaled to sum to one, so that raising all of them alike changes nothing.
                total = weights.sum()
                centred.append((potentials[side] - weights @ potentials[side] / total) / total)
            saved.append(_tensor(centred, given))
        ctx.save_for_backward(*saved, x, y, a, b)
        return _tensor([slope[0] for slope in found], x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], ...]:
        slopes, inputs = ctx.saved_tensors[:4], ctx.saved_tensors[4:]
        gradients: List[Optional[Tensor]] = []
        for slope, given, is_wanted in zip(slopes, inputs, ctx.needs_input_grad):
            if slope is None or not is_wanted:
                gradients.append(None)
                continue
            gradient = slope * grad.reshape(-1, *[1] * (slope.ndim - 1)).to(slope)
            # Somebody who goes on to differentiate must not find that gradients are constant.
            gradients.append(_Once.apply(gradient, given) if torch.is_grad_enabled() else gradient)
        return (*gradients, None)


class _Once(torch.autograd.Function):
    """A gradient that refuses to be differentiated in what it was taken in."""

    @staticmethod
    def forward(ctx: Any, gradient: Tensor, given: Tensor) -> Tensor:
        return gradient.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], ...]:
        raise InputError(
            "losses of swgg.torch can be differentiated once; found a second derivative, such as that of a "
            "gradient penalty"
        )


def _numbers(tensor: Tensor, kind: Any) -> np.ndarray:
    wide = torch.float64 if kind is np.float64 else torch.float32
    return np.ascontiguousarray(tensor.detach().to(device="cpu", dtype=wide).numpy())


def _tensor(rows: List[Any], like: Tensor) -> Tensor:
    """Rows as one tensor of the same precision, on the same device."""
    return torch.as_tensor(np.asarray(rows, dtype=np.float64)).to(device=like.device, dtype=like.dtype)


class _Loss(torch.nn.Module):
    """What the losses share: checks of tensors, batches, and reductions."""

    def __init__(self, reduction: str, seed: Optional[int], n_threads: Optional[int]) -> None:
        super().__init__()
        self.reduction = _arrays.choice(reduction, "reduction", ("mean", "sum", "none"))
        self.seed = None if seed is None else _arrays.whole(seed, "seed")
        self.n_threads = _arrays.threads(n_threads)

    def forward(self, x: Tensor, y: Tensor, a: Optional[Tensor] = None, b: Optional[Tensor] = None) -> Tensor:
        """The loss of clouds ``(n, d)`` and ``(m, d)``, or of a batch ``(B, n, d)`` and ``(B, m, d)``."""
        for name, tensor in (("x", x), ("y", y)):
            _check_kind(tensor, name)
            if tensor.ndim not in (2, 3):
                raise InputError(
                    f"{name}: found shape {tuple(tensor.shape)}, expected (n, d), or (B, n, d) for a batch"
                )
        if x.ndim != y.ndim or x.shape[-1] != y.shape[-1] or (x.ndim == 3 and x.shape[0] != y.shape[0]):
            raise InputError(
                f"found x of shape {tuple(x.shape)} and y of shape {tuple(y.shape)}; both must have as many "
                "columns, and batches as many clouds"
            )
        if x.device != y.device:
            raise InputError(f"found x on {x.device} and y on {y.device}, expected one device")
        kind = torch.promote_types(x.dtype, y.dtype)
        is_batch = x.ndim == 3
        if not is_batch:
            x, y = x[None], y[None]
        masses = [
            None if w is None else _spread(w, name, cloud)
            for w, name, cloud in ((a, "a", x), (b, "b", y))
        ]
        values: Tensor = _Envelope.apply(x.to(kind), y.to(kind), *masses, self._slopes)
        if not is_batch:
            return values[0]
        if self.reduction == "none":
            return values
        return values.mean() if self.reduction == "mean" else values.sum()

    def _drawn_seed(self) -> int:
        """The seed, or a new one of PyTorch's generator at each call."""
        return int(torch.randint(2**62, (1,)).item()) if self.seed is None else self.seed

    def _slopes(self, pairs: List[Pair], weighted: bool) -> List[Slopes]:
        raise NotImplementedError

    def extra_repr(self) -> str:
        """The settings, as PyTorch prints them."""
        settings = {name: value for name, value in vars(self).items() if name[0] != "_" and name != "training"}
        return ", ".join(f"{name}={value!r}" for name, value in settings.items())


def _check_kind(tensor: Any, name: str) -> None:
    if not isinstance(tensor, torch.Tensor):
        raise KindError(f"{name}: found {type(tensor).__name__}, expected a tensor; swgg.solve() takes arrays")
    if tensor.layout != torch.strided:
        raise KindError(f"{name}: found a tensor of layout {tensor.layout}, expected a dense one; call its to_dense()")
    if not tensor.dtype.is_floating_point:
        raise KindError(f"{name}: found a tensor of {tensor.dtype}, expected floating point numbers")


def _spread(weights: Any, name: str, clouds: Tensor) -> Tensor:
    """Weights of each cloud of a batch; those of one cloud are shared by all."""
    _check_kind(weights, name)
    wanted = (clouds.shape[0], clouds.shape[1])
    if tuple(weights.shape) not in (wanted, wanted[1:]):
        raise InputError(
            f"{name}: found weights of shape {tuple(weights.shape)}, expected {wanted[1:]}, or {wanted} for a "
            "batch"
        )
    spread: Tensor = weights.expand(wanted)
    return spread


class _PlanLoss(_Loss):
    """Losses that are costs of plans."""

    method: str

    def _settings(self) -> Dict[str, Any]:
        raise NotImplementedError

    def _check(self) -> None:
        """Refuses settings now rather than at the first loss: a batch of no pairs is done at once."""
        _swgg.envelope([], self.method, self._settings(), False, _arrays.how())

    def _slopes(self, pairs: List[Pair], weighted: bool) -> List[Slopes]:
        if weighted and self.method not in ("exact", "min-swgg"):
            raise InputError(
                "a and b: found weights that require a gradient, which is not defined for the plans of "
                f"method={self.method!r}: "
                'they are not optimal; take method="exact", or detach the weights'
            )
        how = _arrays.how(False, self._drawn_seed(), self.n_threads)
        found = _swgg.envelope(pairs, self.method, self._settings(), weighted, how)
        return [(one.value, *one.points, one.weights) for one in found]


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
    >>> SolveLoss(reduction="none")(x, torch.ones(5, 40, 3))
    tensor([3., 3., 3., 3., 3.], grad_fn=<_EnvelopeBackward>)
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
        return settings(self.method, {"effort": self.effort, "time_limit": self.time_limit})


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
        return settings(self.method, {"n_projections": self.n_projections})


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

    def _slopes(self, pairs: List[Pair], weighted: bool) -> List[Slopes]:
        how = False, self._drawn_seed(), self.n_threads, None
        return [
            _swgg.sliced_gradient(pair, self.projections, self.n_projections, self.p, weighted, how) for pair in pairs
        ]


def couple(
    x0: Tensor,
    x1: Tensor,
    *,
    method: str = "auto",
    effort: Optional[int] = None,
    seed: int = 0,
    n_threads: Optional[int] = None,
    return_permutation: bool = False,
) -> Union[Tuple[Tensor, Tensor], Tuple[Tensor, Tensor, Tensor]]:
    """A minibatch coupled by transport at squared cost, for flow matching: the pair ``(x0, x1[permutation])``.

    Each sample of ``x0`` is paired with one of ``x1``, so that the pairs are close together. The matching is a choice,
    and nothing is differentiated through it.

    Parameters
    ----------
    x0, x1 : tensor of shape (B, ...)
        As many samples, of any one shape: images are compared pixel by pixel.
    method, effort, seed, n_threads
        As in :func:`swgg.solve`.
    return_permutation : bool
        Whether to return the permutation as well, to carry labels along.

    Returns
    -------
    x0, x1[permutation] : tensor
    permutation : tensor of whole numbers
        Only if asked for.

    Examples
    --------
    >>> import torch
    >>> from swgg.torch import couple
    >>> noise, data = torch.tensor([[0.0], [5.0], [1.0]]), torch.tensor([[7.0], [8.0], [9.0]])
    >>> couple(noise, data)[1]
    tensor([[7.],
            [9.],
            [8.]])
    """
    for name, tensor in (("x0", x0), ("x1", x1)):
        _check_kind(tensor, name)
        if tensor.ndim == 0 or tensor.shape[0] == 0:
            raise InputError(f"{name}: found shape {tuple(tensor.shape)}, expected samples along the first axis")
    if x0.shape != x1.shape:
        raise InputError(
            f"found x0 of shape {tuple(x0.shape)} and x1 of shape {tuple(x1.shape)}, expected the same; one "
            "to one needs as many samples"
        )
    kind = np.float64 if torch.promote_types(x0.dtype, x1.dtype) == torch.float64 else np.float32
    flat = [_numbers(tensor.reshape(len(tensor), -1), kind) for tensor in (x0, x1)]
    (result,) = solve_batch(
        flat[:1], flat[1:], method=method, effort=effort, seed=seed, n_threads=n_threads, bounds=False
    )
    permutation = torch.as_tensor(result.permutation, device=x1.device)
    coupled = x1[permutation]
    return (x0, coupled, permutation) if return_permutation else (x0, coupled)


__all__ = ["MinSWGGLoss", "SlicedWassersteinLoss", "SolveLoss", "couple"]

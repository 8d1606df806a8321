"""The operator behind the losses, ``torch.ops.swgg.loss``: values of a batch of pairs and their gradients, in one go.

PyTorch sees one operator with tensors in and tensors out, so that ``torch.compile`` has nothing to break at; gradients
are known as soon as values are, and are outputs of it.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np
import torch
from torch import Tensor

from ..exceptions import InputError
from ._tensors import arrays, precision, tensor_of

#: A pair as the engine reads it: clouds and weights.
Pair = Tuple[np.ndarray, np.ndarray, Optional[np.ndarray], Optional[np.ndarray]]
#: Value, gradients in both clouds, and in both weights if they were asked for.
Slopes = Tuple[float, np.ndarray, np.ndarray, Optional[Tuple[np.ndarray, np.ndarray]]]
#: What computes a loss: pairs, directions if some were given, the seed, whether gradients in the weights are wanted, and
#: the settings.
Kernel = Callable[[List[Pair], Optional[np.ndarray], int, bool, Dict[str, Any]], List[Slopes]]
#: Values, gradients in both clouds, in both weights.
OperatorOutput = Tuple[Tensor, Tensor, Tensor, Tensor, Tensor]

#: What the operator may be asked, by name.
KERNELS: Dict[str, Kernel] = {}


@lru_cache(maxsize=256)
def _read(asked: str) -> Dict[str, Any]:
    found: Dict[str, Any] = ast.literal_eval(asked)
    return found


@torch.library.custom_op(
    "swgg::loss",
    mutates_args=(),
    schema="(Tensor x, Tensor y, Tensor? a, Tensor? b, Tensor? lines, Tensor? seed, str asked, bool weighted) "
    "-> (Tensor, Tensor, Tensor, Tensor, Tensor)",
)
def loss(
    x: Tensor,
    y: Tensor,
    a: Optional[Tensor],
    b: Optional[Tensor],
    lines: Optional[Tensor],
    seed: Optional[Tensor],
    asked: str,
    weighted: bool,
) -> OperatorOutput:
    """Values of a batch ``(B, n, d)`` and ``(B, m, d)``, and gradients; those of weights are empty unless ``weighted``.

    ``asked`` is a dictionary of plain values in Python's own notation: the ``kernel``, its ``seed`` unless a tensor holds
    one, and its settings.
    """
    told = dict(_read(asked))
    kernel, fixed = KERNELS[told.pop("kernel")], told.pop("seed", None)
    kind = precision(x, y)
    clouds = arrays([x, y, a, b, lines], [kind, kind, torch.float64, torch.float64, torch.float64])
    first, second, directions = clouds[0], clouds[1], clouds[4]
    assert first is not None and second is not None
    pairs: List[Pair] = [
        (first[k], second[k], *(None if w is None else w[k] for w in clouds[2:4])) for k in range(len(first))
    ]
    found = kernel(pairs, directions, int(seed.item()) if seed is not None else int(fixed or 0), weighted, told)
    masses = []
    for side, given in enumerate((a, b)):
        if given is None or not weighted:
            masses.append(x.new_empty((0,)))
            continue
        masses.append(tensor_of([slope[3][side] for slope in found if slope[3] is not None], given))
    return (
        tensor_of([slope[0] for slope in found], x),
        tensor_of([slope[1] for slope in found], x).reshape(x.shape),
        tensor_of([slope[2] for slope in found], y).reshape(y.shape),
        masses[0],
        masses[1],
    )


@loss.register_fake
def _shapes(
    x: Tensor,
    y: Tensor,
    a: Optional[Tensor],
    b: Optional[Tensor],
    lines: Optional[Tensor],
    seed: Optional[Tensor],
    asked: str,
    weighted: bool,
) -> Tuple[Tensor, ...]:
    masses = [x.new_empty((0,)) if w is None or not weighted else w.new_empty(w.shape) for w in (a, b)]
    return x.new_empty(x.shape[:1]), x.new_empty(x.shape), y.new_empty(y.shape), *masses


@loss.register_vmap
def _many(info: Any, in_dims: Tuple[Optional[int], ...], *given: Any) -> Tuple[Any, Any]:
    """A batch of batches is one longer batch, unless each has directions or a seed of its own."""
    count = info.batch_size
    tensors, told = given[:6], given[6:]

    def part(tensor: Optional[Tensor], axis: Optional[int], k: int) -> Optional[Tensor]:
        return tensor if tensor is None or axis is None else tensor.select(axis, k)

    def folded(tensor: Optional[Tensor], axis: Optional[int]) -> Optional[Tensor]:
        if tensor is None:
            return None
        moved = tensor.expand(count, *tensor.shape) if axis is None else tensor.movedim(axis, 0)
        return moved.reshape(count * moved.shape[1], *moved.shape[2:])

    if in_dims[4] is not None or in_dims[5] is not None:
        each = [loss(*(part(t, axis, k) for t, axis in zip(tensors, in_dims)), *told) for k in range(count)]
        return tuple(torch.stack(column) for column in zip(*each)), (0,) * 5
    inner = tensors[0].ndim - (in_dims[0] is not None)
    assert inner == 3
    found = loss(*(folded(t, axis) for t, axis in zip(tensors[:4], in_dims)), *tensors[4:], *told)
    # Gradients that nobody asked for are empty, and the same for all.
    outs = [t.reshape(count, -1, *t.shape[1:]) if t.numel() or t.ndim > 1 else t for t in found]
    return tuple(outs), tuple(0 if t.numel() or t.ndim > 1 else None for t in found)


class _Slope(torch.autograd.Function):
    """A gradient that refuses to be differentiated in what it was taken in."""

    generate_vmap_rule = True

    @staticmethod
    def forward(slope: Tensor, grad: Tensor, given: Tensor) -> Tensor:
        return slope * grad.reshape(-1, *[1] * (slope.ndim - 1)).to(slope.dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], ...]:
        raise InputError(
            "losses of swgg.torch can be differentiated once; found a second derivative, such as that of a "
            "gradient penalty"
        )


def _keep(ctx: Any, inputs: Tuple[Any, ...], output: OperatorOutput) -> None:
    ctx.mark_non_differentiable(*output[1:])
    ctx.save_for_backward(*output[1:], *inputs[:4])
    ctx.set_materialize_grads(False)


def _backward(ctx: Any, grad: Optional[Tensor], *_: Any) -> Tuple[Optional[Tensor], ...]:
    slopes, inputs = ctx.saved_tensors[:4], ctx.saved_tensors[4:]
    gradients: List[Optional[Tensor]] = []
    for slope, given, is_wanted in zip(slopes, inputs, ctx.needs_input_grad):
        if grad is None or given is None or not is_wanted:
            gradients.append(None)
            continue
        if slope.shape != given.shape:
            raise InputError("weights require a gradient, and torch.ops.swgg.loss was called without weighted=True")
        # Somebody who goes on to differentiate must not find that gradients are constant.
        gradients.append(_Slope.apply(slope, grad, given))
    return (*gradients, None, None, None, None)


loss.register_autograd(_backward, setup_context=_keep)


class _Transformed(torch.autograd.Function):
    """The same for ``torch.func``, which does not know the gradients of operators."""

    generate_vmap_rule = True

    @staticmethod
    def forward(*given: Any) -> Any:
        return loss(*given)

    setup_context = staticmethod(_keep)
    backward = staticmethod(_backward)


def values(
    x: Tensor,
    y: Tensor,
    a: Optional[Tensor],
    b: Optional[Tensor],
    asked: str,
    *,
    lines: Optional[Tensor] = None,
    seed: Optional[Tensor] = None,
) -> Tensor:
    """What a batch of pairs costs, with gradients in clouds and weights."""
    weighted = torch.is_grad_enabled() and any(w is not None and w.requires_grad for w in (a, b))
    call = _Transformed.apply if torch._C._are_functorch_transforms_active() else loss
    found: Tensor = call(x, y, a, b, lines, seed, asked, weighted)[0]
    return found

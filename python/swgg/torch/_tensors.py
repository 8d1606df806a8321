"""Tensors on their way to the engine, which reads main memory, and back."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np
import torch
from torch import Tensor

from ..exceptions import InputError, KindError


def check_kind(tensor: Any, name: str) -> None:
    """Refuses what is not a dense tensor of floating point numbers."""
    if not isinstance(tensor, torch.Tensor):
        raise KindError(f"{name}: found {type(tensor).__name__}, expected a tensor; swgg.solve() takes arrays")
    if tensor.layout != torch.strided:
        raise KindError(f"{name}: found a tensor of layout {tensor.layout}, expected a dense one; call its to_dense()")
    if not tensor.dtype.is_floating_point:
        raise KindError(f"{name}: found a tensor of {tensor.dtype}, expected floating point numbers")


def check_samples(tensor: Any, name: str) -> None:
    """Refuses what has no samples along its first axis."""
    check_kind(tensor, name)
    if tensor.ndim == 0 or tensor.shape[0] == 0:
        raise InputError(f"{name}: found shape {tuple(tensor.shape)}, expected samples along the first axis")


def check_clouds(x: Any, y: Any) -> None:
    """Refuses what is neither two clouds nor two batches of as many clouds."""
    for name, tensor in (("x", x), ("y", y)):
        check_kind(tensor, name)
        if tensor.ndim not in (2, 3):
            raise InputError(f"{name}: found shape {tuple(tensor.shape)}, expected (n, d), or (B, n, d) for a batch")
    if x.ndim != y.ndim or x.shape[-1] != y.shape[-1] or (x.ndim == 3 and x.shape[0] != y.shape[0]):
        raise InputError(
            f"found x of shape {tuple(x.shape)} and y of shape {tuple(y.shape)}; both must have as many "
            "columns, and batches as many clouds"
        )
    if x.device != y.device:
        raise InputError(f"found x on {x.device} and y on {y.device}, expected one device")


def spread(weights: Any, name: str, clouds: Tensor) -> Tensor:
    """Weights of each cloud of a batch; those of one cloud are shared by all."""
    check_kind(weights, name)
    wanted = (clouds.shape[0], clouds.shape[1])
    if tuple(weights.shape) not in (wanted, wanted[1:]):
        raise InputError(
            f"{name}: found weights of shape {tuple(weights.shape)}, expected {wanted[1:]}, or {wanted} for a "
            "batch"
        )
    whole: Tensor = weights.expand(wanted)
    return whole


def precision(*tensors: Tensor) -> Any:
    """The precision the engine computes in: double if a tensor is, otherwise single; halves fit in there."""
    return torch.float64 if any(tensor.dtype == torch.float64 for tensor in tensors) else torch.float32


def arrays(tensors: Sequence[Optional[Tensor]], kinds: Sequence[Any]) -> List[Optional[np.ndarray]]:
    """Tensors as contiguous arrays of given precisions.

    Those of a graphics card are all sent off first and waited for once.
    """
    sent: List[Optional[Tensor]] = []
    away = set()
    for tensor, kind in zip(tensors, kinds):
        if tensor is None:
            sent.append(None)
            continue
        is_away = tensor.device.type == "cuda"
        if is_away:
            away.add(tensor.device)
        sent.append(tensor.detach().to(device="cpu", dtype=kind, non_blocking=is_away))
    for device in away:
        torch.cuda.current_stream(device).synchronize()
    return [None if tensor is None else np.ascontiguousarray(tensor.numpy()) for tensor in sent]


def array(tensor: Tensor, kind: Any) -> np.ndarray:
    """One tensor as a contiguous array."""
    (found,) = arrays([tensor], [kind])
    assert found is not None
    return found


def tensor_of(rows: Sequence[Any], like: Tensor) -> Tensor:
    """Rows as one new tensor of the same precision, on the same device."""
    made = torch.tensor(np.asarray(rows, dtype=np.float64), dtype=like.dtype)
    return made.to(device=like.device, non_blocking=True)

"""Minibatches coupled by transport."""

from __future__ import annotations

from typing import Optional, Tuple, Union

import torch
from torch import Tensor

from ..batch import solve_batch
from ..exceptions import InputError
from ._tensors import array, check_samples, precision


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
    check_samples(x0, "x0")
    check_samples(x1, "x1")
    if x0.shape != x1.shape:
        raise InputError(
            f"found x0 of shape {tuple(x0.shape)} and x1 of shape {tuple(x1.shape)}, expected the same; one "
            "to one needs as many samples"
        )
    kind = precision(x0, x1)
    flat = [array(tensor.reshape(len(tensor), -1), kind) for tensor in (x0, x1)]
    (result,) = solve_batch(
        flat[:1], flat[1:], method=method, effort=effort, seed=seed, n_threads=n_threads, bounds=False
    )
    permutation = torch.as_tensor(result.permutation, device=x1.device)
    coupled = x1[permutation]
    return (x0, coupled, permutation) if return_permutation else (x0, coupled)

"""Sinkhorn along the pairs of sparse plans: linear in their number, differentiable."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import Tensor

from .. import _arrays
from ..exceptions import InputError
from ..solvers import solve
from ._tensors import arrays, check_clouds, precision, spread


class SparseSinkhorn(NamedTuple):
    """Entropic transport along some pairs."""

    #: The entropic objective ``sum P c + epsilon KL(P | a b^T)`` over the pairs (squared, not rooted), with gradients.
    value: Tensor
    #: Source and target of each pair.
    rows: Tensor
    columns: Tensor
    #: The mass of each pair.
    masses: Tensor
    #: Potentials of source and target.
    potentials: Tuple[Tensor, Tensor]
    #: How much of the source weights is missed, in all; those of the target are met.
    error: float


def sparse_support(
    x: Tensor,
    y: Tensor,
    a: Optional[Tensor] = None,
    b: Optional[Tensor] = None,
    *,
    k: int = 16,
    seed: int = 0,
    n_threads: Optional[int] = None,
) -> Tuple[Tensor, Tensor]:
    """Pairs of points worth looking at, ``(rows, columns)``: those of the plan of many lines, and of ``k`` single lines.

    At most about ``(k + 1) (n + m)`` of them. Since plans are among them, both weights can be met along them.

    >>> import torch
    >>> from swgg.torch import sparse_support
    >>> rows, columns = sparse_support(torch.randn(100, 3), torch.randn(100, 3), k=4)
    >>> 100 <= len(rows) <= 500
    True
    """
    check_clouds(x, y)
    if x.ndim != 2:
        raise InputError(f"x: found shape {tuple(x.shape)}, expected (n, d): one pair of clouds")
    lines = _arrays.whole(k, "k", 0, 10**6)
    kind = precision(x, y)
    first, second, *weights = arrays([x, y, a, b], [kind, kind, torch.float64, torch.float64])
    how: Dict[str, Any] = {"seed": seed, "n_threads": n_threads, "bounds": False}
    plans = [solve(first, second, *weights, **how)]
    if lines:
        # All lines count alike.
        plans.append(solve(first, second, *weights, method="expected-sliced", n_projections=lines, beta=0.0, **how))
    pairs = np.concatenate([plan.entries[0] * len(y) + plan.entries[1] for plan in plans])
    rows, columns = np.divmod(np.unique(pairs), len(y))
    return torch.as_tensor(rows, device=x.device), torch.as_tensor(columns, device=x.device)


def sparse_sinkhorn(
    x: Tensor,
    y: Tensor,
    a: Optional[Tensor] = None,
    b: Optional[Tensor] = None,
    *,
    epsilon: float,
    support: Optional[Tuple[Tensor, Tensor]] = None,
    k: int = 16,
    max_iter: int = 1000,
    tolerance: float = 1e-6,
    seed: int = 0,
    n_threads: Optional[int] = None,
) -> SparseSinkhorn:
    """Entropic transport restricted to some pairs, at squared cost (``value``, not rooted), with gradients.

    A step takes time and memory in proportion to the number of pairs. Never below entropic transport between all pairs.
    Gradients, in clouds and weights, hold the pairs fixed; they are exact where iterations have converged.

    Parameters
    ----------
    x, y : tensor of shape (n, d) and (m, d)
        The clouds.
    a, b : tensor of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.
    epsilon : float
        The weight of the entropy, in the units of costs.
    support : pair of tensors, optional
        Sources and targets of the pairs; those of :func:`sparse_support` with ``k`` lines if left out.
    max_iter, tolerance
        Most iterations, and how much of the source weights may be missed in all.
    k, seed, n_threads
        As in :func:`sparse_support`.

    Examples
    --------
    >>> import torch
    >>> from swgg.torch import sparse_sinkhorn
    >>> x = torch.tensor([[0.0, 0.0], [1.0, 0.0]], requires_grad=True)
    >>> found = sparse_sinkhorn(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]), epsilon=0.01)
    >>> found.value.backward()
    >>> torch.allclose(x.grad, torch.tensor([[0.0, -1.0], [0.0, -1.0]]), atol=1e-5)
    True
    """
    epsilon = _arrays.positive(epsilon, "epsilon")
    most = _arrays.whole(max_iter, "max_iter", 1, 10**9)
    tolerance = _arrays.positive(tolerance, "tolerance", zero=True)
    if support is None:
        support = sparse_support(x, y, a, b, k=k, seed=seed, n_threads=n_threads)
    check_clouds(x, y)
    rows, columns = support
    wide = precision(x, y)
    u, v = x.to(wide), y.to(wide)
    shares = []
    for name, weights, cloud in (("a", a, u), ("b", b, v)):
        if weights is None:
            weights = torch.ones(len(cloud), dtype=wide, device=cloud.device)
        given = spread(weights, name, cloud[None])[0].to(wide)
        shares.append(given / given.sum())
    costs = (u[rows] - v[columns]).square().sum(1)
    with torch.no_grad():
        logs = [share.log() for share in shares]
        # What every pair pays in units of epsilon; potentials are in these units until the end.
        paid = -costs / epsilon
        f, g = torch.zeros_like(shares[0]), torch.zeros_like(shares[1])
        error = float("inf")
        for step in range(most):
            f = -_gathered(paid + (g + logs[1])[columns], rows, len(u))
            g = -_gathered(paid + (f + logs[0])[rows], columns, len(v))
            if step % 10 == 9 or step + 1 == most:
                masses = torch.exp(paid + (f + logs[0])[rows] + (g + logs[1])[columns])
                got = torch.zeros_like(shares[0]).index_add_(0, rows, masses)
                error = float((got - shares[0]).abs().sum())
                if error <= tolerance:
                    break
        masses = torch.exp(paid + (f + logs[0])[rows] + (g + logs[1])[columns])
        if not bool(torch.isfinite(f).all() & torch.isfinite(g).all()):
            raise InputError("support: found a point with weight and without a pair, or without weight; drop such points")
    # The dual objective with potentials held fixed: its slopes are those of the value at the optimum.
    first, second = epsilon * f, epsilon * g
    moved = shares[0][rows] * shares[1][columns] * torch.exp((first[rows] + second[columns] - costs) / epsilon)
    value = shares[0] @ first + shares[1] @ second - epsilon * (moved.sum() - 1.0)
    return SparseSinkhorn(value.to(x.dtype), rows, columns, masses, (first, second), error)


def _gathered(terms: Tensor, where: Tensor, count: int) -> Tensor:
    """Logarithms of sums of exponentials, of the terms of each point."""
    top = torch.full((count,), -torch.inf, dtype=terms.dtype, device=terms.device)
    top = top.scatter_reduce(0, where, terms, "amax")
    sums = torch.zeros_like(top).index_add_(0, where, torch.exp(terms - top[where]))
    return top + torch.log(sums)

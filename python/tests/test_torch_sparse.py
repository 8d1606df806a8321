"""Sinkhorn along the pairs of sparse plans."""

from __future__ import annotations

import pytest

import swgg

torch = pytest.importorskip("torch", reason="skipped: no torch")

from swgg.torch import sparse_sinkhorn, sparse_support  # noqa: E402


def clouds(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def everything(n: int, m: int) -> tuple:
    return torch.arange(n).repeat_interleave(m), torch.arange(m).repeat(n)


def test_along_all_pairs_it_is_sinkhorn() -> None:
    x, y, a, b = clouds(20, 2), clouds(25, 2, seed=1), clouds(20, seed=2) + 0.2, clouds(25, seed=3) + 0.2
    found = sparse_sinkhorn(x, y, a, b, epsilon=0.1, support=everything(20, 25), tolerance=1e-10)
    whole = swgg.sinkhorn(x, y, a, b, epsilon=0.1, tolerance=1e-10)
    assert found.value.item() == pytest.approx(whole.entropic_value, rel=1e-7) and found.error <= 1e-10
    assert torch.allclose(found.masses.reshape(20, 25), torch.from_numpy(whole.smooth_plan()), atol=1e-8)


def test_some_pairs_are_nearly_as_good() -> None:
    x, y = clouds(300, 2), clouds(300, 2, seed=1)
    rows, columns = sparse_support(x, y, k=16)
    assert 300 <= len(rows) <= 17 * 600 and rows.max() < 300 and columns.max() < 300
    assert len(torch.unique(rows * 300 + columns)) == len(rows)
    assert len(torch.unique(rows)) == len(torch.unique(columns)) == 300
    found = sparse_sinkhorn(x, y, epsilon=5e-3, support=(rows, columns), max_iter=5000)
    plan = torch.zeros(300, 300, dtype=torch.float64)
    plan[found.rows, found.columns] = found.masses
    assert (plan.sum(0) - 1 / 300).abs().max() < 1e-9 and (plan.sum(1) - 1 / 300).abs().sum() < 1e-4
    paid = (plan * torch.cdist(x, y) ** 2).sum().item()
    exact = swgg.emd(x, y).value
    assert exact * (1.0 - 1e-3) <= paid < 3.0 * exact
    # Fewer pairs can only cost more.
    assert found.value.item() >= swgg.sinkhorn(x, y, epsilon=5e-3).entropic_value - 1e-5


def test_gradients() -> None:
    x, y = clouds(8, 2).requires_grad_(), clouds(7, 2, seed=1).requires_grad_()
    a, b = (clouds(n, seed=n).add(0.2).requires_grad_() for n in (8, 7))
    support = sparse_support(x, y, a, b, k=3)

    def value(*given: torch.Tensor) -> torch.Tensor:
        return sparse_sinkhorn(*given, epsilon=0.1, support=support, tolerance=1e-12, max_iter=20_000).value

    assert torch.autograd.gradcheck(value, (x, y, a, b), eps=1e-6, atol=1e-4)


def test_refusals() -> None:
    x = clouds(5, 2)
    with pytest.raises(swgg.InputError, match="epsilon: found 0.0"):
        sparse_sinkhorn(x, x, epsilon=0.0)
    with pytest.raises(swgg.InputError, match="support: found a point"):
        sparse_sinkhorn(x, x, epsilon=0.1, support=(torch.tensor([0, 1]), torch.tensor([0, 1])))
    with pytest.raises(swgg.InputError, match=r"expected \(n, d\)"):
        sparse_support(x[None], x[None])

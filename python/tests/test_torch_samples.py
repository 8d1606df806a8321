"""SamplesLoss beside GeomLoss, and what it must hold anyway."""

from __future__ import annotations

import pytest

import swgg

torch = pytest.importorskip("torch", reason="skipped: no torch")

from swgg.torch import SamplesLoss, SolveLoss  # noqa: E402


def clouds(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def weights(n: int, seed: int, total: float = 1.0) -> torch.Tensor:
    drawn = clouds(n, seed=seed) + 0.5
    return total * drawn / drawn.sum()


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("reach", [None, 0.3])
@pytest.mark.parametrize("debias", [True, False])
def test_sinkhorn_is_that_of_geomloss(p: int, reach: float, debias: bool) -> None:
    geomloss = pytest.importorskip("geomloss", reason="skipped: no geomloss")
    x, y = clouds(40, 2).requires_grad_(), (clouds(50, 2, seed=1) + 0.3).requires_grad_()
    a, b = weights(40, 2).requires_grad_(), weights(50, 3).requires_grad_()
    found = []
    # Theirs takes as many steps as there are scales, ours as many as it takes.
    for loss in (
        SamplesLoss("sinkhorn", p=p, blur=0.1, reach=reach, debias=debias, tolerance=1e-9),
        geomloss.SamplesLoss("sinkhorn", p=p, blur=0.1, reach=reach, debias=debias, scaling=0.995, backend="tensorized"),
    ):
        value = loss(a, x, b, y)
        found.append((value.item(), *torch.autograd.grad(value, (x, y, a, b))))
    ours, theirs = found
    assert ours[0] == pytest.approx(theirs[0], rel=2e-3)
    epsilon, rho = 0.1**p, None if reach is None else reach**p
    # Their gradient of unbalanced losses is not the slope of their value, but less by this factor; ours is compared with
    # finite differences below.
    factor = 1.0 if rho is None else (rho + epsilon) / (rho + 0.5 * epsilon)
    for mine, other in zip(ours[1:3], theirs[1:3]):
        assert (mine - factor * other).norm() < 2e-2 * other.norm()
    if reach is None:
        for mine, other in zip(ours[3:], theirs[3:]):
            # Theirs does not scale weights, so that a constant is free.
            assert (mine - mine.mean() - other + other.mean()).norm() < 2e-2 * other.norm()


@pytest.mark.parametrize("name", ["energy", "gaussian", "laplacian"])
def test_kernels_are_those_of_geomloss(name: str) -> None:
    geomloss = pytest.importorskip("geomloss", reason="skipped: no geomloss")
    x, y = clouds(3, 20, 2), clouds(3, 25, 2, seed=1)
    a, b = weights(20, 2).expand(3, 20), weights(25, 3).expand(3, 25)
    # Theirs keeps distances away from zero, also those of a point to itself.
    tolerance = 1e-6 if name == "gaussian" else 5e-3
    ours, theirs = (kind(name, blur=0.2) for kind in (SamplesLoss, geomloss.SamplesLoss))
    assert torch.allclose(ours(a, x, b, y), theirs(a, x, b, y), rtol=tolerance)
    assert torch.allclose(ours(x, y), theirs(x, y), rtol=tolerance)


@pytest.mark.parametrize("name", ["sinkhorn", "energy", "gaussian", "laplacian", "sliced", "auto", "exact", "min-swgg"])
@pytest.mark.parametrize("reach", [None, 0.5])
def test_equal_clouds_are_at_no_distance(name: str, reach: float) -> None:
    if reach is not None and name != "sinkhorn":
        with pytest.raises(swgg.InputError, match="reach is not a setting of loss .*; leave it out, or use loss sinkhorn"):
            SamplesLoss(name, reach=reach)
        return
    x, a = clouds(30, 2).requires_grad_(), weights(30, 1)
    loss = SamplesLoss(name, reach=reach, blur=0.1)
    for value in (loss(x, x.detach().clone()), loss(a, x, a, x.detach().clone())):
        assert abs(value.item()) < 1e-12
        assert torch.autograd.grad(value, x)[0].abs().max() < 1e-5
    assert loss(x, clouds(25, 2, seed=3)).item() > 0.0


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("reach", [None, 0.5])
@pytest.mark.parametrize("debias", [True, False])
def test_gradients(p: float, reach: float, debias: bool) -> None:
    loss = SamplesLoss(p=p, blur=0.3, reach=reach, debias=debias, tolerance=1e-12, max_iter=20_000)
    x, y = clouds(5, 2).requires_grad_(), clouds(6, 2, seed=1).requires_grad_()
    a, b = weights(5, 2, 0.8).requires_grad_(), weights(6, 3, 1.3).requires_grad_()
    assert torch.autograd.gradcheck(lambda x, y, a, b: loss(a, x, b, y), (x, y, a, b), eps=1e-5, atol=1e-4)


def test_values_are_those_of_swgg() -> None:
    x, y = clouds(30, 3), clouds(35, 3, seed=1)
    divergence = swgg.sinkhorn_divergence(x, y, blur=0.2).value
    assert SamplesLoss(blur=0.2)(x, y).item() == pytest.approx(0.5 * divergence, rel=1e-9)
    biased = swgg.sinkhorn(x, y, blur=0.2).entropic_value
    assert SamplesLoss(blur=0.2, debias=False)(x, y).item() == pytest.approx(0.5 * biased, rel=1e-9)
    assert SamplesLoss("exact")(x, y).item() == 0.5 * SolveLoss("exact")(x, y).item()
    # Less blur is closer to transport.
    assert SamplesLoss(blur=0.005)(x, y).item() == pytest.approx(0.5 * swgg.emd(x, y).value, rel=5e-3)


@pytest.mark.parametrize("name", ["sinkhorn", "energy", "sliced", "exact"])
def test_batches_and_ragged_batches(name: str) -> None:
    loss = SamplesLoss(name, blur=0.2)
    x, y, a = clouds(3, 10, 2), clouds(3, 12, 2, seed=1), weights(10, 2)
    each = loss(x, y)
    assert each.shape == (3,)
    assert torch.allclose(each, torch.stack([loss(x[k], y[k]) for k in range(3)]))
    assert torch.equal(loss(list(x), list(y)), torch.stack([loss(x[k], y[k]) for k in range(3)]))
    sizes = [4, 10, 7]
    first = [x[k, :n].clone().requires_grad_() for k, n in enumerate(sizes)]
    ragged = loss(first, list(y))
    assert ragged.shape == (3,) and torch.equal(ragged[2], loss(first[2], y[2]))
    ragged.sum().backward()
    assert all(cloud.grad is not None and cloud.grad.shape == cloud.shape for cloud in first)
    weighted = loss([a, None, None], list(x), [None] * 3, list(y))
    assert torch.allclose(weighted[0], loss(a, x[0], torch.full((12,), 1 / 12).double(), y[0]))


def test_unbalanced_masses_leave_what_is_far_away() -> None:
    x = torch.cat([clouds(20, 2), torch.full((1, 2), 50.0, dtype=torch.float64)])
    near = SamplesLoss(blur=0.05, reach=0.5)(x, clouds(21, 2, seed=1))
    assert near.item() < 1.0 < SamplesLoss(blur=0.05)(x, clouds(21, 2, seed=1)).item()


def test_potentials_are_gradients_in_the_weights() -> None:
    x, y, a, b = clouds(9, 2), clouds(8, 2, seed=1), weights(9, 2).requires_grad_(), weights(8, 3)
    f, g = SamplesLoss(blur=0.3, potentials=True)(a, x, b, y)
    assert f.shape == (9,) and g.shape == (8,) and not f.requires_grad
    slope = torch.autograd.grad(SamplesLoss(blur=0.3)(a, x, b, y), a)[0]
    assert torch.allclose(slope - slope.mean(), f - f.mean(), atol=1e-6)
    batch = SamplesLoss(blur=0.3, potentials=True)(x[None].expand(2, 9, 2), y[None].expand(2, 8, 2))
    assert batch[0].shape == (2, 9) and batch[1].shape == (2, 8)


@pytest.mark.filterwarnings("ignore")
def test_compiled_and_transformed() -> None:
    torch.compiler.reset()
    loss, x, y = SamplesLoss(blur=0.3), clouds(2, 6, 2), clouds(2, 7, 2, seed=1)
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    assert torch.allclose(compiled(x, y), loss(x, y))
    start = x.clone().requires_grad_()
    compiled(start, y).sum().backward()
    assert torch.allclose(torch.func.vmap(torch.func.grad(loss))(x, y), start.grad)
    torch.library.opcheck(
        torch.ops.swgg.loss.default, (x.clone().requires_grad_(), y, None, None, None, None, loss._asked(), False)
    )


def test_refusals() -> None:
    x = clouds(5, 2)
    with pytest.raises(swgg.InputError, match="loss: found 'hausdorff'"):
        SamplesLoss("hausdorff")
    with pytest.raises(swgg.InputError, match="cost: found"):
        SamplesLoss(cost=torch.cdist)
    with pytest.raises(swgg.InputError, match="p: found 1 beside"):
        SamplesLoss("exact", p=1)
    with pytest.raises(swgg.InputError, match="found 3 arguments"):
        SamplesLoss()(x, x, x)
    with pytest.raises(swgg.InputError, match="y: found 1 entries for 2"):
        SamplesLoss()([x, x], [x])
    with pytest.raises(swgg.KindError, match="y: found Tensor beside lists"):
        SamplesLoss()([x, x], x)
    assert "sinkhorn" in repr(SamplesLoss())

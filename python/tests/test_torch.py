"""Losses and couplings for PyTorch."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import swgg

torch = pytest.importorskip("torch", reason="skipped: no torch")

from swgg.torch import MinSWGGLoss, SlicedWassersteinLoss, SolveLoss, couple  # noqa: E402

LOSSES = [
    SolveLoss(),
    SolveLoss("exact"),
    SolveLoss("tree"),
    SolveLoss("merged"),
    MinSWGGLoss(),
    MinSWGGLoss(n_projections=30),
    SlicedWassersteinLoss(20),
    SlicedWassersteinLoss(20, p=3.0),
]


def clouds(*shape: int, seed: int = 0, grad: bool = True) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).requires_grad_(grad)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("m", [6, 9])
def test_gradients_in_both_clouds(loss: torch.nn.Module, m: int) -> None:
    x, y = clouds(6, 3, seed=1), clouds(m, 3, seed=2)
    assert torch.autograd.gradcheck(loss, (x, y), eps=1e-7, atol=1e-5)


@pytest.mark.parametrize(
    "loss",
    [SolveLoss("exact"), MinSWGGLoss(n_projections=30), SlicedWassersteinLoss(20), SlicedWassersteinLoss(20, p=1.5)],
    ids=repr,
)
def test_gradients_in_the_weights(loss: torch.nn.Module) -> None:
    x, y = clouds(5, 2, seed=3), clouds(7, 2, seed=4)
    a, b = (clouds(n, seed=5 + n).abs().detach() + 0.2 for n in (5, 7))
    assert torch.autograd.gradcheck(loss, (x, y, a.requires_grad_(), b.requires_grad_()), eps=1e-7, atol=1e-5)
    # What all weights share has no effect, since they are scaled.
    loss(x, y, a, b).backward()
    assert abs((a.grad @ a).item()) < 1e-12 and abs((b.grad @ b).item()) < 1e-12


@pytest.mark.parametrize("loss", [SolveLoss("exact", reduction="sum"), SlicedWassersteinLoss(20, reduction="sum")])
def test_gradients_of_batches(loss: torch.nn.Module) -> None:
    x, y, b = clouds(3, 4, 2, seed=6), clouds(3, 5, 2, seed=7), clouds(5, seed=8).abs().detach() + 0.2
    assert torch.autograd.gradcheck(loss, (x, y, None, b.requires_grad_()), eps=1e-7, atol=1e-5)


def test_values_are_those_of_swgg() -> None:
    x, y, a = clouds(30, 3), clouds(40, 3, seed=1), clouds(30, seed=2).abs().detach()
    result = swgg.solve(x, y, a)
    loss = SolveLoss()(x, y, a)
    assert loss.item() == result.value
    loss.backward()
    mass = result.dense_plan().sum(axis=1)[:, None]
    assert np.allclose(x.grad, 2.0 * mass * (x.detach().numpy() - result.barycentric()))
    (line,) = swgg.solve_batch([x.detach()], [y.detach()], method="min-swgg", n_projections=50, seed=4)
    assert MinSWGGLoss(50, seed=4)(x, y).item() == line.value
    sliced = swgg.pairwise([x.detach(), y.detach()], metric="sliced", n_projections=50, seed=4, squared=True)
    assert np.isclose(SlicedWassersteinLoss(50, seed=4)(x, y).item(), sliced[0, 1], rtol=1e-12)


@pytest.mark.parametrize("loss", [SolveLoss, MinSWGGLoss, SlicedWassersteinLoss])
def test_reductions(loss: type) -> None:
    x, y = clouds(4, 10, 2), clouds(4, 12, 2, seed=1)
    each = loss(reduction="none")(x, y)
    assert each.shape == (4,)
    single = torch.stack([loss()(x[k], y[k]) for k in range(4)])
    assert torch.equal(each, single)
    assert torch.allclose(loss()(x, y), each.mean()) and torch.allclose(loss(reduction="sum")(x, y), each.sum())
    each[2].backward()
    assert torch.all(x.grad[2] != 0.0) and torch.all(x.grad[[0, 1, 3]] == 0.0)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_precision_of_values_and_gradients(kind: torch.dtype) -> None:
    x, y = clouds(8, 2, grad=False).to(kind).requires_grad_(), clouds(8, 2, seed=1, grad=False).to(kind)
    for loss in (SolveLoss(), MinSWGGLoss(10), SlicedWassersteinLoss(10)):
        value = loss(x, y)
        value.backward()
        assert value.dtype == kind and x.grad.dtype == kind and torch.isfinite(x.grad).all()


def test_mixed_precision_and_odd_strides() -> None:
    x, y = clouds(2, 9, seed=1, grad=False).t().requires_grad_(), clouds(9, 2, grad=False).float()
    assert not x.is_contiguous()
    value = SolveLoss()(x, y)
    value.backward()
    assert value.dtype == torch.float64
    assert value.item() == swgg.solve(x.detach().numpy(), y.numpy()).value


def test_differentiating_twice_is_refused() -> None:
    x, y = clouds(6, 2), clouds(6, 2, seed=1)
    (first,) = torch.autograd.grad(SolveLoss()(x, y), x, create_graph=True)
    assert torch.equal(first, torch.autograd.grad(SolveLoss()(x, y), x)[0])
    for penalty in (first.sum(), (first * x).sum()):
        with pytest.raises(swgg.InputError, match="differentiated once"):
            penalty.backward(retain_graph=True)


def test_descent_brings_clouds_together() -> None:
    y = clouds(40, 2, grad=False) + 3.0
    for loss in (SolveLoss(), MinSWGGLoss(seed=None), SlicedWassersteinLoss(30, seed=None)):
        torch.manual_seed(0)
        x = clouds(40, 2, seed=1)
        optimizer = torch.optim.SGD([x], lr=4.0)
        start = swgg.solve(x, y).value
        for _ in range(40):
            optimizer.zero_grad()
            loss(x, y).backward()
            optimizer.step()
        assert swgg.solve(x, y).value < 0.02 * start


def test_seeds_of_torch() -> None:
    x, y = clouds(20, 5), clouds(20, 5, seed=1)
    fresh = SlicedWassersteinLoss(5, seed=None)
    torch.manual_seed(3)
    first, second = fresh(x, y).item(), fresh(x, y).item()
    torch.manual_seed(3)
    assert first != second and fresh(x, y).item() == first
    fixed = SlicedWassersteinLoss(5, seed=9)
    assert fixed(x, y).item() == fixed(x, y).item()


def test_weights_without_a_gradient_are_refused() -> None:
    x, y, a = clouds(6, 2), clouds(6, 2, seed=1), torch.ones(6, dtype=torch.float64, requires_grad=True)
    for loss in (SolveLoss(), SolveLoss("tree")):
        with pytest.raises(swgg.InputError, match="detach the weights"):
            loss(x, y, a)
        assert loss(x, y, a.detach()).item() == loss(x, y).item()
    with pytest.raises(swgg.InputError, match="falls apart"):
        MinSWGGLoss(5)(x, y, a)
    for loss in (SolveLoss("exact"), SlicedWassersteinLoss()):
        assert torch.isfinite(torch.autograd.grad(loss(x, y, a), a)[0]).all()


def test_refusals() -> None:
    x = clouds(6, 2)
    loss = SolveLoss()
    with pytest.raises(swgg.KindError, match="y: found ndarray, expected a tensor"):
        loss(x, np.zeros((6, 2)))
    with pytest.raises(swgg.KindError, match="x: found a tensor of torch.int64"):
        loss(torch.ones(3, 2, dtype=torch.int64), x)
    with pytest.raises(swgg.InputError, match=r"x: found shape \(6,\)"):
        loss(x[:, 0], x)
    with pytest.raises(swgg.InputError, match="as many columns"):
        loss(x, clouds(6, 3))
    with pytest.raises(swgg.InputError, match="as many clouds"):
        loss(clouds(2, 6, 2), clouds(3, 6, 2))
    with pytest.raises(swgg.InputError, match=r"a: found weights of shape \(5,\)"):
        loss(x, x, torch.ones(5))
    with pytest.raises(swgg.InputError, match="NaN"):
        loss(x * float("nan"), x)
    for wrong in (dict(reduction="max"), dict(method="magic"), dict(effort=11), dict(seed=-1)):
        with pytest.raises(swgg.InputError, match=f"{next(iter(wrong))}: found"):
            SolveLoss(**wrong)


def test_losses_are_modules() -> None:
    assert repr(MinSWGGLoss(7)).startswith("MinSWGGLoss(") and "n_projections=7" in repr(MinSWGGLoss(7))
    assert list(SlicedWassersteinLoss().parameters()) == []


@pytest.mark.parametrize("shape", [(32,), (32, 2), (32, 3, 4, 4)])
def test_couples_are_matched(shape: tuple[int, ...]) -> None:
    x0, x1 = clouds(*shape, grad=False).float(), clouds(*shape, seed=1, grad=False).float()
    first, second, permutation = couple(x0, x1, return_permutation=True)
    assert first is x0 and torch.equal(second, x1[permutation])
    assert sorted(permutation.tolist()) == list(range(32)) and permutation.dtype == torch.int64
    assert len(couple(x0, x1)) == 2
    flat = x0.reshape(32, -1), x1.reshape(32, -1)
    assert torch.equal(permutation, torch.as_tensor(swgg.solve(*flat).permutation))
    assert (first - second).square().sum() < (x0 - x1).square().sum()
    for method in ("exact", "tree", "merged", "min-swgg"):
        assert couple(x0, x1, method=method)[1].shape == x1.shape


def test_couples_pass_gradients_to_samples_only() -> None:
    x0, x1 = clouds(8, 2), clouds(8, 2, seed=1)
    first, second, permutation = couple(x0, x1, return_permutation=True)
    (second * torch.arange(8.0)[:, None]).sum().backward()
    assert x0.grad is None and torch.equal(x1.grad[permutation, 0], torch.arange(8.0, dtype=torch.float64))


def test_couples_refuse_other_shapes() -> None:
    with pytest.raises(swgg.InputError, match="expected the same"):
        couple(clouds(5, 2), clouds(6, 2))
    with pytest.raises(swgg.KindError, match="x1: found list"):
        couple(clouds(5, 2), [[1.0, 2.0]])
    with pytest.raises(swgg.InputError, match="x0: found shape"):
        couple(clouds(0, 2), clouds(0, 2))


def test_torch_is_not_imported_by_swgg() -> None:
    code = "import sys, swgg; assert 'torch' not in sys.modules; print('without')"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "without\n"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="skipped: no CUDA")
def test_gradients_come_back_to_the_device() -> None:
    x, y = clouds(6, 2, grad=False).cuda().requires_grad_(), clouds(6, 2, seed=1, grad=False).cuda()
    SolveLoss()(x, y).backward()
    assert x.grad.device == x.device


def test_without_torch_the_message_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import swgg\n"
        "try:\n    import swgg.torch\n"
        "except swgg.MissingPackageError as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install torch" in said


def test_given_directions_are_columns():
    rng = np.random.default_rng(0)
    x, y, theta = rng.normal(size=(40, 2)), rng.normal(size=(40, 2)), rng.normal(size=(2, 5))
    loss = SlicedWassersteinLoss(projections=theta)(torch.from_numpy(x), torch.from_numpy(y))
    assert loss.item() == pytest.approx(swgg.sliced_wasserstein(x, y, projections=theta).value, rel=1e-12)


def test_settings_are_refused_before_they_are_used():
    for make in (
        lambda: SolveLoss("exact", time_limit=1.0),
        lambda: SolveLoss(time_limit=-1.0),
        lambda: SlicedWassersteinLoss(p=0.5),
        lambda: SolveLoss()(torch.zeros(3, 2), torch.zeros(3, 2).to_sparse()),
    ):
        with pytest.raises(swgg.InputError):
            make()


def test_the_page_says_what_comes_out() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "torch.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 10 and failed == 0

"""The operator behind the losses: what PyTorch asks of operators, compilers, functional transforms."""

from __future__ import annotations

import pytest

import swgg

torch = pytest.importorskip("torch", reason="skipped: no torch")

from swgg.torch import MinSWGGLoss, SlicedWassersteinLoss, SolveLoss  # noqa: E402

#: PyTorch's own checks and compilers warn of what they are made of.
pytestmark = pytest.mark.filterwarnings("ignore")

LOSSES = [
    SolveLoss("exact"),
    SolveLoss(effort=2),
    MinSWGGLoss(20),
    SlicedWassersteinLoss(20),
    SlicedWassersteinLoss(projections=[[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0]]),
    SolveLoss("exact", seed=None),
]


def clouds(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def asked(loss: torch.nn.Module, *pair: torch.Tensor, weighted: bool = False) -> tuple:
    weights = pair[2:] if len(pair) > 2 else (None, None)
    seed = torch.tensor(5) if loss.seed is None else None
    return (*pair[:2], *weights, loss._lines(), seed, loss._asked(), weighted)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("kind", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_opcheck(loss: torch.nn.Module, kind: torch.dtype) -> None:
    x, y = clouds(2, 6, 3).to(kind).requires_grad_(), clouds(2, 7, 3, seed=1).to(kind).requires_grad_()
    torch.library.opcheck(torch.ops.swgg.loss.default, asked(loss, x, y))
    # Columns first, which is how transposed tensors lie in memory.
    strided = clouds(2, 3, 6).to(kind).mT.requires_grad_()
    torch.library.opcheck(torch.ops.swgg.loss.default, asked(loss, strided, y.detach()))


@pytest.mark.parametrize("loss", [SolveLoss("exact"), SlicedWassersteinLoss(20)], ids=repr)
def test_opcheck_with_weights(loss: torch.nn.Module) -> None:
    x, y = clouds(2, 6, 3).requires_grad_(), clouds(2, 7, 3, seed=1)
    a, b = (clouds(2, n, seed=n).abs().add(0.2).requires_grad_() for n in (6, 7))
    torch.library.opcheck(torch.ops.swgg.loss.default, asked(loss, x, y, a, b, weighted=True))


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled_in_one_graph(loss: torch.nn.Module, backend: str) -> None:
    torch.compiler.reset()
    x, y = clouds(6, 3), clouds(6, 3, seed=1)

    def step(x: torch.Tensor) -> torch.Tensor:
        return 2.0 * loss(x * 1.5, y) + x.square().sum()

    compiled = torch.compile(step, backend=backend, fullgraph=True)
    found = []
    for run in (step, compiled):
        torch.manual_seed(3)
        start = x.clone().requires_grad_()
        value = run(start)
        value.backward()
        found.append((value.detach(), start.grad))
    assert torch.allclose(found[0][0], found[1][0]) and torch.allclose(found[0][1], found[1][1])


def test_batches_with_weights_are_compiled_in_one_graph() -> None:
    torch.compiler.reset()
    loss = SolveLoss("exact", reduction="sum")
    x, y, a = clouds(3, 6, 3), clouds(3, 5, 3, seed=1), clouds(6, seed=2).abs() + 0.1
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    slopes = [
        torch.autograd.grad(run(x.clone().requires_grad_(), y, weights), weights)[0]
        for run in (loss, compiled)
        for weights in [a.clone().requires_grad_()]
    ]
    assert torch.allclose(*slopes) and slopes[0].abs().max() > 0.0


@pytest.mark.parametrize("loss", LOSSES[:5], ids=repr)
def test_functional_gradients(loss: torch.nn.Module) -> None:
    xs, ys = clouds(4, 6, 3), clouds(4, 7, 3, seed=1)
    alone = []
    for x, y in zip(xs, ys):
        x = x.clone().requires_grad_()
        loss(x, y).backward()
        alone.append(x.grad)
    grad = torch.func.grad(loss)
    assert torch.equal(grad(xs[0], ys[0]), alone[0])
    # Over both, over one, over an inner axis.
    assert torch.allclose(torch.func.vmap(grad)(xs, ys), torch.stack(alone))
    shared = torch.func.vmap(grad, in_dims=(0, None))(xs, ys[0])
    assert torch.allclose(shared[2], grad(xs[2], ys[0]))
    assert torch.allclose(torch.func.vmap(loss, in_dims=(1, 0))(xs.movedim(0, 1), ys)[3], loss(xs[3], ys[3]))
    slopes, value = torch.func.grad_and_value(loss, argnums=1)(xs[0], ys[0])
    assert torch.equal(value, loss(xs[0], ys[0])) and slopes.shape == ys[0].shape


def test_functional_gradients_of_batches_and_weights() -> None:
    each = SlicedWassersteinLoss(20, reduction="none")
    x, y, a = clouds(3, 6, 2), clouds(3, 7, 2, seed=1), clouds(6, seed=2).abs() + 0.1
    rows = torch.func.jacrev(each)(x, y)
    assert rows.shape == (3, 3, 6, 2) and torch.all(rows[0, 1] == 0.0) and torch.all(rows[1, 1].abs().sum(1) > 0.0)
    weights = a.clone().requires_grad_()
    each(x, y, weights).sum().backward()
    assert torch.allclose(torch.func.grad(lambda a: each(x, y, a).sum())(a), weights.grad)
    # A batch of batches.
    outer = torch.func.vmap(each, in_dims=(0, None, None))(torch.stack([x, x + 1.0]), y, a)
    assert torch.allclose(outer[1], each(x + 1.0, y, a))


def test_seeds_of_a_vmap() -> None:
    fresh = SlicedWassersteinLoss(5, seed=None)
    xs, ys = clouds(4, 6, 3)[:1].expand(4, 6, 3), clouds(4, 6, 3, seed=1)[:1].expand(4, 6, 3)
    same = torch.func.vmap(fresh, randomness="same")(xs, ys)
    other = torch.func.vmap(fresh, randomness="different")(xs, ys)
    assert len(set(same.tolist())) == 1 and len(set(other.tolist())) == 4


def test_second_functional_derivatives_are_refused() -> None:
    loss, y = SolveLoss(), clouds(6, 2, seed=1)
    with pytest.raises(swgg.InputError, match="differentiated once"):
        torch.func.grad(lambda x: torch.func.grad(loss)(x, y).square().sum())(clouds(6, 2))


def test_halves_are_computed_in_single_precision() -> None:
    # In half precision the squares of these would overflow, and their differences round to nothing.
    x = torch.tensor([[300.0, 0.0], [301.0, 0.0]], dtype=torch.float16)
    y = torch.tensor([[300.0, 3.0], [301.0, 3.0]], dtype=torch.float16)
    assert SolveLoss()(x, y).item() == 9.0
    x, y = (clouds(64, 3, seed=k).bfloat16() for k in (0, 1))
    wide = SolveLoss("exact")(x.float(), y.float())
    assert SolveLoss("exact")(x, y) == wide.bfloat16()

"""Plans of functions to the line, and functions that learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import swgg

torch = pytest.importorskip("torch", reason="skipped: no torch")

import swgg.torch  # noqa: E402
from swgg.torch.slicers import _Cost, _Gradient  # noqa: E402


def clouds(n: int, m: int, d: int = 3) -> tuple:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(n, d, generator=generator, dtype=torch.float64)
    return x, torch.randn(m, d, generator=generator, dtype=torch.float64) * torch.linspace(2.0, 0.3, d) + 1.0


def network(seed: int = 0, d: int = 3) -> torch.nn.Module:
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(d, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1)).double()


def test_a_linear_function_is_swgg_at_its_direction() -> None:
    x, y = clouds(40, 40)
    theta = torch.tensor([0.3, -1.0, 2.0], dtype=torch.float64)
    found = swgg.torch.min_swgg(x, y, slicer=lambda z: z @ theta)
    at = swgg.swgg(x, y, theta)
    assert found.value == pytest.approx(at.value, rel=1e-12) and np.array_equal(found.permutation, at.permutation)
    assert found.converged and found.n_iter == 0 and found.costs == [pytest.approx(found.value, rel=1e-12)]
    a, b = torch.rand(40).double() + 0.1, torch.rand(25).double() + 0.1
    weighted = swgg.torch.min_swgg(x, y[:25], a, b, slicer=lambda z: z @ theta)
    assert weighted.value == pytest.approx(swgg.swgg(x, y[:25], theta, a, b).value, rel=1e-9)
    assert np.allclose(weighted.dense_plan().sum(1), a / a.sum())


@pytest.mark.parametrize("search", ["gradient", "stein"])
@pytest.mark.parametrize("m", [80, 60])
def test_descent_makes_plans_better(search: str, m: int) -> None:
    x, y = clouds(80, m)
    slicer = network()
    found = swgg.torch.min_swgg(x, y, slicer=slicer, search=search, steps=40, learning_rate=0.03)
    assert found.value < 0.9 * found.costs[0] and found.value == min(found.costs) and len(found.costs) == 41
    assert found.value >= swgg.emd(x, y).value
    # The function that is left is that of the plan.
    again = swgg.torch.min_swgg(x, y, slicer=slicer, steps=0)
    assert again.value == found.value and found.slicer is slicer
    assert all(parameter.grad is None for parameter in slicer.parameters())
    same = swgg.torch.min_swgg(x, y, slicer=network(), search=search, steps=40, learning_rate=0.03)
    assert same.costs == found.costs


def test_gradients_are_those_of_the_smoothed_cost() -> None:
    x, y = clouds(200, 200)
    slicer = torch.nn.Linear(3, 1, bias=False).double()
    with torch.no_grad():
        slicer.weight.copy_(torch.tensor([[0.5, -0.8, 0.4]]))
    gradient = _Gradient(_Cost(x, y, None, None), 0.1, torch.Generator().manual_seed(1))
    # As many copies as make chance small.
    gradient.levels = 200_000
    gradient(slicer, list(slicer.parameters()))

    def change(step: torch.Tensor, copies: int = 300) -> float:
        """Of the cost of noisy copies, between two directions with the same noise."""
        generator = torch.Generator().manual_seed(2)
        noises = [torch.randn(200 * copies, generator=generator, dtype=torch.float64) for _ in "xy"]
        costs = []
        for theta in (slicer.weight.detach()[0] + step, slicer.weight.detach()[0] - step):
            lines = x @ theta, y @ theta
            spread = 0.1 * torch.cat(lines).std(correction=0)
            orders = [torch.argsort(u.repeat(copies) + spread * noise) for u, noise in zip(lines, noises)]
            apart = x.repeat(copies, 1)[orders[0]] - y.repeat(copies, 1)[orders[1]]
            costs.append(apart.square().sum(1).mean().item())
        return costs[0] - costs[1]

    steps = 0.05 * torch.eye(3, dtype=torch.float64)
    slopes = torch.tensor([change(step) / 0.1 for step in steps], dtype=torch.float64)
    assert torch.nn.functional.cosine_similarity(slopes, slicer.weight.grad[0], dim=0) > 0.97
    assert (slopes - slicer.weight.grad[0]).norm() < 0.25 * slopes.norm()


def test_curves_beat_lines() -> None:
    # Two rings whose points do not face each other: lines mix up their halves, the angle does not.
    angle = torch.linspace(-3.1, 3.1, 150)
    wide = torch.sort(6.2 * torch.rand(150, generator=torch.Generator().manual_seed(1)) - 3.1).values
    inner, outer = (torch.stack([torch.cos(t), torch.sin(t)], 1) for t in (angle, wide))
    bent = swgg.torch.min_swgg(inner, 2.0 * outer, slicer=lambda z: torch.atan2(z[:, 1], z[:, 0]))
    assert bent.value < 0.9 * swgg.min_swgg(inner, 2.0 * outer).value
    # Where the angle jumps, something is lost.
    assert bent.value == pytest.approx(swgg.emd(inner, 2.0 * outer).value, rel=0.1)


def test_parameters_are_saved_and_loaded(tmp_path: Path) -> None:
    x, y = clouds(30, 30)
    slicer, path = network(), tmp_path / "slicer.pt"
    found = swgg.torch.min_swgg(x, y, slicer=slicer, steps=5)
    swgg.torch.save_slicer(slicer, path)
    assert [file.name for file in tmp_path.iterdir()] == ["slicer.pt"]
    other = swgg.torch.load_slicer(network(seed=9), path)
    assert swgg.torch.min_swgg(x, y, slicer=other, steps=0).value == found.value
    with pytest.raises(swgg.InputError, match="another slicer"):
        swgg.torch.load_slicer(torch.nn.Linear(2, 1), path)


def test_callbacks_stop_the_descent() -> None:
    x, y = clouds(20, 20)
    seen = []
    found = swgg.torch.min_swgg(x, y, slicer=network(), callback=lambda i, best: seen.append(best) or i == 3)
    assert len(seen) == 3 and found.n_iter == 3 and found.status == "interrupted" and seen == sorted(seen)[::-1]


def test_refusals() -> None:
    x, y = clouds(10, 10)
    for call, match in (
        (lambda: swgg.torch.min_swgg(x, y[:, :2], slicer=network()), "found x of shape"),
        (lambda: swgg.torch.min_swgg(x, y, slicer=lambda z: z), "expected a number per point"),
        (lambda: swgg.torch.min_swgg(x, y, slicer=lambda z: z[:, 0] * float("nan")), "not finite"),
        (lambda: swgg.torch.min_swgg(x, y, slicer=3), "slicer: found 3"),
        (lambda: swgg.torch.min_swgg(x, y, slicer=network(), search="magic"), "search: found 'magic'"),
        (lambda: swgg.torch.min_swgg(x, y, torch.ones(3), slicer=network()), r"a: found shape \(3,\)"),
    ):
        with pytest.raises(swgg.InputError, match=match):
            call()

    class Still(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(3, dtype=torch.float64))

        def forward(self, z: torch.Tensor) -> torch.Tensor:
            return (z @ self.weight).detach()

    with pytest.raises(swgg.InputError, match='expected search="stein"'):
        swgg.torch.min_swgg(x, y, slicer=Still())
    assert swgg.torch.min_swgg(x, y, slicer=Still(), search="stein", steps=3).n_iter == 3

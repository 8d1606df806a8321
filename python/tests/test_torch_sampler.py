"""OTPlanSampler: torchcfm's names, permutations, labels, prefetching."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import swgg

torch = pytest.importorskip("torch", reason="skipped: no torch")

from swgg.torch import OTPlanSampler  # noqa: E402


def samples(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("method", ["exact", "auto", "tree", "merged", "min-swgg", "partial"])
@pytest.mark.parametrize("shape", [(64, 2), (64, 3, 4, 4), (64,)])
def test_a_permutation_by_default(method: str, shape: tuple) -> None:
    x0, x1 = samples(*shape), samples(*shape, seed=1)
    sampler = OTPlanSampler(method)
    first, second = sampler.sample_plan(x0, x1)
    assert torch.equal(first, x0)
    assert torch.equal(second.reshape(64, -1).sort(0).values, x1.reshape(64, -1).sort(0).values)
    i, j = sampler.sample_indices(x0, x1)
    assert i.tolist() == list(range(64)) and sorted(j.tolist()) == list(range(64))
    plan = sampler.get_map(x0, x1)
    assert plan.shape == (64, 64) and np.allclose(plan.sum(0), 1 / 64) and np.allclose(plan.sum(1), 1 / 64)
    assert (first - second).square().sum() <= (x0 - x1).square().sum()


def test_the_plan_is_that_of_pot() -> None:
    ot = pytest.importorskip("ot", reason="skipped: no POT")
    x0, x1 = samples(50, 3), samples(50, 3, seed=1)
    costs = (torch.cdist(x0.double(), x1.double()) ** 2).numpy()
    uniform = np.full(50, 1 / 50)
    assert np.allclose(OTPlanSampler("exact").get_map(x0, x1), ot.emd(uniform, uniform, costs))
    smooth = OTPlanSampler("sinkhorn", reg=0.5).get_map(x0, x1)
    assert np.allclose(smooth, ot.sinkhorn(uniform, uniform, costs, 0.5, stopThr=1e-10, numItermax=5000), atol=1e-6)
    shares = OTPlanSampler("sinkhorn", reg=0.1, normalize_cost=True).get_map(x0, x1)
    assert np.allclose(shares, ot.sinkhorn(uniform, uniform, costs / costs.max(), 0.1, stopThr=1e-10), atol=1e-5)
    theirs = ot.unbalanced.sinkhorn_knopp_unbalanced(uniform, uniform, costs, 0.5, 2.0, stopThr=1e-10, numItermax=5000)
    assert np.allclose(OTPlanSampler("unbalanced", reg=0.5, reg_m=2.0).get_map(x0, x1), theirs, atol=1e-5)


def test_draws_with_replacement_follow_the_plan() -> None:
    x0, x1 = samples(8, 2), samples(8, 2, seed=1)
    for method in ("exact", "sinkhorn"):
        sampler = OTPlanSampler(method, reg=2.0, seed=3)
        plan = sampler.get_map(x0, x1)
        i, j = sampler.sample_map(plan, 40_000, replace=True)
        counts = np.zeros((8, 8))
        np.add.at(counts, (i, j), 1 / 40_000)
        assert np.abs(counts - plan).max() < 0.01
    first, second = OTPlanSampler("exact").sample_plan(x0, x1, replace=True)
    assert first.shape == x0.shape and second.shape == x1.shape
    pairs = {tuple(row.tolist()) for row in torch.cat(OTPlanSampler("exact").sample_plan(x0, x1), 1)}
    assert {tuple(row.tolist()) for row in torch.cat([first, second], 1)} <= pairs


def test_smooth_plans_pair_each_source_once() -> None:
    x0, x1 = samples(40, 2), samples(40, 2, seed=1)
    sampler = OTPlanSampler("sinkhorn", reg=0.5, seed=1)
    i, j = sampler.sample_indices(x0, x1)
    assert i.tolist() == list(range(40)) and j.max() < 40
    plan, counts = sampler.get_map(x0, x1), np.zeros((40, 40))
    for _ in range(2000):
        i, j = sampler.sample_map(plan, 40)
        np.add.at(counts, (i, j), 1 / 80_000)
    assert np.abs(counts - plan).max() < 0.002
    i, j = OTPlanSampler("exact").sample_indices(x0, x1[:15])
    assert i.tolist() == list(range(40)) and set(j.tolist()) == set(range(15))


def test_partial_pairs_are_those_that_moved() -> None:
    x0, x1 = samples(20, 2), samples(20, 2, seed=1)
    x0[:5] += 100.0
    i, j = OTPlanSampler("partial", mass=0.75).sample_indices(x0, x1)
    assert sorted(i.tolist()) == list(range(5, 20)) and len(set(j.tolist())) == 15


def test_labels_are_carried_along() -> None:
    x0, x1 = samples(32, 2), samples(32, 2, seed=1)
    y0, y1 = torch.arange(32), torch.arange(32) + 100
    first, second, left, right = OTPlanSampler().sample_plan_with_labels(x0, x1, y0, y1)
    assert torch.equal(first, x0[left]) and torch.equal(second, x1[right - 100])
    assert OTPlanSampler().sample_plan_with_labels(x0, x1)[2:] == (None, None)
    # Labels of any shape.
    assert OTPlanSampler().sample_plan_with_labels(x0, x1, None, samples(32, 5))[3].shape == (32, 5)


@pytest.mark.parametrize("method", ["exact", "auto", "merged", "min-swgg", "sinkhorn", "partial"])
def test_conditions_are_labelled_costs(method: str) -> None:
    x0, x1 = samples(60, 2), samples(60, 2, seed=1)
    y0 = torch.arange(60) % 3
    y1 = y0[torch.randperm(60, generator=torch.Generator().manual_seed(2))]
    strict = OTPlanSampler(method, condition=1e3, reg=1.0).sample_plan_with_labels(x0, x1, y0, y1)
    assert torch.equal(strict[2], strict[3]) or method == "min-swgg"
    free = OTPlanSampler(method, condition=0.0).sample_plan_with_labels(x0, x1, y0, y1)
    assert not torch.equal(free[2], free[3])
    with pytest.raises(swgg.InputError, match="y0 and y1: found none beside condition"):
        OTPlanSampler(method, condition=1.0).sample_plan(x0, x1)


def test_conditions_cost_what_they_say() -> None:
    x0, x1, y0, y1 = samples(30, 2), samples(30, 2, seed=1), torch.arange(30) % 2, torch.arange(30) // 15
    costs = torch.cdist(x0, x1) ** 2 + 1.5 * (y0[:, None] != y1).float()
    best = swgg.emd(M=costs.double()).value
    for method in ("exact", "auto"):
        plan = OTPlanSampler(method, condition=1.5).get_map(x0, x1, y0, y1)
        assert (plan * costs.numpy()).sum() == pytest.approx(best, rel=1e-5)
    c0, c1 = samples(30, 3, seed=3), samples(30, 3, seed=4)
    costs = torch.cdist(x0, x1) ** 2 + 0.7 * torch.cdist(c0, c1) ** 2
    plan = OTPlanSampler(condition=0.7).get_map(x0, x1, c0, c1)
    assert (plan * costs.numpy()).sum() == pytest.approx(swgg.emd(M=costs.double()).value, rel=1e-5)


def test_trajectories() -> None:
    X = samples(40, 4, 2)
    X[:, 1:] += 3.0
    path = OTPlanSampler().sample_trajectory(X)
    assert path.shape == X.shape and torch.equal(path[:, 0], X[:, 0])
    for t in range(3):
        assert torch.equal(path[:, t + 1], OTPlanSampler().sample_plan(path[:, t], X[:, t + 1])[1])
    assert OTPlanSampler("sinkhorn").sample_trajectory(X).shape == X.shape


def test_batches_of_a_larger_coupling() -> None:
    x0, x1, y1 = samples(300, 2), samples(300, 2, seed=1), torch.arange(300)
    parts = list(OTPlanSampler(seed=0).batches(x0, x1, None, y1, batch_size=128))
    assert [len(part[0]) for part in parts] == [128, 128, 44] and parts[0][2] is None
    assert sorted(torch.cat([part[3] for part in parts]).tolist()) == list(range(300))
    whole = torch.cat([torch.cat(part[:2], 1) for part in parts])
    paid = (whole[:, :2] - whole[:, 2:]).square().sum(1).mean()
    assert paid.item() == pytest.approx(swgg.emd(x0, x1).value, rel=1e-5)


def test_streams_are_made_ahead() -> None:
    drawn = []

    def source():
        for k in range(5):
            drawn.append(k)
            yield samples(16, 2, seed=k), samples(16, 2, seed=k + 10)

    with OTPlanSampler().stream(source(), prefetch=2) as batches:
        next(batches)
        until = time.monotonic() + 5.0
        while len(drawn) < 4 and time.monotonic() < until:
            time.sleep(0.01)
        # One is taken, two wait, one is about to.
        assert len(drawn) == 4
        assert len(list(batches)) == 4 and list(batches) == []
    assert not any(thread.name == "swgg-prefetch" for thread in threading.enumerate())


def test_streams_end_when_closed_and_pass_errors_on() -> None:
    def endless():
        while True:
            yield samples(8, 2), samples(8, 2, seed=1), torch.arange(8), torch.arange(8)

    with OTPlanSampler().stream(endless(), batch_size=4) as batches:
        assert next(batches)[3].shape == (4,)
    assert list(batches) == []
    assert not any(thread.name == "swgg-prefetch" for thread in threading.enumerate())
    with pytest.raises(swgg.InputError, match="samples of one shape"):
        next(OTPlanSampler().stream([(samples(8, 2), samples(8, 3))]))
    with pytest.raises(swgg.KindError, match="source: found"):
        next(OTPlanSampler().stream([samples(8, 2)]))


def test_seeds() -> None:
    x0, x1 = samples(30, 2), samples(30, 2, seed=1)
    first, second = (OTPlanSampler("sinkhorn", seed=4).sample_plan(x0, x1)[1] for _ in range(2))
    assert torch.equal(first, second)
    found = []
    for _ in range(2):
        torch.manual_seed(5)
        found.append(OTPlanSampler("sinkhorn").sample_plan(x0, x1)[1])
    assert torch.equal(*found)


def test_refusals() -> None:
    x = samples(6, 2)
    for wrong, match in (
        (dict(method="magic"), "method: found 'magic'"),
        (dict(reg=0.0), "reg: found"),
        (dict(num_threads="many"), "num_threads: found"),
        (dict(mass=1.5), "mass: found"),
        (dict(effort=3), "effort is not a setting of method exact; leave it out, or use method auto"),
    ):
        with pytest.raises(swgg.InputError, match=match):
            OTPlanSampler(**wrong)
    with pytest.raises(swgg.InputError, match="y1: expected a tensor with a label for each of the 6"):
        OTPlanSampler(condition=1.0).sample_plan_with_labels(x, x, torch.arange(6), torch.arange(5))
    with pytest.raises(swgg.KindError, match="x1: found ndarray"):
        OTPlanSampler().sample_plan(x, x.numpy())
    assert OTPlanSampler("exact", num_threads="max").num_threads is None

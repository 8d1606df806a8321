"""swgg.pot beside POT: bijections. And whole examples of POT, with the import changed."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

import swgg
import swgg.pot as our

ot = pytest.importorskip("ot", reason="needs POT, which swgg.pot is compared with (pip install POT)")

POWERS = [2, 1, 3, -1]


def clouds(seed, n, d):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(n, d)) * 0.5 + 1.0


def cost_of(x, y, perm, p):
    gaps = np.abs(x - y[perm])
    return (gaps.max(axis=1) if p == -1 else (gaps**p).sum(axis=1)).mean()


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("n, d", [(1, 2), (50, 1), (200, 3), (120, 20)])
def test_bijections(p, n, d):
    x, y = clouds(n, n, d)
    with warnings.catch_warnings():
        # POT doubts its own costs where p is 1 or the cloud is one point.
        warnings.simplefilter("ignore")
        theirs = ot.compute_bspot_bijection(x, y, n_plans=8, p=p)
    cost, perm, perms = our.compute_bspot_bijection(x, y, n_plans=8, p=p)
    assert perm.dtype == theirs[1].dtype and perms.shape == theirs[2].shape and perms.dtype == theirs[2].dtype
    np.testing.assert_array_equal(np.sort(perm), np.arange(n))
    np.testing.assert_allclose(cost, cost_of(x, y, perm, p), rtol=1e-12)
    for one in perms:
        np.testing.assert_array_equal(np.sort(one), np.arange(n))
        assert cost <= cost_of(x, y, one, p) * (1 + 1e-12)
    if p == 2:
        assert cost >= swgg.solve(x, y, method="exact").value * (1 - 1e-9)
        assert cost <= theirs[0] * 1.02
    again = our.compute_bspot_bijection(x, y, n_plans=8, p=p, seed=0)
    np.testing.assert_array_equal(again[1], perm)
    assert type(cost) is type(theirs[0])


@pytest.mark.parametrize("p", POWERS)
def test_never_worse_than_the_start(p):
    x, y = clouds(3, 150, 2)
    # The optimum itself, which one tree does not find.
    M = np.abs(x[:, None] - y).max(axis=2) if p == -1 else (np.abs(x[:, None] - y) ** p).sum(axis=2)
    start = our.emd([], [], M).argmax(axis=1)
    cost, perm, _ = our.compute_bspot_bijection(x, y, n_plans=1, p=p, initial_perm=start)
    assert cost <= cost_of(x, y, start, p) * (1 + 1e-12)
    assert our.compute_bspot_bijection(x, y, n_plans=1, p=p)[0] > cost


@pytest.mark.parametrize("p", POWERS + [1.5])
def test_merging(p):
    x, y = clouds(5, 300, 3)
    rng = np.random.default_rng(0)
    perms = np.stack([rng.permutation(300) for _ in range(7)])
    cost, perm = our.merge_bijections(x, y, perms, p)
    np.testing.assert_array_equal(np.sort(perm), np.arange(300))
    np.testing.assert_allclose(cost, cost_of(x, y, perm, p), rtol=1e-12)
    assert cost < min(cost_of(x, y, one, p) for one in perms)
    alone = our.merge_bijections(x, y, perm[None], p)
    np.testing.assert_array_equal(alone[1], perm)
    again = our.merge_bijections(x, y, np.stack([perm, perms[0]]), p)
    assert again[0] <= cost * (1 + 1e-12)


def test_merging_single_precision():
    x, y = (points.astype(np.float32) for points in clouds(6, 100, 2))
    rng = np.random.default_rng(1)
    perms = [rng.permutation(100).tolist() for _ in range(3)]
    cost, perm = our.merge_bijections(x, y, perms)
    assert cost < min(cost_of(x, y, np.array(one), 2) for one in perms)


def test_refusals():
    x, y = clouds(1, 6, 2)
    cases = {
        "same shape": lambda: our.compute_bspot_bijection(x, y[:5]),
        "initial_perm: found shape": lambda: our.compute_bspot_bijection(x, y, initial_perm=[0, 1]),
        "initial_perm: row 0 is not": lambda: our.compute_bspot_bijection(x, y, initial_perm=[0] * 6),
        "gaussian_slicing": lambda: our.compute_bspot_bijection(x, y, gaussian_slicing="no"),
        "n_plans": lambda: our.compute_bspot_bijection(x, y, n_plans=0),
        "p: found": lambda: our.compute_bspot_bijection(x, y, p=0),
        "perms: found shape": lambda: our.merge_bijections(x, y, [[0, 1, 2]]),
        "perms: row 1 is not": lambda: our.merge_bijections(x, y, [range(6), [-1, 0, 1, 2, 3, 4]]),
        "expected whole numbers": lambda: our.merge_bijections(x, y, np.ones((2, 6))),
        "at least one": lambda: our.merge_bijections(x, y, np.ones((0, 6), dtype=int)),
    }
    for message, call in cases.items():
        with pytest.raises(ValueError, match=message):
            call()


HERE_ONLY = {"AssertedError", "DensePlanWarning", "NotHereError", "Patch", "patch"}
NAMES = [name for name in our.__all__ if callable(getattr(our, name)) and name not in HERE_ONLY]


@pytest.mark.parametrize("name", NAMES)
def test_arguments_are_those_of_pot(name):
    theirs = next(getattr(module, name) for module in (ot, ot.sliced, ot.lp, ot.bregman, ot.bsp, ot.utils, ot.solvers) if hasattr(module, name))
    ours = getattr(our, name)
    facts = [[(p.name, p.default) for p in inspect.signature(f).parameters.values()] for f in (ours, theirs)]
    assert facts[0] == facts[1]
    where = next(part for part in ("sliced", "lp", "bregman", "bsp", "utils", "solvers") if hasattr(getattr(ot, part), name))
    assert getattr(getattr(our, where), name) is ours


@pytest.mark.parametrize("module", [ot, our], ids=["POT", "swgg.pot"])
def test_documented_examples(module):
    """The calls of POT's docstrings, and what they print there."""
    x, y = np.array([[3.0, 3.0], [1.0, 1.0]]), np.array([[2.0, 2.5], [3.0, 2.0]])
    axes = np.array([[1, 0], [0, 1]])
    plan, cost = module.min_sliced_transport_plan(x, y, projections=axes)
    assert plan.tolist() == [[0.0, 0.5], [0.5, 0.0]] and cost == 2.125
    plan, cost = module.expected_sliced_plan(x, y, projections=axes)
    assert plan.tolist() == [[0.25, 0.25], [0.25, 0.25]] and cost == 2.625
    cloud = np.random.RandomState(0).normal(0.0, 1.0, (20, 5))
    assert module.sliced_wasserstein_distance(cloud, cloud, seed=0) == 0.0
    half, costs = [0.5, 0.5], [[0.0, 1.0], [1.0, 0.0]]
    assert module.emd(half, half, costs).tolist() == [[0.5, 0.0], [0.0, 0.5]]
    assert module.emd2(half, half, costs) == 0.0
    assert module.emd_1d([2.0, 0.0], [0.0, 3.0], half, half).tolist() == [[0.0, 0.5], [0.5, 0.0]]
    assert module.emd_1d([2.0, 0.0], [0.0, 3.0]).tolist() == [[0.0, 0.5], [0.5, 0.0]]
    assert module.emd2_1d([2.0, 0.0], [0.0, 3.0], half, half) == module.emd2_1d([2.0, 0.0], [0.0, 3.0]) == 0.5
    thetas = module.sliced.get_random_projections(5, 100)
    assert np.allclose(np.sum(np.square(thetas), 0), 1.0)

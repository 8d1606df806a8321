"""swgg.pot beside POT: a part of the mass, at given costs and on the line."""

from __future__ import annotations

import numpy as np
import pytest

import swgg
import swgg.pot as our

ot = pytest.importorskip("ot", reason="needs POT, which swgg.pot is compared with (pip install POT)")


def problem(seed):
    """Masses of different sums, some of them zero, and costs."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 25, size=2)
    a, b = rng.random(n), rng.random(m)
    if seed % 3 == 1:
        a[rng.random(n) < 0.3] = 0.0
        b[rng.random(m) < 0.3] = 0.0
        a[0] = b[0] = 0.5
    if seed % 3 == 2:
        a, b = np.ones(n), np.ones(m)
    largest = max(a.sum(), b.sum()) * (1.0 + 1e-12)
    M = rng.random((n, m)) * 4.0
    if seed % 5 == 0:
        M = np.floor(M)
    return a / largest, b / largest, M, rng


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_three_hundred_problems(first):
    for seed in range(first, first + 50):
        a, b, M, rng = problem(seed)
        for share in (rng.random(), 0.5, 1.0):
            m = share * min(a.sum(), b.sum())
            cost, log = our.partial.partial_wasserstein2(a, b, M, m=m, log=True)
            expected = ot.partial.partial_wasserstein2(a, b, M, m=m, numItermax=10**6)
            np.testing.assert_allclose(cost, expected, rtol=1e-9, atol=1e-9)
            plan = log["T"]
            assert plan.shape == M.shape and (plan >= 0.0).all() and np.isfinite(plan).all()
            assert (plan.sum(axis=1) <= a + 1e-12).all() and (plan.sum(axis=0) <= b + 1e-12).all()
            np.testing.assert_allclose(plan.sum(), m, rtol=1e-12, atol=1e-15)
            np.testing.assert_allclose((plan * M).sum(), cost, rtol=1e-12, atol=1e-15)
        for reg_m in (0.0, 4.0 * rng.random(), 1.5, None, -1.0):
            plan = our.partial.partial_wasserstein_lagrange(a, b, M, reg_m=reg_m)
            theirs = ot.partial.partial_wasserstein_lagrange(a, b, M, reg_m=reg_m, numItermax=10**6)
            worth = M.max() + 1.0 if reg_m is None else reg_m
            value, expected = ((found * (M - worth)).sum() for found in (plan, theirs))
            np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-9)


def test_negative_costs_and_kinds():
    a, b, M, _ = problem(4)
    M = M - 2.0
    m = 0.6 * min(a.sum(), b.sum())
    np.testing.assert_allclose(
        our.partial.partial_wasserstein2(a, b, M, m=m), ot.partial.partial_wasserstein2(a, b, M, m=m), atol=1e-9
    )
    for reg_m in (-1.0, 0.5):
        values = [
            (found.partial_wasserstein_lagrange(a, b, M, reg_m=reg_m) * (M - reg_m)).sum()
            for found in (our.partial, ot.partial)
        ]
        np.testing.assert_allclose(*values, atol=1e-9)
    single = our.partial.partial_wasserstein(a.astype(np.float32), b.astype(np.float32), M.astype(np.float32), m=0.1)
    assert single.dtype == np.float32
    np.testing.assert_array_equal(our.partial.partial_wasserstein(a, b, M, m=0.0), np.zeros_like(M))


@pytest.mark.parametrize("p", [1, 2, 3])
def test_on_the_line(p):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, m = rng.integers(1, 30, size=2)
        x, y = rng.normal(size=n), rng.normal(size=m) + rng.random()
        left, right, costs = our.partial.partial_wasserstein_1d(x, y, p=p)
        theirs = ot.partial.partial_wasserstein_1d(x, y, p=p)
        np.testing.assert_allclose(np.cumsum(costs), np.cumsum(theirs[2]), rtol=1e-7, atol=1e-9)
        for k in range(1, min(n, m) + 1):
            paid = (np.abs(np.sort(x[left[:k]]) - np.sort(y[right[:k]])) ** p).sum()
            np.testing.assert_allclose(paid, costs[:k].sum(), rtol=1e-7, atol=1e-9)
    few = our.partial.partial_wasserstein_1d(x, y, n_transported_samples=1, p=p)
    assert all(len(part) == 1 for part in few)


@pytest.mark.parametrize("method", ["auto", "exact"])
def test_clouds(method):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 3)), rng.normal(size=(45, 3)) + 0.5
    a, b = rng.random(60), rng.random(45)
    M = ((X[:, None] - Y[None]) ** 2).sum(axis=2)
    m = 0.7 * min(a.sum(), b.sum())
    result = swgg.solve(X, Y, a, b, method=method, mass=0.7)
    np.testing.assert_allclose(result.value, ot.partial.partial_wasserstein2(a, b, M, m=m), rtol=1e-9)
    np.testing.assert_allclose(result.moved, m, rtol=1e-12)
    for (points, masses), weights, axis in ((result.unmatched_source, a, 1), (result.unmatched_target, b, 0)):
        left = np.zeros_like(weights)
        left[points] = masses
        np.testing.assert_allclose(result.dense_plan().sum(axis=axis) + left, weights, atol=1e-12)
    assert "70 % of the mass" in repr(result)
    priced = swgg.solve(X, Y, a, b, method=method, discard_cost=1.5)
    rows, cols, _ = priced.entries
    assert (M[rows, cols] <= 1.5).all()


def test_relaxed_marginals():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(20, 2)), rng.normal(size=(30, 2))
    a, b = rng.random(20), rng.random(30)
    M = ((X[:, None] - Y[None]) ** 2).sum(axis=2)
    epsilon, rho = 0.3, 0.9
    tau = rho / (rho + epsilon)
    found = swgg.sinkhorn(X, Y, a, b, epsilon=epsilon, tau_a=tau, tau_b=tau, tolerance=1e-12)
    theirs = ot.unbalanced.sinkhorn_unbalanced(a, b, M, epsilon, rho, reg_type="kl", stopThr=1e-14, numItermax=10**5)
    np.testing.assert_allclose(found.dense_plan(), theirs, atol=1e-7)
    np.testing.assert_allclose(found.smooth_plan(), theirs, atol=1e-7)
    np.testing.assert_allclose(found.value, (theirs * M).sum(), rtol=1e-7)
    assert swgg.solve(X, Y, a, b, method="sinkhorn", epsilon=epsilon, tau_a=tau).lower_bound is None


def test_refusals():
    a, b, M = [0.5, 0.5], [0.5, 0.5], [[0.0, 1.0], [1.0, 0.0]]
    with pytest.raises(swgg.InputError, match="m: found 2.0, expected at most 1, the smaller sum"):
        our.partial.partial_wasserstein(a, b, M, m=2.0)
    with pytest.raises(swgg.InputError, match="m: found -1.0, expected 0 or more"):
        our.partial.partial_wasserstein(a, b, M, m=-1.0)
    with pytest.raises(swgg.InputError, match="expected at most 1; divide"):
        our.partial.partial_wasserstein_lagrange([5.0, 5.0], b, M)
    with pytest.raises(swgg.InputError, match="reg_m"):
        our.partial.partial_wasserstein_lagrange(a, b, M, reg_m=float("nan"))
    with pytest.raises(swgg.InputError, match=r"a: found shape \(3,\), expected \(2,\)"):
        our.partial.partial_wasserstein([0.1, 0.1, 0.1], b, M, m=0.1)
    for name, value in (("mass", 0.0), ("mass", 1.5), ("mass", -1.0), ("discard_cost", -1.0), ("mass_source", 2.0)):
        with pytest.raises(swgg.InputError, match=name):
            swgg.solve([[0.0], [1.0]], [[0.0], [1.0]], **{name: value})
    with pytest.raises(swgg.InputError, match="mass and mass_source"):
        swgg.solve([[0.0], [1.0]], [[0.0], [1.0]], mass=0.5, mass_source=0.5)
    with pytest.raises(swgg.InputError, match="says how much moves"):
        swgg.solve([[0.0], [1.0]], [[0.0], [1.0]], mass_target=0.5, mass_source=0.5)
    with pytest.raises(swgg.InputError, match="mass is not a setting of method tree"):
        swgg.solve([[0.0], [1.0]], [[0.0], [1.0]], method="tree", mass=0.5)
    with pytest.raises(swgg.InputError, match="tau_a"):
        swgg.sinkhorn([0.0], [1.0], tau_a=0.0)
    with pytest.raises(swgg.InputError, match="x: found shape"):
        swgg.partial_1d(np.zeros((3, 2)), [0.0])

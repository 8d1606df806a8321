"""swgg.pot beside POT: plans and distances by lines."""

from __future__ import annotations

import numpy as np
import pytest

import swgg
import swgg.pot as our
from swgg.pot import _plans

ot = pytest.importorskip("ot", reason="needs POT, which swgg.pot is compared with (pip install POT)")
pytest.importorskip("scipy", reason="sparse plans need SciPy")

METRICS = [("sqeuclidean", 2), ("euclidean", 2), ("cityblock", 1), ("minkowski", 3), ("minkowski", 1.5)]


def clouds(seed, n, m, d, weighted=False):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d)) * 0.7 + 0.5
    if not weighted:
        return x, y, None, None
    a, b = rng.random(n) + 0.05, rng.random(m) + 0.05
    return x, y, a / a.sum(), b / b.sum()


def true_cost(x, y, plan, metric, p):
    """What a plan of POT costs: masses by entry, which is not what POT reports."""
    gaps = np.abs(x[plan.rows] - y[plan.cols])
    if metric == "sqeuclidean":
        pairs = (gaps**2).sum(axis=1)
    else:
        power = {"euclidean": 2, "cityblock": 1}.get(metric, p)
        pairs = (gaps**power).sum(axis=1) ** (1 / power)
    return float(pairs @ plan.data)


def matrix(plan, shape):
    dense = np.zeros(shape)
    np.add.at(dense, (plan.rows, plan.cols), plan.data)
    return dense


def test_same_seed_same_directions():
    for d, count, seed in [(1, 3, 0), (2, 50, 7), (9, 20, 123456)]:
        theirs = ot.sliced.get_random_projections(d, count, seed)
        np.testing.assert_array_equal(our.get_random_projections(d, count, seed), theirs)
        state = ot.sliced.get_random_projections(d, count, np.random.RandomState(seed))
        np.testing.assert_array_equal(our.get_random_projections(d, count, np.random.RandomState(seed)), state)
    state = np.random.RandomState(1)
    first, second = (our.get_random_projections(3, 4, state) for _ in range(2))
    assert not np.allclose(first, second)


@pytest.mark.parametrize("metric, p", METRICS)
@pytest.mark.parametrize(
    "n, m, weighted", [(40, 40, False), (40, 40, True), (30, 47, False), (47, 30, True), (1, 5, True)]
)
def test_plans_and_their_costs(metric, p, n, m, weighted):
    x, y, a, b = clouds(n + m, n, m, 3, weighted)
    theirs, reported = ot.sliced.sliced_plans(x, y, a, b, metric=metric, p=p, n_projections=8, seed=3)
    plans, costs, log = our.sliced_plans(x, y, a, b, metric=metric, p=p, n_projections=8, seed=3, log=True)
    expected = np.array([true_cost(x, y, plan, metric, p) for plan in theirs])
    np.testing.assert_allclose(costs, expected, rtol=1e-7)
    if n == m and not weighted:
        np.testing.assert_allclose(costs, reported, rtol=1e-7)
    for plan, other in zip(plans, theirs):
        np.testing.assert_allclose(matrix(plan, (n, m)), matrix(other, (n, m)), atol=1e-12)
        assert (plan.data > 0).all()
    thetas = ot.sliced.get_random_projections(3, 8, 3)
    np.testing.assert_array_equal(log["projections"], thetas)
    np.testing.assert_allclose(log["X_projection"], x @ thetas)
    np.testing.assert_allclose(log["Y_projection"], y @ thetas)
    assert set(log) == {"X_projection", "Y_projection", "projections"}


def test_permutations_are_by_rank_as_in_pot():
    x, y, _, _ = clouds(5, 64, 64, 2)
    theirs, _ = ot.sliced.sliced_plans(x, y, n_projections=4, seed=0)
    plans, _ = our.sliced_plans(x, y, n_projections=4, seed=0)
    for plan, other in zip(plans, theirs):
        np.testing.assert_array_equal(plan.rows, other.rows)
        np.testing.assert_array_equal(plan.cols, other.cols)
        np.testing.assert_allclose(plan.data, other.data)


@pytest.mark.parametrize("metric, p", METRICS)
@pytest.mark.parametrize("dense", [True, False])
def test_cheapest_line(metric, p, dense):
    x, y, _, _ = clouds(11, 50, 50, 4)
    keys = dict(metric=metric, p=p, n_projections=25, seed=9, dense=dense, log=True)
    theirs = ot.min_sliced_transport_plan(x, y, **keys)
    plan, cost, log = our.min_sliced_transport_plan(x, y, **keys)
    assert type(plan) is type(theirs[0]) and plan.dtype == theirs[0].dtype and type(cost) is type(theirs[1])
    np.testing.assert_allclose(cost, theirs[1], rtol=1e-7)
    both = (plan, theirs[0]) if dense else (plan.toarray(), theirs[0].toarray())
    np.testing.assert_allclose(*both, atol=1e-12)
    assert set(log) == set(theirs[2])
    for key in log:
        np.testing.assert_allclose(log[key], theirs[2][key], rtol=1e-7)


@pytest.mark.parametrize("n, m, weighted", [(60, 60, True), (33, 80, False), (80, 33, True)])
def test_cheapest_line_where_pot_misjudges(n, m, weighted):
    x, y, a, b = clouds(2, n, m, 3, weighted)
    theirs, _ = ot.sliced.sliced_plans(x, y, a, b, n_projections=40, seed=1)
    expected = np.array([true_cost(x, y, plan, "sqeuclidean", 2) for plan in theirs])
    plan, cost, log = our.min_sliced_transport_plan(x, y, a, b, n_projections=40, seed=1, log=True)
    np.testing.assert_allclose(log["costs"], expected, rtol=1e-7)
    np.testing.assert_allclose(cost, expected.min(), rtol=1e-7)
    np.testing.assert_allclose((plan * ot.dist(x, y)).sum(), cost, rtol=1e-7)
    np.testing.assert_allclose(plan.sum(axis=1), np.full(n, 1 / n) if a is None else a, atol=1e-12)
    np.testing.assert_allclose(plan.sum(axis=0), np.full(m, 1 / m) if b is None else b, atol=1e-12)


def test_uniform_thousand():
    """Here POT's own test for equal weights fails by rounding, and its cost is that of no plan."""
    x, y, _, _ = clouds(0, 1000, 1000, 2)
    theirs, _ = ot.sliced.sliced_plans(x, y, n_projections=10, seed=0)
    expected = min(true_cost(x, y, plan, "sqeuclidean", 2) for plan in theirs)
    plan, cost = our.min_sliced_transport_plan(x, y, n_projections=10, seed=0, dense=False)
    np.testing.assert_allclose(cost, expected, rtol=1e-7)
    assert plan.nnz == 1000


@pytest.mark.parametrize("metric, p", METRICS)
@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("beta", [0.0, 2.5])
def test_mean_of_plans(metric, p, dense, beta):
    x, y, _, _ = clouds(21, 30, 30, 3)
    keys = dict(metric=metric, p=p, n_projections=12, beta=beta, seed=4, dense=dense, log=True)
    theirs, plan = ot.expected_sliced_plan(x, y, **keys), our.expected_sliced_plan(x, y, **keys)
    assert type(plan[0]) is type(theirs[0])
    both = (plan[0], theirs[0]) if dense else (plan[0].toarray(), theirs[0].toarray())
    np.testing.assert_allclose(*both, atol=1e-12)
    np.testing.assert_allclose(plan[1], theirs[1], rtol=1e-7)
    assert set(plan[2]) == set(theirs[2]) and len(plan[2]["G"]) == 12
    for key in ("projections", "costs", "weights"):
        np.testing.assert_allclose(plan[2][key], theirs[2][key], rtol=1e-7)


def test_mean_of_weighted_plans():
    x, y, a, b = clouds(22, 25, 31, 2, True)
    theirs = ot.expected_sliced_plan(x, y, a, b, n_projections=7, seed=0)
    plan, cost = our.expected_sliced_plan(x, y, a, b, n_projections=7, seed=0)
    np.testing.assert_allclose(plan, theirs[0], atol=1e-12)
    # Without a temperature POT computes the cost from the plan, so it is right.
    np.testing.assert_allclose(cost, theirs[1], rtol=1e-7)


@pytest.mark.parametrize("p", [1, 2, 3, 1.5])
@pytest.mark.parametrize("n, m, weighted", [(40, 40, False), (30, 47, False), (47, 30, True), (35, 35, True)])
@pytest.mark.parametrize("d", [1, 2, 15])
def test_sliced_distances(p, n, m, weighted, d):
    x, y, a, b = clouds(n * d, n, m, d, weighted)
    for name in ("sliced_wasserstein_distance", "max_sliced_wasserstein_distance"):
        theirs, expected = getattr(ot, name)(x, y, a, b, p=p, seed=5, log=True)
        value, log = getattr(our, name)(x, y, a, b, p=p, seed=5, log=True)
        np.testing.assert_allclose(value, theirs, rtol=1e-7)
        assert set(log) == set(expected) and type(value) is type(theirs)
        np.testing.assert_allclose(log["projected_emds"], expected["projected_emds"], rtol=1e-7, atol=1e-14)
        np.testing.assert_array_equal(log["projections"], expected["projections"])
        # Columns of any length.
        long = 3.0 * np.random.default_rng(0).normal(size=(d, 6))
        both = [getattr(module, name)(x, y, a, b, p=p, projections=long) for module in (our, ot)]
        np.testing.assert_allclose(both[0], both[1], rtol=1e-7)


def test_scalers():
    x, y, _, _ = clouds(1, 20, 20, 3)
    halve = lambda points: points / 2.0
    full, half = (our.sliced_wasserstein_distance(x, y, seed=0, scaler=scaler) for scaler in (None, halve))
    np.testing.assert_allclose(half, full / 2.0)

    class Scaler:
        transform = staticmethod(halve)

    np.testing.assert_allclose(our.sliced_wasserstein_distance(x, y, seed=0, scaler=Scaler()), half)
    with pytest.raises(swgg.InputError, match="scaler"):
        our.sliced_wasserstein_distance(x, y, scaler=3)


def test_masses_that_do_not_add_up_to_one():
    x, y, a, b = clouds(3, 12, 17, 2, True)
    plan, cost = our.min_sliced_transport_plan(x, y, a, b, n_projections=5, seed=0)
    double, dear = our.min_sliced_transport_plan(x, y, 2 * a, 2 * b, n_projections=5, seed=0)
    np.testing.assert_allclose(double, 2 * plan)
    np.testing.assert_allclose(dear, 2 * cost)
    one = our.sliced_wasserstein_distance(x, y, a, b, p=1, seed=0)
    np.testing.assert_allclose(our.sliced_wasserstein_distance(x, y, 3 * a, 3 * b, p=1, seed=0), 3 * one)
    np.testing.assert_allclose(ot.sliced_wasserstein_distance(x, y, 3 * a, 3 * b, p=1, seed=0), 3 * one)


def test_kinds():
    x, y, _, _ = clouds(8, 20, 20, 3)
    single = our.min_sliced_transport_plan(x.astype(np.float32), y.astype(np.float32), n_projections=6, seed=0)
    double = our.min_sliced_transport_plan(x.tolist(), np.asfortranarray(y), n_projections=6, seed=0)
    assert single[0].dtype == np.float32 and double[0].dtype == np.float64
    np.testing.assert_allclose(single[1], double[1], rtol=1e-5)
    grid = np.arange(6).reshape(3, 2)
    whole = our.min_sliced_transport_plan(grid, grid + 1, n_projections=3, seed=0)
    np.testing.assert_allclose(whole[0].sum(), 1.0)


def test_large_dense_plans_warn_and_are_refused(monkeypatch):
    x = np.arange(2000.0).reshape(-1, 2)
    monkeypatch.setattr(_plans, "MANY", 10**5)
    for call in (our.min_sliced_transport_plan, our.expected_sliced_plan):
        with pytest.warns(our.DensePlanWarning, match="dense=False") as caught:
            call(x, x, n_projections=2, seed=0)
        assert caught[0].filename == __file__
        call(x, x, n_projections=2, seed=0, dense=False)
    with pytest.warns(our.DensePlanWarning, match="dense=False"):
        our.emd_1d(x[:, 0], x[:, 1])
    assert issubclass(our.DensePlanWarning, UserWarning)
    # No machine has this much.
    vast = np.broadcast_to(np.zeros((1, 1)), (40_000_000, 1))
    with pytest.raises(swgg.SizeError, match="dense=False"):
        our.min_sliced_transport_plan(vast, vast, n_projections=1, seed=0)
    with pytest.raises(swgg.SizeError, match="ask for fewer"):
        our.get_random_projections(1000, 2**39)
    with pytest.raises(swgg.SizeError, match="ask for fewer"):
        our.compute_bspot_bijection(x, x, n_plans=2**31)


def test_refusals():
    x, y, a, b = clouds(1, 5, 6, 3, True)
    cases = {
        "same number of columns": lambda: our.min_sliced_transport_plan(x, y[:, :2], n_projections=2),
        "X_s: found 1 axes": lambda: our.sliced_plans(x[0], y, n_projections=2),
        "metric: found 'cosine'": lambda: our.expected_sliced_plan(x, y, metric="cosine", n_projections=2),
        "n_projections: found None": lambda: our.min_sliced_transport_plan(x, y),
        "projections: found shape": lambda: our.min_sliced_transport_plan(x, y, projections=np.ones((2, 4))),
        "projections: direction 1 has length": lambda: our.sliced_plans(x, y, projections=np.eye(3) * [1, 0, 1]),
        "a: .*5 points|a: .*weight": lambda: our.sliced_wasserstein_distance(x, y, a[:4] / a[:4].sum(), b),
        "same sum": lambda: our.sliced_wasserstein_distance(x, y, a, 2 * b),
        "exponent": lambda: our.sliced_wasserstein_distance(x, y, p=0.5),
        "p: found": lambda: our.sliced_plans(x, y, metric="minkowski", p=0, n_projections=2),
        "seed": lambda: our.sliced_wasserstein_distance(x, y, seed="now"),
        "X: row 2": lambda: our.sliced_wasserstein_distance(np.where(np.arange(5)[:, None] == 2, np.nan, x), y),
    }
    for message, call in cases.items():
        with pytest.raises(ValueError, match=message):
            call()

"""swgg.pot beside POT: exact transport, at given costs and on the line."""

from __future__ import annotations

import numpy as np
import pytest

import swgg.pot as our

ot = pytest.importorskip("ot", reason="needs POT, which swgg.pot is compared with (pip install POT)")
pytest.importorskip("scipy", reason="sparse plans need SciPy")


def problem(seed, n, m, empty=False, scale=1.0):
    rng = np.random.default_rng(seed)
    a, b = rng.random(n), rng.random(m)
    if empty:
        a[rng.random(n) < 0.3] = 0.0
        b[rng.random(m) < 0.3] = 0.0
        a[0] = b[0] = 0.5
    return scale * a / a.sum(), scale * b / b.sum(), rng.random((n, m)) * 4.0


def check_proof(a, b, M, cost, log):
    """Feasible, and worth as much as the plan costs."""
    assert (log["u"][:, None] + log["v"] <= M + 1e-9).all()
    np.testing.assert_allclose(a @ log["u"] + b @ log["v"], cost, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n, m", [(1, 1), (1, 7), (20, 20), (35, 23), (80, 120)])
@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("scale", [1.0, 5.0])
def test_emd(n, m, empty, scale):
    a, b, M = problem(n * m, n, m, empty, scale)
    theirs, expected = ot.emd(a, b, M, log=True)
    plan, log = our.emd(a, b, M, log=True)
    np.testing.assert_allclose(log["cost"], expected["cost"], rtol=1e-9)
    np.testing.assert_allclose((plan * M).sum(), log["cost"], rtol=1e-12)
    np.testing.assert_allclose(plan.sum(axis=1), a, atol=1e-12)
    np.testing.assert_allclose(plan.sum(axis=0), b, atol=1e-12)
    assert set(log) == set(expected) and plan.dtype == theirs.dtype
    assert log["warning"] is None and log["result_code"] == expected["result_code"] == 1
    check_proof(a, b, M, log["cost"], log)
    np.testing.assert_allclose(a @ log["u"], b @ log["v"], atol=1e-9)
    np.testing.assert_allclose(our.emd2(a, b, M), ot.emd2(a, b, M), rtol=1e-9)


def test_equal_masses_by_empty_lists():
    _, _, M = problem(0, 30, 30)
    np.testing.assert_allclose(our.emd2([], [], M), ot.emd2([], [], M), rtol=1e-9)
    np.testing.assert_allclose(our.emd([], [], M), ot.emd([], [], M), atol=1e-12)
    np.testing.assert_allclose(our.emd2([], [], M[:, :20]), ot.emd2([], [], M[:, :20]), rtol=1e-9)
    assert our.emd(np.array([], dtype=np.float32), [], M.astype(np.float32)).dtype == np.float32


def test_without_centring():
    a, b, M = problem(4, 12, 15)
    cost, log = our.emd2(a, b, M, log=True, center_dual=False)
    check_proof(a, b, M, cost, log)


def test_negative_costs():
    a, b, M = problem(5, 14, 9)
    cost, log = our.emd2(a, b, M - 3.0, log=True)
    np.testing.assert_allclose(cost, ot.emd2(a, b, M - 3.0), rtol=1e-9)
    check_proof(a, b, M - 3.0, cost, log)


def test_several_columns():
    a, b, M = problem(6, 10, 8)
    columns = np.stack([b, b[::-1], np.full(8, 1 / 8)], axis=1)
    theirs, values = ot.emd2(a, columns, M), our.emd2(a, columns, M, processes=2)
    assert type(values) is list and type(values[0]) is type(theirs[0])
    np.testing.assert_allclose(values, theirs, rtol=1e-9)
    logged, expected = (module.emd2(a, columns, M, log=True, return_matrix=True) for module in (our, ot))
    for (cost, log), (_, other), column in zip(logged, expected, columns.T):
        assert set(log) == set(other)
        check_proof(a, column, M, cost, log)
        np.testing.assert_allclose((log["G"] * M).sum(), cost, rtol=1e-9)
    assert type(our.emd2(a, b, M, log=True)) is type(ot.emd2(a, b, M, log=True))
    assert set(our.emd2(a, b, M, return_matrix=True)[1]) == set(ot.emd2(a, b, M, return_matrix=True)[1])


def test_emd_refusals():
    a, b, M = problem(7, 4, 5)
    cases = {
        "same sum": lambda: our.emd(a, 1.5 * b, M),
        "a: found shape": lambda: our.emd(a[:3], b, M),
        "b: found shape": lambda: our.emd2(a, b[:3], M),
        "M: found shape": lambda: our.emd([], [], np.zeros(3)),
        "row 1, column 2|cost": lambda: our.emd2(a, b, np.where(np.arange(20).reshape(4, 5) == 7, np.nan, M)),
        "weight": lambda: our.emd2(a - 2 * a.min(), b * (1 - 8 * a.min()), M),
        "expected one column": lambda: our.emd(a, np.stack([b, b], axis=1), M),
    }
    for message, call in cases.items():
        with pytest.raises(ValueError, match=message):
            call()
    np.testing.assert_allclose(our.emd(a, 1.5 * b, M, check_marginals=False), our.emd(a, b, M), atol=1e-12)
    from scipy import sparse

    with pytest.raises(AssertionError, match="no plan from a to b goes along its entries alone"):
        our.emd(a, b, sparse.coo_array(np.eye(4, 5)))


@pytest.mark.parametrize(
    "metric, p", [("sqeuclidean", 1.0), ("euclidean", 1.0), ("cityblock", 1.0), ("minkowski", 1.0), ("minkowski", 2.5)]
)
@pytest.mark.parametrize("n, m, weighted", [(20, 20, False), (20, 33, False), (33, 20, True), (1, 4, True)])
@pytest.mark.parametrize("dense", [True, False])
def test_on_the_line(metric, p, n, m, weighted, dense):
    rng = np.random.default_rng(n + m)
    x, y = rng.normal(size=(n, 1)), rng.normal(size=m)
    a, b = problem(n, n, m, scale=2.0)[:2] if weighted else ([], None)
    theirs, expected = ot.emd_1d(x, y, a, b, metric=metric, p=p, dense=dense, log=True)
    plan, log = our.emd_1d(x, y, a, b, metric=metric, p=p, dense=dense, log=True)
    assert type(plan) is type(theirs) and set(log) == set(expected) and type(log["cost"]) is type(expected["cost"])
    both = (plan, theirs) if dense else (plan.toarray(), theirs.toarray())
    np.testing.assert_allclose(*both, atol=1e-12)
    np.testing.assert_allclose(log["cost"], expected["cost"], rtol=1e-7)
    filled = np.zeros((n, m), dtype=bool)
    filled[log["perms_x_a"], log["perms_x_b"]] = True
    np.testing.assert_array_equal(filled, both[0] > 0)
    np.testing.assert_allclose(our.emd2_1d(x, y, a, b, metric, p), ot.emd2_1d(x, y, a, b, metric, p), rtol=1e-7)
    cost, log = our.emd2_1d(x, y, a, b, metric, p, dense=dense, log=True)
    assert type(log["G"]) is type(theirs) and list(log) == ["G"]


@pytest.mark.parametrize("p", [1, 2, 1.5, 4])
@pytest.mark.parametrize("n, m", [(25, 25), (18, 31)])
@pytest.mark.parametrize("weights", ["none", "shared", "each"])
def test_columns(p, n, m, weights):
    rng = np.random.default_rng(n)
    u, v = rng.normal(size=(n, 6)), rng.normal(size=(m, 6)) + 0.3
    a = b = None
    if weights != "none":
        shape = (6,) if weights == "each" else ()
        a, b = rng.random((n, *shape)), rng.random((m, *shape))
        a, b = a / a.sum(axis=0), b / b.sum(axis=0)
    theirs, expected = ot.wasserstein_1d(u, v, a, b, p=p, return_plans=True)
    costs, plans = our.wasserstein_1d(u, v, a, b, p=p, return_plans=True)
    np.testing.assert_allclose(costs, theirs, rtol=1e-7)
    np.testing.assert_allclose(our.wasserstein_1d(u, v, a, b, p=p), theirs, rtol=1e-7)
    for plan, other in zip(plans, expected):
        assert type(plan) is type(other)
        np.testing.assert_allclose(plan.toarray(), other.toarray(), atol=1e-12)
    _, named = our.wasserstein_1d(u, v, a, b, p=p, return_plans="coo_tuple")
    for plan, other in zip(named, plans):
        np.testing.assert_allclose(plan.data, other.data)
        assert plan._fields == ("data", "rows", "cols")


def test_shapes_of_columns():
    rng = np.random.default_rng(3)
    u, v = rng.normal(size=(9, 2, 3)), rng.normal(size=(7, 2, 3))
    np.testing.assert_allclose(our.wasserstein_1d(u, v).ravel(), our.wasserstein_1d(u.reshape(9, 6), v.reshape(7, 6)))
    flat = our.wasserstein_1d(u[:, 0, 0], v[:, 0, 0], p=2)
    np.testing.assert_allclose(flat, ot.wasserstein_1d(u[:, 0, 0], v[:, 0, 0], p=2), rtol=1e-7)
    assert type(flat) is np.float64
    # Taken in the order they have.
    plain = u[:, 0], v[:, 0]
    theirs, costs = (module.wasserstein_1d(*plain, p=2, require_sort=False) for module in (ot, our))
    np.testing.assert_allclose(costs, theirs, rtol=1e-7)
    assert (costs > our.wasserstein_1d(*plain, p=2)).all()


def test_line_refusals():
    u = np.arange(6.0).reshape(3, 2)
    cases = {
        "exponent": lambda: our.wasserstein_1d(u, u, p=0.5),
        "same columns": lambda: our.wasserstein_1d(u, u[:, :1]),
        "u_weights: found shape": lambda: our.wasserstein_1d(u, u, np.ones(4)),
        "same sum": lambda: our.wasserstein_1d(u, u, np.ones(3), np.ones(3) / 3),
        "return_plans": lambda: our.wasserstein_1d(u, u, return_plans="all"),
        "x_a: found shape": lambda: our.emd_1d(u, u[:, 0]),
        "metric: found": lambda: our.emd2_1d(u[:, 0], u[:, 0], metric="cosine"),
        "a and b must": lambda: our.emd_1d(u[:, 0], u[:, 0], [1, 1, 1], [1, 1, 2]),
        "v_values: row 0": lambda: our.wasserstein_1d(u, u * np.nan),
        "x_b: row 1": lambda: our.emd2_1d(u[:, 0], [0.0, np.inf, 1.0]),
    }
    for message, call in cases.items():
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize("width", [4.0, 6.0, 11.0])
@pytest.mark.parametrize("power", [1, 2])
def test_tails_of_histograms_keep_their_mass(width, power):
    """Gaussian histograms have bins of 1e-19 and far less: no row is empty, and each has its mass to 1e-12 of itself."""
    line = np.arange(100.0)
    a, b = (np.exp(-0.5 * ((line - mean) / width) ** 2) for mean in (20.0, 60.0))
    a, b = a / a.sum(), b / b.sum()
    M = abs(line[:, None] - line) ** power
    plan = our.emd(a, b, M)
    assert a.min() < 1e-11 and (plan.sum(axis=1) > 0.0).all() and (plan.sum(axis=0) > 0.0).all()
    for found, wanted in ((plan.sum(axis=1), a), (plan.sum(axis=0), b)):
        precise = wanted > 1e-24
        np.testing.assert_allclose(found[precise], wanted[precise], rtol=1e-12)
        # What is below a unit of mass is there, within what all the units together are.
        assert abs(found - wanted).max() < 1e-14
    assert np.isclose((plan * M).sum(), ot.emd2(a, b, M), rtol=1e-9)
    # Any plan will do, and still nobody is left out.
    same = our.emd(a, b, np.ones_like(M))
    assert (same.sum(axis=1) > 0.0).all() and (same.sum(axis=0) > 0.0).all()

"""swgg.pot beside POT: transport between samples, with no matrix of costs."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest

import swgg
import swgg.pot as our
from swgg.pot import _metrics

ot = pytest.importorskip("ot", reason="needs POT, which swgg.pot is compared with (pip install POT)")
pytest.importorskip("scipy", reason="sparse plans need SciPy")

LAZY = ["sqeuclidean", "euclidean", "cityblock"]


def clouds(seed=0, n=40, m=31, d=3, mass=1.0, empty=True):
    rng = np.random.default_rng(seed)
    a, b = rng.random(n), rng.random(m)
    a[2] *= not empty
    x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d)) + 0.3
    return x, y, mass * a / a.sum(), mass * b / b.sum()


# Exact, between points.


@pytest.mark.parametrize("metric", LAZY)
@pytest.mark.parametrize("mass", [1.0, 5.0])
@pytest.mark.parametrize("equal", [False, True])
def test_emd2_lazy(metric, mass, equal):
    x, y, a, b = clouds(mass=mass)
    given = ([], []) if equal else (a, b)
    theirs, expected = ot.emd2_lazy(x, y, *given, metric=metric)
    cost, log = our.emd2_lazy(x, y, *given, metric=metric)
    np.testing.assert_allclose(cost, theirs, rtol=1e-9)
    assert type(cost) is type(theirs) and set(log) == set(expected) and type(log["G"]) is type(expected["G"])
    of_a, of_b = (our.unif(len(x)), our.unif(len(y))) if equal else given
    costs = ot.dist(x, y, metric=metric)
    np.testing.assert_allclose((log["G"].toarray() * costs).sum(), cost, rtol=1e-9)
    np.testing.assert_allclose(log["G"].toarray().sum(axis=1), of_a, atol=1e-12)
    np.testing.assert_allclose(log["G"].toarray().sum(axis=0), of_b, atol=1e-12)
    assert (log["u"][:, None] + log["v"] <= costs + 1e-9).all()
    np.testing.assert_allclose(of_a @ log["u"], of_b @ log["v"], atol=1e-9)
    np.testing.assert_allclose(of_a @ log["u"] + of_b @ log["v"], cost, rtol=1e-9)


def test_what_emd2_lazy_returns():
    x, y, a, b = clouds()
    for kwargs in ({}, {"log": True}, {"return_matrix": False}, {"log": True, "return_matrix": False}):
        ours, theirs = (module.emd2_lazy(x, y, a, b, **kwargs) for module in (our, ot))
        assert type(ours) is type(theirs)
        if isinstance(theirs, tuple):
            assert set(ours[1]) == set(theirs[1])
    cost, log = our.emd2_lazy(x.astype(np.float32), y.astype(np.float32))
    assert log["G"].dtype == log["u"].dtype == np.float32 and isinstance(cost, float)
    free = our.emd2_lazy(x, y, a, 2 * b, check_marginals=False, return_matrix=False)
    np.testing.assert_allclose(free, our.emd2_lazy(x, y, a, b, return_matrix=False), rtol=1e-12)


@pytest.mark.parametrize("metric", [*_metrics.BETWEEN_POINTS, "canberra", "braycurtis"])
def test_the_optimum_of_every_metric(metric):
    x, y, a, b = clouds(1)
    costs = ot.dist(x, y, metric=metric)
    expected = ot.solve_sample(x, y, a, b, metric=metric)
    found = our.solve_sample(x, y, a, b, metric=metric)
    np.testing.assert_allclose([found.value, found.value_linear], expected.value, rtol=1e-7)
    np.testing.assert_allclose((found.plan * costs).sum(), expected.value, rtol=1e-7)
    u, v = found.potentials
    assert (u[:, None] + v <= costs + 1e-9).all()
    np.testing.assert_allclose(a @ u + b @ v, expected.value, rtol=1e-7)
    if metric in _metrics.BETWEEN_POINTS:
        np.testing.assert_allclose(our.emd2_lazy(x, y, a, b, metric, return_matrix=False), expected.value, rtol=1e-7)


def test_costs_below_zero():
    x, y, a, b = clouds(2, mass=2.0, empty=False)

    def metric(p, q):
        return float(np.abs(p - q).sum()) - 5.0

    for reg in (None, 1.0):
        found = our.solve_sample(x, y, a, b, metric=metric, reg=reg)
        expected = ot.solve_sample(x, y, a, b, metric=metric, reg=reg, max_iter=10**5)
        np.testing.assert_allclose(found.value, expected.value, rtol=1e-7)
        np.testing.assert_allclose(found.value_linear, expected.value_linear, rtol=1e-7)
    plan = np.exp(found.potential_a[:, None] + found.potential_b - ot.dist(x, y, metric=metric))
    np.testing.assert_allclose(plan, found.plan, atol=1e-12)


# Entropic.


@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean", "cityblock", "chebyshev", "cosine", "mahalanobis", "canberra"])
@pytest.mark.parametrize("mass", [1.0, 3.0])
@pytest.mark.parametrize("reg_type", ["KL", "entropy"])
def test_entropic(metric, mass, reg_type):
    x, y, a, b = clouds(3, mass=mass, empty=False)
    costs = ot.dist(x, y, metric=metric)
    reg = 0.2 * costs.mean()
    expected = ot.solve_sample(x, y, a, b, metric=metric, reg=reg, reg_type=reg_type, max_iter=10**5)
    found = our.solve_sample(x, y, a, b, metric=metric, reg=reg, reg_type=reg_type)
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-7)
    np.testing.assert_allclose(found.value_linear, expected.value_linear, rtol=1e-7)
    np.testing.assert_allclose(found.plan, expected.plan, atol=1e-8 * mass)
    np.testing.assert_allclose(found.sparse_plan.toarray(), found.plan, atol=1e-15)
    assert type(found.value) is type(expected.value) and found.status == "Converged"
    # Potentials are those of POT but for a constant.
    u, v = found.potentials
    np.testing.assert_allclose(np.exp(u[:, None] + v - costs / reg), expected.plan, atol=1e-8 * mass)
    assert np.ptp(u - expected.potentials[0]) < 1e-6
    np.testing.assert_allclose(found.marginal_a, a, atol=1e-8 * mass)
    np.testing.assert_allclose(found.marginals[1], b, atol=1e-8 * mass)


def test_parts_of_a_plan():
    x, y, a, b = clouds(4, empty=False)
    found, expected = (module.solve_sample(x, y, a, b, reg=1.0, lazy=True) for module in (our, ot))
    np.testing.assert_allclose(found.value_linear, expected.value_linear, rtol=1e-7)
    lazy, theirs = found.lazy_plan, expected.lazy_plan
    assert lazy.shape == theirs.shape
    for key in (3, slice(None), (slice(2, 9), 4), (slice(None, None, 3), slice(5)), (0, 0), slice(0, 0)):
        np.testing.assert_allclose(lazy[key], theirs[key], atol=1e-8)
        assert lazy[key].shape == theirs[key].shape
    np.testing.assert_allclose(lazy[[5, 1, 5]], found.plan[[5, 1, 5]], atol=1e-15)
    for wrong in (99, "x", (1, 2, 3), [[1]], 2.5):
        with pytest.raises(swgg.InputError):
            lazy[wrong]
    assert our.solve_sample(x, y, reg=1.0).lazy_plan is None
    exact = our.solve_sample(x, y, a, b, lazy=True)
    np.testing.assert_allclose(exact.lazy_plan[[3, 3], 4:], exact.plan[[3, 3], 4:])


def test_points_without_mass_have_no_part():
    x, y, a, b = clouds(5)
    found = our.solve_sample(x, y, a, b, reg=0.5)
    assert found.plan[2].sum() == 0.0 and found.potential_a[2] == -np.inf
    without = our.solve_sample(np.delete(x, 2, 0), y, np.delete(a, 2), b, reg=0.5)
    np.testing.assert_allclose([found.value, found.value_linear], [without.value, without.value_linear], rtol=1e-8)


def test_iterations_and_tolerance():
    x, y, *_ = clouds(6)
    with pytest.warns(UserWarning, match="did not converge in 3 iterations"):
        found = our.solve_sample(x, y, reg=0.01, max_iter=3)
    assert found.status == "Not converged" and found.log["niter"] == 3
    loose, tight = (our.solve_sample(x, y, reg=0.1, tol=tol) for tol in (1e-2, 1e-10))
    assert loose.log["niter"] < tight.log["niter"] and tight.log["err"] <= 1e-10


def test_threads_change_no_bit():
    x, y, a, b = clouds(7, n=300, m=280)
    for reg in (None, 0.5):
        one, two, three = (our.solve_sample(x, y, a, b, reg=reg, n_threads=count) for count in (1, 2, 3))
        assert one.value == two.value == three.value
        assert (one.plan == three.plan).all()


def test_debias():
    x, y, a, b = clouds(8)
    found, expected = (module.solve_sample(x, y, reg=5.0, debias=True) for module in (our, ot))
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-6)
    np.testing.assert_allclose(found.value_linear, expected.value_linear, rtol=1e-6)
    assert set(found.log) == set(expected.log)
    np.testing.assert_allclose(found.log["res_ab"].value, expected.log["res_ab"].value, rtol=1e-7)
    np.testing.assert_allclose(found.value, swgg.sinkhorn_divergence(x, y, epsilon=5.0).value, rtol=1e-6)
    assert our.solve_sample(x, y, a, b, debias=True).value == our.solve_sample(x, y, a, b).value


# Other methods.


@pytest.mark.parametrize("method", ["1d", "1D", "gaussian", "sliced", "max_sliced"])
@pytest.mark.parametrize("weighted", [False, True])
def test_methods_without_a_plan(method, weighted):
    x, y, a, b = clouds(9)
    given = (a, b) if weighted else ()
    metrics = ["sqeuclidean"] if method == "gaussian" else ["sqeuclidean", "euclidean"]
    for metric in metrics:
        found, expected = (
            module.solve_sample(x, y, *given, metric=metric, method=method, random_state=3) for module in (our, ot)
        )
        np.testing.assert_allclose(found.value, expected.value, rtol=1e-7)
        np.testing.assert_allclose(found.value_linear, expected.value_linear, rtol=1e-7)
        assert found.plan is found.sparse_plan is found.marginals is found.potential_a is expected.plan is None
    if method == "gaussian":
        other = [module.solve_sample(x, y, *given, reg=0.3, method=method).value for module in (our, ot)]
        np.testing.assert_allclose(*other, rtol=1e-7)
        np.testing.assert_allclose(found.log["Cs"], expected.log["Cs"], atol=1e-12)


def test_factored():
    rng = np.random.default_rng(10)
    centres = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    x, y = (np.repeat(centres, 10, axis=0) + 0.1 * rng.normal(size=(30, 2)) for _ in range(2))
    found = our.solve_sample(x, y, method="factored", rank=3, random_state=1)
    theirs = min(ot.solve_sample(x, y, method="factored", rank=3).value for _ in range(10))
    assert found.value <= theirs * (1 + 1e-6)
    np.testing.assert_allclose(found.marginal_a, 1 / 30, atol=1e-12)
    np.testing.assert_allclose(found.lazy_plan[:], found.plan, atol=1e-15)
    assert found.log["X"].shape == (3, 2) and np.linalg.matrix_rank(found.plan, tol=1e-9) <= 3
    assert our.solve_sample(x[:5], y, method="factored").log["X"].shape == (5, 2)


def test_trees():
    x, *_ = clouds(11)
    found = our.solve_sample(x, x[::-1] + 1.0, method="bsp", n_projections=8)
    np.testing.assert_allclose(found.value, 3.0)
    assert found.log["perm"].tolist() == list(range(39, -1, -1))
    np.testing.assert_allclose(found.sparse_plan.toarray(), np.eye(40)[::-1] / 40)


# How it looks, and what it refuses.


def test_results_have_the_attributes_of_pot():
    x, y, a, b = clouds(12)
    found = our.solve_sample(x, y, a, b)
    names = {name for name, _ in inspect.getmembers(ot.utils.OTResult, lambda member: isinstance(member, property))}
    # These two raise NotImplementedError in POT.
    assert all(hasattr(found, name) for name in names - {"a_to_b", "b_to_a"})
    assert found.value_quad is None and found.status == ot.solve_sample(x, y, a, b).status
    assert repr(found).startswith("OTResult(value=") and "(40, 31)" in repr(found)
    assert isinstance(found, our.utils.OTResult) and "mahey2023fast" in found.citation
    again = pickle.loads(pickle.dumps(found))
    assert again.value == found.value and (again.plan == found.plan).all()


def test_lists_will_do():
    assert our.solve_sample([[0.0], [1.0]], [[3.0], [5.0]], method="1d").value.tolist() == [12.5]
    assert our.solve_sample([[0.0], [1.0]], [[3.0], [5.0]]).value == 12.5


X, Y = np.zeros((3, 2)), np.ones((4, 2))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"unbalanced": 1.0}, "unbalanced: found 1.0, expected None; .* not here yet"),
        ({"c": np.ones((3, 4))}, "c: "),
        ({"scaler": "std"}, "scaler: .* before the call"),
        ({"method": "nystroem"}, "method: found 'nystroem', which is not here; there are 'sinkhorn'.*'bsp'.* import ot"),
        ({"method": "geomloss"}, "which is not here"),
        ({"method": "guassian"}, "did you mean 'gaussian'"),
        ({"method": "sinkhorn"}, "reg: found None, expected a number above 0; method 'sinkhorn' needs it"),
        ({"method": "1d", "reg": 1.0}, "reg: found 1.0, which says nothing to method '1d'"),
        ({"method": "1d", "metric": "cosine"}, "metric: found 'cosine'"),
        ({"method": "gaussian", "metric": "euclidean"}, "metric: method 'gaussian' knows 'sqeuclidean' only"),
        ({"method": "bsp", "a": np.ones(3) / 3}, "a: found masses, expected None"),
        ({"reg": -1.0}, "reg: "),
        ({"reg": 1.0, "reg_type": "L2"}, "reg_type: found 'L2', expected 'KL' or 'entropy'"),
        ({"metric": "euclid"}, "did you mean 'euclidean'"),
        ({"a": np.ones(3)}, "a and b must have the same sum, found 3 and 1"),
        ({"b": np.ones(3) / 3}, r"b: found shape \(3,\), expected \(4,\)"),
        ({"debias": "split"}, "debias: "),
        ({"max_iter": 0, "reg": 1.0}, "max_iter: "),
        ({"n_threads": 0}, "n_threads: "),
        ({"X_a": np.zeros((0, 2))}, "X_a: found no points"),
        ({"X_b": np.zeros((4, 3))}, "X_a has 2 columns and X_b has 3"),
        ({"X_a": np.full((3, 2), np.nan)}, "X_a: row 0"),
        ({"X_a": np.full((3, 2), np.nan), "reg": 1.0}, "X_a: row 0"),
    ],
)
def test_refusals(given, message):
    with pytest.raises(swgg.InputError, match=message):
        our.solve_sample(**{"X_a": X, "X_b": Y, **given})


def test_refusals_of_lazy_transport():
    with pytest.raises(swgg.InputError, match="metric: found 'canberra', expected one of 'sqeuclidean'"):
        our.emd2_lazy(X, Y, metric="canberra")
    with pytest.raises(swgg.InputError, match="metric: found a function, .* give the matrix of its costs"):
        our.emd2_lazy(X, Y, metric=lambda p, q: 1.0)
    with pytest.raises(swgg.InputError, match="same sum"):
        our.emd2_lazy(X, Y, np.ones(3), np.ones(4))
    with pytest.raises(swgg.InputError, match="'mahalanobis': the covariance .* no inverse"):
        our.emd2_lazy(X, Y, metric="mahalanobis")
    with pytest.raises(swgg.InputError, match="'seuclidean': column 1 does not vary"):
        our.emd2_lazy(X + [[1.0, 0.0]], X, metric="seuclidean")


def test_plans_that_do_not_fit_are_refused_when_asked_for(monkeypatch):
    x, y, *_ = clouds(13)
    found = our.solve_sample(x, y)
    monkeypatch.setattr("swgg.pot._plans.free_memory", lambda: 1000)
    with pytest.raises(swgg.SizeError, match="use sparse_plan, or lazy=True"):
        found.plan  # noqa: B018
    assert found.sparse_plan.nnz < 80

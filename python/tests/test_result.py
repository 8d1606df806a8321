"""What a result says, and what can be done with it."""

from __future__ import annotations

import copy
import pickle
import sys

import numpy as np
import pytest

import swgg

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 3))
Y = RNG.normal(size=(60, 3)) + 1.0
A, B = RNG.random(60) + 0.1, RNG.random(45) + 0.1
MATCHING = swgg.solve(X, Y)
SPLIT = swgg.solve(X, Y[:45], A, B)
BOTH = pytest.mark.parametrize("result", [MATCHING, SPLIT], ids=["matching", "split"])


def squares(x, y):
    return ((x - y) ** 2).sum(axis=-1)


@BOTH
def test_value_is_that_of_the_plan(result):
    rows, columns, masses = result.entries
    assert result.value == pytest.approx(float(masses @ squares(result.X[rows], result.Y[columns])), rel=1e-12)
    assert result.distance == pytest.approx(result.value**0.5, rel=1e-15)
    assert isinstance(result.value, float) and isinstance(result.n_iter, int)
    assert result.seconds > 0.0


@BOTH
def test_plan_has_the_weights_as_marginals(result):
    sparse = pytest.importorskip("scipy.sparse")
    n, m = len(result.X), len(result.Y)
    a = np.full(n, 1 / n) if result.a is None else result.a / result.a.sum()
    b = np.full(m, 1 / m) if result.b is None else result.b / result.b.sum()
    plan = result.plan
    assert sparse.issparse(plan) and plan.format == "csr" and plan.shape == (n, m) and plan is result.plan
    np.testing.assert_allclose(np.asarray(plan.sum(axis=1)).ravel(), a, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.asarray(plan.sum(axis=0)).ravel(), b, rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.dense_plan(), plan.toarray(), rtol=0, atol=1e-15)
    assert (plan.data > 0.0).all()


def test_permutation():
    assert sorted(MATCHING.permutation) == list(range(60))
    assert MATCHING.permutation.dtype == np.int64
    assert MATCHING.value == pytest.approx(squares(X, Y[MATCHING.permutation]).mean(), rel=1e-12)
    assert SPLIT.permutation is None


def test_bounds():
    assert MATCHING.gap < 1e-9 and MATCHING.lower_bound <= MATCHING.value * (1 + 1e-12)
    without = swgg.solve(*(RNG.normal(size=(3000, 3)) for _ in "xy"), effort=1, bounds=False)
    assert without.lower_bound is None and without.gap is None
    assert swgg.solve(X, X).gap == 0.0
    large = swgg.solve(*(RNG.normal(size=(3000, 3)) + k for k in range(2)), effort=1)
    assert 0.0 < large.gap == pytest.approx(large.value / large.lower_bound - 1.0, rel=1e-12)


def test_optimum_is_that_of_scipy():
    optimize = pytest.importorskip("scipy.optimize")
    costs = squares(X[:, None], Y[None])
    rows, columns = optimize.linear_sum_assignment(costs)
    assert MATCHING.value == pytest.approx(costs[rows, columns].mean(), rel=1e-12)


def test_barycentric():
    assert np.array_equal(MATCHING.barycentric(), Y[MATCHING.permutation])
    dense = SPLIT.dense_plan()
    np.testing.assert_allclose(SPLIT.barycentric(), dense @ SPLIT.Y / dense.sum(axis=1, keepdims=True), rtol=1e-12)


@BOTH
def test_interpolate(result):
    for t, cloud, weights in ((0.0, result.X, result.a), (1, result.Y, result.b)):
        points, masses = result.interpolate(t)
        assert masses.sum() == pytest.approx(1.0, abs=1e-12)
        ours = (points * masses[:, None]).sum(axis=0)
        np.testing.assert_allclose(ours, np.average(cloud, axis=0, weights=weights), rtol=1e-10)
    half, masses = result.interpolate(0.5)
    rows, columns, _ = result.entries
    np.testing.assert_allclose(half, (result.X[rows] + result.Y[columns]) / 2, rtol=1e-14)
    # Along the way the distance grows evenly.
    quarter = swgg.solve(result.X, result.interpolate(0.25)[0], result.a, masses)
    assert quarter.distance == pytest.approx(0.25 * result.distance, rel=1e-9)


def test_transform():
    np.testing.assert_allclose(MATCHING.transform(X), Y[MATCHING.permutation], rtol=1e-12)
    np.testing.assert_allclose(MATCHING.inverse_transform(Y[MATCHING.permutation]), X, rtol=0, atol=1e-12)
    np.testing.assert_allclose(SPLIT.transform(X), SPLIT.barycentric(), rtol=0, atol=1e-12)
    new = RNG.normal(size=(20, 3))
    nearest = squares(new[:, None], X[None]).argmin(axis=1)
    moved = new + Y[MATCHING.permutation[nearest]] - X[nearest]
    np.testing.assert_allclose(MATCHING.transform(new), moved, rtol=1e-12)
    # Neighbours share in proportion to one over the squared distance.
    near = squares(new[:, None], X[None])
    order = near.argsort(axis=1)[:, :3]
    shares = 1 / np.take_along_axis(near, order, axis=1)
    shares /= shares.sum(axis=1, keepdims=True)
    steps = (Y[MATCHING.permutation] - X)[order]
    moved = new + (shares[..., None] * steps).sum(axis=1)
    np.testing.assert_allclose(MATCHING.transform(new, neighbors=3), moved, rtol=1e-10)
    np.testing.assert_allclose(MATCHING.transform(X, neighbors=3), Y[MATCHING.permutation], rtol=0, atol=1e-12)
    tiny = swgg.solve(X * 1e-155, Y * 1e-155)
    np.testing.assert_allclose(tiny.transform(new * 1e-155, neighbors=3), moved * 1e-155, rtol=1e-6)
    assert MATCHING.transform(np.empty((0, 3))).shape == (0, 3)


def test_how_it_was_found():
    assert MATCHING.converged and MATCHING.status in ("converged", "all-tried") and MATCHING.theta is None
    assert swgg.solve(X, Y, method="tree").method == "tree"
    assert MATCHING.story and "\n" not in MATCHING.story
    assert MATCHING.citation.startswith("@inproceedings{")
    assert MATCHING.citation.count("{") == MATCHING.citation.count("}")


def looks():
    big = RNG.normal(size=(20_000, 2)), RNG.normal(size=(20_000, 2))
    yield from (MATCHING, SPLIT, swgg.solve([1.0], [1.0]), swgg.solve(X * 1e100, Y * 1e100))
    yield swgg.solve(*big, effort=1)
    yield swgg.solve(*big, effort=6, bounds=False, callback=lambda i, best: True)
    yield swgg.solve(*big, time_limit=1e-9)
    for method in ("exact", "tree", "merged"):
        yield swgg.solve(X, Y, method=method)


def test_looks():
    for result in looks():
        text = repr(result)
        assert text.startswith("swgg.Result\n")
        assert all(len(line) <= 80 for line in text.splitlines()), text
        assert f"{result.value:.6g}" in text and "plan:" in text
        assert result._repr_html_().startswith("<table>")


def test_html_is_escaped():
    answer = MATCHING._answer
    parts = list(answer.__reduce__()[1])
    parts[5] = "<script>alert('&')</script>"
    result = swgg.Result(swgg._swgg.Answer(*parts), X, Y, None, None)
    assert "<script>" not in result._repr_html_() and "&lt;script&gt;" in result._repr_html_()


def test_plan_without_scipy(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "scipy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scipy", None)
    result = swgg.solve(X, Y)
    with pytest.raises(swgg.MissingPackageError, match="pip install scipy.*Result.entries") as caught:
        _ = result.plan
    assert isinstance(caught.value, ImportError)
    assert len(result.entries[0]) == 60


@BOTH
@pytest.mark.parametrize(
    "travel",
    [copy.copy, copy.deepcopy, *(lambda r, p=p: pickle.loads(pickle.dumps(r, p)) for p in (2, 3, 4, 5))],
)
def test_copies_and_pickles(result, travel):
    _ = result.plan
    twin = travel(result)
    assert twin is not result
    for name in ("value", "lower_bound", "gap", "method", "story", "status", "n_iter", "seconds", "theta"):
        assert getattr(twin, name) == getattr(result, name)
    assert repr(twin) == repr(result)
    for ours, theirs in zip(twin.entries, result.entries):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(twin.permutation, result.permutation)
    assert np.array_equal(twin.barycentric(), result.barycentric())
    assert np.array_equal(twin.plan.toarray(), result.plan.toarray())
    np.testing.assert_array_equal(twin.a, result.a)


def test_results_cannot_be_changed_by_accident():
    for name in ("value", "plan", "permutation", "nonsense"):
        with pytest.raises(AttributeError):
            setattr(MATCHING, name, 0)


def test_weak_bounds_are_called_weak():
    rng = np.random.default_rng(0)
    result = swgg.min_swgg(rng.normal(size=(500, 3)), rng.normal(size=(500, 3)), n_projections=50, bounds=True)
    assert result.gap is not None and result.gap > 1.0
    assert "(bound is weak)" in repr(result) and "certified" not in repr(result)


def test_an_optimum_within_a_time_limit_is_proved():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(50, 3)), rng.normal(size=(60, 3))
    result = swgg.solve(X, Y, time_limit=20.0)
    assert result.method == "exact" and result.gap < 1e-9


def test_parts_are_imported_when_asked_for():
    assert swgg.pot.unif(2).sum() == 1.0
    assert "pot" in dir(swgg) and "annotations" not in dir(swgg)
    with pytest.raises(AttributeError, match="has no|neither"):
        swgg.pot.no_such_function
    with pytest.raises(AttributeError, match="nothing"):
        swgg.nothing

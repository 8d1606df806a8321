"""Weights and matrices of costs, beside POT."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import swgg
import swgg.pot as ours
from swgg.pot import _metrics

ot = pytest.importorskip("ot", reason="skipped: no POT")


@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean", "cityblock", "minkowski"])
@pytest.mark.parametrize("shape", [(5, 7, 2), (40, 3, 1), (1, 1, 9)])
def test_dist(metric: str, shape: tuple[int, int, int]) -> None:
    n, m, d = shape
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    np.testing.assert_allclose(ours.dist(x, y, metric=metric, p=3), ot.dist(x, y, metric=metric, p=3), atol=1e-12)
    np.testing.assert_allclose(ours.dist(x, metric=metric, p=3), ot.dist(x, metric=metric, p=3), atol=1e-7)


#: All that the SciPy of today knows.
METRICS = sorted(set(_metrics.METRICS) - {"kulczynski1", "sokalmichener", "wminkowski"})


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("d", [1, 4, 30])
def test_every_metric(metric: str, d: int) -> None:
    rng = np.random.default_rng(d)
    x, y = rng.random(size=(23, d)).round(2), rng.random(size=(37, d)).round(2)
    if metric in ("dice", "jaccard", "matching", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "hamming"):
        x, y = (x > 0.5).astype(float), (y > 0.5).astype(float)
    if metric == "correlation" and d == 1:
        pytest.skip("one coordinate is always its own mean")
    np.testing.assert_allclose(ours.dist(x, y, metric), ot.dist(x, y, metric), rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(ours.dist(x, y, metric, p=3.5), ot.dist(x, y, metric, p=3.5), rtol=1e-7, atol=1e-12)
    by_scipy = ot.dist(x, y, metric, backend="scipy")
    np.testing.assert_allclose(ours.dist(x, y, metric, backend="scipy"), by_scipy, rtol=1e-12)
    if metric in ("jensenshannon", "mahalanobis", "seuclidean"):
        return
    w = rng.random(d)
    weighed = ot.dist(x, y, metric, p=3, w=w, backend="scipy")
    np.testing.assert_allclose(ours.dist(x, y, metric, p=3, w=w), weighed, rtol=1e-7, atol=1e-12)


def test_weights_count_for_every_metric_and_not_for_minkowski_alone() -> None:
    x, y = np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]])
    assert ours.dist(x, y, w=[1.0, 0.0]) == 9.0 and ot.dist(x, y, w=np.array([1.0, 0.0])) == 25.0
    assert ours.dist(x, y, "minkowski", p=1, w=[2.0, 1.0]) == ot.dist(x, y, "minkowski", p=1, w=np.array([2.0, 1.0])) == 10.0


def test_functions_of_two_points() -> None:
    x, y = np.arange(6.0).reshape(3, 2), np.arange(4.0).reshape(2, 2)

    def metric(p: np.ndarray, q: np.ndarray) -> float:
        return float(np.abs(p - q).max())

    np.testing.assert_array_equal(ours.dist(x, y, metric), ours.dist(x, y, "chebyshev"))


@pytest.mark.parametrize("d", [2, 40])
@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean"])
def test_a_cloud_is_no_distance_from_itself(d: int, metric: str) -> None:
    x = np.random.default_rng(d).normal(size=(50, d)) + 10.0
    assert (np.diagonal(ours.dist(x, metric=metric)) == 0.0).all()
    assert (np.diagonal(ours.dist(x, x, metric=metric)) == 0.0).all()


@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean", "cityblock", "cosine"])
@pytest.mark.parametrize("d", [3, 40])
def test_single_precision_stays(metric: str, d: int) -> None:
    x = np.random.default_rng(0).normal(size=(20, d)).astype(np.float32)
    costs = ours.dist(x, x[:7] + 1, metric=metric)
    assert costs.dtype == np.float32
    np.testing.assert_allclose(costs, ot.dist(x.astype(float), x[:7].astype(float) + 1, metric=metric), rtol=2e-5, atol=1e-5)


def test_without_scipy_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.spatial.distance", None)
    assert ours.dist(np.zeros((1, 2)), metric="cosine").shape == (1, 1)
    with pytest.raises(swgg.MissingPackageError, match="'canberra' needs SciPy.*'cityblock'"):
        ours.dist(np.zeros((2, 2)), metric="canberra")


def test_a_stopwatch(capsys: pytest.CaptureFixture[str]) -> None:
    ours.tic()
    assert 0.0 <= ours.toq() <= ours.toc("it took {} s") < 10.0
    assert capsys.readouterr().out.startswith("it took ")


def test_many_columns_far_from_the_origin() -> None:
    x = np.random.default_rng(0).normal(size=(60, 40)) + 1000.0
    true = ((x[:, None] - x[None, ::-1]) ** 2).sum(axis=2)
    np.testing.assert_allclose(ours.dist(x, x[::-1]), true, atol=1e-9)
    np.testing.assert_allclose(ours.dist(x, x[::-1], metric="euclidean"), np.sqrt(true), atol=1e-4)


def test_unif() -> None:
    np.testing.assert_array_equal(ours.unif(7), ot.unif(7))
    assert ours.unif(3, type_as=np.zeros(1, dtype=np.float32)).dtype == np.float32


def test_an_example_of_pot_runs_with_the_import_changed() -> None:
    rng = np.random.RandomState(0)
    x, y = rng.randn(30, 2), rng.randn(40, 2) + 1.0
    results = []
    for package in (ours, ot):
        a, b = package.unif(30), package.unif(40)
        cost_matrix = package.dist(x, y)
        results.append((package.emd2(a, b, cost_matrix), (package.emd(a, b, cost_matrix) * cost_matrix).sum()))
    np.testing.assert_allclose(results[0], results[1], rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: ours.dist(np.zeros((2, 2)), np.zeros((2, 3))), "columns"),
        (lambda: ours.dist(np.zeros((2, 2)), metric="cosin"), "metric: .* did you mean 'cosine'"),
        (lambda: ours.dist(np.zeros((2, 2)), metric=3), "metric: "),
        (lambda: ours.dist(np.zeros((2, 2)), metric="mahalanobis", w=[1.0, 2.0]), "SciPy refuses"),
        (lambda: ours.dist(np.zeros((2, 2)), backend="abacus"), "backend: "),
        (lambda: ours.dist(np.zeros((2, 2)), metric="minkowski", p=-1), "p: "),
        (lambda: ours.dist(np.zeros((2, 2)), w=[1.0, 2.0, 3.0]), "w: found 3 weights, expected 2"),
        (lambda: ours.dist(np.zeros((2, 2)), w=[1.0, -2.0]), "w: .* 0 or more"),
        (lambda: ours.toc("{5}"), "message: "),
        (lambda: ours.unif(0), "n: "),
    ],
)
def test_refusals(call: object, word: str) -> None:
    assert callable(call)
    with pytest.raises(swgg.InputError, match=word):
        call()

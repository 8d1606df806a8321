"""Weights and matrices of costs, beside POT."""

from __future__ import annotations

import numpy as np
import pytest

import swgg
import swgg.pot as ours

ot = pytest.importorskip("ot", reason="skipped: no POT")


@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean", "cityblock", "minkowski"])
@pytest.mark.parametrize("shape", [(5, 7, 2), (40, 3, 1), (1, 1, 9)])
def test_dist(metric: str, shape: tuple[int, int, int]) -> None:
    n, m, d = shape
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    np.testing.assert_allclose(ours.dist(x, y, metric=metric, p=3), ot.dist(x, y, metric=metric, p=3), atol=1e-12)
    np.testing.assert_allclose(ours.dist(x, metric=metric, p=3), ot.dist(x, metric=metric, p=3), atol=1e-7)


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
        (lambda: ours.dist(np.zeros((2, 2)), metric="cosine"), "metric"),
        (lambda: ours.dist(np.zeros((2, 2)), metric="minkowski", p=-1), "p: "),
        (lambda: ours.dist(np.zeros((2, 2)), w=[1.0, 2.0]), "w: "),
        (lambda: ours.unif(0), "n: "),
    ],
)
def test_refusals(call: object, word: str) -> None:
    assert callable(call)
    with pytest.raises(swgg.InputError, match=word):
        call()

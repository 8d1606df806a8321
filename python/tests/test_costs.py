"""Other ground costs than squared distances."""

import numpy as np
import pytest

import swgg

RNG = np.random.default_rng(4)
X, Y = RNG.normal(size=(40, 3)), RNG.normal(size=(40, 3)) + 0.5
COVARIANCE = np.diag([1.0, 4.0, 0.25])
LABELS = RNG.integers(0, 3, size=40), RNG.integers(0, 3, size=40)
PLACES = RNG.normal(size=(3, 2))
BETWEEN = ((PLACES[:, None] - PLACES) ** 2).sum(axis=2)


def gaps():
    return np.abs(X[:, None] - Y)


def cosines():
    return 1.0 - (X @ Y.T) / np.linalg.norm(X, axis=1)[:, None] / np.linalg.norm(Y, axis=1)


COSTS = {
    "sqeuclidean": ({}, lambda: (gaps() ** 2).sum(axis=2)),
    "euclidean": ({}, lambda: np.sqrt((gaps() ** 2).sum(axis=2))),
    "cityblock": ({}, lambda: gaps().sum(axis=2)),
    "chebyshev": ({}, lambda: gaps().max(axis=2)),
    "minkowski": ({"order": 3}, lambda: (gaps() ** 3).sum(axis=2) ** (1 / 3)),
    "cosine": ({}, cosines),
    "mahalanobis": ({"covariance": COVARIANCE}, lambda: np.sqrt((gaps() ** 2 / np.diag(COVARIANCE)).sum(axis=2))),
    "labelled": (
        {"label_costs": BETWEEN, "source_labels": LABELS[0], "target_labels": LABELS[1]},
        lambda: (gaps() ** 2).sum(axis=2) + BETWEEN[LABELS[0]][:, LABELS[1]],
    ),
}


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("method", ["auto", "exact", "tree", "merged", "sinkhorn"])
def test_every_cost_is_that_of_its_matrix(name, method):
    own, matrix = COSTS[name]
    best = swgg.emd(M=matrix()).value
    found = swgg.solve(X, Y, method=method, cost=name, **own)
    rows, columns, masses = found.entries
    assert found.value == pytest.approx((matrix()[rows, columns] * masses).sum(), rel=1e-9)
    if method in ("auto", "exact"):
        assert found.value == pytest.approx(best, rel=1e-9)
        assert found.gap is not None and found.gap < 1e-8
    else:
        assert best * (1 - 1e-9) <= found.value <= 2 * best
    given = swgg.solve(X, Y, method=method, cost=matrix())
    assert given.value >= best * (1 - 1e-9)


def test_roots():
    assert swgg.solve(X, Y, cost="euclidean").distance == swgg.solve(X, Y, cost="euclidean").value
    assert swgg.solve(X, Y, p=3).distance == pytest.approx(swgg.solve(X, Y, p=3).value ** (1 / 3))


def test_single_precision_is_computed_in_double():
    x, y = X.astype(np.float32), Y.astype(np.float32)
    found = swgg.solve(x, y, cost="cityblock").value
    assert found == pytest.approx(swgg.solve(x.astype(float), y.astype(float), cost="cityblock").value, rel=1e-12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cost": "manhattan"}, "cost"),
        ({"cost": "cosine", "p": 2}, "belongs to the costs"),
        ({"cost": "cityblock", "scales": [1.0]}, "scales"),
        ({"cost": "labelled"}, "label_costs"),
        ({"cost": "labelled", "label_costs": BETWEEN, "source_labels": [0.5] * 40, "target_labels": [0] * 40}, "row 0"),
        ({"cost": np.zeros((3, 3))}, "3 x 3"),
        ({"cost": -np.ones((40, 40))}, "row 0"),
        ({"method": "min-swgg", "cost": "cityblock"}, "not a setting of method min-swgg"),
    ],
)
def test_refusals(given, message):
    with pytest.raises(ValueError, match=message):
        swgg.solve(X, Y, **given)

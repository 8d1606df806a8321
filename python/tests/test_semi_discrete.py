"""Prices of finitely many targets, and lookups by price."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import swgg


def wrong(fitted: swgg.SemiDiscrete, X: np.ndarray, b: np.ndarray) -> float:
    """Mass that goes to the wrong target."""
    return 0.5 * float(np.abs(np.bincount(fitted.assign(X), minlength=len(b)) / len(X) - b).sum())


@pytest.mark.parametrize("d", [1, 2, 5, 20])
def test_shares_are_the_weights(d: int) -> None:
    rng = np.random.default_rng(d)
    Y, b = 2.0 * rng.normal(size=(60, d)) + 1.0, rng.uniform(0.5, 1.5, 60)
    b /= b.sum()
    fitted = swgg.SemiDiscrete().fit(Y, b)
    X = rng.normal(size=(40_000, d))
    # Chance alone makes 0.015 or so of it.
    assert wrong(fitted, X, b) < 0.03
    assert fitted.error_ < 0.12 and fitted.prices_.shape == (60,) and abs(b @ fitted.prices_) < 1e-9
    # What is paid is what the prices prove, and close to exact transport of a large sample.
    paid = ((X - fitted.transform(X)) ** 2).sum(axis=1).mean()
    near = 0.05 if d == 1 else 0.01
    assert fitted.dual(X) == pytest.approx(paid, rel=near)
    exact = swgg.emd(X[:4000], Y, None, b).value
    assert fitted.dual(X[:4000]) <= exact + 1e-9
    assert fitted.dual(X[:4000]) == pytest.approx(exact, rel=near)
    assert fitted.value_ == pytest.approx(paid, rel=0.1)


def test_ascent_makes_prices_better() -> None:
    rng = np.random.default_rng(0)
    Y, X, b = rng.normal(size=(200, 2)), rng.normal(size=(100_000, 2)), np.full(200, 1 / 200)
    begun, done = (wrong(swgg.SemiDiscrete(steps=steps).fit(Y), X, b) for steps in (0, 200))
    assert done < 0.5 * begun and done < 0.04


def test_more_targets_than_the_exact_problem_takes() -> None:
    rng = np.random.default_rng(0)
    Y, X = rng.normal(size=(4000, 2)) * [2.0, 0.5], rng.normal(size=(50_000, 2))
    fitted = swgg.SemiDiscrete(steps=15).fit(Y)
    # Chance alone makes 0.11 of it; nearest targets without prices miss a third.
    assert wrong(fitted, X, np.full(4000, 1 / 4000)) < 0.2
    assert fitted.dual(X) == pytest.approx(((X - fitted.transform(X)) ** 2).sum(axis=1).mean(), rel=0.05)


def test_trees_and_blocks_find_the_same() -> None:
    rng = np.random.default_rng(1)
    Y, X = rng.normal(size=(50, 2)), rng.normal(size=(500, 2))
    fitted = swgg.SemiDiscrete(steps=20).fit(Y)
    found = (((X[:, None] - Y) ** 2).sum(axis=2) - fitted.prices_).argmin(axis=1)
    assert np.array_equal(fitted.assign(X), found)
    # Columns of zeros change nothing but the way it is computed.
    wide = swgg.SemiDiscrete(steps=20).fit(np.hstack([Y, np.zeros((50, 10))]), source=np.hstack([X, np.zeros((500, 10))]))
    costs = ((X[:, None] - Y) ** 2).sum(axis=2) - wide.prices_
    assert np.array_equal(wide.assign(np.hstack([X, np.zeros((500, 10))])), costs.argmin(axis=1))


def test_sources_of_all_kinds() -> None:
    rng = np.random.default_rng(2)
    Y, cloud = rng.normal(size=(30, 2)), rng.uniform(size=(20_000, 2))
    b = np.full(30, 1 / 30)
    asked = []

    def draw(count: int) -> np.ndarray:
        asked.append(count)
        return rng.uniform(size=(count, 2))

    for source in (cloud, cloud.astype(np.float32), cloud.tolist(), draw):
        assert wrong(swgg.SemiDiscrete(steps=100).fit(Y, source=source), cloud, b) < 0.05
    assert len(asked) > 100
    again = [swgg.SemiDiscrete(steps=10, seed=3).fit(Y).prices_ for _ in range(2)]
    assert np.array_equal(*again)


def test_targets_without_weight_get_nothing() -> None:
    rng = np.random.default_rng(3)
    Y, b = rng.normal(size=(20, 2)), np.ones(20)
    b[[3, 7]] = 0.0
    fitted = swgg.SemiDiscrete(steps=20).fit(Y, b)
    found = fitted.assign(rng.normal(size=(5000, 2)))
    assert not np.isin(found, [3, 7]).any() and np.isneginf(fitted.prices_[[3, 7]]).all()
    alone = swgg.SemiDiscrete().fit([[1.0, 2.0]])
    assert alone.assign(np.zeros((4, 2))).tolist() == [0] * 4
    assert alone.assign(np.zeros((0, 2))).shape == (0,)


def test_callbacks_stop_the_ascent() -> None:
    seen = []

    def stop(i: int, error: float) -> bool:
        seen.append((i, error))
        return i == 3

    swgg.SemiDiscrete().fit(np.random.default_rng(0).normal(size=(20, 2)), callback=stop)
    assert [i for i, _ in seen] == [1, 2, 3] and all(0.0 <= error <= 1.0 for _, error in seen)


def test_refusals() -> None:
    Y = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.raises(swgg.NotFittedError, match="call its fit"):
        swgg.SemiDiscrete().assign(Y)
    for call, match in (
        (lambda: swgg.SemiDiscrete(steps=-1), "steps: found -1"),
        (lambda: swgg.SemiDiscrete().fit(Y, np.ones(9)), "b: found 9 weights for 10"),
        (lambda: swgg.SemiDiscrete().fit(Y, -np.ones(10)), "b: found weights that are negative"),
        (lambda: swgg.SemiDiscrete().fit(np.zeros((0, 2))), "Y: found no points"),
        (lambda: swgg.SemiDiscrete().fit(Y * np.nan), "Y: row 0, column 0"),
        (lambda: swgg.SemiDiscrete().fit(Y, source=np.zeros((5, 3))), r"source: found shape \(5, 3\)"),
        (lambda: swgg.SemiDiscrete().fit(Y, source=lambda n: np.zeros((n, 3))), "source: found points of shape"),
        (lambda: swgg.SemiDiscrete().fit(Y, source="noise"), "or pass a function"),
        (lambda: swgg.SemiDiscrete(steps=1).fit(Y).assign(np.zeros((3, 5))), "X: found 5 columns"),
    ):
        with pytest.raises(swgg.InputError, match=match):
            call()


def test_it_is_imported_when_it_is_asked_for() -> None:
    code = "import sys, swgg; print('swgg.semi_discrete' in sys.modules, 'SemiDiscrete' in dir(swgg), swgg.SemiDiscrete.__name__)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "False True SemiDiscrete\n"

"""Nearest neighbours, and points that were not there when a plan was made."""

from __future__ import annotations

import numpy as np
import pytest

import swgg
from swgg import _swgg


def by_hand(points: np.ndarray, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    squares = np.zeros((len(queries), len(points)))
    for c in range(points.shape[1]):
        gap = queries[:, None, c].astype(float) - points[None, :, c].astype(float)
        squares += gap * gap
    order = np.argsort(squares, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(squares, order, axis=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 2, 3, 8, 50])
@pytest.mark.parametrize("k", [1, 4, 300])
def test_same_as_looking_at_all(dtype: type, d: int, k: int) -> None:
    rng = np.random.default_rng(d)
    points, queries = rng.normal(size=(300, d)).astype(dtype), rng.normal(size=(77, d)).astype(dtype)
    indices, squares = _swgg.nearest(points, queries, k, None)
    assert indices.dtype == np.int64 and squares.dtype == np.float64
    expected = by_hand(points, queries, k)
    assert np.array_equal(indices, expected[0]) and np.array_equal(squares, expected[1])


def test_ties_go_to_the_lower_index_for_any_number_of_threads() -> None:
    rng = np.random.default_rng(1)
    points = rng.integers(0, 6, size=(4000, 2)).astype(float)
    queries = rng.integers(0, 12, size=(3000, 2)) / 2.0
    expected = by_hand(points, queries, 30)
    for threads in (1, 2, 5):
        indices, squares = _swgg.nearest(points, queries, 30, threads)
        assert np.array_equal(indices, expected[0]) and np.array_equal(squares, expected[1])


def test_refusals_name_what_is_wrong() -> None:
    points = np.zeros((3, 2))
    with pytest.raises(swgg.InputError, match="k is 4"):
        _swgg.nearest(points, points, 4, None)
    with pytest.raises(swgg.InputError, match="dimension"):
        _swgg.nearest(points, np.zeros((3, 1)), 1, None)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_points_of_the_plan_go_where_it_sends_them(dtype: type) -> None:
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(200, 3)).astype(dtype), (rng.normal(size=(200, 3)) + 4.0).astype(dtype)
    result = swgg.solve(X, Y)
    for neighbors in (1, 5):
        moved = result.transform(X, neighbors=neighbors)
        assert moved.dtype == dtype
        assert np.allclose(moved, Y[result.permutation], atol=1e-5)
        back = result.inverse_transform(Y, neighbors=neighbors)
        assert np.allclose(back, X[np.argsort(result.permutation)], atol=1e-5)


def test_new_points_move_as_their_neighbours_do() -> None:
    rng = np.random.default_rng(3)
    X, new = rng.normal(size=(300, 2)), rng.normal(size=(40, 2))
    shift = np.array([30.0, -5.0])
    result = swgg.solve(X, X + shift)
    for neighbors in (1, 7, 300):
        assert np.allclose(result.transform(new, neighbors=neighbors), new + shift)
        assert np.allclose(result.inverse_transform(new + shift, neighbors=neighbors), new)


def test_splitting_plans_move_points_by_their_mean_image() -> None:
    rng = np.random.default_rng(4)
    X, Y, b = rng.normal(size=(60, 2)), rng.normal(size=(90, 2)) + 3.0, rng.uniform(0.5, 1.0, size=90)
    result = swgg.solve(X, Y, None, b)
    plan = result.dense_plan()
    assert np.allclose(result.transform(X), plan @ Y / plan.sum(axis=1)[:, None])
    assert np.allclose(result.inverse_transform(Y), plan.T @ X / plan.sum(axis=0)[:, None])


def test_closer_neighbours_count_more() -> None:
    X = np.array([[0.0, 0.0], [3.0, 0.0]])
    result = swgg.solve(X, X + [[0.0, 1.0], [0.0, 6.0]])
    # At a third of the way squared distances are 1 and 4, so the shares are 4/5 and 1/5.
    assert np.allclose(result.transform([[1.0, 0.0]], neighbors=2), [[1.0, 2.0]])


def test_transform_refuses_what_it_cannot_use() -> None:
    result = swgg.solve(np.eye(3), np.eye(3) + 1.0)
    with pytest.raises(swgg.InputError, match="X_new: found 2 columns, expected 3"):
        result.transform(np.zeros((4, 2)))
    with pytest.raises(swgg.InputError, match="neighbors: found 4"):
        result.transform(np.zeros((4, 3)), neighbors=4)
    with pytest.raises(swgg.InputError, match="new points: row 0, column 1 .* NaN"):
        result.transform([[0.0, np.nan, 0.0]])
    assert result.transform(np.empty((0, 3))).shape == (0, 3)

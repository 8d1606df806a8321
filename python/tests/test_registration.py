"""Registration: motions that are known come back, others are refused."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import swgg
from swgg import registration


def shape(n, d, seed=0):
    """A cloud without symmetry: a curve that grows wider along its way."""
    rng = np.random.default_rng(seed)
    s = rng.random(n)
    columns = [10.0 * s, 4.0 * np.sin(4.0 * s) + s] + [(k + 1.0) * s ** (k + 1) for k in range(2, d)]
    return np.column_stack(columns[:d]) + (0.05 + 0.5 * s[:, None]) * rng.normal(size=(n, d))


def motion(d, seed=0, reflected=False):
    """A random rotation, or a reflection, and a translation."""
    rng = np.random.default_rng(seed)
    rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
    if (np.linalg.det(rotation) < 0.0) != reflected:
        rotation[:, 0] *= -1.0
    return rotation, rng.normal(size=d) * 5.0


def moved(x, rotation, translation, seed=1):
    """The same points elsewhere, in another order."""
    return (x @ rotation.T + translation)[np.random.default_rng(seed).permutation(len(x))]


def homogeneous(rotation, translation, scale=1.0):
    d = len(translation)
    matrix = np.eye(d + 1)
    matrix[:d, :d], matrix[:d, d] = scale * rotation, translation
    return matrix


@pytest.mark.parametrize("d", [2, 3, 5])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_random_motion_comes_back(d, seed):
    x = shape(300, d)
    rotation, translation = motion(d, seed)
    found = swgg.register(x, moved(x, rotation, translation))
    assert np.allclose(found.T_target_source, homogeneous(rotation, translation), atol=1e-6)
    assert np.allclose(found.rotation, rotation, atol=1e-6) and np.allclose(found.translation, translation, atol=1e-5)
    assert found.confidence == "clear" and found.sentence.startswith("clear")
    assert (found.scale, found.reflection, found.overlap, found.stop) == (1.0, False, 1.0, "converged")
    assert found.rms < 1e-6 and found.cost == pytest.approx(found.rms**2)
    assert np.allclose(found.steps[-1].T_target_source, found.T_target_source, atol=1e-6)
    assert found.seconds > 0.0 and "rms=" in repr(found)


def test_reflections_are_found_only_if_asked_for():
    x = shape(300, 3)
    rotation, translation = motion(3, 2, reflected=True)
    y = moved(x, rotation, translation)
    found = swgg.register(x, y, group="orthogonal")
    assert found.reflection and np.allclose(found.rotation, rotation, atol=1e-6)
    refused = swgg.register(x, y)
    assert not refused.reflection and np.linalg.det(refused.rotation) == pytest.approx(1.0)
    assert refused.rms > 0.1


def test_scales_are_found_if_asked_for():
    x = shape(300, 3)
    rotation, translation = motion(3, 3)
    y = moved(2.5 * x, rotation, translation)
    found = swgg.register(x, y, group="similarity")
    assert found.scale == pytest.approx(2.5, rel=1e-6)
    assert np.allclose(found.T_target_source, homogeneous(rotation, translation, 2.5), atol=1e-5)
    assert np.allclose(np.sort(found.transform(x), axis=0), np.sort(y, axis=0), atol=1e-5)


@pytest.mark.parametrize("matching", registration._MATCHINGS)
def test_every_matching_ends_at_a_small_turn(matching):
    x = shape(200, 2)
    angle = 0.05
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    found = swgg.register(x, moved(x, rotation, np.array([0.05, 0.0])), start="identity", matching=matching)
    # Few lines, or neighbours, are not always the right ones; all come nearer than they were.
    assert np.abs(found.rotation - rotation).max() < 0.02
    assert found.confidence == "local"


def test_a_part_is_enough():
    x = shape(1000, 3)
    rotation, translation = motion(3, 4)
    y = moved(x, rotation, translation)
    part = x[x[:, 0] < 7.0]
    found = swgg.register(x, moved(part, rotation, translation), overlap="auto")
    assert np.allclose(found.rotation, rotation, atol=0.02)
    assert found.overlap == pytest.approx(len(part) / len(y), abs=0.1)


def test_a_given_start_is_where_it_begins():
    x = shape(200, 3)
    rotation, translation = motion(3, 5)
    y = moved(x, rotation, translation)
    found = swgg.register(x, y, start=homogeneous(rotation, translation).tolist())
    assert np.allclose(found.rotation, rotation, atol=1e-6) and found.confidence == "local"
    with pytest.raises(swgg.InputError, match="start turns left into right"):
        swgg.register(x, y, start=np.diag([1.0, 1.0, -1.0, 1.0]))


def test_transform_keeps_precision_and_checks_columns():
    x = shape(200, 3).astype(np.float32)
    rotation, translation = motion(3, 6)
    y = moved(x.astype(float), rotation, translation).astype(np.float32)
    found = swgg.register(x, y)
    assert np.allclose(found.rotation, rotation, atol=1e-4)
    assert found.transform(x).dtype == np.float32
    assert found.transform([[0.0, 0.0, 0.0]])[0] == pytest.approx(found.translation)
    # One cloud of each precision is double precision.
    assert np.allclose(swgg.register(x, y.astype(float)).rotation, rotation, atol=1e-4)
    with pytest.raises(swgg.InputError, match="X: found 2 columns, expected 3"):
        found.transform(np.zeros((4, 2)))


def test_threads_do_not_matter():
    rng = np.random.default_rng(0)
    x = shape(1500, 3)
    y = moved(x, *motion(3, 7)) + 0.05 * rng.normal(size=x.shape)
    one, two, four = (swgg.register(x, y, n_threads=k, seed=3) for k in (1, 2, 4))
    for other in (two, four):
        assert one.T_target_source.tobytes() == other.T_target_source.tobytes()
        assert (one.cost, one.sentence, len(one.steps)) == (other.cost, other.sentence, len(other.steps))


def test_a_callback_hears_of_steps_and_stops():
    x = shape(400, 3)
    y = moved(x, *motion(3, 8)) + 0.3
    heard = []
    threads = set()

    def stop(step, cost):
        heard.append((step, cost))
        threads.add(threading.current_thread())
        return True

    found = swgg.register(x, y, start="identity", callback=stop)
    assert found.stop == "interrupted" and len(heard) == 1 and heard[0][1] > 0.0
    assert threads == {threading.current_thread()}


def test_a_symmetric_shape_is_called_ambiguous():
    square = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]])
    rng = np.random.default_rng(0)
    x = np.repeat(square, 25, axis=0)
    found = swgg.register(x + 1e-2 * rng.normal(size=x.shape), x + 1e-2 * rng.normal(size=x.shape))
    assert found.confidence == "ambiguous"


X = shape(20, 3)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: swgg.register(X, X[:, :2]), "source has 3 columns and target has 2"),
        (lambda: swgg.register(X[:3], X), "source has 3 points in dimension 3; a motion needs at least 4"),
        (lambda: swgg.register(X, np.ones((9, 3))), "points of the target are in one place"),
        (lambda: swgg.register(np.where(X == X[4, 1], np.nan, X), X), "source: .*row 4, column 1"),
        (lambda: swgg.register(X, np.where(X == X[2, 0], np.inf, X)), "target: .*row 2, column 0"),
        (lambda: swgg.register(X, X, overlap=0.0), "overlap: found 0.0, expected a share above 0"),
        (lambda: swgg.register(X, X, overlap=1.5), "overlap: found 1.5"),
        (lambda: swgg.register(X, X, overlap=0.5, matching="min-swgg"), "the overlap must be 1"),
        (lambda: swgg.register(X, X, overlap="auto", matching="exact"), "the overlap must be 1"),
        (lambda: swgg.register(X, X, overlap="all"), "overlap: found 'all', expected one of 'auto'"),
        (lambda: swgg.register(X, X, start=np.eye(3)), r"start: found shape \(3, 3\), expected \(4, 4\)"),
        (lambda: swgg.register(X, X, start=np.zeros((4, 4))), "start: the matrix is no motion"),
        (lambda: swgg.register(X, X, start=np.diag([1.0, 2.0, 1.0, 1.0])), "start: the matrix is no motion"),
        (lambda: swgg.register(X, X, start=np.diag([2.0, 2.0, 2.0, 1.0])), "start scales by 2"),
        (lambda: swgg.register(X, X, start="here"), "start: found 'here'"),
        (lambda: swgg.register(X, X, matching="swgg"), "matching: found 'swgg', .*did you mean 'min-swgg'"),
        (lambda: swgg.register(X, X, group="affine"), "group: found 'affine'"),
        (lambda: swgg.register(X, X, n_projections=0), "n_projections: found 0"),
        (lambda: swgg.register(X, X, max_steps=0), "max_steps: found 0"),
        (lambda: swgg.register(X, X, tolerance=-1.0), "tolerance: found -1.0"),
        (lambda: swgg.register(X, X, callback=3), "callback: found 3"),
        (lambda: swgg.register(None, X), "source: found None"),
        (lambda: swgg.register(X, X, seed=-1), "seed: found -1"),
    ],
)
def test_refusals_name_the_argument(call, message):
    with pytest.raises(swgg.InputError, match=message):
        call()

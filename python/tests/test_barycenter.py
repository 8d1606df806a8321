"""Barycenters: known answers, the bits of the command line, POT's numbers, refusals, garbage."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import numpy as np
import pytest

import swgg
import swgg.pot as our


def clouds(sizes=(40, 40, 40), d=2, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(n, d)) * (1.0 + k) + 3.0 * k for k, n in enumerate(sizes)]


def masses_of(rows, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.random(len(cloud)) + 0.1 for cloud in rows]


def check(rows, found, masses=None):
    """Real plans, whose costs are the objective, which never rises."""
    objectives = [step.objective for step in found.steps]
    assert objectives == sorted(objectives, reverse=True)
    total = 0.0
    for k, cloud in enumerate(rows):
        i, j, mass = found.plan(k)
        wanted = np.full(len(cloud), 1.0 / len(cloud)) if masses is None else masses[k] / masses[k].sum()
        np.testing.assert_allclose(np.bincount(i, mass, len(found.points)), found.masses, atol=1e-12)
        np.testing.assert_allclose(np.bincount(j, mass, len(cloud)), wanted, atol=1e-12)
        cost = mass @ np.sum((found.points[i] - cloud[j]) ** 2, axis=1)
        assert cost == pytest.approx(found.costs[k], rel=1e-9)
        total += found.weights[k] * cost
    assert total == pytest.approx(found.objective, rel=1e-9)
    assert found.lower_bound is None or found.lower_bound <= found.objective


@pytest.mark.parametrize("method", ["auto", "exact", "tree", "min-swgg", "merged"])
def test_any_method_sizes_and_masses(method):
    rows = clouds((30, 45, 20), d=3)
    masses = masses_of(rows)
    found = swgg.barycenter(rows, [1, 2, 3], n_points=25, method=method, masses=masses)
    assert found.points.shape == (25, 3) and np.allclose(found.weights, [1 / 6, 1 / 3, 1 / 2])
    check(rows, found, masses)


def test_translations():
    square = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0], [2.0, 1.0]])
    rows = np.stack([square, square + [6.0, 0.0], square + [0.0, 9.0]])
    found = swgg.barycenter(rows, weights=[0.5, 0.25, 0.25])
    wanted = square + [1.5, 2.25]
    assert np.allclose(found.points[np.lexsort(found.points.T)], wanted[np.lexsort(wanted.T)])
    assert found.gap == pytest.approx(0.0, abs=1e-6) and "Barycenter(4 points" in repr(found)


@pytest.mark.parametrize("t", [0.0, 0.3, 0.5, 1.0])
def test_two_clouds_are_on_the_geodesic(t):
    a, b = clouds((40, 30))
    found = swgg.barycenter([a, b], [1.0 - t, t], method="exact")
    whole = swgg.emd(a, b).value
    assert found.is_geodesic and not found.steps
    assert swgg.emd(found.points, a, found.masses, None).value == pytest.approx(t**2 * whole, abs=1e-9)
    assert swgg.emd(found.points, b, found.masses, None).value == pytest.approx((1.0 - t) ** 2 * whole, abs=1e-9)
    assert found.objective == pytest.approx(t * (1.0 - t) * whole, abs=1e-9)


def test_same_bits_as_the_command(tmp_path):
    rows = clouds((50, 40, 60), d=3)
    names = [str(tmp_path / f"{k}.npy") for k in range(3)]
    for name, cloud in zip(names, rows):
        np.save(name, cloud)
    out = str(tmp_path / "out.npy")
    words = ["barycenter", *names, "--weights", "1,2,4", "--points", "30", "--seed", "5", "--out", out, "--json"]
    done = subprocess.run([sys.executable, "-m", "swgg", *words], capture_output=True, text=True, timeout=60, check=True)
    report = json.loads(done.stdout)
    found = swgg.barycenter(rows, [1, 2, 4], 30, seed=5)
    assert np.array_equal(np.load(out), found.points) and report["objective"] == found.objective
    assert report["lower_bound"] == found.lower_bound and report["costs"] == found.costs.tolist()
    serial = swgg.barycenter(rows, [1, 2, 4], 30, seed=5, n_threads=1)
    assert np.array_equal(serial.points, found.points)


def test_kinds_and_starts():
    rows = [cloud.astype(np.float32) for cloud in clouds()]
    assert swgg.barycenter(rows).points.dtype == np.float32
    start, masses = np.random.default_rng(3).normal(size=(12, 2)), np.arange(12.0) + 1.0
    found = swgg.barycenter(clouds(), start=start, start_masses=masses, bounds=False)
    assert np.allclose(found.masses, masses / masses.sum()) and found.lower_bound is None
    alone = swgg.barycenter(clouds(), [0, 1, 0])
    assert np.array_equal(alone.points, clouds()[1]) and np.isnan(alone.costs[0])
    with pytest.raises(ValueError, match="k: found 0, a cloud of weight 0"):
        alone.plan(0)


def test_callbacks_stop():
    told = []

    def stop(plans, objective):
        told.append((plans, objective))
        return len(told) == 5

    found = swgg.barycenter(clouds((300, 300, 300)), n_points=100, tolerance=0.0, callback=stop, n_threads=1)
    assert found.stop == "interrupted" and len(told) == 5
    check(clouds((300, 300, 300)), found)


def test_refusals():
    rows = clouds()
    cases = {
        r"clouds: found 1, expected at least 2": lambda: swgg.barycenter(rows[:1]),
        r"clouds\[1\]: found 3 columns, expected 2": lambda: swgg.barycenter([rows[0], np.ones((4, 3))]),
        r"weights: found shape \(2,\), expected \(3,\)": lambda: swgg.barycenter(rows, [1, 2]),
        r"weight 1 \(counted from 0\) is -2": lambda: swgg.barycenter(rows, [1, -2, 1]),
        r"all 3 weights are zero": lambda: swgg.barycenter(rows, [0, 0, 0]),
        r"n_points: found 0, expected a whole number from 1": lambda: swgg.barycenter(rows, n_points=0),
        r"start: found 3 columns, expected 2": lambda: swgg.barycenter(rows, start=np.ones((4, 3))),
        r"found a start of 4 points and 5": lambda: swgg.barycenter(rows, start=np.ones((4, 2)), n_points=5),
        r"start_masses: found weights without a start": lambda: swgg.barycenter(rows, start_masses=[1.0]),
        r"clouds\[2\]: row 0, column 1 .* is NaN": lambda: swgg.barycenter([*rows[:2], [[0.0, np.nan]]]),
        r"masses\[0\]: found 2 weights for 40 points": lambda: swgg.barycenter(rows, masses=[[1, 1], None, None]),
        r"method: found 'gaussian', expected one of": lambda: swgg.barycenter(rows, method="gaussian"),
        r"p changes the cost": lambda: swgg.barycenter(rows, method="exact", p=1.0),
        r"trees is not a setting of method auto": lambda: swgg.barycenter(rows, trees=3),
        r"tolerance: found -1.0": lambda: swgg.barycenter(rows, tolerance=-1.0),
        r"max_steps: found 0": lambda: swgg.barycenter(rows, max_steps=0),
    }
    for message, call in cases.items():
        with pytest.raises(swgg.InputError, match=message):
            call()
    with pytest.raises(swgg.SizeError):
        swgg.barycenter(rows, n_points=2**32 - 2)


def test_garbage():
    draw = random.Random(5)
    junk = [
        None, True, -1, 0, 3.5, float("nan"), "x", b"x", [], {}, object(), 2**70, [[1], [1, 2]], np.zeros((0, 2)),
        np.ones((3, 2)), np.ones(3), np.ones((3, 2, 2)), np.array([1 + 2j]), np.full((3, 2), np.nan), -np.ones(3), 1e300 * np.ones((3, 2)),
    ]  # fmt: skip
    rows = clouds((6, 5, 4))
    good = {
        "clouds": [rows, np.stack([rows[0], rows[0] + 1.0])], "weights": [None, [1, 1, 1], [1, 2]], "n_points": [None, 3],
        "start": [None, rows[0]], "method": ["auto", "exact", "tree"], "seed": [0, 7], "masses": [None], "max_steps": [3],
        "tolerance": [None, 1e-3], "n_threads": [1, None], "bounds": [True, False], "effort": [None], "time_limit": [None, 1.0],
    }  # fmt: skip
    answers = 0
    for _ in range(1500):
        chosen = {name: draw.choice(junk if draw.random() < 0.06 else values) for name, values in good.items()}
        try:
            found = swgg.barycenter(**chosen)
            assert found.objective >= 0.0
            answers += 1
        except swgg.InternalError:
            raise
        except swgg.SwggError:
            pass
    assert 150 < answers < 1400


def test_beside_pot():
    ot = pytest.importorskip("ot", reason="needs POT, which swgg.pot is compared with (pip install POT)")
    for seed, (sizes, d, k, even) in enumerate([((60, 60, 60), 2, 60, True), ((50, 40), 3, 30, False), ((70,), 2, 20, True)]):
        rng = np.random.default_rng(seed)
        rows = clouds(sizes, d, seed)
        masses = [np.full(n, 1.0 / n) if even else rng.dirichlet(np.ones(n)) for n in sizes]
        b = None if even else rng.dirichlet(np.ones(k))
        weights = None if seed == 0 else rng.dirichlet(np.ones(len(sizes)))
        start = rng.normal(size=(k, d))
        for most in (1, 100):
            theirs, told = ot.lp.free_support_barycenter(rows, masses, start, b, weights, numItermax=most, log=True)
            ours, log = our.free_support_barycenter(rows, masses, start, b, weights, numItermax=most, log=True)
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-7)
            np.testing.assert_allclose(
                log["displacement_square_norms"], told["displacement_square_norms"], rtol=1e-6, atol=1e-7
            )
        assert np.array_equal(our.free_support_barycenter(rows, masses, start, b, weights), ours)


def test_pot_refuses():
    rows = clouds((4, 4))
    even = [np.full(4, 0.25)] * 2
    cases = {
        r"found 2 measures and masses of 1": lambda: our.free_support_barycenter(rows, even[:1], rows[0]),
        r"measures_locations\[1\]: found 3 columns": lambda: our.free_support_barycenter([rows[0], np.ones((4, 3))], even, rows[0]),
        r"b: found 3 masses, expected 4": lambda: our.free_support_barycenter(rows, even, rows[0], b=[1, 1, 1]),
        r"must have the same sum": lambda: our.free_support_barycenter(rows, even, rows[0], b=[1, 1, 1, 1]),
        r"weights: found a sum of 3": lambda: our.free_support_barycenter(rows, even, rows[0], weights=[1, 2]),
        r"stopThr: found -1.0": lambda: our.free_support_barycenter(rows, even, rows[0], stopThr=-1),
    }
    for message, call in cases.items():
        with pytest.raises(ValueError, match=message):
            call()

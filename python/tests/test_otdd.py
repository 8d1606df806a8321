"""Distances between data sets: known values, the command line's bits, refusals."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import swgg

LABEL_DISTANCES = ("auto", "exact", "sinkhorn", "bures", "min-swgg")


def data(n, d=3, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    return rng.normal(size=(n, d)) + 2.0 * y[:, None], y


def by_definition(x1, y1, x2, y2, power):
    """The definition in numpy, with exact transport for every part."""
    between = {}
    for a in np.unique(y1):
        for b in np.unique(y2):
            between[a, b] = swgg.emd(x1[y1 == a], x2[y2 == b]).value
    squares = ((x1[:, None, :] - x2[None, :, :]) ** 2).sum(-1)
    labels = np.array([[between[a, b] for b in y2] for a in y1])
    return swgg.solve(x1, x2, method="exact", cost=(squares + labels) ** (power / 2)).value


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("d", [2, 30])
def test_the_definition(power, d):
    (x1, y1), (x2, y2) = data(60, d), data(45, d, classes=2, seed=1)
    found = swgg.otdd(x1, y1, x2, y2, label_distance="exact", power=power)
    expected = by_definition(x1, y1, x2, y2, power)
    assert found.cost == pytest.approx(expected, rel=1e-9)
    assert found.distance == pytest.approx(expected ** (1 / power), rel=1e-9)
    assert found.label_distances.shape == (3, 2) and found.cost_is == "exact"
    assert [len(sizes) for sizes in found.class_sizes] == [3, 2] and found.class_sizes[0].sum() == 60


@pytest.mark.parametrize("label_distance", LABEL_DISTANCES)
def test_a_copy_is_close_and_a_shift_is_not(label_distance):
    x, y = data(50)
    assert swgg.otdd(x, y, x, y, label_distance=label_distance).distance < 1e-3
    moved = swgg.otdd(x, y, x + 4.0, y, label_distance=label_distance).distance
    # At most as far as every point and every label moved, and not much less: classes are 2 apart.
    assert 3.0 < moved <= np.sqrt(2.0) * np.linalg.norm([4.0] * 3) * 1.3


def test_bures_is_that_of_gaussians():
    (x1, y1), (x2, y2) = data(80, 4, classes=1), data(70, 4, classes=1, seed=3)
    found = swgg.otdd(x1, y1, x2, y2, label_distance="bures", power=2)
    assert found.label_distances[0, 0] ** 2 == pytest.approx(swgg.gaussian(x1, x2).value, rel=1e-9)


def test_text_labels_and_samples():
    x, y = data(200)
    words = np.array(["cat", "ant", "dog"])[y]
    named = swgg.otdd(x, words, x + 1.0, y, samples=90, seed=4)
    numbered = swgg.otdd(x, y, x + 1.0, y, samples=90, seed=4)
    assert named.distance == pytest.approx(numbered.distance, rel=1e-12)
    assert list(named.labels[0]) == ["ant", "cat", "dog"] and named.class_sizes[0].sum() == 90
    other, kinds = data(200, seed=7)
    drawn = [swgg.otdd(x, y, other, kinds, samples=90, seed=seed).distance for seed in (4, 5, 4)]
    assert drawn[0] == drawn[2] != drawn[1]


def test_all_pairs():
    sets = [data(40, seed=k) for k in range(3)]
    found = swgg.otdd_matrix(sets)
    assert np.array_equal(found.distances, found.distances.T) and np.all(np.diag(found.distances) == 0)
    assert sorted(found.pairs) == [(0, 1), (0, 2), (1, 2)] and found.status == "converged"
    one = swgg.otdd(*sets[0], *sets[2])
    assert one.distance == found.distances[0, 2] == found.pairs[(0, 2)].distance
    assert "3 data sets" in repr(found) and "3 and 3 labels" in repr(one)
    stopped = swgg.otdd_matrix(sets, callback=lambda i, best: i >= 10)
    assert stopped.status == "interrupted" and len(stopped.pairs) == 1 and np.isnan(stopped.distances[1, 2])
    with pytest.raises(swgg.SwggError, match="before there was a distance"):
        swgg.otdd(*sets[0], *sets[1], callback=lambda i, best: True)


def test_the_command_line_finds_the_same_bits(tmp_path):
    (x1, y1), (x2, y2) = data(70), data(50, seed=1)
    for name, x, y in (("a", x1, y1), ("b", x2, y2)):
        np.save(tmp_path / f"{name}.npy", x)
        np.save(tmp_path / f"{name}-labels.npy", y)
    for flags, given in [
        ("", {}),
        ("--power 2 --label-distance bures", {"power": 2, "label_distance": "bures"}),
        ("--samples 30 --seed 3", {"samples": 30, "seed": 3}),
        (
            "--label-distance min-swgg --search random --directions 40",
            {"label_distance": "min-swgg", "search": "random", "n_projections": 40},
        ),
    ]:
        line = [sys.executable, "-m", "swgg", "otdd", "a.npy", "b.npy", "--json", *flags.split()]
        # A process of its own, as the command takes over the signals of the one it runs in.
        done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=True, cwd=tmp_path)
        told = json.loads(done.stdout)
        found = swgg.otdd(x1, y1, x2, y2, **given)
        assert told["distance"] == found.distance and told["pairs"][0]["cost"] == found.cost
        assert np.array_equal(told["pairs"][0]["label_distances"], found.label_distances)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"y1": [0, 1]}, r"y1: found shape \(2,\), expected \(20,\)"),
        ({"y2": np.linspace(0, 1, 20)}, "y2: found an array of float64, expected labels"),
        ({"X2": np.zeros((20, 2))}, "X2: found 2 columns, expected 3 as in X1"),
        ({"power": 3}, "power: found 3, expected 1 or 2"),
        ({"label_distance": "cosine"}, "label_distance"),
        ({"method": "min-swgg"}, "method"),
        ({"samples": 0}, "samples"),
        ({"effort": 3, "method": "exact"}, "effort is not a setting of method exact; leave it out, or use method auto"),
        ({"search": "random"}, "search is not a setting of label-distance auto"),
        ({"epsilon": 1.0, "relative_epsilon": 1.0, "label_distance": "sinkhorn"}, "leave one of them out"),
    ],
)
def test_refusals(change, words):
    x, y = data(20)
    given = {"X1": x, "y1": y, "X2": x, "y2": y, **change}
    with pytest.raises(swgg.SwggError, match=words):
        swgg.otdd(**given)


def test_points_that_are_none():
    x, y = data(20)
    x[3, 1] = np.nan
    with pytest.raises(swgg.SwggError, match="X2"):
        swgg.otdd(np.zeros((20, 3)), y, x, y)
    with pytest.raises(swgg.SwggError, match="expected two or more pairs"):
        swgg.otdd_matrix([(x, y)])
    with pytest.raises(swgg.SwggError, match="expected pairs"):
        swgg.otdd_matrix(7)

"""min-SWGG and its searches: the same bits as the command line, whatever the threads; settings that belong."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import swgg

#: A search, its settings in Python, and on the command line.
SEARCHES = [
    ("random", {"n_projections": 70}, ["--directions", "70"]),
    ("annealing", {"steps": 40, "restarts": 2, "reach": 0.7, "tolerance": 0.05}, None),
    ("gradient", {"steps": 6, "starts": 3, "copies": 7, "blur": 0.3, "learning_rate": 0.1}, None),
    ("gradient", {"steps": 4, "optimizer": "sgd"}, None),
    ("stein", {"steps": 8, "pairs": 3, "radius": 0.3, "learning_rate": 0.1, "optimizer": "sgd"}, None),
    ("stein", {}, []),
]


def cloud(n, d, seed, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=(n, d)).astype(dtype)


def flags(settings):
    names = {"steps": "iterations", "n_projections": "directions"}
    pairs = ((f"--{names.get(name, name)}".replace("_", "-"), str(value)) for name, value in settings.items())
    return [word for pair in pairs for word in pair]


def command(*words):
    done = subprocess.run([sys.executable, "-m", "swgg", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def same(first, second):
    assert first.value == second.value
    assert np.array_equal(first.theta, second.theta)
    assert all(np.array_equal(one, other) for one, other in zip(first.entries, second.entries))
    assert (first.status, first.n_iter, first.search) == (second.status, second.n_iter, second.search)


@pytest.mark.parametrize("search, settings, words", SEARCHES)
def test_same_bits_as_the_command_line(tmp_path, search, settings, words):
    dtype = np.float32 if search == "annealing" else np.float64
    x, y, a = cloud(60, 3, 1, dtype), cloud(45, 3, 2, dtype) + 1, np.random.default_rng(3).random(60)
    for name, array in (("x", x), ("y", y), ("a", a)):
        np.save(tmp_path / f"{name}.npy", array)
    words = flags(settings) if words is None else words
    files = [tmp_path / "x.npy", tmp_path / "y.npy", "--source-weights", tmp_path / "a.npy"]
    expected = command("distance", *files, "--kind", "min-swgg", "--search", search, "--seed", 5, "--json", *words)
    found = swgg.min_swgg(x, y, a, search=search, seed=5, bounds=True, **settings)
    assert found.value == expected["cost"]
    assert found.theta.tolist() == expected["theta"]
    assert (found.n_iter, found.status, found.search) == (expected["directions"], expected["stop"], expected["search"])
    assert found.lower_bound == expected["lower_bound"]


def test_listed_directions_and_a_start_on_the_command_line(tmp_path):
    x, y = cloud(30, 2, 1), cloud(30, 2, 2)
    thetas = cloud(2, 9, 3)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    np.save(tmp_path / "thetas.npy", np.ascontiguousarray(thetas.T))
    files = ["distance", tmp_path / "x.npy", tmp_path / "y.npy", "--kind", "min-swgg", "--json"]
    expected = command(*files, "--directions-file", tmp_path / "thetas.npy")
    found = swgg.min_swgg(x, y, projections=thetas)
    assert (found.value, found.theta.tolist(), found.search) == (expected["cost"], expected["theta"], "listed")
    expected = command(*files, "--search", "sweep", "--start", "0.6,0.8")
    found = swgg.min_swgg(x, y, search="sweep", start=[0.6, 0.8])
    assert (found.value, found.theta.tolist()) == (expected["cost"], expected["theta"])
    assert found.n_iter == expected["directions"]


@pytest.mark.parametrize(
    "search, settings", [(name, settings) for name, settings, _ in SEARCHES] + [(None, {}), ("sweep", {})]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_do_not_matter(search, settings, dtype):
    d = 2 if search == "sweep" else 3
    x, y = cloud(200, d, 1, dtype), cloud(150, d, 2, dtype)
    b = np.random.default_rng(3).random(150)
    serial = swgg.min_swgg(x, y, None, b, search=search, seed=2, n_threads=1, **settings)
    for threads in (2, 3):
        same(swgg.min_swgg(x, y, None, b, search=search, seed=2, n_threads=threads, **settings), serial)
    assert serial.theta.dtype == np.float64
    assert serial.barycentric().dtype == dtype


def test_seeds_matter():
    x, y = cloud(50, 4, 1), cloud(50, 4, 2)
    values = {swgg.min_swgg(x, y, n_projections=3, seed=seed).value for seed in range(4)}
    assert len(values) == 4


@pytest.mark.parametrize("seed", range(4))
def test_a_sweep_is_the_minimum(seed):
    x, y = cloud(25, 2, seed), cloud(25, 2, seed + 50)
    best = swgg.min_swgg(x, y, search="sweep")
    assert best.value <= swgg.min_swgg(x, y, n_projections=500, seed=seed).value
    assert best.value <= swgg.min_swgg(x, y, search="annealing", seed=seed).value
    assert best.value <= swgg.min_swgg(x, y, search="gradient", seed=seed, steps=20).value
    assert best.value <= swgg.min_swgg(x, y, search="stein", seed=seed).value
    assert best.value >= swgg.emd(x, y).value * (1 - 1e-12)
    # Nobody named a search, and the clouds are small ones in the plane.
    same(swgg.min_swgg(x, y), best)


def test_recommended_searches():
    assert swgg.min_swgg([0.0, 2.0], [1.0, 5.0]).n_iter == 1
    assert swgg.min_swgg(cloud(10, 3, 0), cloud(10, 3, 1)).search == "stein"
    assert swgg.min_swgg(cloud(10, 3, 0), cloud(10, 3, 1), n_projections=4).search == "random"


def test_listed_directions_are_the_best_of_them():
    x, y, thetas = cloud(40, 5, 1), cloud(30, 5, 2), cloud(5, 12, 3)
    found = swgg.min_swgg(x, y, projections=thetas, keep_costs=True)
    each = [swgg.swgg(x, y, theta).value for theta in thetas.T]
    assert found.costs.tolist() == each
    assert found.value == min(each)
    best = thetas[:, np.argmin(each)]
    assert np.allclose(found.theta, best / np.linalg.norm(best), rtol=1e-15)
    # Lengths and the order in memory do not matter.
    same(swgg.min_swgg(x, y, projections=np.asfortranarray(thetas * 8.0)), found)


def test_costs_are_kept_when_asked_for():
    x, y = cloud(20, 3, 1), cloud(20, 3, 2)
    assert swgg.min_swgg(x, y).costs is None
    for search in ("random", "annealing", "gradient", "stein"):
        found = swgg.min_swgg(x, y, search=search, keep_costs=True)
        assert len(found.costs) == found.n_iter
        assert found.costs.min() == found.value


@pytest.mark.parametrize("search", ["annealing", "gradient", "stein"])
def test_a_start_is_looked_at_first(search):
    x, y, start = cloud(20, 3, 1), cloud(20, 3, 2), np.array([1.0, 2.0, -1.0])
    found = swgg.min_swgg(x, y, search=search, start=start, keep_costs=True)
    assert found.costs[0] == swgg.swgg(x, y, start).value


def test_more_steps_try_more_directions():
    x, y = cloud(20, 3, 1), cloud(20, 3, 2)
    for search in ("annealing", "gradient", "stein"):
        few, many = (swgg.min_swgg(x, y, search=search, steps=steps).n_iter for steps in (3, 9))
        assert few < many
    walks = [swgg.min_swgg(x, y, search="annealing", steps=5, restarts=k).n_iter for k in (0, 2)]
    assert walks[1] - walks[0] == 2 * 5


def test_a_callback_sees_the_best_and_stops():
    x, y = cloud(300, 3, 1), cloud(300, 3, 2)
    seen = []
    found = swgg.min_swgg(x, y, n_projections=20_000, callback=lambda i, best: seen.append((i, best)))
    assert seen[-1] == (20_000, found.value)
    assert all(i < j and p >= q for (i, p), (j, q) in zip(seen, seen[1:]))
    found = swgg.min_swgg(x, y, n_projections=10**6, callback=lambda i, best: True)
    assert found.status == "interrupted" and not found.converged
    assert found.n_iter < 10**6
    assert found.value >= swgg.emd(x, y).value


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"radius": 0.1}, r"^radius needs a search it belongs to; add search stein$"),
        ({"search": "random", "radius": 0.1}, r"^radius is not a setting of search random; .* use search stein$"),
        ({"search": "stein", "n_projections": 5}, r"^n_projections is not a setting of search stein; .*random$"),
        ({"search": "sweep", "steps": 5}, r"^steps is not a setting of search sweep; .*annealing\|gradient\|stein$"),
        ({"search": "random", "start": [1.0, 0.0, 0.0]}, r"^start is not a setting of search random"),
        ({"search": "best"}, r"search: found 'best', expected one of 'random'"),
        ({"search": 3}, r"search: found 3"),
        ({"n_projections": 0}, r"direction"),
        ({"n_projections": 2.5}, r"n_projections: found 2.5"),
        ({"n_projections": 5, "projections": np.eye(3)}, r"n_projections and projections"),
        ({"projections": np.ones((7, 3))}, r"projections: found shape \(7, 3\), expected \(3, L\).*transpose"),
        ({"projections": np.ones((4, 4))}, r"projections: found shape \(4, 4\)"),
        ({"projections": np.zeros((3, 2))}, r"projections: direction 0 has length 0"),
        ({"projections": np.full((3, 2), np.nan)}, r"projections: direction 0"),
        ({"projections": np.ones((3, 0))}, r"projections: "),
        ({"search": "stein", "start": [1.0, 0.0]}, r"start: found 2 coordinates, expected 3"),
        ({"search": "stein", "start": [0.0, 0.0, 0.0]}, r"^start has no length; give at least one coordinate that is not 0"),
        ({"search": "stein", "radius": -1.0}, r"radius.* -1"),
        ({"search": "gradient", "blur": float("nan")}, r"blur: found nan"),
        ({"search": "gradient", "optimizer": "lbfgs"}, r"optimizer: found 'lbfgs'"),
        ({"search": "gradient", "copies": 10**9}, r"copies of 10 points"),
        ({"search": "sweep"}, r"plane"),
        ({"seed": -1}, r"seed: found -1"),
        ({"seed": "a"}, r"seed: found 'a'"),
        ({"n_threads": 0}, r"n_threads: found 0"),
        ({"callback": 3}, r"callback: found 3"),
    ],
)
def test_refusals_name_the_argument(settings, message):
    with pytest.raises(swgg.InputError, match=message):
        swgg.min_swgg(cloud(10, 3, 1), cloud(10, 3, 2), **settings)


def test_unknown_settings_are_refused():
    with pytest.raises(TypeError, match="momentum"):
        swgg.min_swgg(cloud(3, 2, 1), cloud(3, 2, 2), momentum=0.9)


def test_results_say_how_they_were_found():
    x, y = cloud(10, 3, 1), cloud(10, 3, 2)
    assert swgg.min_swgg(x, y, n_projections=1, seed=3).story == "best of 1 random direction, seed 3"
    assert "stein, " in repr(swgg.min_swgg(x, y))
    assert swgg.min_swgg(x, y).method == "min-swgg"
    assert swgg.swgg(x, y, [1.0, 0.0, 0.0], bounds=False).lower_bound is None
    bounded = swgg.swgg(x, y, [1.0, 0.0, 0.0])
    assert (bounded.method, bounded.search, bounded.n_iter) == ("swgg", None, 1)
    assert 0.0 < bounded.lower_bound <= swgg.emd(x, y).value

"""Many pairs in one call give what one call per pair gives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import swgg


def some_clouds(count: int = 6, d: int = 3, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    sizes, scales = rng.integers(20, 80, count), rng.uniform(1, 3, count)
    return [rng.normal(size=(int(n), d)) * scale for n, scale in zip(sizes, scales)]


@pytest.mark.parametrize("method", ["auto", "tree", "merged", "exact"])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_batches_are_serial_calls_to_the_bit(method: str, n_threads: int) -> None:
    Xs, Ys = some_clouds(seed=1), some_clouds(seed=2)
    rng = np.random.default_rng(3)
    a = [None if k % 2 else rng.uniform(0.1, 1.0, len(X)) for k, X in enumerate(Xs)]
    results = swgg.solve_batch(Xs, Ys, a, method=method, seed=5, n_threads=n_threads)
    assert len(results) == len(Xs)
    for X, Y, w, result in zip(Xs, Ys, a, results):
        alone = swgg.solve(X, Y, w, method=method, seed=5)
        assert (result.value, result.lower_bound, result.method) == (alone.value, alone.lower_bound, alone.method)
        assert all(np.array_equal(one, other) for one, other in zip(result.entries, alone.entries))
        assert result.X is X


def test_arrays_of_clouds_and_shared_weights() -> None:
    rng = np.random.default_rng(4)
    Xs, Ys = rng.normal(size=(5, 30, 2)).astype(np.float32), rng.normal(size=(5, 40, 2)).astype(np.float32)
    b = rng.uniform(0.5, 1.0, 40)
    results = swgg.solve_batch(Xs, Ys, None, b)
    assert all(result.X.dtype == np.float32 for result in results)
    for k, result in enumerate(results):
        assert result.value == swgg.solve(Xs[k], Ys[k], None, b).value
        assert np.allclose(result.dense_plan().sum(axis=0), b / b.sum())
    own = np.tile(b, (5, 1))
    assert [r.value for r in swgg.solve_batch(Xs, Ys, None, own)] == [r.value for r in results]


def test_the_best_single_line_has_a_direction() -> None:
    rng = np.random.default_rng(5)
    X, Y = rng.normal(size=(50, 4)), rng.normal(size=(50, 4))
    (result,) = swgg.solve_batch([X], [Y], method="min-swgg", n_projections=100)
    assert result.method == "min-swgg" and result.n_iter == 100
    order = [np.argsort(cloud @ result.theta) for cloud in (X, Y)]
    assert np.isclose(result.value, ((X[order[0]] - Y[order[1]]) ** 2).sum(axis=1).mean())


def test_progress_counts_pairs_and_may_stop() -> None:
    Xs = np.random.default_rng(6).normal(size=(9, 20, 2))
    for n_threads in (1, 2):
        heard: list[tuple[int, int]] = []
        swgg.solve_batch(Xs, Xs, n_threads=n_threads, callback=lambda done, total: heard.append((done, total)))
        counts = [done for done, _ in heard]
        assert counts == sorted(set(counts)) and counts[-1] == 9
        assert all(type(total) is int and total == 9 for _, total in heard)
    some = swgg.solve_batch(Xs, Xs + 1.0, n_threads=1, callback=lambda done, total: done == 3)
    assert 3 <= len(some) < 9 and all(np.isclose(result.value, 2.0) for result in some)
    with pytest.raises(RuntimeError, match="enough"):
        swgg.solve_batch(Xs, Xs, callback=raises)


def raises(done: int, total: int) -> None:
    raise RuntimeError("enough")


def test_refusals_of_batches_name_the_pair() -> None:
    good, bad = np.zeros((4, 2)), np.array([[0.0, np.nan]])
    with pytest.raises(swgg.InputError, match="pair 1: Y: row 0, column 1"):
        swgg.solve_batch([good, good], [good, bad])
    with pytest.raises(swgg.InputError, match="pair 0: X has 2 columns and Y has 3"):
        swgg.solve_batch([good, good], [np.zeros((4, 3)), good])
    with pytest.raises(swgg.InputError, match="Ys: found 1 clouds for 2 in Xs"):
        swgg.solve_batch([good, good], [good])
    with pytest.raises(swgg.InputError, match=r"Xs: found an array of shape \(4, 2\)"):
        swgg.solve_batch(good, good)
    with pytest.raises(swgg.InputError, match=r"Xs\[1\]: found 3 axes"):
        swgg.solve_batch([good, np.zeros((1, 2, 3))], [good, good])
    with pytest.raises(swgg.InputError, match=r"a: found weights of 3 clouds, expected 2"):
        swgg.solve_batch([good, good], [good, good], [None, None, None])
    with pytest.raises(swgg.InputError, match="method: found 'gaussian'"):
        swgg.solve_batch([good], [good], method="gaussian")
    with pytest.raises(swgg.KindError, match="Xs: found int"):
        swgg.solve_batch(3, [good])
    assert swgg.solve_batch([], []) == []


@pytest.mark.parametrize("metric", ["auto", "exact", "tree", "merged", "swgg", "sliced"])
def test_distances_are_those_of_single_calls(metric: str) -> None:
    clouds = some_clouds(5)
    clouds.append(clouds[0].copy())
    matrix = swgg.pairwise(clouds, metric=metric, seed=7)
    assert np.array_equal(matrix, matrix.T) and np.all(np.diag(matrix) == 0.0)
    assert matrix[0, 5] <= 1e-9 and np.all(matrix[np.triu_indices(5, 1)] > 0.1)
    assert np.array_equal(matrix, swgg.pairwise(clouds, metric=metric, seed=7, n_threads=1))
    squares = swgg.pairwise(clouds, metric=metric, seed=7, squared=True)
    assert np.allclose(matrix**2, squares)
    if metric != "sliced":
        method = "min-swgg" if metric == "swgg" else metric
        above = np.triu_indices(6, 1)
        alone = swgg.solve_batch([clouds[i] for i in above[0]], [clouds[j] for j in above[1]], method=method, seed=7)
        assert np.array_equal(squares[above], [result.value for result in alone])


def test_metrics_are_in_order() -> None:
    clouds = some_clouds(5, d=4)
    sliced, exact, lines = (swgg.pairwise(clouds, metric=metric) for metric in ("sliced", "exact", "swgg"))
    above = np.triu_indices(5, 1)
    assert np.all(sliced[above] < exact[above]) and np.all(exact[above] <= lines[above] + 1e-12)


def test_weights_exponents_and_precision() -> None:
    rng = np.random.default_rng(8)
    clouds = rng.normal(size=(4, 25, 2)).astype(np.float32)
    weights = [rng.uniform(0.1, 1.0, 25) for _ in range(4)]
    matrix = swgg.pairwise(clouds, weights, metric="exact")
    alone = swgg.solve(clouds[1], clouds[3], weights[1], weights[3], method="exact")
    assert matrix[1, 3] == alone.distance
    mixed = [clouds[0], clouds[1].astype(float)]
    assert swgg.pairwise(mixed, metric="exact")[0, 1] == swgg.solve(*mixed, method="exact").distance
    shifted = [clouds[0], clouds[0] + np.float32(2.0)]
    assert np.isclose(swgg.pairwise(shifted, metric="exact", p=1.0)[0, 1], 8.0**0.5, rtol=1e-5)
    cube = swgg.pairwise(shifted, metric="exact", p=3.0, squared=True)[0, 1]
    assert np.isclose(cube, 8.0**1.5, rtol=1e-5)
    with pytest.raises(swgg.InputError, match="p: found 3.0, expected 2"):
        swgg.pairwise(clouds, metric="swgg", p=3.0)


def test_condensed_for_linkage() -> None:
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy", reason="skipped: no SciPy")
    distance = pytest.importorskip("scipy.spatial.distance", reason="skipped: no SciPy")
    clouds = [cloud + 20.0 * (k % 2) for k, cloud in enumerate(some_clouds(6))]
    matrix, above = swgg.pairwise(clouds), swgg.pairwise(clouds, condensed=True, n_jobs=2)
    assert np.array_equal(above, distance.squareform(matrix))
    groups = hierarchy.fcluster(hierarchy.linkage(above, "average"), 2, "maxclust")
    assert len(set(groups[::2])) == len(set(groups[1::2])) == 1 and groups[0] != groups[1]
    part = swgg.pairwise(clouds, metric=lambda X, Y: 1.0, condensed=True, callback=lambda done, total: done >= 4)
    assert np.isnan(part).sum() == 11 and len(part) == 15
    assert swgg.pairwise([], condensed=True).shape == (0,)
    with pytest.raises(swgg.InputError, match="n_jobs: found 0"):
        swgg.pairwise(clouds, n_jobs=0)


def test_small_clouds_are_compared_by_optimal_plans() -> None:
    clouds = some_clouds(3)
    assert np.array_equal(swgg.pairwise(clouds), swgg.pairwise(clouds, metric="auto"))
    assert np.array_equal(swgg.pairwise(clouds, n_projections=30), swgg.pairwise(clouds, metric="swgg", n_projections=30))
    large = [np.random.default_rng(k).normal(size=(201, 2)) for k in range(3)]
    assert np.array_equal(swgg.pairwise(large), swgg.pairwise(large, metric="swgg"))


def test_functions_as_metrics() -> None:
    clouds = some_clouds(4)
    heard: list[tuple[int, int]] = []

    def between_means(X: np.ndarray, Y: np.ndarray) -> float:
        return float(np.linalg.norm(X.mean(axis=0) - Y.mean(axis=0)))

    means = swgg.pairwise(clouds, metric=between_means, callback=lambda *told: heard.append(told))
    assert means[1, 2] == means[2, 1] == between_means(clouds[1], clouds[2])
    assert heard == [(k, 6) for k in range(1, 7)]
    weights = [np.full(len(cloud), 2.0) for cloud in clouds]
    masses = swgg.pairwise(clouds, weights, metric=lambda X, Y, a, b: a.sum() + b.sum())
    assert masses[0, 3] == 2.0 * (len(clouds[0]) + len(clouds[3]))
    with pytest.raises(swgg.KindError, match="metric: found 'far'"):
        swgg.pairwise(clouds, metric=lambda X, Y: "far")


def test_stopping_leaves_gaps() -> None:
    clouds = some_clouds(5)
    matrix = swgg.pairwise(clouds, metric="exact", n_threads=1, callback=lambda done, total: done >= 2)
    whole = swgg.pairwise(clouds, metric="exact")
    known = ~np.isnan(matrix)
    assert known[0, 1] and known[0, 2] and not known.all()
    assert np.array_equal(known, known.T) and np.array_equal(matrix[known], whole[known])


def test_refusals_of_distances_name_the_cloud() -> None:
    good = np.zeros((4, 2))
    with pytest.raises(swgg.InputError, match=r"clouds\[2\]: found 3 columns, expected 2"):
        swgg.pairwise([good, good, np.zeros((4, 3))])
    with pytest.raises(swgg.InputError, match=r"clouds\[1\]: row 0, column 0 .* NaN"):
        swgg.pairwise([good, np.full((1, 2), np.nan)])
    with pytest.raises(swgg.InputError, match=r"weights\[0\]: .*-1"):
        swgg.pairwise([good, good], [[1.0, -1.0, 1.0, 1.0], None])
    with pytest.raises(swgg.InputError, match="metric: found 'wasserstein'"):
        swgg.pairwise([good, good], metric="wasserstein")
    assert swgg.pairwise([]).shape == (0, 0)
    assert swgg.pairwise([good]).tolist() == [[0.0]]


@pytest.mark.skipif(os.name == "nt", reason="skipped: signals of POSIX")
def test_ctrl_c_is_answered() -> None:
    script = textwrap.dedent(
        """
        import numpy as np, signal, swgg
        # Whoever runs the tests in the background hands on that Ctrl-C is ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        clouds = np.random.default_rng(0).normal(size=(60, 2500, 5))
        print("ready", flush=True)
        try:
            swgg.pairwise(clouds, metric="exact")
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    try:
        said, _ = process.communicate(timeout=20)
    finally:
        process.kill()
    assert said == "interrupted\n"

"""The paper by name: its propositions, with exact transport as the judge, and the same bits as the command line."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import swgg
from swgg import _swgg, entropic
from swgg._registry import PLANS

ot = pytest.importorskip("ot", reason="skipped: no POT")

PRECISIONS = [np.float32, np.float64]


def cloud(n, d, seed, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=(n, d)).astype(dtype)


def shares(n, seed):
    return np.random.default_rng(seed).random(n) + 0.05


def problems():
    """Equal sizes, different sizes, weights; both precisions."""
    for k, dtype in enumerate(PRECISIONS):
        x, y = cloud(30, 3, k, dtype), cloud(30, 3, k + 10, dtype) + dtype(0.5)
        yield x, y, None, None
        yield x, y[:21], None, None
        yield x, y[:21], shares(30, k), shares(21, k + 1)


def command(*words):
    done = subprocess.run([sys.executable, "-m", "swgg", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_plan(result):
    """Marginals are the weights, and the plan costs what it says."""
    n, m = len(result.X), len(result.Y)
    a = np.full(n, 1 / n) if result.a is None else result.a / result.a.sum()
    b = np.full(m, 1 / m) if result.b is None else result.b / result.b.sum()
    i, j, mass = result.entries
    assert np.allclose(np.bincount(i, mass, n), a, atol=1e-12)
    assert np.allclose(np.bincount(j, mass, m), b, atol=1e-12)
    gaps = result.X[i].astype(float) - result.Y[j]
    assert np.isclose((mass * (gaps**2).sum(axis=1)).sum(), result.value, rtol=1e-12)


# SWGG at one direction.


def test_swgg_pairs_by_rank():
    x, y, theta = cloud(50, 4, 1), cloud(50, 4, 2), np.array([1.0, -2.0, 0.5, 3.0])
    result = swgg.swgg(x, y, theta)
    assert np.array_equal(result.permutation[np.argsort(x @ theta)], np.argsort(y @ theta))
    assert np.isclose(result.value, ((x[np.argsort(x @ theta)] - y[np.argsort(y @ theta)]) ** 2).sum() / 50, rtol=1e-13)
    assert np.isclose(np.linalg.norm(result.theta), 1.0, rtol=1e-15)
    assert np.isclose(result.distance**2, result.value)
    assert result.search is None and result.costs is None and result.status == "all-tried"


@pytest.mark.parametrize("x, y, a, b", list(problems()))
def test_between_the_bounds(x, y, a, b):
    """SW <= max-SW <= W <= min-SWGG <= PWD, over the same directions."""
    exact = swgg.emd(x, y, a, b)
    check_plan(exact)
    thetas = cloud(3, 20, 7)
    each = [swgg.swgg(x, y, theta, a, b) for theta in thetas.T]
    for result in each[:3]:
        check_plan(result)
    tolerance = 1e-12 * exact.value
    best = swgg.min_swgg(x, y, a, b, projections=thetas)
    check_plan(best)
    assert best.value == min(result.value for result in each)
    mean = swgg.pwd(x, y, a, b, projections=thetas)
    assert np.isclose(mean.value, np.mean([result.value for result in each]), rtol=1e-12)
    sliced = swgg.sliced_wasserstein(x, y, a, b, projections=thetas)
    steepest = swgg.max_sliced(x, y, a, b)
    assert sliced.value <= steepest.value <= exact.value + tolerance
    assert exact.value <= best.value + tolerance and best.value <= mean.value


def test_a_distance_for_a_fixed_direction():
    theta = np.array([0.3, 1.0, -0.2])
    x, y, z = (cloud(25, 3, seed) for seed in (1, 2, 3))
    between = lambda p, q: swgg.swgg(p, q, theta).distance  # noqa: E731
    assert between(x, z) <= between(x, y) + between(y, z)
    assert between(x, y) == between(y, x)
    assert between(x, x) == 0.0


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_a_shift_is_found_whatever_the_line(dtype):
    x = cloud(40, 3, 1, dtype)
    shift = np.array([1.0, -2.0, 2.0], dtype)
    assert np.isclose(swgg.min_swgg(x, x + shift).value, 9.0, rtol=1e-5)
    assert np.isclose(swgg.emd(x, x + shift).distance, 3.0, rtol=1e-5)
    assert swgg.min_swgg(x, x[::-1]).value == 0.0


# One line is enough.


@pytest.mark.parametrize("flat", ["X", "Y"])
@pytest.mark.parametrize("dtype", PRECISIONS)
def test_one_cloud_on_a_line(flat, dtype):
    line = (np.random.default_rng(1).normal(size=(30, 1)) * [1.0, 2.0, -1.0] + [3.0, 0.0, 1.0]).astype(dtype)
    other, a, b = cloud(22, 3, 2, dtype), shares(30, 3), shares(22, 4)
    given = (line, other, a, b) if flat == "X" else (other, line, b, a)
    found, exact = swgg.line_wasserstein(*given), swgg.emd(*given)
    assert np.isclose(found.value, exact.value, rtol=1e-5 if dtype == np.float32 else 1e-12)
    assert found.lower_bound == found.value and found.gap == 0.0
    assert np.isclose(abs(found.theta @ [1.0, 2.0, -1.0]), np.sqrt(6.0), rtol=1e-6)
    check_plan(found)


@pytest.mark.parametrize("p", [1, 1.5, 2, 3])
def test_dimension_one(p):
    x, y = np.random.default_rng(1).normal(size=20), np.random.default_rng(2).normal(size=13)
    a, b = shares(20, 3), shares(13, 4)
    found, exact = swgg.line_wasserstein(x, y, a, b, p=p), swgg.emd(x, y, a, b, p=p)
    assert np.isclose(found.value, exact.value, rtol=1e-11)
    assert np.isclose(found.distance, found.value ** (1 / p)) and found.p == p
    assert np.isclose(found.value, ot.wasserstein_1d(x, y, a / a.sum(), b / b.sum(), p=p), rtol=1e-9)


def test_no_line_no_closed_form():
    with pytest.raises(swgg.InputError, match="neither cloud lies on a line"):
        swgg.line_wasserstein(cloud(5, 2, 1), cloud(5, 2, 2))
    with pytest.raises(swgg.InputError, match="p: found 1 in dimension 2"):
        swgg.line_wasserstein([[0.0, 0.0], [1.0, 1.0]], [[2.0, 2.0], [3.0, 3.0]], p=1)


def test_generalized_geodesics():
    x, y, theta = cloud(12, 2, 1, np.float32), cloud(9, 2, 2, np.float32), [1.0, 0.5]
    a = shares(12, 3)
    plan = swgg.swgg(x, y, theta, a)
    i, j, mass = plan.entries
    for t in (0.0, 0.25, 1.0):
        points, weights = swgg.generalized_geodesic(x, y, theta, t, a)
        assert np.allclose(points, (1 - t) * x[i] + t * y[j], atol=1e-6)
        assert np.allclose(weights, mass, atol=1e-15) and points.dtype == np.float32
    square = cloud(12, 2, 4)
    points, weights = swgg.generalized_geodesic(square, square + 2.0, theta, 0.5)
    assert np.allclose(points, square + 1.0) and np.allclose(weights, 1 / 12)


# Slices.


@pytest.mark.parametrize("p", [1.0, 2.0, 2.5])
def test_slices_against_pot(p):
    x, y, thetas = cloud(40, 4, 1), cloud(40, 4, 2) + 0.3, cloud(4, 30, 3)
    thetas /= np.linalg.norm(thetas, axis=0)
    ours = swgg.sliced_wasserstein(x, y, p=p, projections=thetas)
    assert np.isclose(ours.distance, ot.sliced_wasserstein_distance(x, y, p=p, projections=thetas), rtol=1e-10)
    along = [ot.wasserstein_1d(x @ theta, y @ theta, p=p) for theta in thetas.T]
    assert np.isclose(ours.standard_error, np.std(along, ddof=1) / np.sqrt(30), rtol=1e-9)
    assert ours.n_projections == 30 and ours.p == p


def test_slices_of_a_seed():
    x, y = cloud(500, 3, 1), cloud(400, 3, 2)
    found = [swgg.sliced_wasserstein(x, y, n_projections=300, seed=4, n_threads=threads) for threads in (1, 2, 3)]
    assert len({mean.value for mean in found}) == 1 and len({mean.standard_error for mean in found}) == 1
    assert swgg.sliced_wasserstein(x, y, n_projections=300, seed=5).value != found[0].value
    assert np.isnan(swgg.sliced_wasserstein(x, y, n_projections=1).standard_error)
    assert swgg.sliced_wasserstein(x, y).n_projections == 200
    steepest = [swgg.max_sliced(x, y, steps=10, n_threads=threads) for threads in (1, 2, 3)]
    assert len({slice.value for slice in steepest}) == 1
    # The mean of all directions lies within some standard errors of either way to draw them.
    batches = swgg.sliced_wasserstein(x, y, n_projections=300, orthogonal=True)
    assert abs(batches.value - found[0].value) < 5 * (batches.standard_error + found[0].standard_error)


@pytest.mark.parametrize(
    "kind, function", [("sw", swgg.sliced_wasserstein), ("pwd", swgg.pwd), ("max-sw", swgg.max_sliced)]
)
@pytest.mark.parametrize("dtype", PRECISIONS)
def test_slices_on_the_command_line(tmp_path, kind, function, dtype):
    x, y = cloud(40, 3, 1, dtype), cloud(25, 3, 2, dtype)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    expected = command("distance", tmp_path / "x.npy", tmp_path / "y.npy", "--kind", kind, "--seed", 3, "--json")
    found = function(x, y, seed=3)
    assert (found.value, found.distance) == (expected["cost"], expected["distance"])
    if kind == "max-sw":
        assert (found.theta.tolist(), found.n_iter) == (expected["theta"], expected["directions"])
    else:
        assert (found.standard_error, found.n_projections) == (expected["standard_error"], expected["directions"])


def test_the_steepest_slice():
    x, y = cloud(60, 3, 1), cloud(60, 3, 2) + [0.0, 2.0, 0.0]
    found = swgg.max_sliced(x, y)
    assert np.isclose(found.value, ot.wasserstein_1d(x @ found.theta, y @ found.theta, p=2), rtol=1e-12)
    assert found.value >= max(swgg.sliced_wasserstein(x, y, projections=np.eye(3)[:, [k]]).value for k in range(3))
    assert swgg.max_sliced(x, y, steps=1, starts=1, start=[0, 1, 0]).value <= found.value + 1e-9


@pytest.mark.parametrize("p", [1.5, 2.0, 3.0])
@pytest.mark.parametrize("listed", [False, True])
def test_gradients_of_slices(p, listed):
    x, y, a, b = cloud(12, 3, 1), cloud(9, 3, 2), shares(12, 3), shares(9, 4)
    thetas = cloud(8, 3, 5) if listed else None
    value, *gradients, _ = _swgg.sliced_gradient((x, y, a, b), thetas, 8, p, False, (False, 6, None, None))
    if listed:
        assert np.isclose(value, swgg.sliced_wasserstein(x, y, a, b, p=p, projections=thetas.T).value, rtol=1e-12)
    for side, points in enumerate((x, y)):
        for slot in ((0, 0), (4, 2), (8, 1)):
            sides = []
            for step in (1e-6, -1e-6):
                moved = points.copy()
                moved[slot] += step
                pair = (moved, y) if side == 0 else (x, moved)
                sides.append(_swgg.sliced_gradient((*pair, a, b), thetas, 8, p, False, (False, 6, 1, None))[0])
            assert np.isclose((sides[0] - sides[1]) / 2e-6, gradients[side][slot], rtol=1e-5, atol=1e-8)


def test_gradients_do_not_depend_on_threads():
    x, y = cloud(300, 3, 1, np.float32), cloud(200, 3, 2, np.float32)
    pair, hows = (x, y, None, None), [(False, 1, threads, None) for threads in (1, 2, 3)]
    serial, *others = (_swgg.sliced_gradient(pair, None, 100, 2.0, True, how) for how in hows)
    assert all(np.array_equal(one, other) for found in others for one, other in zip(serial[:3], found))
    assert all(np.array_equal(one, other) for found in others for one, other in zip(serial[3], found[3]))
    assert serial[1].shape == (300, 3) and serial[2].shape == (200, 3)
    assert serial[3][0].shape == (300,) and serial[3][1].shape == (200,)


# Exact transport.


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_emd_against_pot(p):
    x, y, a, b = cloud(25, 3, 1), cloud(18, 3, 2), shares(25, 3), shares(18, 4)
    costs = ot.dist(x, y, "euclidean") ** p
    found = swgg.emd(x, y, a, b, p=p)
    expected = ot.emd2(a / a.sum(), b / b.sum(), costs)
    assert np.isclose(found.value, expected, rtol=1e-10)
    assert np.isclose(found.distance, expected ** (1 / p), rtol=1e-10)
    by_costs = swgg.emd(x, y, a, b, M=costs)
    assert np.isclose(by_costs.value, expected, rtol=1e-10)
    assert by_costs.barycentric().shape == (25, 3)
    for result in (found, by_costs):
        u, v = result.potentials
        assert (u[:, None] + v[None, :] - costs).max() < 1e-9
        assert np.isclose(u @ a / a.sum() + v @ b / b.sum(), expected, rtol=1e-9)
        i, j, _ = result.entries
        assert np.allclose(u[i] + v[j], costs[i, j], atol=1e-9)


def test_costs_alone():
    costs = np.array([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]])
    found = swgg.emd(M=costs)
    assert np.isclose(found.value, 5 / 3)
    assert np.array_equal(found.permutation, [1, 0, 2])
    assert found.distance == found.value and np.isclose(swgg.emd(M=costs, p=2).distance, np.sqrt(5 / 3))
    for use in (found.barycentric, lambda: found.transform([[0.0]]), lambda: found.interpolate(0.5)):
        with pytest.raises(swgg.InputError, match="pass X and Y besides M"):
            use()
    assert "3 to 3 points" in repr(found)


# Entropic transport.


@pytest.mark.parametrize("x, y, a, b", list(problems()))
def test_sinkhorn(x, y, a, b):
    exact = swgg.emd(x, y, a, b).value
    found = swgg.sinkhorn(x, y, a, b, relative_epsilon=0.05)
    check_plan(found)
    assert found.converged and found.status == "converged"
    assert found.lower_bound <= exact * (1 + 1e-12) and exact <= found.value * (1 + 1e-12)
    smooth = found.smooth_plan()
    n, m = smooth.shape
    left = np.full(n, 1 / n) if a is None else a / a.sum()
    right = np.full(m, 1 / m) if b is None else b / b.sum()
    assert np.allclose(smooth.sum(axis=1), left, atol=1e-9)
    assert np.isclose(np.abs(smooth.sum(axis=0) - right).sum(), found.marginal_error, atol=1e-9)
    costs = ot.dist(x.astype(float), y.astype(float))
    assert np.isclose((smooth * costs).sum(), found.smooth_cost, rtol=1e-9)
    expected = ot.sinkhorn(left, right, costs, found.epsilon, method="sinkhorn_log", stopThr=1e-10, numItermax=5000)
    assert np.allclose(smooth, expected, atol=1e-6)
    f, g = found.potentials
    assert np.isclose(f @ left + g @ right, found.entropic_value, rtol=1e-9)
    assert np.isclose(found.epsilon, 0.05 * left @ costs @ right, rtol=1e-9)


def test_ways_to_smooth():
    x, y = cloud(20, 2, 1), cloud(25, 2, 2)
    assert swgg.sinkhorn(x, y, blur=0.5).epsilon == 0.5 == swgg.sinkhorn(x, y, epsilon=0.5).epsilon
    assert swgg.sinkhorn(x, y).epsilon == swgg.sinkhorn(x, y, relative_epsilon=0.01).epsilon
    exact = swgg.emd(x, y).value
    gaps = [swgg.sinkhorn(x, y, epsilon=epsilon).value - exact for epsilon in (3.0, 0.3, 0.03)]
    assert gaps[0] > gaps[1] > gaps[2] > -1e-12
    short = swgg.sinkhorn(x, y, epsilon=0.01, max_iter=2)
    assert not short.converged and short.status == "max-iterations"
    check_plan(short)
    by_one = swgg.sinkhorn(x, y, p=1, relative_epsilon=0.01)
    assert by_one.value >= swgg.emd(x, y, p=1).value * (1 - 1e-12) and by_one.distance == by_one.value
    bits = [swgg.sinkhorn(x, y, n_threads=threads).value for threads in (1, 2, 3)]
    assert len(set(bits)) == 1


def test_a_plan_too_large_to_hold(monkeypatch):
    """Tens of thousands of points and a wide blur: potentials and images, no plan. The engine is played here."""
    x, y = cloud(4, 2, 1), cloud(3, 2, 2)
    real = swgg.sinkhorn(x, y, epsilon=5.0)
    facts = {"epsilon": 5.0, "value": 3.0, "smooth_cost": 2.0, "marginal_error": 0.0}
    parts = (2.0, 1.0, None, None, "sinkhorn", "Sinkhorn", "converged", 7, 0.1, real.potentials, np.ones((4, 2)), facts)
    found = _swgg.Answer(*parts)
    monkeypatch.setattr(entropic._swgg, "sinkhorn", lambda *_: found)
    result = swgg.sinkhorn(x, y, epsilon=5.0)
    assert (result.value, result.lower_bound, result.n_iter, result.converged) == (2.0, 1.0, 7, True)
    assert np.array_equal(result.barycentric(), np.ones((4, 2)))
    assert np.allclose(result.smooth_plan(), real.smooth_plan())
    assert "too many entries" in repr(result) and result.theta is None
    for use in (lambda: result.plan, lambda: result.entries, result.dense_plan):
        with pytest.raises(swgg.SizeError, match="lower epsilon"):
            use()


def test_divergences():
    x, y, a = cloud(20, 2, 1), cloud(15, 2, 2) + 1.0, shares(20, 3)
    found = swgg.sinkhorn_divergence(x, y, a, blur=0.3)
    assert found.converged and found.epsilon == 2 * 0.3**2
    assert np.isclose(found.value, found.between - 0.5 * found.of_x - 0.5 * found.of_y)
    assert np.isclose(found.between, swgg.sinkhorn(x, y, a, blur=0.3).entropic_value, rtol=1e-6)
    assert np.isclose(found.value, swgg.sinkhorn_divergence(y, x, None, a, blur=0.3).value, rtol=1e-5)
    assert swgg.sinkhorn_divergence(x, x, blur=0.3).value < 1e-6
    assert swgg.sinkhorn_divergence(x, y, a, blur=0.3, n_threads=2) == found


# Pivots and subspaces.


@pytest.mark.parametrize("x, y, a, b", list(problems()))
def test_plans_of_other_methods(x, y, a, b):
    exact = swgg.emd(x, y, a, b).value
    pivoted = swgg.factored(x, y, a, b, k=6, seed=3)
    assert pivoted.pivot.shape == (6, 3) and pivoted.glue == "independent"
    assert exact / 2 <= pivoted.halves * (1 + 1e-9) and pivoted.value <= 2 * pivoted.halves * (1 + 1e-9)
    robust = [swgg.subspace_robust(x, y, a, b, k=k) for k in (1, 2, 3)]
    values = [result.robust_value for result in robust]
    assert values[0] < values[1] < values[2] * (1 + 1e-9) and np.isclose(values[2], exact, rtol=1e-5)
    assert all(result.robust_value <= result.robust_upper for result in robust)
    assert np.isclose(np.trace(robust[1].omega), 2.0) and np.linalg.eigvalsh(robust[1].omega).max() < 1 + 1e-9
    detour = swgg.subspace_detour(x, y, a, b, k=2)
    assert detour.subspace_value <= exact * (1 + 1e-6)
    assert np.isclose(detour.subspace_value, swgg.emd(x @ detour.basis.T, y @ detour.basis.T, a, b).value, rtol=1e-6)
    assert detour.fibres == (len(x), len(y))
    for result in (pivoted, *robust, detour):
        check_plan(result)
        assert result.value >= exact * (1 - 1e-9)
        assert result.lower_bound is None or result.lower_bound <= exact * (1 + 1e-9)


def test_a_subspace_of_ones_own():
    x, y = cloud(10, 3, 1), cloud(10, 3, 2)
    span = [[2.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    found = swgg.subspace_detour(x, y, subspace=span)
    assert np.isclose(found.subspace_value, swgg.emd(x[:, :2], y[:, :2]).value)
    flat, level = np.round(x), np.round(y)
    axis = [[1.0, 0.0, 0.0]]
    lifts = [swgg.subspace_detour(flat, level, subspace=axis, detour=lift) for lift in ("knothe", "independent")]
    assert lifts[0].value < lifts[1].value and lifts[0].fibres[0] < 10
    monotone = swgg.factored(x, y, k=3, glue="monotone")
    assert monotone.glue == "monotone" and monotone.value < swgg.factored(x, y, k=3).value


# Gaussians, and clouds as vectors.


def test_gaussians():
    x, y = cloud(200, 3, 1) * [1.0, 2.0, 3.0], cloud(150, 3, 2) @ [[1, 0.5, 0], [0, 1, 0], [0.2, 0, 2]] + 1
    a = shares(200, 3)
    found = swgg.gaussian(x, y, a)
    weights = a / a.sum()
    assert np.allclose(found.mean_x, weights @ x) and np.allclose(found.cov_x, np.cov(x.T, aweights=weights, ddof=0))
    assert np.allclose(found.cov_y, np.cov(y.T, ddof=0))
    shift = ((found.mean_x - found.mean_y) ** 2).sum()
    assert np.isclose(found.value, shift + swgg.bures(found.cov_x, found.cov_y))
    expected = ot.gaussian.bures_wasserstein_distance(found.mean_x, found.mean_y, found.cov_x, found.cov_y)
    assert np.isclose(found.distance, expected)
    moved = found.transform(x)
    assert np.allclose(weights @ moved, found.mean_y)
    assert np.allclose(np.cov(moved.T, aweights=weights, ddof=0), found.cov_y)
    assert found.lower_bound <= swgg.emd(x, y, a).value
    assert found.transform(x.astype(np.float32)).dtype == np.float32
    assert swgg.bures(found.cov_x, found.cov_x) < 1e-9


def test_clouds_as_vectors():
    pivot, clouds = cloud(16, 2, 0), [cloud(16, 2, seed) + seed for seed in (1, 2, 3)]
    found = swgg.linear_ot(clouds, pivot)
    assert found.vectors.shape == (3, 32)
    for i, one in enumerate(clouds):
        assert np.isclose(found.sq_lengths[i], swgg.emd(pivot, one).value)
        for j, other in enumerate(clouds):
            assert np.isclose(found.sq_distances[i, j], ((found.vectors[i] - found.vectors[j]) ** 2).sum())
            assert found.sq_distances[i, j] >= swgg.emd(one, other).value * (1 - 1e-12) - 1e-12
    assert np.allclose(found.distances**2, found.sq_distances)
    by_lines = swgg.linear_ot(clouds, pivot, plans="min-swgg")
    assert np.isclose(by_lines.sq_lengths[0], swgg.min_swgg(pivot, clouds[0]).value)
    some, given = [clouds[0], clouds[1][:5]], [shares(16, 1), None]
    weighted = swgg.linear_ot(some, pivot, weights=given, pivot_weights=shares(16, 2))
    assert weighted.vectors.shape == (2, 32) and "2 clouds" in repr(weighted)


def test_linear_transport_on_the_command_line(tmp_path):
    x, y, pivot = cloud(20, 3, 1), cloud(14, 3, 2), cloud(9, 3, 3)
    for name, array in (("x", x), ("y", y), ("pivot", pivot)):
        np.save(tmp_path / f"{name}.npy", array)
    files = ["solve", tmp_path / "x.npy", tmp_path / "y.npy", "--json"]
    expected = command(*files, "--method", "linear-ot", "--pivot", tmp_path / "pivot.npy")
    assert np.isclose(swgg.linear_ot([x, y], pivot).sq_distances[0, 1], expected["cost"], rtol=1e-13)
    expected = command(*files, "--method", "gaussian")
    found = swgg.gaussian(x, y)
    assert (found.value, found.lower_bound) == (expected["cost"], expected["lower_bound"])


# One call.


@pytest.mark.parametrize("method", PLANS)
@pytest.mark.parametrize("dtype", PRECISIONS)
def test_solve_is_the_command_line(tmp_path, method, dtype):
    x, y, a = cloud(40, 3, 1, dtype), cloud(30, 3, 2, dtype), shares(40, 3)
    if method == "line":
        y = (y[:, :1] * dtype(2)) @ np.array([[1, 2, -1]], dtype)
    for name, array in (("x", x), ("y", y), ("a", a)):
        np.save(tmp_path / f"{name}.npy", array)
    files = ["solve", tmp_path / "x.npy", tmp_path / "y.npy", "--source-weights", tmp_path / "a.npy"]
    expected = command(*files, "--method", method, "--seed", 9, "--json")
    found = swgg.solve(x, y, a, method=method, seed=9)
    check_plan(found)
    assert (found.value, found.distance) == (expected["cost"], expected["distance"])
    assert found.lower_bound == expected["lower_bound"]
    assert (None if found.theta is None else found.theta.tolist()) == expected["theta"]
    assert found.status == expected["stop"]
    serial = swgg.solve(x, y, a, method=method, seed=9, n_threads=1)
    assert serial.value == found.value and all(np.array_equal(p, q) for p, q in zip(serial.entries, found.entries))


def test_methods_are_refused_by_name():
    x = cloud(5, 2, 1)
    with pytest.raises(swgg.InputError, match="method: found 'best', expected one of 'auto'.*'subspace-detour'"):
        swgg.solve(x, x, method="best")
    with pytest.raises(swgg.InputError, match="time_limit is not a setting of method sinkhorn; leave it out, or use method auto"):
        swgg.solve(x, x, method="sinkhorn", time_limit=1.0)
    with pytest.raises(swgg.InputError, match="n_threads"):
        swgg.solve(x, x, method="line", n_threads=-2)


def test_results_travel():
    """Through pickle: with everything that a method adds to a plan."""
    x, y = cloud(12, 2, 1), cloud(9, 2, 2)
    results = [
        swgg.min_swgg(x, y, n_projections=4, keep_costs=True),
        swgg.line_wasserstein(x[:, 0], y[:, 0], p=1),
        swgg.emd(x, y, p=3),
        swgg.sinkhorn(x, y),
        swgg.factored(x, y, k=2),
        swgg.subspace_robust(x, y, k=1),
        swgg.subspace_detour(x, y, k=1),
    ]
    for result in results:
        again = pickle.loads(pickle.dumps(result))
        assert type(again) is type(result) and repr(again) == repr(result)
        assert np.array_equal(again.plan.toarray(), result.plan.toarray())
        own = [name for name, kind in vars(type(result)).items() if isinstance(kind, property)]
        for name in ["p", "value", *own] if type(result) is not swgg.Result else ["p", "value"]:
            one, other = getattr(result, name), getattr(again, name)
            assert all(map(np.array_equal, one, other)) if isinstance(one, tuple) else np.array_equal(one, other)

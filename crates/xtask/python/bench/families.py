"""Families of clouds, masses and pictures on which transport is hard in different ways.

Bench scripts import it. A family is a law, not a pair: every seed draws another pair of it, in single precision.
"""

import zlib

import numpy as np


def stream(name, seed):
    """Random numbers of a family of its own: two families with one seed share no draws."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def cube(rng, n, d):
    return rng.uniform(size=(n, d))


def ring(angles):
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def gauss(rng, n, m, d):
    """Two Gaussians with covariances of their own, the second moved away."""
    side = lambda count: rng.normal(size=(count, d)) @ rng.normal(scale=d**-0.5, size=(d, d))
    return side(n), side(m) + rng.normal(scale=2 * d**-0.5, size=d)


def same(rng, n, m, d):
    """Two samples of one cube: the optimum is small, and nearly every pair is a near miss."""
    return cube(rng, n, d), cube(rng, m, d)


def shape(rng, n, m, d):
    """The unit sphere to the cube around it."""
    sphere = rng.normal(size=(n, d))
    return sphere / np.linalg.norm(sphere, axis=1)[:, None], 2 * cube(rng, m, d) - 1


def mix(rng, n, m, d):
    """Mixtures of ten unit Gaussians: mass has to be shared out among far centres."""
    side = lambda count: rng.normal(scale=4, size=(10, d))[rng.integers(10, size=count)] + rng.normal(size=(count, d))
    return side(n), side(m)


def moons(rng, n, m, d):
    """Two interleaved half circles to a ring around them, all a little blurred."""
    upper = ring(rng.uniform(0, np.pi, n))
    is_lower = rng.random(n) < 0.5
    arcs = np.where(is_lower[:, None], [1, 0.5] - upper, upper)
    blur = lambda count: rng.normal(scale=0.05, size=(count, 2))
    return arcs + blur(n), 2 * ring(rng.uniform(0, 2 * np.pi, m)) + blur(m)


def curve(rng, n, m, d):
    """Two samples of one closed curve of four harmonics: a line's transport that no straight line shows."""
    frequencies = np.arange(1, 5)
    cosines, sines = rng.normal(size=(2, 4, d)) / frequencies[:, None]

    def sample(count):
        phases = rng.uniform(0, 2 * np.pi, (count, 1)) * frequencies
        return np.cos(phases) @ cosines + np.sin(phases) @ sines

    return sample(n), sample(m)


def lattice(rng, n, m, d):
    """Whole coordinates with about four points to a place (up to d = 3): ties everywhere."""
    side = max(2, round((n / 4) ** (1 / min(d, 3))))
    shift = rng.integers(2, size=d)
    return rng.integers(side, size=(n, d)), rng.integers(side, size=(m, d)) + shift


def lowrank(rng, n, m, d):
    """Five hidden coordinates on each side, and noise in all dimensions."""
    side = lambda count: rng.normal(size=(count, 5)) @ rng.normal(size=(5, d)) + rng.normal(scale=0.1, size=(count, d))
    return side(n), side(m)


def halfnormal(rng, n, m, d):
    """Normal to half-normal: nothing to find but dimension."""
    return rng.normal(size=(n, d)), np.abs(rng.normal(size=(m, d)))


def outliers(rng, n, m, d):
    """The same cube, but a tenth of the targets is far away."""
    far = rng.permutation(m) < m // 10
    return cube(rng, n, d), cube(rng, m, d) + 10 * far[:, None]


def split(rng, n, m, d):
    """A Gaussian pulled apart into four quarters: every point goes 2 outwards in both coordinates, so the optimum is 8."""
    if n != m:
        raise SystemExit("split has as many targets as sources")
    x = rng.normal(size=(n, 2)) * np.sqrt([0.6, 0.1])
    return x, rng.permutation(x + 2 * np.sign(x))


FAMILIES = [gauss, same, shape, mix, moons, curve, lattice, lowrank, halfnormal, outliers, split]


def pair(name, n, m, d, seed):
    """Both clouds of a family, n and m points in d dimensions (moons and split live in the plane)."""
    family = {family.__name__: family for family in FAMILIES}[name]
    return [np.ascontiguousarray(cloud, dtype=np.float32) for cloud in family(stream(name, seed), n, m, d)]


def masses(kind, count, seed):
    """Weights that sum to one: `uniform`, `random`, `pareto` (ten orders of magnitude), `some` (a third are zero)."""
    rng = stream(kind, seed)
    if kind == "uniform":
        weights = np.ones(count)
    elif kind == "random":
        weights = rng.random(count)
    elif kind == "pareto":
        weights = 1e-9 + rng.pareto(0.3, count)
    elif kind == "some":
        weights = np.where(rng.random(count) < 1 / 3, 0, rng.random(count))
    else:
        raise SystemExit(f"no weights are called {kind!r}")
    return weights / weights.sum()


def density(kind, side, rng):
    if kind == "noise":
        return rng.random((side, side))
    if kind == "shapes":
        # Six discs that may overlap, on a faint ground, so that no pixel is empty.
        rows, columns = np.mgrid[:side, :side] / side
        picture = np.full((side, side), 1e-3)
        for row, column, radius in rng.random((6, 3)) * [1, 1, 0.25]:
            picture += np.hypot(rows - row, columns - column) < radius
        return picture
    # The exponential of a Gaussian field whose spectrum falls with the frequency, fast or slowly.
    decay = {"smooth": 3.0, "rough": 1.2}[kind]
    axis = np.fft.fftfreq(side)
    frequency = np.hypot(axis[:, None], axis)
    frequency[0, 0] = 1
    field = np.fft.ifft2(np.fft.fft2(rng.normal(size=(side, side))) / frequency**decay).real
    return np.exp(1.5 * field / field.std())


def pictures(kind, side, seed):
    """Pixels of a square picture as points, and two densities on them, after the classes of DOTmark."""
    rng = stream(kind, seed)
    pixels = np.stack(np.mgrid[:side, :side], axis=-1).reshape(-1, 2).astype(np.float32)
    weights = [density(kind, side, rng).ravel() for _ in range(2)]
    return pixels, [weight / weight.sum() for weight in weights]

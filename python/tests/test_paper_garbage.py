"""The functions of the paper with whatever comes to hand: a result or a refusal, never anything else."""

from __future__ import annotations

import inspect
import random
import warnings

import numpy as np
import pytest
from test_garbage import callbacks, clouds, junk, size, weights

import swgg

CALLS = 250

#: Functions of two clouds, and whether they take a direction after them.
PAIRS = [
    swgg.swgg,
    swgg.min_swgg,
    swgg.line_wasserstein,
    swgg.generalized_geodesic,
    swgg.sliced_wasserstein,
    swgg.pwd,
    swgg.max_sliced,
    swgg.emd,
    swgg.sinkhorn,
    swgg.sinkhorn_divergence,
    swgg.factored,
    swgg.subspace_robust,
    swgg.subspace_detour,
    swgg.gaussian,
]

LIKELY = {
    "M": lambda draw: np.random.default_rng(draw.getrandbits(32)).random((draw.randint(1, 3), draw.randint(1, 3))),
    "blur": lambda draw: draw.choice([1e-3, 0.5, 1e9]),
    "bounds": lambda draw: draw.random() < 0.5,
    "callback": callbacks,
    "detour": lambda draw: draw.choice(["knothe", "independent"]),
    "epsilon": lambda draw: draw.choice([1e-9, 1.0, 1e12]),
    "glue": lambda draw: draw.choice(["independent", "monotone"]),
    "k": lambda draw: draw.randint(0, 4),
    "max_iter": lambda draw: draw.randint(0, 30),
    "n_projections": lambda draw: draw.randint(0, 30),
    "n_threads": lambda draw: draw.choice([1, 2, None]),
    "optimizer": lambda draw: draw.choice(["adam", "sgd"]),
    "orthogonal": lambda draw: draw.random() < 0.5,
    "p": lambda draw: draw.choice([1, 1.5, 2, 40.0]),
    "projections": lambda draw: np.ones((draw.randint(0, 3), draw.randint(0, 3))),
    "search": lambda draw: draw.choice(["random", "annealing", "gradient", "stein", "sweep"]),
    "start": lambda draw: np.ones(draw.randint(1, 3)),
    "steps": lambda draw: draw.randint(0, 5),
    "subspace": lambda draw: np.eye(3)[: draw.randint(1, 2), : draw.randint(1, 3)],
    "t": lambda draw: draw.choice([0, 0.5, 1]),
    "theta": lambda draw: np.ones(draw.randint(1, 3)),
}


def arguments(function, draw):
    # An old name of a setting warns, and is tried where settings are.
    passed = ("X", "Y", "a", "b", "seed", "lift")
    names = [name for name in inspect.signature(function).parameters if name not in passed]
    needed = [name for name in names if inspect.signature(function).parameters[name].default is inspect.Parameter.empty]
    chosen = {*needed, *draw.sample(names, min(len(names), draw.choice([0, 0, 1, 2])))}
    given = {}
    for name in sorted(chosen):
        likely = LIKELY.get(name)
        # What a callback raises is its own, and comes out as it is.
        given[name] = likely(draw) if likely and (name == "callback" or draw.random() < 0.85) else junk(draw)
    return given


def use(result):
    """What there is to see of a result."""
    assert isinstance(repr(result), str)
    if isinstance(result, swgg.SinkhornResult):
        assert np.isfinite(result.smooth_plan()).all()
    if isinstance(result, swgg.Result):
        result.dense_plan()
    if not isinstance(result, tuple):
        assert result.value >= 0.0


@pytest.mark.parametrize("function", PAIRS)
def test_garbage(function):
    draw = random.Random(function.__name__)
    solved = refused = 0
    for call in range(CALLS):
        x = junk(draw) if draw.random() < 0.05 else clouds(draw)
        y = x if draw.random() < 0.8 else clouds(draw)
        a, b = (junk(draw) if draw.random() < 0.03 else weights(draw, size(cloud)) for cloud in (x, y))
        given = arguments(function, draw)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                use(function(x, y, a=a, b=b, **given))
            solved += 1
        except swgg.SwggError as error:
            assert not isinstance(error, swgg.InternalError), (call, given, error)
            assert len(str(error)) < 600
            refused += 1
    assert solved > 10 and refused > 10, (solved, refused)


def test_garbage_of_other_shapes():
    draw = random.Random(7)
    refused = 0
    for _ in range(600):
        one, other = (junk(draw) if draw.random() < 0.2 else clouds(draw) for _ in "xy")
        square = np.cov(np.random.default_rng(draw.getrandbits(32)).normal(size=(3, 5)))
        weight = None if draw.random() < 0.5 else junk(draw)
        calls = [
            lambda: swgg.bures(draw.choice([one, square]), square),
            lambda: swgg.linear_ot(draw.choice([one, [one, other], [one, one]]), one, weights=weight),
            lambda: swgg.emd(M=draw.choice([one, square**2]), a=weight),
        ]
        try:
            draw.choice(calls)()
        except swgg.SwggError as error:
            assert not isinstance(error, swgg.InternalError), error
            refused += 1
    assert 100 < refused < 500

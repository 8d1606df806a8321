"""swgg.pot given anything at all: an answer or one of our refusals, never another exception."""

from __future__ import annotations

import inspect
import random

import numpy as np
import pytest

import swgg
import swgg.pot as our

pytest.importorskip("scipy", reason="sparse plans need SciPy")

FUNCTIONS = [getattr(our, name) for name in our.__all__ if inspect.isfunction(getattr(our, name)) and name != "patch"]
JUNK = [
    None, "x", b"x", 3, -1, 0, 2.5, float("nan"), float("inf"), True, [], {}, object(), 2**70, [[1], [1, 2]], range(3),
    np.zeros(0), np.zeros((0, 2)), np.zeros((2, 0)), np.ones((3, 2)), np.ones((4, 2)), np.ones(3) / 3, np.ones(4) / 4,
    np.ones((3, 2, 2)), np.array([1 + 2j]), np.array(["a"]), np.array([None]), np.full((3, 2), np.nan), -np.ones(3),
    1e300 * np.ones((3, 2)), np.arange(3), "minkowski", "auto", "coo_tuple", np.float32(1), np.ones((2, 3)).T,
]  # fmt: skip
CLOUD, COSTS, LINE = np.arange(6.0).reshape(3, 2), np.arange(9.0).reshape(3, 3), np.arange(3.0)
GOOD = {
    "a": [LINE + 1, None], "b": [LINE[::-1] + 1, None], "M": [COSTS], "perms": [[[0, 1, 2], [2, 1, 0]]], "d": [2],
    "x_a": [LINE], "x_b": [LINE * 2], "n_projections": [3], "n_plans": [2], "projections": [None, np.eye(2)],
    "measures_locations": [[CLOUD, CLOUD[::-1] + 1.0]], "measures_weights": [[np.ones(3) / 3, np.ones(3) / 3]],
    "weights": [None, [0.25, 0.75]], "reg": [2.0],
}  # fmt: skip


# Too few steps are warned of.
@pytest.mark.filterwarnings("ignore:numItermax", "ignore:Sinkhorn did not converge", "ignore:numThreads")
def test_anything_goes_or_is_refused():
    chance = random.Random(0)
    answers = 0
    for _ in range(6000):
        function = chance.choice(FUNCTIONS)
        arguments = {}
        for name, parameter in inspect.signature(function).parameters.items():
            wanted = parameter.default is inspect.Parameter.empty
            if chance.random() < 0.15:
                arguments[name] = chance.choice(JUNK)
            elif wanted or name in GOOD:
                arguments[name] = chance.choice(GOOD.get(name, [CLOUD]))
        # Sizes that would only take long.
        for name in ("n_projections", "n_plans"):
            if isinstance(arguments.get(name), int) and arguments[name] > 1000:
                arguments[name] = chance.choice([2, 2**70])
        try:
            function(**arguments)
            answers += 1
        except swgg.InternalError:
            raise
        except swgg.SwggError:
            pass
    assert 1000 < answers < 5500

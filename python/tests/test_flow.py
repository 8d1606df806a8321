"""Gradient flows: known targets are reached, others are refused."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import swgg

LOSSES = ("min-swgg", "sw", "max-sw", "pwd", "auto", "sinkhorn")


def cloud(n, d=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("loss", LOSSES)
def test_a_shift_is_followed(loss):
    x = cloud(30)
    found = swgg.flow(x, x + [1.5, -1.0], loss=loss, steps=600, rate=0.01)
    assert found.X.shape == x.shape and found.n_iter == 600 and len(found.losses) == 601
    assert found.losses[-1] < 0.05 * found.losses[0]
    assert found.distance < 0.2 * found.distances[0]


def test_weights_and_sizes():
    x, y = cloud(20), cloud(33, seed=1) + 2.0
    a, b = np.arange(1.0, 21.0), np.arange(33.0)
    found = swgg.flow(x, y, a, b, loss="auto", steps=800, rate=0.02)
    assert np.isclose(found.distances[0] ** 2, swgg.emd(x, y, a, b).value)
    assert found.distance < 0.3 * found.distances[0]
    # Points without mass stay where they are.
    a[3] = 0.0
    found = swgg.flow(x, y, a, b, loss="auto", steps=5)
    assert np.array_equal(found.X[3], x[3]) and not np.array_equal(found.X[4], x[4])


def test_the_command_line_finds_the_same_bits(tmp_path):
    x, y = cloud(40, 3), cloud(40, 3, seed=1) + 1.0
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    for flags, given in [
        ("--loss sw --directions 20 --seed 5", {"loss": "sw", "n_projections": 20, "seed": 5}),
        ("--search gradient --iterations 5", {"search": "gradient", "iterations": 5}),
        ("--loss max-sw --iterations 5 --optimizer sgd --rate 2", {"loss": "max-sw", "iterations": 5, "optimizer": "sgd", "rate": 2.0}),
    ]:
        line = [sys.executable, "-m", "swgg", "flow", "x.npy", "y.npy", "--steps", "20", "--json", *flags.split()]
        # A process of its own, as the command takes over the signals of the one it runs in.
        done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=True, cwd=tmp_path)
        printed = json.loads(done.stdout)
        found = swgg.flow(x, y, steps=20, **given)
        assert printed["losses"] == found.losses.tolist() and printed["distances"] == found.distances.tolist()


def test_what_is_kept_and_what_is_told():
    x, told = cloud(10), []
    found = swgg.flow(x, x + 1.0, steps=10, every=4, exact_every=5, callback=lambda i, value: told.append((i, value)))
    assert [step for step, _ in found.kept] == [0, 4, 8, 10]
    assert np.array_equal(found.kept[0][1], x) and np.array_equal(found.kept[-1][1], found.X)
    assert [i for i, _ in told] == list(range(11)) and [value for _, value in told] == found.losses.tolist()
    assert np.flatnonzero(~np.isnan(found.distances)).tolist() == [0, 5, 10]
    assert repr(found).startswith("FlowResult(10 particles, 10 steps, loss=")
    stopped = swgg.flow(x, x + 1.0, steps=10, callback=lambda i, value: i == 3)
    assert (stopped.status, stopped.n_iter, len(stopped.losses)) == ("interrupted", 3, 4)
    assert np.isnan(swgg.flow(x, x + 1.0, steps=1, loss="sw", exact_every=0).distance)


def test_refusals():
    x = cloud(5)

    def refused(message, **given):
        with pytest.raises(swgg.SwggError) as caught:
            swgg.flow(x, x + 1.0, **given)
        assert message in str(caught.value), str(caught.value)

    refused("rate: found 0.0, expected a number above 0", rate=0.0)
    refused("steps: found 0", steps=0)
    refused("loss: found 'w1', expected one of 'min-swgg', 'sw', 'max-sw', 'pwd', 'auto', 'sinkhorn'", loss="w1")
    refused("optimizer: found 'newton'", optimizer="newton")
    refused("search is not a setting of loss sw; leave it out, or use loss min-swgg", loss="sw", search="random")
    refused("effort is not a setting of loss min-swgg; leave it out, or use loss auto", effort=3)
    refused("the particles left all bounds at step", loss="auto", optimizer="sgd", rate=1e90)
    with pytest.raises(swgg.SwggError, match="X has 2 columns and Y has 3"):
        swgg.flow(x, cloud(5, 3))

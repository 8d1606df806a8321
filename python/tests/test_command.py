"""The command in the wheel, and what the import brings along."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import swgg

ME = [sys.executable, "-m", "swgg"]


def run(*words, **options):
    return subprocess.run([*ME, *map(str, words)], capture_output=True, text=True, timeout=60, **options)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(1)
    arrays = {"x": rng.normal(size=(2000, 3)), "y": rng.normal(size=(2000, 3)) + 1.0}
    for name, values in arrays.items():
        np.save(tmp_path / f"{name}.npy", values)
    return tmp_path, arrays["x"], arrays["y"]


def test_version_and_help():
    version = run("--version")
    assert (version.returncode, version.stdout) == (0, f"swgg {swgg.__version__}\n")
    assert run("--help").stdout.splitlines()[-1] and run("nonsense").returncode == 2


def test_same_bits_as_the_command(files):
    directory, x, y = files
    for method, settings in (("auto", {"effort": 3}), ("tree", {}), ("merged", {})):
        words = [f"--{name}={value}" for name, value in settings.items()]
        words += ["--method", method, "--seed", 7, "--threads", 2, "--json"]
        done = run("solve", directory / "x.npy", directory / "y.npy", *words)
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        result = swgg.solve(x, y, method=method, seed=7, **settings)
        assert report["cost"] == result.value, method


def test_failures(files):
    directory, _, _ = files
    missing = run("solve", directory / "x.npy", directory / "missing.npy")
    assert missing.returncode == 2 and "missing.npy" in missing.stderr and "Traceback" not in missing.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals of another kind")
def test_interrupts(files):
    directory, x, y = files
    for name in "xy":
        np.save(directory / f"{name}.npy", np.random.default_rng(0).normal(size=(500_000, 3)))
    words = ["solve", str(directory / "x.npy"), str(directory / "y.npy"), "--effort", "10"]
    process = subprocess.Popen([*ME, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.0)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    _, complaint = process.communicate(timeout=30)
    # Whatever it was doing, it ended because it was told to.
    assert process.returncode in (1, 130, -signal.SIGINT), complaint
    assert b"Traceback" not in complaint


def test_the_import_brings_nothing_along():
    script = "import sys, swgg; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    loaded = set(done.stdout.split())
    assert {"numpy", "swgg"} <= loaded
    assert not loaded & {"scipy", "torch", "matplotlib", "ot", "sklearn", "pandas", "difflib"}


def test_everything_public_is_there():
    for name in swgg.__all__:
        assert getattr(swgg, name) is not None
    assert sorted(swgg.__all__) == swgg.__all__

"""Tables beyond memory from Python. What needs the program is skipped without it; SWGG_ENGINE names it."""

import importlib.util
import os
import shutil

import numpy as np
import pytest

import swgg
from swgg import engine

PROGRAM = os.environ.get("SWGG_ENGINE") or shutil.which("swgg-engine")
needs_program = pytest.mark.skipif(PROGRAM is None, reason="no swgg-engine")


def tables(folder, n=400, m=400, d=2):
    rng = np.random.default_rng(0)
    clouds = rng.normal(size=(n, d)), rng.normal(size=(m, d)) + 1.0
    paths = folder / "a.csv", folder / "b.csv"
    for path, cloud in zip(paths, clouds):
        np.savetxt(path, cloud, delimiter=",", fmt="%.17g")
    return (*paths, *clouds)


@needs_program
def test_the_plan_is_the_one_in_memory(tmp_path):
    a, b, X, Y = tables(tmp_path)
    heard = []
    plan = engine.solve(
        a, b, plan=tmp_path / "plan", direction=[-0.6, 0.8], callback=lambda *reached: heard.append(reached), program=PROGRAM
    )
    expected = swgg.swgg(X, Y, np.array([-0.6, 0.8]))
    assert plan.cost == pytest.approx(float(getattr(expected, "value", expected)), rel=1e-12)
    assert len(plan) == 400 and plan.lower_bound <= plan.cost
    assert plan.manifest["method"] == "min-swgg" and all(file.exists() for file in plan.files)
    assert heard and all(isinstance(stage, str) and done <= total for stage, done, total in heard if total)
    assert repr(plan).startswith("EnginePlan(")
    again = engine.EnginePlan(tmp_path / "plan")
    assert again.manifest == plan.manifest


@needs_program
def test_auto_and_a_temporary_folder(tmp_path):
    a, b, X, Y = tables(tmp_path, m=300)
    plan = engine.solve(a, b, method="auto", effort=2, cells=2, passes=2, memory="200MB", n_threads=1, program=PROGRAM)
    try:
        assert [entry["cells"] for entry in plan.manifest["passes"]] == [2, 3]
        assert plan.cost <= 1.1 * swgg.solve(X, Y).value
    finally:
        shutil.rmtree(plan.path)


@needs_program
@pytest.mark.parametrize("package", ["pyarrow", "polars", "duckdb"])
def test_parts_are_read_by_others(tmp_path, package):
    a, b, _, _ = tables(tmp_path)
    plan = engine.solve(a, b, plan=tmp_path / "plan", direction=[1.0, 0.0], program=PROGRAM)
    read = {"pyarrow": plan.arrow, "polars": plan.polars, "duckdb": plan.duckdb}[package]
    if importlib.util.find_spec(package) is None:
        with pytest.raises(swgg.MissingPackageError, match=package):
            read()
        return
    if package == "pyarrow":
        table = read().to_table()
        cost = float(np.dot(table["mass"], table["cost"]))
    elif package == "polars":
        import polars

        cost = read().select((polars.col("mass") * polars.col("cost")).sum()).collect().item()
    else:
        cost = read().aggregate("sum(mass * cost)").fetchone()[0]
    assert cost == pytest.approx(plan.cost, rel=1e-12)


@needs_program
def test_mistakes_keep_their_words(tmp_path):
    a, b, _, _ = tables(tmp_path)
    before = set(os.listdir(tmp_path))
    with pytest.raises(swgg.InputError, match="there is no such file, folder or pattern"):
        engine.solve(tmp_path / "nowhere", b, plan=tmp_path / "plan", program=PROGRAM)
    with pytest.raises(swgg.InputError, match="--direction has 3 coordinates"):
        engine.solve(a, b, plan=tmp_path / "plan", direction=[1, 0, 0], program=PROGRAM)
    with pytest.raises(swgg.InputError, match="--effort is for --method auto"):
        engine.solve(a, b, plan=tmp_path / "plan", effort=3, program=PROGRAM)
    assert set(os.listdir(tmp_path)) == before
    with pytest.raises(RuntimeError, match="mine"):
        engine.solve(a, b, plan=tmp_path / "plan", program=PROGRAM, callback=raising)
    # So short a run may be done before it hears that it should end: then the plan is whole.
    left = set(os.listdir(tmp_path)) - before
    assert left <= {"plan"}
    if left:
        assert len(engine.EnginePlan(tmp_path / "plan")) == 400


def raising(*_):
    raise RuntimeError("mine")


def test_without_the_program(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(swgg.MissingPackageError, match="cargo build --release -p swgg-engine"):
        engine.solve("a", "b", plan=tmp_path / "plan")
    with pytest.raises(swgg.InputError, match="program: .* could not be started"):
        engine.solve("a", "b", plan=tmp_path / "plan", program=tmp_path / "nothing")


def test_folders_without_a_plan(tmp_path):
    with pytest.raises(swgg.InputError, match="holds no manifest.json"):
        engine.EnginePlan(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(swgg.InputError, match="is damaged"):
        engine.EnginePlan(tmp_path)

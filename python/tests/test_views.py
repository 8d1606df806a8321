"""How results look: pictures, pages, notebooks."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import swgg
from swgg import views

RNG = np.random.default_rng(11)


def pair(n, m, d):
    return RNG.normal(size=(n, d)), RNG.normal(size=(m, d)) + 1.0


PAIRS = pytest.mark.parametrize("d", [1, 2, 3, 7])


def data(page):
    return json.loads(page.split('id="data">')[1].split("</script>")[0])


@PAIRS
@pytest.mark.parametrize("m", [40, 25])
def test_pages(d, m, tmp_path):
    result = swgg.solve(*pair(40, m, d))
    path = tmp_path / "page.html"
    path.write_text("old")
    result.report(path)
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n")
    assert "http://" not in page and "https://" not in page
    found = data(page)
    assert found["dim"] == (2 if d == 1 else min(d, 3))
    assert found["tracks"][0]["count"] == len(result.entries[0])
    assert sorted(name.name for name in tmp_path.iterdir()) == ["page.html"]


def test_pages_of_single_precision_and_of_other_costs(tmp_path):
    X, Y = (cloud.astype(np.float32) for cloud in pair(30, 30, 2))
    assert "squared distance" in views.page(swgg.solve(X, Y))
    other = views.page(swgg.solve(X, Y, cost="cityblock"))
    assert "not a power of distances" in other
    M = RNG.random((30, 30))
    assert "not a power of distances" in views.page(swgg.emd(X, Y, M=M))
    assert "not a power of distances" not in views.page(swgg.emd(X, Y, p=1.0))


def test_a_place_that_is_not_there_is_refused(tmp_path):
    result = swgg.solve(*pair(5, 5, 2))
    with pytest.raises(FileNotFoundError):
        result.report(tmp_path / "none" / "page.html")


def test_costs_alone_have_no_picture():
    result = swgg.emd(M=[[4.0, 1.0], [2.0, 3.0]])
    for look in (lambda: views.page(result), lambda: result.plot(), lambda: result.report("x.html")):
        with pytest.raises((swgg.InputError, swgg.MissingPackageError), match="needs"):
            look()
    assert "iframe" not in views.notebook(result)


def test_notebooks_hold_small_pages_only():
    small = swgg.solve(*pair(50, 50, 2))._repr_html_()
    assert small.startswith("<table>") and small.count("<iframe") == 1 and "<script" not in small
    large = swgg.solve(*pair(4000, 4000, 2), effort=1, bounds=False)._repr_html_()
    assert "<iframe" not in large and "result.report" in large


@PAIRS
def test_plots(d):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    result = swgg.solve(*pair(40, 30, d))
    ax = result.plot(lines=20)
    assert hasattr(ax, "get_zlim") == (d == 3)
    lines = [found for found in ax.collections if "Line" in type(found).__name__]
    assert len(lines) == 1 and len(lines[0].get_array()) == 20
    assert (np.diff(np.asarray(lines[0].get_array())) >= 0).all(), "the dear ones are on top"
    ax.figure.canvas.draw()
    plt.close(ax.figure)
    _, other = plt.subplots(subplot_kw={"projection": "3d"} if d != 3 else None)
    with pytest.raises(swgg.InputError, match="axes of the other kind"):
        result.plot(other)
    plt.close("all")


def test_plots_without_matplotlib(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(swgg.MissingPackageError, match="pip install matplotlib.*Result.report"):
        swgg.solve(*pair(5, 5, 2)).plot()

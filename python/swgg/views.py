"""How a plan looks: a picture by matplotlib, and a page that a browser opens."""

from __future__ import annotations

import html
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from .exceptions import InputError, MissingPackageError

if TYPE_CHECKING:
    from .result import Result

#: Points of both clouds up to which a notebook shows the page; more would make it large.
NOTEBOOK_POINTS = 6000
#: Points of each cloud that are drawn by matplotlib.
_DRAWN = 20_000
#: Points of each cloud that principal axes are found from.
_LEARNT = 2000


def _need_clouds(result: Result, what: str) -> None:
    if result.X is None or result.Y is None:
        raise InputError(f"{what} needs points, and emd was given costs alone; pass X and Y besides M")


def _exponent(result: Result) -> Optional[float]:
    """The power of distances that the plan pays; none if the cost is another."""
    if result._answer.facts.get("ground", "euclidean") != "euclidean":
        return None
    if type(result).__name__ == "ExactResult" and result._answer.plan is not None:
        # Costs may have come as a matrix, beside the points.
        rows, columns, masses = result.entries
        paid = float(masses @ _lengths(result.X[rows], result.Y[columns]) ** result.p)
        if not np.isclose(paid, result.value, rtol=1e-6, atol=0.0):
            return None
    return result.p


def _lengths(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    moves = np.asarray(x, dtype=np.float64) - np.asarray(y, dtype=np.float64)
    return np.asarray(np.sqrt((moves**2).sum(axis=-1)))


def page(result: Result) -> str:
    """The page of a result, as the text of an HTML file."""
    _need_clouds(result, "a page")
    n, m, d = len(result.X), len(result.Y), result.X.shape[1]
    title = f"{result.method}: transport from {n} to {m} points in dimension {d}"
    answer = result._answer
    pair = (result.X, result.Y, result.a, result.b)
    return _swgg.page(pair, answer.plan, answer.image, title, result._facts(), result.value, result.lower_bound, _exponent(result))


def report(result: Result, path: Union[str, "os.PathLike[str]"]) -> None:
    """Writes the page of a result; the file appears whole or not at all."""
    text = page(result)
    place = Path(path)
    handle, name = tempfile.mkstemp(prefix=".swgg-", suffix=".tmp", dir=place.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        # Temporary files are private; a result has the permissions of any new file.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, place)
    except BaseException:
        os.unlink(name)
        raise


def notebook(result: Result) -> str:
    """A frame with the page, for results that are small enough to be kept in a notebook; otherwise how to have it."""
    if result.X is None or result.Y is None:
        return ""
    if len(result.X) + len(result.Y) > NOTEBOOK_POINTS:
        return "<p><code>result.report(&quot;page.html&quot;)</code> writes a page to look at.</p>"
    text = html.escape(page(result), quote=True)
    return f'<iframe srcdoc="{text}" sandbox="allow-scripts" loading="lazy" title="swgg.Result" style="width:100%;height:720px;border:0"></iframe>'


def _seen(result: Result) -> Tuple[Any, str, int]:
    """A function from points to what is drawn of them, names of the axes, and how many there are."""
    d = result.X.shape[1]
    if d <= 3:
        return (lambda points, level: np.c_[points, np.full(len(points), level)] if d == 1 else points), "xyz", max(d, 2)
    some = np.concatenate([cloud[:: -(-len(cloud) // _LEARNT)] for cloud in (result.X, result.Y)]).astype(np.float64)
    mean = some.mean(axis=0)
    axes = np.linalg.svd(some - mean, full_matrices=False)[2][:2]
    # The largest coordinate is positive: the same picture everywhere.
    axes = axes * np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    return (lambda points, level: (points - mean) @ axes.T), "12", 2


def plot(result: Result, ax: Any = None, *, lines: int = 500, cmap: str = "BuPu") -> Any:
    """Draws the clouds and some ways of the plan; see :meth:`Result.plot`."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.collections import LineCollection
    except ImportError as error:
        raise MissingPackageError(
            "Result.plot needs matplotlib (pip install matplotlib); Result.report writes a page without it"
        ) from error
    _need_clouds(result, "a picture")
    lines = _arrays.whole(lines, "lines", 0)
    see, names, dim = _seen(result)
    if ax is None:
        ax = plt.figure().add_subplot(projection="3d" if dim == 3 else None)
    if (dim == 3) != hasattr(ax, "get_zlim"):
        raise InputError(f"ax: found axes of the other kind, expected those of {dim} dimensions (projection='3d' for three)")
    if result._answer.plan is not None and lines > 0:
        rows, columns, _ = result.entries
        chosen = np.unique(np.linspace(0, len(rows) - 1, min(lines, len(rows))).astype(int))
        x, y = result.X[rows[chosen]], result.Y[columns[chosen]]
        power = _exponent(result)
        costs = _lengths(x, y) ** (1.0 if power is None else power)
        order = np.argsort(costs, kind="stable")
        ways = list(np.stack([see(x, 0.0), see(y, 1.0)], axis=1)[order])
        if dim == 3:
            from mpl_toolkits.mplot3d.art3d import Line3DCollection

            drawn: Any = Line3DCollection(ways, cmap=cmap, linewidths=0.7, alpha=0.7, zorder=1)
            ax.add_collection3d(drawn)
        else:
            drawn = LineCollection(ways, cmap=cmap, linewidths=0.7, alpha=0.7, zorder=1)
            ax.add_collection(drawn)
        drawn.set_array(costs[order])
        what = {None: "distance", 1.0: "distance", 2.0: "squared distance"}.get(power, f"distance to the power {power}")
        ax.figure.colorbar(drawn, ax=ax, label=f"{what} moved")
    for cloud, level, color, label in ((result.X, 0.0, "#1f5fae", "source"), (result.Y, 1.0, "#d9610a", "target")):
        points = see(cloud[:: -(-len(cloud) // _DRAWN)], level)
        size = 12 if len(points) <= 2000 else 2
        ax.scatter(*points.T, s=size, color=color, label=label, linewidths=0, zorder=3)
    if names == "12":
        ax.set_xlabel("first principal axis")
        ax.set_ylabel("second principal axis")
    elif result.X.shape[1] == 1:
        ax.set_yticks([0.0, 1.0], ["source", "target"])
    if dim == 2 and result.X.shape[1] > 1:
        ax.set_aspect("equal", adjustable="datalim")
    ax.set_title(f"{result.method}: cost {result.value:.6g}")
    ax.legend(loc="best")
    return ax


__all__ = ["NOTEBOOK_POINTS", "notebook", "page", "plot", "report"]

"""Distances between data sets: points with labels against points with labels (OTDD)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _registry, _swgg
from ._arrays import Callback
from .exceptions import InputError, KindError, SwggError

_LABEL_DISTANCES, _METHODS = (tuple(names) for names in _swgg.otdd_names())
_SEARCHES = tuple(one["name"] for one in _swgg.searches())


@dataclass(frozen=True, eq=False)
class OtddResult:
    """How far two data sets are apart."""

    #: The distance: the cost itself for ``power=1``, its root for ``power=2``.
    distance: float
    #: What the plan between the points costs, not rooted.
    cost: float
    #: What the cost says about the optimum at these distances between labels: ``"exact"``, ``"upper-bound"`` or ``"no-bound"``.
    cost_is: str
    #: What no plan can cost less than, if it is known.
    lower_bound: Optional[float]
    #: By how much the cost can be above the optimum, as a share of it.
    gap: Optional[float]
    #: Distances between the labels of the first data set (rows) and those of the second, rooted.
    label_distances: NDArray[np.float64]
    #: The labels of both, in the order of rows and columns.
    labels: Tuple[NDArray[Any], NDArray[Any]]
    #: How many points bear each of them.
    class_sizes: Tuple[NDArray[np.int64], NDArray[np.int64]]
    #: Why the search for the plan ended, as in :func:`solve`.
    status: str
    #: One sentence about what was run.
    story: str
    #: Time of the distances between labels, and of the plan.
    seconds: Tuple[float, float]

    def __repr__(self) -> str:
        k, m = self.label_distances.shape
        return f"OtddResult(distance={self.distance:.6g}, {k} and {m} labels, {self.cost_is})"


@dataclass(frozen=True, eq=False)
class OtddMatrix:
    """How far several data sets are apart from each other."""

    #: Symmetric, with zeros on the diagonal; NaN where it was stopped before.
    distances: NDArray[np.float64]
    #: Every pair ``(i, j)`` with ``i < j`` that was compared.
    pairs: Dict[Tuple[int, int], OtddResult]
    #: ``"converged"``, or ``"interrupted"`` if a callback has ended it.
    status: str
    #: Time in the engine.
    seconds: float

    def __repr__(self) -> str:
        return f"OtddMatrix({len(self.distances)} data sets, {self.status})"


def otdd(
    X1: Any,
    y1: Any,
    X2: Any,
    y2: Any,
    *,
    label_distance: str = "auto",
    power: int = 1,
    samples: Optional[int] = None,
    method: str = "auto",
    effort: Optional[int] = None,
    gap: Optional[float] = None,
    epsilon: Optional[float] = None,
    relative_epsilon: Optional[float] = None,
    search: Optional[str] = None,
    n_projections: Optional[int] = None,
    iterations: Optional[int] = None,
    learning_rate: Optional[float] = None,
    copies: Optional[int] = None,
    blur: Optional[float] = None,
    bounds: bool = True,
    seed: Optional[int] = 0,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
) -> OtddResult:
    """The distance between two data sets (``distance`` as a distance, ``cost`` not rooted).

    Two points cost ``(|x - x'|^2 + W^2(label, label'))^(power / 2)``, where ``W`` is the distance between the clouds of the points that bear the
    labels; the distance is what the cheapest plan costs, and its root for ``power=2``. Labels need not be called the same on both sides, nor be equally many.

    Parameters
    ----------
    X1, X2 : array-like of shape (n, d) and (m, d)
        Points; images as rows of their pixels.
    y1, y2 : array-like of shape (n,) and (m,)
        Labels: whole numbers or strings.
    label_distance : str
        ``"auto"`` (the default solver, exact for classes of up to 2500 points), ``"exact"``, ``"sinkhorn"`` (the divergence),
        ``"bures"`` (fitted Gaussians) or ``"min-swgg"``.
    power : 1 or 2
        The root of squared distances, as in the paper, or their sum.
    samples : int, optional
        So many points of each, drawn by the seed without replacement whatever their labels; all if left out.
    method : str
        How the plan between the points is found: a method of :func:`solve` that takes every cost.
    effort : int, optional
        ``"auto"``: from 1 to 10 (5).
    gap : float, optional
        ``"auto"``: stop when the plan is proved to be within this share of the optimum.
    epsilon, relative_epsilon : float, optional
        Labels by ``"sinkhorn"``: weight of the entropy, in squared units or as a share of the mean cost (0.01).
    search, n_projections, iterations, learning_rate, copies, blur : optional
        Labels by ``"min-swgg"``: how to look for the line, as in :func:`min_swgg`.
    bounds : bool
        Whether to look for a lower bound of the plan.
    seed : int, optional
        Same seed, same bits, whatever the number of threads; None for another one each time.
    n_threads : int, optional
        All of them if left out, or -1.
    callback : callable, optional
        Called as ``callback(problems so far, inf)``; returning ``True`` stops.

    Returns
    -------
    OtddResult

    Examples
    --------
    >>> import numpy as np, swgg
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 9.0], [9.0, 8.0]])
    >>> found = swgg.otdd(X, ["cat", "cat", "dog", "dog"], X + [3.0, 4.0], [1, 1, 0, 0])
    >>> round(found.distance, 6), found.cost_is
    (7.071068, 'exact')
    >>> found.label_distances.round(3)
    array([[17.   ,  5.   ],
           [ 5.   ,  7.141]])
    """
    found = _compare([(X1, y1), (X2, y2)], (("X1", "y1"), ("X2", "y2")), locals())
    if not found.pairs:
        raise SwggError("the callback stopped it before there was a distance")
    return found.pairs[(0, 1)]


def otdd_matrix(
    sets: Any,
    *,
    label_distance: str = "auto",
    power: int = 1,
    samples: Optional[int] = None,
    method: str = "auto",
    effort: Optional[int] = None,
    gap: Optional[float] = None,
    epsilon: Optional[float] = None,
    relative_epsilon: Optional[float] = None,
    search: Optional[str] = None,
    n_projections: Optional[int] = None,
    iterations: Optional[int] = None,
    learning_rate: Optional[float] = None,
    copies: Optional[int] = None,
    blur: Optional[float] = None,
    bounds: bool = True,
    seed: Optional[int] = 0,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
) -> OtddMatrix:
    """The distances between all pairs of several data sets, as :func:`otdd` has them.

    Parameters
    ----------
    sets : sequence of pairs (X, y)
        Points and labels of each data set; two or more.
    label_distance, power, samples, method, effort, gap, epsilon, relative_epsilon
        As in :func:`otdd`.
    search, n_projections, iterations, learning_rate, copies, blur, bounds, seed, n_threads
        As in :func:`otdd`.
    callback : callable, optional
        Called as ``callback(problems so far, inf)``; returning ``True`` stops with the pairs that are done.

    Returns
    -------
    OtddMatrix

    Examples
    --------
    >>> import numpy as np, swgg
    >>> X, y = np.array([[0.0], [1.0], [5.0]]), [0, 0, 1]
    >>> swgg.otdd_matrix([(X, y), (X + 1.0, y), (X + 3.0, y)], power=2).distances.round(3)
    array([[0.   , 1.414, 4.243],
           [1.414, 0.   , 2.828],
           [4.243, 2.828, 0.   ]])
    """
    try:
        given = [tuple(one) for one in sets]
    except TypeError as error:
        raise KindError(f"sets: found {_arrays.shown(sets)}, expected pairs (X, y)") from error
    if len(given) < 2 or any(len(one) != 2 for one in given):
        raise InputError(f"sets: found {len(given)}, expected two or more pairs (X, y)")
    names = [(f"sets[{k}][0]", f"sets[{k}][1]") for k in range(len(given))]
    return _compare(given, names, locals())


def _compare(sets: Sequence[Tuple[Any, ...]], names: Sequence[Tuple[str, str]], told: Dict[str, Any]) -> OtddMatrix:
    """Checks everything, and asks the engine."""
    rows: List[Tuple[NDArray[np.float64], NDArray[np.uint32]]] = []
    called: List[NDArray[Any]] = []
    for (points, labels), (points_name, labels_name) in zip(sets, names):
        array = _arrays.points(points, points_name).astype(np.float64, copy=False)
        unique, numbers = _numbered(labels, labels_name, len(array))
        rows.append((array, numbers))
        called.append(unique)
    for (array, _), (name, _) in zip(rows, names):
        if array.shape[1] != rows[0][0].shape[1]:
            raise InputError(
                f"{name}: found {array.shape[1]} columns, expected {rows[0][0].shape[1]} as in {names[0][0]}; "
                "bring images to one size first"
            )
    power = _arrays.number(told["power"], "power")
    if power not in (1.0, 2.0):
        raise InputError(f"power: found {_arrays.shown(told['power'])}, expected 1 or 2")
    choices = {
        "label_distance": _arrays.choice(told["label_distance"], "label_distance", _LABEL_DISTANCES),
        "power": power,
        "method": _arrays.choice(told["method"], "method", _METHODS),
        "gap": _optional(told["gap"], _arrays.positive, "gap"),
        "samples": _optional(told["samples"], _arrays.whole, "samples", 1),
        "effort": _registry.settings("auto", {"effort": told["effort"]}).get("effort"),
    }
    if told["epsilon"] is not None and told["relative_epsilon"] is not None:
        raise InputError("epsilon: found relative_epsilon too; leave one of them out")
    given = {
        "epsilon": _optional(told["epsilon"], _arrays.positive, "epsilon"),
        "relative_epsilon": _optional(told["relative_epsilon"], _arrays.positive, "relative_epsilon"),
        "search": None if told["search"] is None else _arrays.choice(told["search"], "search", _SEARCHES),
        "n_projections": _optional(told["n_projections"], _arrays.whole, "n_projections", 1, 2**30),
        "steps": _optional(told["iterations"], _arrays.whole, "iterations", 1, 10**9),
        "learning_rate": _optional(told["learning_rate"], _arrays.positive, "learning_rate"),
        "copies": _optional(told["copies"], _arrays.whole, "copies", 1, 2**30),
        "blur": _optional(told["blur"], _arrays.positive, "blur", True),
    }
    settings = {name: value for name, value in given.items() if value is not None}
    how = _arrays.how(told["bounds"], told["seed"], told["n_threads"], told["callback"])
    distances, pairs, classes, status, seconds = _swgg.otdd(rows, [name for name, _ in names], choices, settings, how)
    # A sample may have missed some labels.
    labels = [unique[np.array(present)] for unique, (present, _) in zip(called, classes)]
    sizes = [np.array(counts, dtype=np.int64) for _, counts in classes]
    results = {}
    for i, j, (distance, cost, cost_is, lower_bound, share), between, story, stop, parts in pairs:
        results[(i, j)] = OtddResult(
            distance=distance,
            cost=cost,
            cost_is=cost_is,
            lower_bound=lower_bound,
            gap=share,
            label_distances=between,
            labels=(labels[i], labels[j]),
            class_sizes=(sizes[i], sizes[j]),
            status=stop,
            story=story,
            seconds=parts,
        )
    return OtddMatrix(distances=distances, pairs=results, status=status, seconds=seconds)


def _numbered(labels: Any, name: str, count: int) -> Tuple[NDArray[Any], NDArray[np.uint32]]:
    """The labels that there are, and for each point which of them it bears."""
    array = np.asarray(labels)
    if array.dtype.kind not in "iubUS":
        found = f"an array of {array.dtype}" if array.dtype != object else _arrays.shown(labels)
        raise KindError(f"{name}: found {found}, expected labels that are whole numbers or strings")
    if array.shape != (count,):
        raise InputError(f"{name}: found shape {array.shape}, expected ({count},): one label for each point")
    unique, numbers = np.unique(array, return_inverse=True)
    return unique, np.ascontiguousarray(numbers.reshape(-1), dtype=np.uint32)


def _optional(value: Any, check: Any, *details: Any) -> Any:
    """A value that was given, checked; none stays none."""
    return None if value is None else check(value, *details)

"""One call: two clouds in, a plan out."""

from __future__ import annotations

import warnings
from typing import Any, Dict, Optional

from . import _arrays, _swgg
from ._arrays import Callback as Callback
from ._registry import PLANS, settings
from .classic import DetourResult, FactoredResult, RobustResult
from .entropic import sinkhorn
from .exact import ExactResult, emd
from .exceptions import GapWarning
from .lines import LineResult
from .result import Result

#: Looked up more quickly than in a tuple.
_PLANS = dict.fromkeys(PLANS)
#: Settings that change what is paid.
_OF_COSTS = {"cost", "cost_matrix", "p"}
#: Results that say more than others, by method.
_RESULTS = {
    "min-swgg": LineResult,
    "factored": FactoredResult,
    "subspace-robust": RobustResult,
    "subspace-detour": DetourResult,
}


def solve(
    X: Any,
    Y: Any,
    a: Any = None,
    b: Any = None,
    *,
    method: str = "auto",
    effort: Optional[int] = None,
    time_limit: Optional[float] = None,
    gap: Optional[float] = None,
    cost: Any = None,
    mass: Optional[float] = None,
    mass_source: Optional[float] = None,
    mass_target: Optional[float] = None,
    discard_cost: Optional[float] = None,
    seed: Optional[int] = 0,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
    bounds: bool = True,
    **own: Any,
) -> Result:
    """A transport plan between two clouds and its cost (squared by default), with a bound that says how good it is.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d)
        The clouds, one point per row. ``float32`` stays ``float32``; sums are in double precision all the same.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out.
    method : str
        ``"auto"`` is exact where that is quick, and otherwise makes many lines into one plan; ``"tree"`` and
        ``"merged"`` are its parts, ``"exact"`` is the optimum whatever it takes. Others are
        functions of their own, here with their usual settings: ``"min-swgg"`` (:func:`min_swgg`), ``"line"``
        (:func:`line_wasserstein`), ``"sinkhorn"``, ``"factored"``, ``"subspace-robust"`` and ``"subspace-detour"``.
        ``"expected-sliced"`` is the average of the plans of ``n_projections`` lines, which count as
        ``exp(-beta * cost)``.
    effort : int, optional
        From 1, a quick look, to 10, close to the optimum (5; ``"auto"`` only). With the same seed, more effort
        never costs more.
    time_limit : float, optional
        Seconds for the plan and its bound, instead of an effort (``"auto"`` only): the best so far is returned. At
        most a year.
    gap : float, optional
        Stop as soon as the plan is certified to be within this share of the optimum, such as 0.01 for 1 % (``"auto"``
        only). If that is missed, a :class:`GapWarning` and ``story`` say by how much and why.
    cost : str or array-like of shape (n, m), optional
        What moving a unit of mass from one point to another costs: ``"sqeuclidean"`` (the default), ``"euclidean"``,
        ``"cityblock"``, ``"chebyshev"``, ``"minkowski"`` (``order=``), ``"cosine"``, ``"mahalanobis"``
        (``covariance=``), ``"labelled"`` (``label_costs=``, ``source_labels=``, ``target_labels=``), or a cost for every
        pair. ``p=`` is the power of Euclidean, Mahalanobis and labelled distances, ``scales=`` has a factor for every
        column. For ``"auto"``, ``"tree"``, ``"merged"``, ``"exact"`` and ``"sinkhorn"``.
    mass, mass_source, mass_target : float, optional
        Move only the cheapest share of the mass, as a share of the smaller total of ``a`` and ``b`` (whose sums then
        count, and may differ), of the source or of the target (``"auto"`` and ``"exact"``). ``value`` is the sum over what
        moved, not divided by its mass; :attr:`Result.unmatched_source` says who stayed.
    discard_cost : float, optional
        Instead of a share: leave mass where it is rather than move it for more than this per unit (a squared distance).
    seed : int, optional
        Same seed, same bits, whatever the number of threads; None for another one each time.
    n_threads : int, optional
        All of them if left out, or -1.
    callback : callable, optional
        Called as ``callback(i, best)`` after each step, which waits for it; returning ``True`` ends the call with the
        best plan so far. What it raises ends the call too, and comes out of it.
    bounds : bool
        Whether to look for a lower bound, which can take longer than the plan of a large cloud. Bounds that a method
        has anyway are kept.
    **own
        Settings of the method, such as ``trees=8`` for ``"tree"`` or ``beta=1.0`` for ``"expected-sliced"``: those of
        ``swgg solve`` on the command line, by the names they have in Python. One that the method does not have is
        refused.

    Returns
    -------
    Result

    Examples
    --------
    >>> import numpy as np, swgg
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(500, 3)), rng.normal(size=(500, 3)) + 1.0
    >>> result = swgg.solve(X, Y)
    >>> bool(np.isclose(result.value, ((X - Y[result.permutation]) ** 2).sum(axis=1).mean()))
    True
    >>> result.gap < 1e-9
    True
    >>> swgg.solve([[0.0, 0.0], [3.0, 4.0]], [[0.0, 1.0], [3.0, 4.0]], cost="cityblock").value
    0.5
    >>> X[0] = 100.0
    >>> partial = swgg.solve(X, Y, mass=0.9)
    >>> bool(0 in partial.unmatched_source[0] and partial.value < swgg.solve(X, Y).value)
    True
    """
    pair = _arrays.pair(X, Y, a, b)
    if type(method) is not str or method not in _PLANS:
        _arrays.choice(method, "method", PLANS)
    # Small problems take a few microseconds: nothing is done for settings that were not given.
    if effort is not None:
        own["effort"] = effort
    if time_limit is not None:
        own["time_limit"] = time_limit
    if gap is not None:
        own["gap"] = gap
    if cost is not None:
        own["cost" if isinstance(cost, str) else "cost_matrix"] = cost
    if mass is not None:
        own["mass"] = mass
    if mass_source is not None:
        own["mass_source"] = mass_source
    if mass_target is not None:
        own["mass_target"] = mass_target
    if discard_cost is not None:
        own["discard_cost"] = discard_cost
    given = settings(method, own, pair[0].shape[1]) if own else own
    how = _arrays.how(bounds, seed, n_threads, callback)
    if method == "sinkhorn" and set(given) <= {"epsilon", "relative_epsilon", "tau_a", "tau_b"}:
        # Its function also says what the smooth plan pays.
        return sinkhorn(*pair, **given, bounds=bounds, n_threads=n_threads, callback=callback)
    if method == "exact" and "p" in given and set(given) <= {"p", "mass", "mass_source", "mass_target", "discard_cost"}:
        # Its result knows the exponent.
        return emd(*pair, **given, seed=seed, n_threads=n_threads, callback=callback)
    answer = _swgg.solve(pair, method, given, how)
    if gap is not None and "gap_missed" in answer.facts:
        warnings.warn(str(answer.facts["gap_missed"]), GapWarning, stacklevel=2)
    if not given or not given.keys() & _OF_COSTS:
        return _RESULTS.get(method, Result)(answer, *pair)
    kind = ExactResult if method == "exact" else Result
    return kind(answer, *pair, _root(given))


def _root(given: Dict[str, Any]) -> float:
    """Which root makes a distance of the cost."""
    usual = 2.0 if given.get("cost", "sqeuclidean") in ("sqeuclidean", "labelled") else 1.0
    return 1.0 if "cost_matrix" in given else float(given.get("p", usual))

"""Transport between samples: one call, many methods."""

from __future__ import annotations

import copy
import warnings
from typing import Any, Dict, Optional

import numpy as np

from .. import _arrays, _swgg
from ..classic import factored
from ..exceptions import InputError
from ._costs import are_masses
from ._errors import NotHereError
from ._frame import flag
from ._line import wasserstein_1d
from ._result import OTResult, SmoothPlan, SparsePlan
from ._samples import Samples
from ._scaling import scaled
from .bsp import compute_bspot_bijection
from .sliced import max_sliced_wasserstein_distance, sliced_wasserstein_distance

#: Methods that are here; the first two need ``reg``.
METHODS = ("sinkhorn", "sinkhorn_log", "1d", "gaussian", "factored", "sliced", "max_sliced", "bsp")
#: POT's others.
_ELSEWHERE = (
    "mm", "lbfgsb", "gaussian_hd", "lowrank", "nystroem",
    "geomloss", "geomloss_auto", "geomloss_tensorized", "geomloss_online", "geomloss_multiscale",
)  # fmt: skip
#: Most iterations of Sinkhorn, and what they are to reach.
_ITERATIONS, _TOLERANCE = 10_000, 1e-9
#: Pairs of points up to which Sinkhorn has the matrix of their costs.
HELD = 1 << 24
#: Added to the diagonals of covariances, as POT does.
_RIDGE = 1e-6


def solve_sample(
    X_a: Any,
    X_b: Any,
    a: Any = None,
    b: Any = None,
    metric: Any = "sqeuclidean",
    reg: Any = None,
    c: Any = None,
    reg_type: Any = "KL",
    unbalanced: Any = None,
    unbalanced_type: str = "KL",
    lazy: bool = False,
    batch_size: Any = None,
    method: Any = None,
    n_threads: Any = 1,
    max_iter: Any = None,
    plan_init: Any = None,
    rank: Any = 100,
    scaling: float = 0.95,
    potentials_init: Any = None,
    X_init: Any = None,
    tol: Any = None,
    verbose: bool = False,
    grad: str = "autodiff",
    random_state: Any = None,
    debias: Any = False,
    n_projections: Any = 50,
    projections: Any = None,
    scaler: Any = None,
) -> OTResult:
    """Transport between two clouds: exact, entropic with ``reg``, or by another ``method``; values are not rooted, unless sliced.

    Beyond ``2**24`` pairs nothing of the size of a matrix is made, unless the metric is one of SciPy's others: plans are, when
    they are asked for. Up to there Sinkhorn holds the costs.

    Parameters
    ----------
    X_a, X_b : array-like of shape (n, d) and (m, d)
        The clouds, one point per row.
    a, b : array-like of shape (n,) and (m,), optional
        Masses, of equal sum; equal masses that add up to one if left out.
    metric : str or callable
        What a unit of mass pays, by the names of :func:`dist`.
    reg : float, optional
        Weight of the entropy. None or 0: the optimum.
    reg_type : {"KL", "entropy"}
        What ``value`` adds to what the plan pays: ``reg * sum(P * log(P / (a b^T)))``, or ``reg * sum(P * log(P))``. Plans
        are the same.
    lazy : bool
        Whether ``lazy_plan`` is there, which computes parts of an entropic plan.
    method : str, optional
        ``"1d"``: each column by itself. ``"gaussian"``: between the fitted Gaussians, with ``reg`` (1e-6) on the
        diagonals of covariances. ``"factored"``: through a pivot of ``rank`` points. ``"sliced"`` and ``"max_sliced"``:
        those distances, rooted. ``"bsp"``: bijections by trees, merged. ``"sinkhorn"`` and ``"sinkhorn_log"``: entropic,
        as without.
    n_threads : int
        1, POT's default, is all of them, as everywhere in ``swgg.pot``; any other number is that many.
    max_iter, tol : optional
        Of Sinkhorn: most iterations (10 000), and by how much the masses that arrive may be off in all, as a share
        (1e-9). Of ``"factored"``: those of :func:`swgg.factored`. The optimum needs neither.
    rank : int
        Points of the pivot of ``"factored"``, at most as many as either cloud has.
    random_state : int, optional
        Seed of the methods that draw.
    debias : bool
        Whether to take half of what each cloud pays to itself from the values: with ``reg``, the Sinkhorn divergence.
    n_projections, projections
        Of the sliced methods and (how many trees) of ``"bsp"``.
    c, unbalanced, scaler
        Refused: not here yet.
    unbalanced_type, batch_size, plan_init, scaling, potentials_init, X_init, verbose, grad
        Accepted and not needed.

    Returns
    -------
    OTResult
        ``value``, ``value_linear``, ``plan``, ``sparse_plan``, ``lazy_plan``, ``potentials``, ``marginals``, ``status``,
        ``log``.

    Examples
    --------
    >>> import numpy as np, swgg.pot as ot
    >>> X, Y = np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 1.0], [0.0, 1.0]])
    >>> found = ot.solve_sample(X, Y)
    >>> found.value, found.plan.tolist()
    (1.0, [[0.0, 0.5], [0.5, 0.0]])
    >>> smooth = ot.solve_sample(X, Y, reg=0.5)
    >>> round(float(smooth.value_linear), 6), smooth.plan.round(4).tolist()
    (1.119203, [[0.0596, 0.4404], [0.4404, 0.0596]])
    """
    for name, value, remedy in (
        ("c", c, "a reference measure is not here, and POT's Sinkhorn does not look at it: leave it out"),
        ("unbalanced", unbalanced, "masses that need not arrive are not here yet: leave it out, or import ot"),
        ("scaler", scaler, "scale the clouds before the call"),
    ):
        if value is not None:
            raise NotHereError(f"{name}: found {_arrays.shown(value)}, expected None; {remedy}")
    lazy, method = flag(lazy, "lazy"), _method(method)
    weight = None if reg is None else _arrays.positive(reg, "reg", zero=True)
    threads = None if isinstance(n_threads, str) and n_threads == "max" else _arrays.threads(n_threads)
    how: Dict[str, Any] = {
        "metric": metric, "reg": weight, "reg_type": _entropy(reg_type), "lazy": lazy,
        "threads": None if threads == 1 else threads,
        "max_iter": None if max_iter is None else _arrays.whole(max_iter, "max_iter", 1, 10**9),
        "tol": None if tol is None else _arrays.positive(tol, "tol", zero=True),
    }  # fmt: skip
    if isinstance(debias, str):
        raise NotHereError(f"debias: found {_arrays.shown(debias)}, expected True or False; halves of samples are not here")

    def solved(x: Any, y: Any, of_x: Any, of_y: Any) -> OTResult:
        if method in ("", "sinkhorn", "sinkhorn_log"):
            if weight:
                return _entropic(Samples(x, y, of_x, of_y, metric), **how)
            if method:
                raise InputError(f"reg: found {_arrays.shown(reg)}, expected a number above 0; method {method!r} needs it")
            return _optimal(Samples(x, y, of_x, of_y, metric), **how)
        if method == "gaussian":
            return _gaussian(Samples(x, y, of_x, of_y, metric), _RIDGE if weight is None else weight)
        if weight:
            raise NotHereError(f"reg: found {weight}, which says nothing to method {method!r}; leave it out")
        if method == "factored":
            return _factored(Samples(x, y, of_x, of_y, metric), rank, random_state, **how)
        power = _power(metric, method)
        if method == "bsp":
            return _trees(x, y, of_x, of_y, power, n_projections, random_state)
        if method == "1d":
            value = wasserstein_1d(_arrays_2d(x, "X_a"), _arrays_2d(y, "X_b"), of_x, of_y, p=power)
            return OTResult(value, value)
        distance = sliced_wasserstein_distance if method == "sliced" else max_sliced_wasserstein_distance
        value, log = distance(
            x, y, of_x, of_y, n_projections=n_projections, p=power, projections=projections, seed=random_state, log=True
        )
        return OTResult(value, value, log=log)

    between = solved(X_a, X_b, a, b)
    if not flag(debias, "debias"):
        return between
    itself = [solved(X_a, X_a, a, a), solved(X_b, X_b, b, b)]
    # The result between the clouds stays as it was, beside the one that is returned.
    between.log = {"res_aa": itself[0], "res_bb": itself[1], "res_ab": copy.copy(between)}
    between.value = between.value - 0.5 * (itself[0].value + itself[1].value)
    between.value_linear = between.value_linear - 0.5 * (itself[0].value_linear + itself[1].value_linear)
    return between


def _method(value: Any) -> str:
    if value is None:
        return ""
    name = value.lower() if isinstance(value, str) else value
    if isinstance(name, str) and name in _ELSEWHERE:
        here = ", ".join(map(repr, METHODS))
        raise NotHereError(f"method: found {value!r}, which is not here; there are {here}, and for the rest import ot")
    return _arrays.choice(name, "method", METHODS)


def _entropy(value: Any) -> str:
    if isinstance(value, str) and value.lower() in ("kl", "entropy"):
        return value.lower()
    raise NotHereError(
        f"reg_type: found {_arrays.shown(value)}, expected 'KL' or 'entropy'; other regularizations are not here: import ot"
    )


def _power(metric: Any, method: str) -> float:
    """The power of distances that methods by lines and trees pay."""
    if isinstance(metric, str) and metric in ("sqeuclidean", "euclidean", "cityblock"):
        return 2.0 if metric == "sqeuclidean" else 1.0
    raise NotHereError(
        f"metric: found {_arrays.shown(metric)}, expected 'sqeuclidean', 'euclidean' or 'cityblock' for method {method!r}"
    )


def _squared(problem: Samples, method: str) -> None:
    if problem.metric != "sqeuclidean":
        raise NotHereError(f"metric: method {method!r} knows 'sqeuclidean' only")


def _arrays_2d(value: Any, name: str) -> Any:
    """Lists as arrays; tensors stay what they are, so that the answer is one."""
    return value if hasattr(value, "dtype") else _arrays.points(value, name)


def _optimal(problem: Samples, threads: Optional[int], lazy: bool, **_: Any) -> OTResult:
    found = problem.exact(True, threads)
    rows, cols, moved = found.plan.entries()
    plan = SparsePlan(rows, cols, moved * problem.total, problem.shape, problem.kind, problem.frame)
    facts = found.log(problem.frame)
    return OTResult(facts["cost"], facts["cost"], plan, (facts["u"], facts["v"]), lazy, "Converged")


def _entropic(
    problem: Samples,
    reg: float,
    reg_type: str,
    lazy: bool,
    threads: Optional[int],
    max_iter: Optional[int],
    tol: Optional[float],
    metric: Any,
) -> OTResult:
    smoothing = {
        "epsilon": reg, "relative_epsilon": None, "p": 2.0, "max_iter": max_iter or _ITERATIONS,
        "tolerance": _TOLERANCE if tol is None else tol, "scaling": 0.5, "accelerate": True,
        "tau_a": 1.0, "tau_b": 1.0,
    }  # fmt: skip
    n, m = problem.shape
    if n * m <= HELD:
        held = problem.block(np.arange(n), np.arange(m))
        # What is wrong is refused by the engine, with its place.
        if np.isfinite(held).all() and are_masses(problem.a) and are_masses(problem.b):
            return _scaled(problem, held, reg, reg_type, lazy, max_iter or _ITERATIONS, _TOLERANCE if tol is None else tol)
    answer = _swgg.pot_sinkhorn(problem.pair, smoothing, problem.costs, _arrays.how(n_threads=threads))
    assert answer.potentials is not None
    facts, total, (of_a, of_b) = answer.facts, problem.total, problem.shares()
    converged = answer.stop == "converged"
    if not converged:
        _warn(answer.n_iter, facts["marginal_error"])
    with np.errstate(divide="ignore"):
        u = answer.potentials[0] / reg + np.log(of_a * total)
        v = answer.potentials[1] / reg + np.log(of_b)
    paid = total * (facts["smooth_cost"] + problem.shift)
    # The plan of all the mass, against the product of both: what mass one pays, scaled, less the mass that counts twice there.
    value = total * (facts["value"] + problem.shift) - reg * total * float(np.log(total))
    if reg_type == "entropy":
        # log(P) = log(P / (a b)) + log(a) + log(b), with marginals a and b.
        value += reg * (_entropy_of(total * of_a) + _entropy_of(total * of_b))
    frame, kind = problem.frame, problem.kind
    plan = SmoothPlan(problem, u, v, reg)
    # In the units of POT, in which costs are shares of reg; costs that were moved up are moved back.
    shown = (u + problem.shift / reg).astype(kind, copy=False), v.astype(kind, copy=False)
    return OTResult(
        frame.scalar(value),
        frame.scalar(paid),
        plan,
        (frame.array(shown[0]), frame.array(shown[1])),
        lazy,
        "Converged" if converged else "Not converged",
        {"niter": answer.n_iter, "err": facts["marginal_error"]},
    )


def _scaled(
    problem: Samples, costs: np.ndarray, reg: float, reg_type: str, lazy: bool, most: int, tolerance: float
) -> OTResult:
    """With the matrix of costs, which is quicker as long as it is small."""
    total, (of_a, of_b) = problem.total, problem.shares()
    a, b = total * of_a, total * of_b
    found = scaled(costs, a, b, reg, most, tolerance * total)
    if not found.converged:
        _warn(found.n_iter, found.errors[-1] / total)
    plan = found.plan()
    paid = float(np.vdot(plan, costs)) + total * problem.shift
    # log(P) = u + v - costs / reg, and what arrives is exact.
    leaving = plan.sum(axis=1)
    with np.errstate(invalid="ignore"):
        entropy = float(np.nansum(leaving * found.u) + np.nansum(b * found.v)) - (paid - total * problem.shift) / reg
    if reg_type == "kl":
        entropy -= _entropy_of(a) + _entropy_of(b)
    frame, kind = problem.frame, problem.kind
    shown = (found.u + problem.shift / reg).astype(kind, copy=False), found.v.astype(kind, copy=False)
    return OTResult(
        frame.scalar(paid + reg * entropy),
        frame.scalar(paid),
        SmoothPlan(problem, found.u, found.v, reg),
        (frame.array(shown[0]), frame.array(shown[1])),
        lazy,
        "Converged" if found.converged else "Not converged",
        {"niter": found.n_iter, "err": found.errors[-1] / total},
    )


def _warn(iterations: int, error: float) -> None:
    warnings.warn(
        f"Sinkhorn did not converge in {iterations} iterations: masses that arrive are off by {error:.1e} in all; raise "
        "max_iter, tol or reg",
        stacklevel=6,
    )


def _entropy_of(masses: np.ndarray) -> float:
    carried = masses[masses > 0.0]
    return float((carried * np.log(carried)).sum())


def _gaussian(problem: Samples, ridge: float) -> OTResult:
    _squared(problem, "gaussian")
    found = _swgg.gaussian(problem.pair)
    covariances = [cov + ridge * np.eye(len(cov)) for cov in (found.cov_x, found.cov_y)]
    apart = found.mean_x - found.mean_y
    frame = problem.frame
    value = frame.scalar(float(apart @ apart) + _swgg.bures(*covariances))
    return OTResult(value, value, log={"Cs": frame.array(covariances[0]), "Ct": frame.array(covariances[1])})


def _factored(
    problem: Samples,
    rank: Any,
    seed: Any,
    threads: Optional[int],
    max_iter: Optional[int],
    tol: Optional[float],
    **_: Any,
) -> OTResult:
    _squared(problem, "factored")
    k = min(_arrays.whole(rank, "rank", 1, 2**32), *problem.shape)
    found = factored(
        *problem.pair,
        k=k,
        max_iter=max_iter or 100,
        tolerance=1e-7 if tol is None else tol,
        bounds=False,
        seed=0 if seed is None else _arrays.whole(seed, "random_state"),
        n_threads=threads,
    )
    rows, cols, moved = found.entries
    plan = SparsePlan(rows, cols, moved * problem.total, problem.shape, problem.kind, problem.frame)
    value = problem.frame.scalar(found.halves * problem.total)
    status = "Converged" if found.converged else "Not converged"
    return OTResult(value, value, plan, lazy=True, status=status, log={"X": problem.frame.array(found.pivot)})


def _trees(x: Any, y: Any, a: Any, b: Any, power: float, trees: Any, seed: Any) -> OTResult:
    for name, masses in (("a", a), ("b", b)):
        if masses is not None:
            raise InputError(f"{name}: found masses, expected None; method 'bsp' matches equal ones")
    problem = Samples(x, y, None, None, "sqeuclidean")
    cost, perm, perms = compute_bspot_bijection(x, y, n_plans=trees, p=power, seed=0 if seed is None else seed)
    n = problem.shape[0]
    plan = SparsePlan(
        np.arange(n), np.asarray(perm, dtype=np.int64), np.full(n, 1.0 / n), problem.shape, problem.kind, problem.frame
    )
    return OTResult(cost, cost, plan, log={"perm": perm, "perms": perms})

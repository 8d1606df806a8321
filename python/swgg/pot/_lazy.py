"""Exact transport between points, without a matrix of costs."""

from __future__ import annotations

from typing import Any

from ._frame import flag
from ._plans import plan_matrix
from ._samples import Samples


def emd2_lazy(
    X_a: Any,
    X_b: Any,
    a: Any = None,
    b: Any = None,
    metric: str = "sqeuclidean",
    numItermax: int = 100000,
    log: bool = False,
    return_matrix: bool = True,
    center_dual: bool = True,
    check_marginals: bool = True,
    potentials_init: Any = None,
) -> Any:
    """The least cost of moving one cloud to another, not rooted, without a matrix of costs.

    Memory grows as the number of points. Costs are kept where that pays, up to a gigabyte of them beyond eight
    dimensions, and up to 256 MB of those that are not Euclidean.

    Parameters
    ----------
    X_a, X_b : array-like of shape (n, d) and (m, d)
        The clouds, one point per row.
    a, b : array-like of shape (n,) and (m,), optional
        Masses, of equal sum; equal masses that add up to one if left out or empty.
    metric : str
        What a unit of mass pays: ``"sqeuclidean"``, ``"euclidean"``, ``"cityblock"``, ``"chebyshev"``, ``"cosine"``,
        ``"correlation"``, ``"mahalanobis"`` or ``"seuclidean"``.
    log, return_matrix : bool
        With either, ``(cost, log)`` is returned, with the plan as a sparse ``G`` if ``return_matrix``, which is the
        default.
    center_dual, check_marginals : bool
        As in :func:`emd`.
    numItermax, potentials_init
        Not needed: the answer is always the optimum, on all threads.

    Returns
    -------
    cost : float
    log : dict, if ``log`` or ``return_matrix``
        ``cost``, potentials ``u`` and ``v``, ``warning`` (none), ``result_code`` (1), and ``G``.

    Examples
    --------
    >>> import swgg.pot as ot
    >>> cost, log = ot.emd2_lazy([[0.0, 0.0], [1.0, 0.0]], [[1.0, 1.0], [0.0, 1.0]])
    >>> cost, log["G"].toarray().tolist()
    (1.0, [[0.0, 0.5], [0.5, 0.0]])
    >>> ot.emd2_lazy([[0.0, 0.0]], [[3.0, 4.0]], metric="cityblock", return_matrix=False)
    7.0
    """
    log, return_matrix = flag(log, "log"), flag(return_matrix, "return_matrix")
    center_dual = flag(center_dual, "center_dual")
    problem = Samples(X_a, X_b, a, b, metric, flag(check_marginals, "check_marginals"), lazy=True)
    found = problem.exact(center_dual)
    cost = problem.frame.number(found.cost)
    if not (log or return_matrix):
        return cost
    facts = found.log(problem.frame)
    if return_matrix:
        rows, cols, moved = found.plan.entries()
        facts["G"] = plan_matrix(rows, cols, moved * problem.total, problem.shape, False, problem.kind, problem.frame)
    return cost, facts

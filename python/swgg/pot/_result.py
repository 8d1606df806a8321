"""What :func:`solve_sample` returns, and the plans in it: dense, sparse, or a part of them when it is asked for."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np

from ..exceptions import InputError
from ..result import CITATION
from ._frame import Frame
from ._plans import check_dense, plan_matrix
from ._samples import Samples

#: Costs that are looked at together where all of a plan is gone through.
_PAIRS_AT_ONCE = 1 << 22


class SparsePlan:
    """A plan by its entries."""

    def __init__(
        self, rows: np.ndarray, cols: np.ndarray, masses: np.ndarray, shape: Tuple[int, int], kind: Any, frame: Frame
    ) -> None:
        self.rows, self.cols, self.masses, self.shape, self.kind, self.frame = rows, cols, masses, shape, kind, frame

    def matrix(self, dense: bool) -> Any:
        """All of it."""
        return plan_matrix(self.rows, self.cols, self.masses, self.shape, dense, self.kind, self.frame)

    def block(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Some rows and columns."""
        (some, back), (others, forth) = (np.unique(picked, return_inverse=True) for picked in (rows, cols))
        place, column = np.full(self.shape[0], -1), np.full(self.shape[1], -1)
        place[some], column[others] = np.arange(len(some)), np.arange(len(others))
        i, j = place[self.rows], column[self.cols]
        kept = (i >= 0) & (j >= 0)
        found = np.zeros((len(some), len(others)))
        np.add.at(found, (i[kept], j[kept]), self.masses[kept])
        return found[back][:, forth]

    def marginals(self) -> Tuple[np.ndarray, np.ndarray]:
        """Masses that leave, and that arrive."""
        n, m = self.shape
        leaving = np.bincount(self.rows, weights=self.masses, minlength=n)
        return leaving, np.bincount(self.cols, weights=self.masses, minlength=m)


class SmoothPlan:
    """A plan ``exp(u + v - costs / epsilon)``, of which nothing is held but the potentials.

    Points are those of the caller, not copies.
    """

    def __init__(self, problem: Samples, u: np.ndarray, v: np.ndarray, epsilon: float) -> None:
        self.problem, self.u, self.v, self.epsilon = problem, u, v, epsilon
        self.shape, self.kind, self.frame = problem.shape, problem.kind, problem.frame

    def block(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Some rows and columns."""
        found = self.problem.block(rows, cols) / -self.epsilon
        # Points without mass are minus infinity far away.
        found += self.u[rows][:, None]
        found += self.v[cols]
        return np.exp(found, out=found)

    def _parts(self) -> Any:
        n, m = self.shape
        step = max(1, _PAIRS_AT_ONCE // m)
        cols = np.arange(m)
        for start in range(0, n, step):
            rows = np.arange(start, min(n, start + step))
            yield rows, self.block(rows, cols)

    def matrix(self, dense: bool) -> Any:
        """All of it; the sparse form leaves out what is zero to the last digit."""
        if dense:
            found = np.empty(self.shape, dtype=self.kind)
            for rows, part in self._parts():
                found[rows] = part
            return self.frame.array(found)
        entries = [(rows[i], j, part[i, j]) for rows, part in self._parts() for i, j in [np.nonzero(part)]]
        rows, cols, masses = (np.concatenate(parts) for parts in zip(*entries))
        return plan_matrix(rows, cols, masses, self.shape, False, self.kind, self.frame)

    def marginals(self) -> Tuple[np.ndarray, np.ndarray]:
        """Masses that leave, and that arrive."""
        leaving, arriving = np.empty(self.shape[0]), np.zeros(self.shape[1])
        for rows, part in self._parts():
            leaving[rows] = part.sum(axis=1)
            arriving += part.sum(axis=0)
        return leaving, arriving


class LazyPlan:
    """A plan of which entries are computed when they are asked for: ``lazy[3]``, ``lazy[:10, 5]``, ``lazy[:]``.

    What comes back has two axes in any case, as in POT.
    """

    __slots__ = ("_plan", "shape")

    def __init__(self, plan: Any) -> None:
        self._plan = plan
        self.shape: Tuple[int, int] = plan.shape

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) > 2:
            raise InputError(f"found {len(keys)} indices, expected one or two: a plan has rows and columns")
        keys = (*keys, slice(None), slice(None))[:2]
        try:
            picked = [np.arange(count)[slice(None) if one is Ellipsis else one] for count, one in zip(self.shape, keys)]
        except (IndexError, TypeError, ValueError) as error:
            raise InputError(f"cannot be looked up in a plan of shape {self.shape}: {error}") from error
        if any(axis.ndim > 1 for axis in picked):
            raise InputError("found an index of several axes, expected whole numbers, slices or lists of them")
        rows, cols = (np.atleast_1d(axis) for axis in picked)
        if len(rows) * len(cols) > _PAIRS_AT_ONCE:
            check_dense((len(rows), len(cols)), "ask for fewer rows at a time")
        found = self._plan.block(rows, cols).astype(self._plan.kind, copy=False)
        return self._plan.frame.array(found)

    def __repr__(self) -> str:
        return f"LazyPlan(shape={self.shape})"


class OTResult:
    """What a solver found, by POT's names; plans are made when they are first asked for.

    >>> import swgg.pot as ot
    >>> found = ot.solve_sample([[0.0], [1.0]], [[3.0], [5.0]])
    >>> found.value, found.plan.tolist(), found.status
    (12.5, [[0.5, 0.0], [0.0, 0.5]], 'Converged')
    """

    def __init__(
        self,
        value: Any,
        value_linear: Any,
        plan: Any = None,
        potentials: Optional[Tuple[Any, Any]] = None,
        lazy: bool = False,
        status: Optional[str] = None,
        log: Optional[Dict[str, Any]] = None,
    ) -> None:
        self._made = plan
        self._dense: Any = None
        self._sparse: Any = None
        #: The whole objective, with the term of the entropy.
        self.value = value
        #: What the plan pays.
        self.value_linear = value_linear
        #: Of Gromov-Wasserstein problems, which are not here.
        self.value_quad = None
        #: Dual potentials of sources and targets, if the method has them.
        self.potentials = potentials
        #: The plan, of which any part can be had: with ``lazy=True``, and for ``method="factored"``.
        self.lazy_plan = LazyPlan(plan) if lazy and plan is not None else None
        #: ``"Converged"``, or why not; none for closed forms.
        self.status = status
        #: What only this method has to say.
        self.log = log

    @property
    def potential_a(self) -> Any:
        """Potentials of the sources."""
        return None if self.potentials is None else self.potentials[0]

    @property
    def potential_b(self) -> Any:
        """Potentials of the targets."""
        return None if self.potentials is None else self.potentials[1]

    @property
    def plan(self) -> Any:
        """The plan as a dense array; none for methods without one."""
        if self._dense is None and self._made is not None:
            check_dense(self._made.shape, "use sparse_plan, or lazy=True and parts of lazy_plan")
            self._dense = self._made.matrix(dense=True)
        return self._dense

    @property
    def sparse_plan(self) -> Any:
        """The plan as a sparse array; none for methods without one."""
        if self._sparse is None and self._made is not None:
            self._sparse = self._made.matrix(dense=False)
        return self._sparse

    @property
    def marginals(self) -> Optional[Tuple[Any, Any]]:
        """Masses that leave, and that arrive; none for methods without a plan."""
        if self._made is None:
            return None
        leaving, arriving = (side.astype(self._made.kind, copy=False) for side in self._made.marginals())
        return self._made.frame.array(leaving), self._made.frame.array(arriving)

    @property
    def marginal_a(self) -> Any:
        """Masses that leave."""
        both = self.marginals
        return None if both is None else both[0]

    @property
    def marginal_b(self) -> Any:
        """Masses that arrive."""
        both = self.marginals
        return None if both is None else both[1]

    @property
    def _backend(self) -> Any:
        """What POT's own tools ask a result for: POT's name for this kind of arrays."""
        from ._forward import package

        some = np.zeros(1) if self._made is None else self._made.frame.array(np.zeros(1))
        return package().backend.get_backend(some)

    @property
    def citation(self) -> str:
        """The paper of swgg, in BibTeX."""
        return CITATION

    def __repr__(self) -> str:
        facts = [f"value={self.value}", f"value_linear={self.value_linear}"]
        if self._made is not None:
            facts.append(f"plan of shape {self._made.shape}")
        return f"OTResult({', '.join(facts)})"

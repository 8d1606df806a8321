"""Two clouds, their masses and a metric, as the functions that need no matrix take them."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np

from .. import _arrays, _swgg
from ..exceptions import InputError
from . import _metrics
from ._exact import ExactPlan, centred, masses
from ._frame import Frame, float_kind
from ._plans import total_mass


class Samples:
    """Arguments, checked. What the engine gets are points and a cost between them, or costs where there are no such points."""

    def __init__(
        self, X_a: Any, X_b: Any, a: Any, b: Any, metric: Any, check_marginals: bool = True, lazy: bool = False
    ) -> None:
        self.frame = Frame(X_a, X_b, a, b)
        self.kind = float_kind(a, b, X_a)
        x, y = _arrays.points(X_a, "X_a"), _arrays.points(X_b, "X_b")
        for name, cloud in (("X_a", x), ("X_b", y)):
            if len(cloud) == 0:
                raise InputError(f"{name}: found no points, expected at least one")
        if x.shape[1] != y.shape[1]:
            raise InputError(
                f"X_a has {x.shape[1]} columns and X_b has {y.shape[1]}; both clouds must live in the same space"
            )
        if x.dtype != y.dtype:
            x, y = x.astype(np.float64, copy=False), y.astype(np.float64, copy=False)
        self.shape = (len(x), len(y))
        self.a, self.b = masses(a, "a"), masses(b, "b")
        for name, found, count in (("a", self.a, len(x)), ("b", self.b, len(y))):
            if found is not None and found.shape != (count,):
                raise InputError(f"{name}: found shape {found.shape}, expected ({count},): one mass per point of X_{name}")
        self.total = total_mass(self.a, self.b, check=check_marginals)
        if not callable(metric):
            _arrays.choice(metric, "metric", _metrics.BETWEEN_POINTS if lazy else _metrics.METRICS)
        elif lazy:
            words = ", ".join(map(repr, _metrics.BETWEEN_POINTS))
            raise InputError(f"metric: found a function, expected one of {words}; with emd2 give the matrix of its costs")
        #: Taken from all costs, since the engine takes none below zero; a constant changes no plan.
        self.shift = 0.0
        self._matrix: Optional[np.ndarray] = None
        posed = None if callable(metric) else _metrics.between_points(x, y, metric)
        if posed is None:
            self.x, self.y, self.metric = x, y, ""
            costs = _metrics.matrix(x, y, metric).astype(np.float64, copy=False)
            low = float(costs.min())
            if np.isfinite(low) and low < 0.0:
                self.shift, costs = low, costs - low
            self._matrix = np.ascontiguousarray(costs)
        else:
            one, other, self.metric = posed
            self.x, self.y = np.ascontiguousarray(one), np.ascontiguousarray(other)

    @property
    def pair(self) -> Any:
        """As the engine reads them."""
        return self.x, self.y, self.a, self.b

    @property
    def costs(self) -> Dict[str, Any]:
        """Settings of the engine."""
        if self._matrix is not None:
            return {"cost_matrix": self._matrix}
        return {} if self.metric == "sqeuclidean" else {"cost": self.metric}

    def shares(self) -> Tuple[np.ndarray, np.ndarray]:
        """Masses that add up to one."""
        n, m = self.shape
        of_a = np.full(n, 1.0 / n) if self.a is None else self.a / self.a.sum()
        of_b = np.full(m, 1.0 / m) if self.b is None else self.b / self.b.sum()
        return of_a, of_b

    def block(self, rows: Any, columns: Any) -> np.ndarray:
        """Costs between some points and others, as the engine pays them, in double precision."""
        if self._matrix is not None:
            part: np.ndarray = self._matrix[rows][:, columns]
            return part
        x = np.ascontiguousarray(self.x[rows], dtype=np.float64)
        y = np.ascontiguousarray(self.y[columns], dtype=np.float64)
        return _metrics.matrix(x, y, self.metric)

    def exact(self, center: bool, n_threads: Optional[int] = None) -> ExactPlan:
        """The cheapest plan and its proof."""
        answer = _swgg.pot_exact(self.pair, self.costs, _arrays.how(n_threads=n_threads))
        assert answer.plan is not None and answer.potentials is not None
        u, v = answer.potentials
        u = u + self.shift
        if center:
            u, v = centred(u, v, *self.shares())
        return ExactPlan(answer.plan, (answer.value + self.shift) * self.total, u, v, self.kind)

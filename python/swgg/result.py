"""What a solver returns."""

from __future__ import annotations

import html
import math
import os
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from .exceptions import InputError, MissingPackageError, SizeError

#: How to cite the method.
CITATION = """@inproceedings{mahey2023fast,
  title     = {Fast Optimal Transport through Sliced Wasserstein Generalized Geodesics},
  author    = {Mahey, Guillaume and Chapel, Laetitia and Gasso, Gilles and Bonet, Cl{\\'e}ment and Courty, Nicolas},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2023}
}"""

#: Ends of a computation after which there was more to do.
_UNFINISHED = {"interrupted": "stopped before its end", "time-limit": "ended by the time limit"}


def _stayed(found: Any) -> Tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Points of which mass stayed, and how much; nobody if nothing was said about it."""
    points, masses = ((), ()) if found is None else found
    return np.asarray(points, dtype=np.int64), np.asarray(masses, dtype=np.float64)


class Result:
    """A transport plan between two clouds, what it costs, and how good it is.

    ``X`` and ``Y`` are the arrays it was made from, not copies: change them in place afterwards, and methods that need the
    points answer about the changed ones.

    >>> import numpy as np, swgg
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> Y = np.array([[3.0, 1.0], [3.0, 0.0], [4.0, 0.0]])
    >>> result = swgg.solve(X, Y)
    >>> result.value, round(result.gap, 12)
    (9.0, 0.0)
    >>> result.permutation
    array([1, 2, 0])
    """

    __slots__ = ("X", "Y", "_answer", "_plan", "a", "b", "p")

    def __init__(
        self,
        answer: _swgg.Answer,
        X: NDArray[Any],
        Y: NDArray[Any],
        a: Optional[NDArray[np.float64]],
        b: Optional[NDArray[np.float64]],
        p: float = 2.0,
    ) -> None:
        self._answer = answer
        self._plan: Any = None
        self.X = X
        self.Y = Y
        self.a = a
        self.b = b
        #: The power of distances that is paid: 2 unless a function was told otherwise.
        self.p = p

    # What it costs.

    @property
    def value(self) -> float:
        """Cost of the plan: the mean squared distance that mass moves (not rooted), or its power :attr:`p`."""
        return self._answer.value

    @property
    def distance(self) -> float:
        """Square root of :attr:`value`, or its root of order :attr:`p`."""
        return math.sqrt(self.value) if self.p == 2.0 else self.value ** (1.0 / self.p)

    @property
    def lower_bound(self) -> Optional[float]:
        """What no plan can cost less than (squared), if it is known."""
        return self._answer.lower_bound

    @property
    def gap(self) -> Optional[float]:
        """How far above the optimum :attr:`value` can be at most, relatively: ``value / lower_bound - 1``."""
        value, bound = self._answer.value, self._answer.lower_bound
        # What is not paid by a plan says nothing about plans.
        if bound is None or self._answer.plan is None or (bound <= 0.0 < value):
            return None
        return max(value / bound - 1.0, 0.0) if value > 0.0 else 0.0

    # The plan.

    @property
    def _coupling(self) -> _swgg.Plan:
        if self._answer.plan is None:
            raise SizeError(
                "the plan of this epsilon has too many entries to hold; lower epsilon, which makes it sparser, "
                "or use barycentric(), potentials or smooth_plan()"
            )
        return self._answer.plan

    @property
    def permutation(self) -> Optional[NDArray[np.int64]]:
        """``Y[permutation]`` are the images of ``X``; none if the plan splits points, as it does with weights or different sizes."""
        return self._coupling.targets()

    @property
    def entries(self) -> Tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Source indices, target indices and masses of all pairs that move mass: the plan without SciPy."""
        return self._coupling.entries()

    @property
    def plan(self) -> Any:
        """The plan as a SciPy sparse array of shape ``(n, m)``, in CSR form; made when it is first asked for."""
        if self._plan is None:
            try:
                from scipy import sparse
            except ImportError as error:
                raise MissingPackageError(
                    "Result.plan needs SciPy (pip install scipy); Result.entries holds the same plan as three NumPy arrays"
                ) from error
            rows, columns, masses = self.entries
            self._plan = sparse.coo_array((masses, (rows, columns)), shape=self._coupling.shape).tocsr()
        return self._plan

    def dense_plan(self, limit: int = 2**30) -> NDArray[np.float64]:
        """The plan as a dense ``(n, m)`` matrix; refused above ``limit`` bytes, since it grows as ``n m``."""
        return self._coupling.dense(_arrays.whole(limit, "limit"))

    # What stayed where it was.

    @property
    def moved(self) -> float:
        """Mass that moved, in the unit of the weights: 1 unless a part of it was asked for."""
        return float(self._answer.facts.get("moved", 1.0))

    @property
    def unmatched_source(self) -> Tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Points of ``X`` of which mass stayed, and how much of each: nobody unless a part of the mass was asked for.

        >>> import numpy as np, swgg
        >>> result = swgg.solve([[0.0, 0.0], [1.0, 0.0], [9.0, 9.0]], [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], mass=2 / 3)
        >>> points, masses = result.unmatched_source
        >>> points, np.round(masses, 3)
        (array([2]), array([0.333]))
        >>> result.value
        0.0
        """
        return _stayed(self._answer.facts.get("unmatched_source"))

    @property
    def unmatched_target(self) -> Tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Points of ``Y`` that were not filled, and how much of each is missing; see :attr:`unmatched_source`."""
        return _stayed(self._answer.facts.get("unmatched_target"))

    # How it was found.

    @property
    def theta(self) -> Optional[NDArray[np.float64]]:
        """The direction of the plan, for methods with one line."""
        return self._answer.theta

    @property
    def method(self) -> str:
        """Which solver made the plan."""
        return self._answer.method

    @property
    def story(self) -> str:
        """One sentence on what was run."""
        return self._answer.story

    @property
    def status(self) -> str:
        """Why it ended: ``closed-form``, ``all-tried``, ``converged``, ``max-iterations``, ``time-limit``, ``interrupted``."""
        return self._answer.stop

    @property
    def converged(self) -> bool:
        """Whether the solver came to its own end, rather than being stopped by a time limit, a callback or a number of steps."""
        return self._answer.stop in ("closed-form", "all-tried", "converged")

    @property
    def n_iter(self) -> int:
        """Directions tried, trees and passes made, or steps taken."""
        return self._answer.n_iter

    @property
    def seconds(self) -> float:
        """Time in the engine."""
        return self._answer.seconds

    @property
    def citation(self) -> str:
        """The paper, in BibTeX."""
        return CITATION

    # What to do with it.

    def barycentric(self) -> NDArray[Any]:
        """Where each point of ``X`` goes on average, one row per point: for a matching, ``Y[permutation]``.

        A point without mass stays where it is. The array has the precision of the clouds.
        """
        if self._answer.image is not None:
            return self._answer.image.astype(self.X.dtype, copy=False)
        targets = self._coupling.targets()
        if targets is not None:
            return self.Y[targets]
        return self._coupling.barycentric(self.X, self.Y).astype(self.X.dtype, copy=False)

    def transform(self, X_new: Any, *, neighbors: int = 1) -> NDArray[Any]:
        """Moves points that were not there when the plan was made.

        A new point moves as its nearest neighbour in ``X`` does: ``x + T(x_i) - x_i`` with ``T`` the barycentric map and ``i`` the
        nearest source point. With more ``neighbors``, displacements are averaged with weights that fall off as the squared distance.
        Points of ``X`` itself go where the plan sends them.

        >>> import numpy as np, swgg
        >>> X = np.array([[0.0, 0.0], [10.0, 0.0]])
        >>> result = swgg.solve(X, X + [0.0, 5.0])
        >>> result.transform([[1.0, 0.0], [9.0, 2.0]])
        array([[1., 5.],
               [9., 7.]])
        """
        return _moved(X_new, "X_new", self.X, self.barycentric(), neighbors)

    def inverse_transform(self, Y_new: Any, *, neighbors: int = 1) -> NDArray[Any]:
        """The way back: like :meth:`transform`, from points near ``Y`` to points near ``X``."""
        back = self._coupling.inverse()
        sources = back.targets()
        if sources is not None:
            images = self.X[sources]
        else:
            images = back.barycentric(self.Y, self.X).astype(self.Y.dtype, copy=False)
        return _moved(Y_new, "Y_new", self.Y, images, neighbors)

    def interpolate(self, t: float) -> Tuple[NDArray[Any], NDArray[np.float64]]:
        """Points and weights at time ``t`` between 0 (``X``) and 1 (``Y``): mass on its way along straight lines.

        For a matching there is one point per point of ``X``; otherwise one per pair that moves mass.
        """
        t = _arrays.number(t, "t")
        if not 0.0 <= t <= 1.0:
            raise InputError(f"t: found {t}, expected a time from 0 to 1")
        rows, columns, masses = self.entries
        return (1.0 - t) * self.X[rows] + t * self.Y[columns], masses

    # How it looks to a person.

    def plot(self, ax: Any = None, *, lines: int = 500, cmap: str = "BuPu") -> Any:
        """Draws the clouds and some ways of the plan by matplotlib, coloured by what they pay; returns the axes.

        Points of three coordinates are drawn in space; of points of more, the first two principal axes of both clouds are seen.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw (``projection="3d"`` for three coordinates); new ones if left out.
        lines : int
            How many ways are drawn at most, evenly chosen.
        cmap : str
            Colours of the ways, from cheap to dear.
        """
        from . import views

        return views.plot(self, ax, lines=lines, cmap=cmap)

    def report(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a page to look at: one HTML file with the clouds, the plan, what each point pays, and the bounds.

        It is what ``swgg solve --report`` writes; a browser opens it without a network. Above 100 000 ways some of them are drawn, and
        the page says so.
        """
        from . import views

        views.report(self, path)

    # How it travels: to other processes and files. A plan that was made into a SciPy array is made again there.

    def __getstate__(self) -> Dict[str, Any]:
        names = (name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ()))
        return {name: getattr(self, name) for name in names if name != "_plan"}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self._plan = None
        for name, value in state.items():
            setattr(self, name, value)

    # How it looks.

    def _facts(self) -> List[Tuple[str, str]]:
        power = "squared" if self.p == 2.0 else f"power {self.p:g}"
        facts = [("value", f"{self.value:.6g} ({power}), distance {self.distance:.6g}")]
        plan, gap = self._answer.plan, self.gap
        if plan is None:
            facts.append(("plan", f"{len(self.X)} to {len(self.Y)} points, too many entries to hold"))
        else:
            if gap is not None and gap <= 1.0:
                quality = "optimal (certified)" if gap < 1e-9 else f"within {100.0 * gap:.2g} % of optimal (certified)"
                facts.append(("quality", quality))
            elif self.lower_bound is not None:
                facts.append(("quality", f"the optimum is at least {self.lower_bound:.3g} (bound is weak)"))
            kind = "one to one" if plan.targets() is not None else f"{len(plan)} pairs"
            facts.append(("plan", f"{plan.shape[0]} to {plan.shape[1]} points, {kind}"))
        if "moved_share" in self._answer.facts:
            facts.append(("moved", f"{100.0 * self._answer.facts['moved_share']:.4g} % of the mass"))
        ended = _UNFINISHED.get(self.status)
        facts.append(("method", self.story + (f", {ended}" if ended else "")))
        facts.append(("time", f"{self.seconds:.3g} s"))
        return facts

    def __repr__(self) -> str:
        lines = [f"  {name + ':':<9}{text}" for name, text in self._facts()]
        return "\n".join(["swgg.Result", *lines])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{name}</th><td style='text-align:left'>{html.escape(text)}</td></tr>" for name, text in self._facts())
        from . import views

        return f"<table><caption><b>swgg.Result</b></caption>{rows}</table>{views.notebook(self)}"


def _moved(value: Any, name: str, sources: NDArray[Any], images: NDArray[Any], neighbors: int) -> NDArray[Any]:
    """Points moved as their nearest sources are."""
    new = _arrays.points(value, name)
    if new.shape[1] != sources.shape[1]:
        raise InputError(f"{name}: found {new.shape[1]} columns, expected {sources.shape[1]} as in the clouds of the plan")
    k = _arrays.whole(neighbors, "neighbors", 1, len(sources))
    if len(new) == 0:
        return new.copy()
    kind = np.result_type(new.dtype, sources.dtype)
    new, sources = np.ascontiguousarray(new, dtype=kind), np.ascontiguousarray(sources, dtype=kind)
    near, distances = _swgg.nearest(sources, new, k, None)
    moves: NDArray[Any] = images - sources
    if k == 1:
        moves = moves[near[:, 0]]
    else:
        # A source at the very place decides alone. Nearest ones come first: in proportion to theirs, nothing overflows.
        exact = distances == 0.0
        shares = np.where(exact[:, :1], exact, distances[:, :1] / np.where(exact, 1.0, distances))
        shares /= shares.sum(axis=1, keepdims=True)
        moves = np.einsum("ik,ikd->id", shares, moves[near])
    moved: NDArray[Any] = (new + moves).astype(kind, copy=False)
    return moved

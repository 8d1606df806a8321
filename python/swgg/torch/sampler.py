"""Pairs for flow matching, under torchcfm's names."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, NamedTuple, Optional, Tuple, Union

import numpy as np
import torch
from torch import Tensor

from .. import _arrays
from .._registry import foreign, methods_with
from ..entropic import sinkhorn
from ..exceptions import InputError, KindError
from ..result import Result
from ..solvers import solve
from ._tensors import array, arrays, check_samples, precision
from .prefetch import Batch, Prefetch

#: Methods whose plan is smooth.
_SMOOTH = ("sinkhorn", "unbalanced")
#: torchcfm's, and what is good for large batches.
_METHODS = ("exact", "sinkhorn", "unbalanced", "partial", "auto", "tree", "merged", "min-swgg")


class _Plan(NamedTuple):
    """Pairs that move mass, row by row, and the permutation where there is one."""

    shape: Tuple[int, int]
    rows: np.ndarray
    columns: np.ndarray
    masses: np.ndarray
    permutation: Optional[np.ndarray]


class OTPlanSampler:
    """Couples minibatches by transport at squared cost, with torchcfm's names: one import changes.

    What differs: pairs are those of the permutation unless ``replace=True`` asks for draws with replacement, so that no
    sample is lost or seen twice; tensors stay tensors; nothing falls back to a uniform plan.

    Parameters
    ----------
    method : str
        ``"exact"``, the optimum; ``"sinkhorn"`` with ``reg``, the weight of the entropy; ``"unbalanced"``, Sinkhorn with
        ``reg_m``, the weight of a Kullback-Leibler penalty on the weights; ``"partial"``, which leaves out all but the
        share ``mass``; or ``"auto"``, ``"tree"``, ``"merged"``, ``"min-swgg"`` of :func:`swgg.solve` for large batches.
    reg, reg_m : float
        As above, in the units of costs.
    normalize_cost : bool
        Whether ``reg`` and ``reg_m`` are shares of the largest cost; other plans do not depend on it.
    num_threads : int or "max", optional
        All of them if left out.
    warn : bool
        Whether to warn of iterations that did not converge.
    condition : float, optional
        What a pair pays for labels that differ, in the units of costs: labels that are whole numbers are equal or not,
        of others the squared distance counts, times this. None pairs without looking at labels.
    mass : float
        The share of the mass that moves (``"partial"``).
    seed : int, optional
        Of draws; None takes them from PyTorch's generator.

    Examples
    --------
    >>> import torch
    >>> from swgg.torch import OTPlanSampler
    >>> noise, data = torch.tensor([[0.0], [5.0], [1.0]]), torch.tensor([[7.0], [8.0], [9.0]])
    >>> sampler = OTPlanSampler("exact")
    >>> x0, x1 = sampler.sample_plan(noise, data)
    >>> x1.ravel()
    tensor([7., 9., 8.])
    >>> x0, x1, _, y1 = sampler.sample_plan_with_labels(noise, data, None, torch.tensor([0, 1, 2]))
    >>> y1
    tensor([0, 2, 1])
    """

    def __init__(
        self,
        method: str = "exact",
        reg: float = 0.05,
        reg_m: float = 1.0,
        normalize_cost: bool = False,
        num_threads: Union[int, str, None] = None,
        warn: bool = True,
        *,
        condition: Optional[float] = None,
        mass: float = 1.0,
        effort: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self.method = _arrays.choice(method, "method", _METHODS)
        self.reg = _arrays.positive(reg, "reg")
        self.reg_m = _arrays.positive(reg_m, "reg_m")
        self.normalize_cost = _arrays.flag(normalize_cost, "normalize_cost")
        if isinstance(num_threads, str):
            _arrays.choice(num_threads, "num_threads", ("max",))
            num_threads = None
        self.num_threads = None if num_threads is None else _arrays.whole(num_threads, "num_threads", 1, 1024)
        self.warn = _arrays.flag(warn, "warn")
        self.condition = None if condition is None else _arrays.positive(condition, "condition", zero=True)
        self.mass = _arrays.number(mass, "mass")
        if not 0.0 < self.mass <= 1.0:
            raise InputError(f"mass: found {self.mass}, expected a share above 0 and at most 1")
        self.effort = effort
        if effort is not None and self.method != "auto":
            raise foreign("effort", "method", self.method, methods_with("effort"))
        self._draws = None if seed is None else np.random.default_rng(_arrays.whole(seed, "seed"))

    # Plans.

    def get_map(self, x0: Tensor, x1: Tensor, y0: Optional[Tensor] = None, y1: Optional[Tensor] = None) -> np.ndarray:
        """The plan between two minibatches as a dense array; labels count if there is a ``condition``."""
        plan = self._plan(x0, x1, y0, y1)
        dense = np.zeros(plan.shape)
        dense[plan.rows, plan.columns] = plan.masses
        return dense

    def sample_map(self, pi: Any, batch_size: int, replace: bool = False) -> Tuple[np.ndarray, np.ndarray]:
        """Indices of pairs of a dense plan: those of its permutation, or draws."""
        dense = _arrays.matrix(pi, "pi")
        rows, columns = np.nonzero(dense)
        order: Optional[np.ndarray] = None
        is_square = len(rows) == dense.shape[0] == dense.shape[1]
        if is_square and len(np.unique(rows)) == len(np.unique(columns)) == len(rows):
            order = columns
        plan = _Plan((dense.shape[0], dense.shape[1]), rows, columns, dense[rows, columns], order)
        count = _arrays.whole(batch_size, "batch_size", 1, 2**40)
        first, second = self._drawn(plan, _arrays.flag(replace, "replace"), count)
        return first[:count], second[:count]

    # Pairs.

    def sample_indices(
        self,
        x0: Tensor,
        x1: Tensor,
        y0: Optional[Tensor] = None,
        y1: Optional[Tensor] = None,
        replace: bool = False,
    ) -> Tuple[Tensor, Tensor]:
        """Which samples make pairs, ``(i, j)``: to carry along whatever belongs to them."""
        plan = self._plan(x0, x1, y0, y1)
        i, j = self._drawn(plan, _arrays.flag(replace, "replace"), len(x0))
        return torch.as_tensor(i, device=x0.device), torch.as_tensor(j, device=x1.device)

    def sample_plan(self, x0: Tensor, x1: Tensor, replace: bool = False) -> Tuple[Tensor, Tensor]:
        """Pairs ``(x0[i], x1[j])`` of the plan between two minibatches ``(B, ...)``.

        With ``replace=False`` the permutation, ``x0`` in its own order. Where there is none, as for smooth plans and
        different sizes, each source is paired with one target drawn from its row; unbalanced plans draw pairs, partial
        ones return the pairs that moved.
        """
        i, j = self.sample_indices(x0, x1, replace=replace)
        return x0[i], x1[j]

    def sample_plan_with_labels(
        self,
        x0: Tensor,
        x1: Tensor,
        y0: Optional[Tensor] = None,
        y1: Optional[Tensor] = None,
        replace: bool = False,
    ) -> Batch:
        """Pairs with their labels ``(x0[i], x1[j], y0[i], y1[j])``; labels that are not there stay none."""
        i, j = self.sample_indices(x0, x1, y0, y1, replace=replace)
        return x0[i], x1[j], None if y0 is None else y0[i.to(y0.device)], None if y1 is None else y1[j.to(y1.device)]

    def sample_trajectory(self, X: Tensor) -> Tensor:
        """Trajectories through populations ``(B, times, ...)``: each sample goes on to its partner at the next time."""
        check_samples(X, "X")
        if X.ndim < 3:
            raise InputError(f"X: found shape {tuple(X.shape)}, expected (B, times, ...)")
        here = torch.arange(len(X), device=X.device)
        path = [X[:, 0]]
        for t in range(X.shape[1] - 1):
            plan = self._plan(X[:, t], X[:, t + 1])
            rows = plan.permutation if plan.permutation is not None else self._targets(plan)
            here = torch.as_tensor(rows, device=X.device)[here]
            path.append(X[here, t + 1])
        return torch.stack(path, dim=1)

    # Many batches.

    def batches(
        self, x0: Tensor, x1: Tensor, y0: Optional[Tensor] = None, y1: Optional[Tensor] = None, *, batch_size: int
    ) -> Iterator[Batch]:
        """Training batches out of one larger coupling: pairs of all samples, shuffled, ``batch_size`` at a time.

        The larger the coupling, the closer to transport between the laws; the last batch may be smaller.

        >>> import torch
        >>> from swgg.torch import OTPlanSampler
        >>> noise, data = torch.randn(1000, 2), torch.randn(1000, 2)
        >>> [len(x0) for x0, x1, y0, y1 in OTPlanSampler().batches(noise, data, batch_size=400)]
        [400, 400, 200]
        """
        size = _arrays.whole(batch_size, "batch_size", 1, 2**40)
        i, j = self.sample_indices(x0, x1, y0, y1)
        order = torch.as_tensor(self._random().permutation(len(i)), device=i.device)
        i, j = i[order], j[order.to(j.device)]
        for start in range(0, len(i), size):
            k, l = i[start : start + size], j[start : start + size]
            yield x0[k], x1[l], None if y0 is None else y0[k.to(y0.device)], None if y1 is None else y1[l.to(y1.device)]

    def stream(
        self, source: Iterable[Tuple[Any, ...]], *, batch_size: Optional[int] = None, prefetch: int = 2
    ) -> Prefetch:
        """Couples what a source yields in a thread of its own, while the batches before are trained on.

        Parameters
        ----------
        source : iterable of (x0, x1) or (x0, x1, y0, y1)
            Samples to couple; drawn from in the thread.
        batch_size : int, optional
            Cuts each coupling into training batches, as :meth:`batches` does.
        prefetch : int
            How many batches wait at most.

        Returns
        -------
        Prefetch
            An iterator of ``(x0, x1, y0, y1)``, to be closed, best by ``with``, if it is not read to its end.

        >>> import torch
        >>> from swgg.torch import OTPlanSampler
        >>> source = ((torch.randn(64, 2), torch.randn(64, 2)) for _ in range(3))
        >>> with OTPlanSampler().stream(source, batch_size=32) as batches:
        ...     print(sum(1 for x0, x1, y0, y1 in batches))
        6
        """
        size = None if batch_size is None else _arrays.whole(batch_size, "batch_size", 1, 2**40)

        def coupled() -> Iterator[Batch]:
            for given in source:
                if not isinstance(given, (tuple, list)) or len(given) not in (2, 4):
                    raise KindError(f"source: found {_arrays.shown(given)}, expected (x0, x1) or (x0, x1, y0, y1)")
                if size is None:
                    yield self.sample_plan_with_labels(*given)
                else:
                    yield from self.batches(*given, batch_size=size)

        return Prefetch(coupled(), _arrays.whole(prefetch, "prefetch", 1, 10**6))

    # How it is done.

    def _plan(self, x0: Tensor, x1: Tensor, y0: Optional[Tensor] = None, y1: Optional[Tensor] = None) -> _Plan:
        check_samples(x0, "x0")
        check_samples(x1, "x1")
        if x0.shape[1:] != x1.shape[1:]:
            raise InputError(
                f"found x0 of shape {tuple(x0.shape)} and x1 of shape {tuple(x1.shape)}, expected samples of one shape"
            )
        kind = precision(x0, x1)
        sent = arrays([x0.reshape(len(x0), -1), x1.reshape(len(x1), -1)], [kind, kind])
        x, y = sent[0], sent[1]
        assert x is not None and y is not None
        cost: Dict[str, Any] = {}
        if self.condition is not None:
            if y0 is None or y1 is None:
                raise InputError("y0 and y1: found none beside condition, expected the labels of both sides")
            x, y, cost = self._conditioned(x, y, y0, y1)
        if self.method in _SMOOTH:
            return self._smooth(x, y)
        method = "exact" if self.method == "partial" else self.method
        if self.method == "partial" and self.mass < 1.0:
            cost["mass"] = self.mass
        if self.effort is not None:
            cost["effort"] = self.effort
        result = solve(x, y, method=method, bounds=False, n_threads=self.num_threads, **cost)
        return _Plan((len(x), len(y)), *result.entries, result.permutation if result.moved >= 1.0 else None)

    def _conditioned(
        self, x: np.ndarray, y: np.ndarray, y0: Tensor, y1: Tensor
    ) -> Tuple[np.ndarray, np.ndarray, Dict[str, Any]]:
        """Clouds, and settings of the cost, that make labels count."""
        assert self.condition is not None
        for name, labels, samples in (("y0", y0, x), ("y1", y1, y)):
            if not isinstance(labels, torch.Tensor) or len(labels) != len(samples):
                raise InputError(f"{name}: expected a tensor with a label for each of the {len(samples)} samples")
        if y0.is_floating_point() or y1.is_floating_point():
            # Squared distances of labels are those of further columns.
            sides = [np.sqrt(self.condition) * array(z.reshape(len(z), -1), torch.float64) for z in (y0, y1)]
            if sides[0].shape[1] != sides[1].shape[1]:
                raise InputError(f"found y0 of shape {tuple(y0.shape)} and y1 of shape {tuple(y1.shape)}, expected alike")
            return np.hstack([x, sides[0].astype(x.dtype)]), np.hstack([y, sides[1].astype(y.dtype)]), {}
        first, second = (array(z.reshape(len(z), -1), torch.int64) for z in (y0, y1))
        if first.shape[1] != second.shape[1]:
            raise InputError(f"found y0 of shape {tuple(y0.shape)} and y1 of shape {tuple(y1.shape)}, expected alike")
        names, codes = np.unique(np.vstack([first, second]), axis=0, return_inverse=True)
        codes = codes.reshape(-1)
        if self.method in _SMOOTH or self.method not in methods_with("label_costs") + ["partial"]:
            # Corners of a simplex: any two different labels are as far apart.
            corners = np.sqrt(0.5 * self.condition) * np.eye(len(names), dtype=x.dtype)[codes]
            return np.hstack([x, corners[: len(x)]]), np.hstack([y, corners[len(x) :]]), {}
        apart = self.condition * (1.0 - np.eye(len(names)))
        cost = {
            "cost": "labelled",
            "label_costs": apart,
            "source_labels": codes[: len(x)],
            "target_labels": codes[len(x) :],
        }
        return x, y, cost

    def _smooth(self, x: np.ndarray, y: np.ndarray) -> _Plan:
        unit = _largest(x, y) if self.normalize_cost else 1.0
        unit = unit if unit > 0.0 else 1.0
        tau = self.reg_m / (self.reg_m + self.reg) if self.method == "unbalanced" else 1.0
        result = sinkhorn(
            x, y, epsilon=self.reg * unit, tau_a=tau, tau_b=tau, bounds=False, n_threads=self.num_threads
        )
        if self.warn and not result.converged:
            _warn(result)
        dense = result.smooth_plan()
        rows, columns = np.nonzero(dense)
        return _Plan((len(x), len(y)), rows, columns, dense[rows, columns], None)

    def _random(self) -> np.random.Generator:
        return self._draws if self._draws is not None else np.random.default_rng(int(torch.randint(2**62, ()).item()))

    def _drawn(self, plan: _Plan, replace: bool, count: int) -> Tuple[np.ndarray, np.ndarray]:
        if not replace and plan.permutation is not None:
            return np.arange(plan.shape[0]), plan.permutation
        if not replace and self.method == "partial":
            return plan.rows, plan.columns
        if not replace and self.method != "unbalanced":
            return np.arange(plan.shape[0]), self._targets(plan)
        shares = plan.masses / plan.masses.sum()
        drawn = self._random().choice(len(shares), size=count, p=shares)
        return plan.rows[drawn], plan.columns[drawn]

    def _targets(self, plan: _Plan) -> np.ndarray:
        """A target for each source, drawn from its row."""
        order = np.argsort(plan.rows, kind="stable")
        rows, columns = plan.rows[order], plan.columns[order]
        ends = np.cumsum(plan.masses[order])
        last = np.searchsorted(rows, np.arange(plan.shape[0]), side="right") - 1
        first = np.searchsorted(rows, np.arange(plan.shape[0]), side="left")
        if np.any(last < first):
            raise InputError("the plan has a row without mass, from which nothing can be drawn")
        before = np.where(first > 0, ends[first - 1], 0.0)
        marks = before + self._random().random(plan.shape[0]) * (ends[last] - before)
        chosen: np.ndarray = columns[np.clip(np.searchsorted(ends, marks, side="right"), first, last)]
        return chosen

    def __repr__(self) -> str:
        return f"OTPlanSampler(method={self.method!r}, condition={self.condition!r})"


def _largest(x: np.ndarray, y: np.ndarray) -> float:
    """The largest squared distance, some rows at a time."""
    norms, most = (y * y).sum(axis=1), 0.0
    rows = max(1, 2**21 // len(y))
    for start in range(0, len(x), rows):
        part = x[start : start + rows]
        most = max(most, float(((part * part).sum(axis=1)[:, None] + norms - 2.0 * part @ y.T).max()))
    return most


def _warn(result: Result) -> None:
    import warnings

    warnings.warn(f"Sinkhorn ended before it converged: {result.story}; raise reg", UserWarning, stacklevel=5)

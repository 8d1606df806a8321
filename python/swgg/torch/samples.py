"""Losses between samples in the shape of GeomLoss."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Union

import torch
from torch import Tensor

from .. import _arrays
from .._registry import PLANS, foreign
from ..exceptions import InputError, KindError
from ._entropic import divergence
from ._operator import values
from ._tensors import arrays, check_clouds, precision, spread, tensor_of
from .losses import MinSWGGLoss, SlicedWassersteinLoss, SolveLoss

#: Kernels of squared distances between measures.
_KERNELS = ("energy", "gaussian", "laplacian")
_LOSSES = ("sinkhorn", *_KERNELS, "sliced", *(name for name in PLANS if name not in ("sinkhorn", "line")))


class SamplesLoss(torch.nn.Module):
    """A loss between samples, in GeomLoss' shape: the same arguments, the same units (``|x - y|^p / p``, not rooted).

    Called with ``(x, y)`` or ``(a, x, b, y)``: clouds ``(n, d)`` and ``(m, d)`` give a number, batches ``(B, n, d)`` and
    ``(B, m, d)`` one number each, and so do lists of clouds that differ in size. Sinkhorn iterates until it has
    converged, where GeomLoss takes a fixed number of steps: the two agree where ``scaling`` is close to 1 there.

    Parameters
    ----------
    loss : str
        ``"sinkhorn"``, the Sinkhorn divergence, zero between equal clouds; ``"energy"``, ``"gaussian"`` and
        ``"laplacian"``, squared distances by kernels, which hold all pairs of points; ``"sliced"``; or a method of
        :func:`swgg.solve` that has a plan, such as ``"auto"``, ``"exact"``, ``"min-swgg"``.
    p : float
        The power of the distance; 2 for plans.
    blur : float
        The length over which mass is smeared: ``epsilon = blur^p`` for ``"sinkhorn"``, the width of kernels.
    reach : float, optional
        How far mass goes before it is rather created and destroyed (``"sinkhorn"``): weights are met up to a
        Kullback-Leibler penalty of weight ``reach^p``, and their sums count. If left out, all of it moves, and weights
        are scaled to sum to one.
    scaling : float
        Ratio from one blur to the next on the way down to the last.
    debias : bool
        Whether what smoothing itself costs is taken away (``"sinkhorn"``).
    potentials : bool
        Whether to return dual potentials ``(F, G)``, without gradients, instead of the loss (``"sinkhorn"``).
    max_iter, tolerance
        When iterations end, as in :func:`swgg.sinkhorn`.
    seed, n_threads
        As in :class:`SolveLoss`.
    diameter, truncate, cluster_scale, verbose, backend
        Ways of computing in GeomLoss, which change nothing here.

    Examples
    --------
    >>> import torch
    >>> from swgg.torch import SamplesLoss
    >>> x = torch.tensor([[0.0, 0.0], [1.0, 0.0]], requires_grad=True)
    >>> loss = SamplesLoss("sinkhorn", blur=0.1)
    >>> loss(x, x.detach()).item()
    0.0
    >>> round(loss(x, x.detach() + 2.0).item(), 4)
    4.0
    >>> [round(value, 4) for value in loss([x, x[:1]], [x + 1.0, x[:1] + 2.0]).tolist()]
    [1.0, 4.0]
    """

    def __init__(
        self,
        loss: str = "sinkhorn",
        p: float = 2,
        blur: float = 0.05,
        reach: Optional[float] = None,
        diameter: Optional[float] = None,
        scaling: float = 0.5,
        truncate: Optional[float] = 5,
        cost: Any = None,
        kernel: Any = None,
        cluster_scale: Optional[float] = None,
        debias: bool = True,
        potentials: bool = False,
        verbose: bool = False,
        backend: str = "auto",
        *,
        max_iter: int = 5000,
        tolerance: float = 1e-6,
        seed: Optional[int] = 0,
        n_threads: Optional[int] = None,
    ) -> None:
        super().__init__()
        self.loss = _arrays.choice(loss, "loss", _LOSSES)
        for name, value in (("cost", cost), ("kernel", kernel)):
            if value is not None:
                raise InputError(
                    f"{name}: found {_arrays.shown(value)}, expected none: functions of one's own are not known here; "
                    "swgg.solve(cost=...) has other costs"
                )
        self.p = _arrays.exponent(p)
        self.blur = _arrays.positive(blur, "blur")
        self.reach = None if reach is None else _arrays.positive(reach, "reach")
        self.scaling = _arrays.number(scaling, "scaling")
        if not 0.0 < self.scaling < 1.0:
            raise InputError(f"scaling: found {self.scaling}, expected a ratio between 0 and 1")
        self.debias = _arrays.flag(debias, "debias")
        self.potentials = _arrays.flag(potentials, "potentials")
        self.max_iter = _arrays.whole(max_iter, "max_iter", 1, 10**9)
        self.tolerance = _arrays.positive(tolerance, "tolerance", zero=True)
        self.n_threads = _arrays.threads(n_threads)
        if self.loss != "sinkhorn":
            for name, wrong in (("reach", reach is not None), ("potentials", self.potentials)):
                if wrong:
                    raise foreign(name, "loss", self.loss, ["sinkhorn"])
        # Plans and lines have losses of their own.
        self._other: Optional[torch.nn.Module] = None
        if self.loss == "sliced":
            self._other = SlicedWassersteinLoss(p=self.p, seed=seed, n_threads=n_threads, reduction="none")
        elif self.loss in PLANS and self.loss != "sinkhorn":
            if self.p != 2.0:
                raise InputError(f"p: found {self.p:g} beside loss={self.loss!r}, expected 2")
            if self.loss == "min-swgg":
                self._other = MinSWGGLoss(seed=seed, n_threads=n_threads, reduction="none")
            else:
                self._other = SolveLoss(self.loss, seed=seed, n_threads=n_threads, reduction="none")

    def forward(self, *args: Any) -> Union[Tensor, Tuple[Tensor, Tensor]]:
        """The loss of ``(x, y)`` or ``(a, x, b, y)``, or the potentials if they were asked for."""
        if len(args) == 2:
            x, y, a, b = args[0], args[1], None, None
        elif len(args) == 4:
            a, x, b, y = args
        else:
            raise InputError(f"found {len(args)} arguments, expected (x, y) or (a, x, b, y)")
        if isinstance(x, (list, tuple)) or isinstance(y, (list, tuple)):
            return self._ragged(x, y, a, b)
        check_clouds(x, y)
        kind = torch.promote_types(x.dtype, y.dtype)
        is_batch = x.ndim == 3
        if not is_batch:
            x, y = x[None], y[None]
        x, y = x.to(kind), y.to(kind)
        a = None if a is None else spread(a, "a", x)
        b = None if b is None else spread(b, "b", y)
        if self.potentials:
            f, g = self._potentials(x, y, a, b)
            return (f, g) if is_batch else (f[0], g[0])
        if self._other is not None:
            each: Tensor = self._other(x, y, a, b) / self.p
        elif self.loss == "sinkhorn":
            each = values(x, y, a, b, self._asked())
        else:
            each = self._by_kernel(x, y, a, b)
        return each if is_batch else each[0]

    def _ragged(self, x: Any, y: Any, a: Any, b: Any) -> Union[Tensor, Tuple[Any, Any]]:
        """Clouds of different sizes, one pair after the other."""
        lists: List[Any] = []
        for name, given in (("x", x), ("y", y), ("a", a), ("b", b)):
            if given is None and name in "ab":
                given = [None] * len(x)
            if not isinstance(given, (list, tuple)):
                raise KindError(f"{name}: found {type(given).__name__} beside lists of clouds, expected a list")
            if len(given) != len(x):
                raise InputError(f"{name}: found {len(given)} entries for {len(x)} clouds in x, expected as many")
            lists.append(given)
        found = [self(x, y) if a is None and b is None else self(a, x, b, y) for x, y, a, b in zip(*lists)]
        if self.potentials:
            return [f for f, _ in found], [g for _, g in found]
        if not found:
            raise InputError("x: found no clouds, expected at least one")
        return torch.stack(found)

    def _settings(self) -> Dict[str, Any]:
        """In the engine's units, in which a pair costs ``|x - y|^p``."""
        return {
            "epsilon": self.p * self.blur**self.p,
            "reach": None if self.reach is None else self.p * self.reach**self.p,
            "p": self.p,
            # The engine counts from one epsilon to the next.
            "scaling": min(max(self.scaling**self.p, 0.01), 0.99),
            "debias": self.debias,
            "max_iter": self.max_iter,
            "tolerance": self.tolerance,
            "n_threads": self.n_threads,
        }

    def _asked(self) -> str:
        return f"{({'kernel': 'sinkhorn', **self._settings()})!r}"

    def _potentials(self, x: Tensor, y: Tensor, a: Optional[Tensor], b: Optional[Tensor]) -> Tuple[Tensor, Tensor]:
        kind = precision(x, y)
        first, second, *weights = arrays([x, y, a, b], [kind, kind, torch.float64, torch.float64])
        assert first is not None and second is not None
        sides: Tuple[List[Any], List[Any]] = ([], [])
        for k in range(len(first)):
            masses = [None if w is None else w[k] for w in weights]
            between, own = divergence((first[k], second[k], masses[0], masses[1]), self._settings())
            for side in (0, 1):
                found = between.potentials[side] - (0.0 if own is None else own[side].potentials[0])
                sides[side].append(found / self.p)
        return tensor_of(sides[0], x), tensor_of(sides[1], y)

    def _by_kernel(self, x: Tensor, y: Tensor, a: Optional[Tensor], b: Optional[Tensor]) -> Tensor:
        """Half the squared distance in the space of a kernel; halves are computed in single precision."""
        kind, wide = x.dtype, precision(x)
        x, y = x.to(wide), y.to(wide)
        a, b = (
            torch.full(z.shape[:2], 1.0 / z.shape[1], dtype=wide, device=z.device) if w is None else w.to(wide)
            for z, w in ((x, a), (y, b))
        )

        def between(u: Tensor, first: Tensor, v: Tensor, second: Tensor) -> Tensor:
            far = torch.cdist(u, v)
            if self.loss == "energy":
                kernel = -far
            elif self.loss == "gaussian":
                kernel = torch.exp(-0.5 * (far / self.blur).square())
            else:
                kernel = torch.exp(-far / self.blur)
            return torch.einsum("bi,bij,bj->b", first, kernel, second)

        value = 0.5 * between(x, a, x, a) + 0.5 * between(y, b, y, b) - between(x, a, y, b)
        found: Tensor = value.to(kind)
        return found

    def extra_repr(self) -> str:
        """The settings, as PyTorch prints them."""
        names = ("loss", "p", "blur", "reach", "scaling", "debias")
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in names)

"""Gradient flows: particles that follow the gradient of a loss towards a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _registry, _swgg
from ._arrays import Callback

_LOSSES = dict(_swgg.losses())
_SEARCHES = tuple(one["name"] for one in _swgg.searches())
_OPTIMIZERS = ("adam", "sgd")


@dataclass(frozen=True, eq=False)
class FlowResult:
    """Particles at the end of a flow, and how they got there."""

    #: Where the particles are, in the order of the source.
    X: NDArray[np.float64]
    #: The loss before each step and after the last one, not rooted.
    losses: NDArray[np.float64]
    #: The exact Wasserstein distance to the target at the same places, rooted; NaN where it was not looked for.
    distances: NDArray[np.float64]
    #: Particles that were kept, as ``(step, X)``.
    kept: Tuple[Tuple[int, NDArray[np.float64]], ...]
    #: Steps taken.
    n_iter: int
    #: Why it ended: ``max-iterations``, ``converged`` or ``interrupted``.
    status: str
    #: How directions were looked for, where the loss has a search.
    search: Optional[str]
    #: Time in the engine.
    seconds: float

    @property
    def distance(self) -> float:
        """The last exact distance that was looked for, rooted; NaN if there was none."""
        known = self.distances[~np.isnan(self.distances)]
        return float(known[-1]) if len(known) else float("nan")

    def __repr__(self) -> str:
        plural = "" if self.n_iter == 1 else "s"
        return f"FlowResult({len(self.X)} particles, {self.n_iter} step{plural}, loss={self.losses[-1]:.6g}, {self.status})"


def flow(
    X: Any,
    Y: Any,
    a: Any = None,
    b: Any = None,
    *,
    loss: str = "min-swgg",
    steps: int = 2000,
    rate: float = 5e-3,
    optimizer: str = "adam",
    n_projections: Optional[int] = None,
    search: Optional[str] = None,
    iterations: Optional[int] = None,
    learning_rate: Optional[float] = None,
    copies: Optional[int] = None,
    blur: Optional[float] = None,
    effort: Optional[int] = None,
    relative_epsilon: Optional[float] = None,
    warm: bool = True,
    every: Optional[int] = None,
    exact_every: Optional[int] = None,
    seed: Optional[int] = 0,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
) -> FlowResult:
    """Move ``X`` towards ``Y`` along the gradient of a loss (``losses`` are not rooted, ``distances`` are).

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d)
        Where particles begin, and their target.
    a, b : array-like of shape (n,) and (m,), optional
        Weights, scaled to sum to one; equal if left out. They stay with their points.
    loss : str
        ``"min-swgg"``, ``"sw"``, ``"max-sw"``, ``"pwd"``, ``"auto"`` (the plan of :func:`solve`: the optimum for up to some thousand
        points) or ``"sinkhorn"`` (the Sinkhorn divergence).
    steps : int
        Steps to take.
    rate : float
        Length of the steps.
    optimizer : "adam" or "sgd"
        How a gradient becomes a step. The loss is a mean over the particles, so the rate of plain descent has to grow with their number.
    n_projections : int, optional
        ``"sw"``, ``"pwd"``: how many random directions, new ones at every step (100); ``"min-swgg"``: look at so many random ones.
    search : str, optional
        ``"min-swgg"``: how to look for the direction, as in :func:`min_swgg`.
    iterations : int, optional
        ``"max-sw"`` and searches that walk: steps towards the direction, at every step of the particles.
    learning_rate : float, optional
        The same: length of those steps.
    copies, blur : int and float, optional
        Search ``"gradient"``: the paper's ``s`` and ``epsilon``.
    effort : int, optional
        ``"auto"``: from 1 to 10 (5).
    relative_epsilon : float, optional
        ``"sinkhorn"``: weight of the entropy, as a share of the mean cost at the first step (0.01).
    warm : bool
        ``"min-swgg"``, ``"max-sw"``: whether to go on from the direction of the step before.
    every : int, optional
        Keep the particles at every so many steps.
    exact_every : int, optional
        Look for the exact distance at every so many steps, 0 for never; by the sizes if left out.
    seed : int, optional
        Same seed, same bits, whatever the number of threads; None for another one each time.
    n_threads : int, optional
        All of them if left out, or -1.
    callback : callable, optional
        Called as ``callback(step, loss)``; returning ``True`` ends with the particles where they are.

    Returns
    -------
    FlowResult

    Examples
    --------
    >>> import numpy as np, swgg
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> found = swgg.flow(X, X + [2.0, 1.0], loss="auto", rate=0.05, steps=400)
    >>> bool(found.distance < 1e-3), found.status, len(found.losses)
    (True, 'max-iterations', 401)
    """
    given = {
        "n_projections": _optional(n_projections, _arrays.whole, "n_projections", 1, 2**30),
        "search": None if search is None else _arrays.choice(search, "search", _SEARCHES),
        "steps": _optional(iterations, _arrays.whole, "iterations", 1, 10**9),
        "learning_rate": _optional(learning_rate, _arrays.positive, "learning_rate"),
        "copies": _optional(copies, _arrays.whole, "copies", 1, 2**30),
        "blur": _optional(blur, _arrays.positive, "blur", True),
        "relative_epsilon": _optional(relative_epsilon, _arrays.positive, "relative_epsilon"),
        **_registry.settings("auto", {"effort": effort}),
    }
    choices: Dict[str, Any] = {
        "loss": _arrays.choice(loss, "loss", tuple(_LOSSES)),
        "warm": _arrays.flag(warm, "warm"),
        "steps": _arrays.whole(steps, "steps", 1, 10**7),
        "rate": _arrays.positive(rate, "rate"),
        "optimizer": _arrays.choice(optimizer, "optimizer", _OPTIMIZERS),
        "every": _optional(every, _arrays.whole, "every", 1, 10**7),
        "exact_every": _optional(exact_every, _arrays.whole, "exact_every", 0, 10**7),
        "seed": _arrays.seed(seed),
    }
    settings = {name: value for name, value in given.items() if value is not None}
    points, (losses, distances), kept, (taken, status, found), seconds = _swgg.flow(
        _arrays.pair(X, Y, a, b),
        choices,
        settings,
        _arrays.threads(n_threads),
        _arrays.function(callback, "callback"),
    )
    return FlowResult(
        X=points,
        losses=losses,
        distances=distances,
        kept=tuple(kept),
        n_iter=taken,
        status=status,
        search=found,
        seconds=sum(seconds),
    )


def _optional(value: Any, check: Any, *details: Any) -> Any:
    """A value that was given, checked; none stays none."""
    return None if value is None else check(value, *details)

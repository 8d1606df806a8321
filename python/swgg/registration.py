"""Registration: the motion that brings one cloud onto another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _swgg
from ._arrays import Callback
from .exceptions import InputError

_MATCHINGS = tuple(_swgg.matchings())
_GROUPS = ("rigid", "orthogonal", "similarity")


@dataclass(frozen=True, eq=False)
class RegistrationStep:
    """One step of a registration: a matching and the motion fitted to it."""

    #: How points were matched: ``"transport"``, ``"nearest"`` or ``"planes"``.
    stage: str
    #: The pose after the step, as ``Registration.T_target_source``.
    T_target_source: NDArray[np.float64]
    #: Points that took part.
    points: int
    #: Mean squared distance of the matches before the fit.
    cost: float
    #: How far the step moved points, root mean square, as a share of the size of the source.
    change: float


@dataclass(frozen=True, eq=False)
class Registration:
    """A motion that brings the source onto the target, ``x -> scale R x + t``, and how it was found."""

    #: The homogeneous ``(d + 1, d + 1)`` matrix: ``scale R`` and ``t`` over a row of zeros and a one.
    T_target_source: NDArray[np.float64]
    #: ``R``, orthogonal: a rotation, or a rotation and a reflection.
    rotation: NDArray[np.float64]
    #: ``t``.
    translation: NDArray[np.float64]
    #: How much things grow; 1 unless ``group="similarity"``.
    scale: float
    #: Whether left becomes right; only with ``group="orthogonal"``.
    reflection: bool
    #: Share of the source that was matched; 1 unless another one was asked for.
    overlap: float
    #: Mean squared distance of the final matches, never rooted.
    cost: float
    #: Every step from the pose that was chosen.
    steps: Tuple[RegistrationStep, ...]
    #: Why it ended: ``"converged"``, ``"steps"`` or ``"interrupted"``.
    stop: str
    #: ``"clear"``, ``"ambiguous"``, ``"doubtful"``, ``"not-found"`` or ``"local"``.
    confidence: str
    #: The same in a sentence.
    sentence: str
    #: Time in the engine.
    seconds: float

    @property
    def rms(self) -> float:
        """Root of ``cost``."""
        return math.sqrt(self.cost)

    def transform(self, X: Any) -> NDArray[Any]:
        """Points of the frame of the source, brought into that of the target."""
        x = _arrays.points(X, "X")
        d = len(self.translation)
        if x.shape[1] != d:
            raise InputError(f"X: found {x.shape[1]} columns, expected {d} as in the clouds")
        moved: NDArray[Any] = self.scale * (x @ self.rotation.T) + self.translation
        return moved.astype(x.dtype, copy=False)

    def __repr__(self) -> str:
        plural = "" if len(self.steps) == 1 else "s"
        return f"Registration(rms={self.rms:.6g}, {len(self.steps)} step{plural}, {self.stop}; {self.sentence})"


def register(
    source: Any,
    target: Any,
    *,
    start: Any = "global",
    matching: str = "auto",
    n_projections: int = 100,
    group: str = "rigid",
    overlap: Union[float, str] = 1.0,
    max_steps: int = 100,
    tolerance: float = 1e-5,
    seed: Optional[int] = 0,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
) -> Registration:
    """Find the motion that brings the source onto the target, from any pose and in any dimension.

    Points are matched and the best motion for the matches is fitted, in turn, until nothing moves. From a bad pose
    that ends in a wrong one, so many poses are tried first.

    Parameters
    ----------
    source, target : array-like of shape (n, d) and (m, d)
        The clouds, one point per row, at least ``d + 1`` of them.
    start : "global", "identity" or array-like of shape (d + 1, d + 1)
        Where to begin: anywhere, where the clouds are, or at a homogeneous matrix.
    matching : str
        ``"auto"``: transport while the cloud moves much, then neighbours and planes; or one of the paper's three in
        every step, ``"min-swgg"``, ``"exact"`` and ``"nearest"``; or any other method of :func:`solve` that has a plan
        between any clouds, with its usual settings. With an overlap other than 1 points are matched to neighbours, and
        plans are refused.
    n_projections : int
        Lines of ``"min-swgg"``, new ones in every step.
    group : "rigid", "orthogonal" or "similarity"
        Rotations and translations; reflections too; or one scale for all coordinates too.
    overlap : float or "auto"
        The share of the source that has a counterpart in the target, above 0 and at most 1, or to be found.
    max_steps : int
        Most steps from the pose that was chosen.
    tolerance : float
        A step that moves points by less than this share of the size of the cloud is the last one.
    seed : int, optional
        Seed of samples, lines and turns.
    n_threads : int, optional
        Threads, all of them by default. The answer does not depend on it.
    callback : callable, optional
        Told ``(step, cost)``; returns ``True`` to stop.

    Returns
    -------
    Registration
        Its ``confidence`` says whether the pose is to be trusted.

    Examples
    --------
    >>> import numpy as np, swgg
    >>> source = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 1.0], [2.0, 0.5]])
    >>> target = source @ np.array([[0.0, 1.0], [-1.0, 0.0]]) + [10.0, 20.0]
    >>> found = swgg.register(source, target[::-1])
    >>> bool(np.allclose(found.transform(source), target))
    True
    >>> found.T_target_source.round(6) + 0.0
    array([[ 0., -1., 10.],
           [ 1.,  0., 20.],
           [ 0.,  0.,  1.]])
    """
    x, y = _arrays.points(source, "source"), _arrays.points(target, "target")
    if x.dtype != y.dtype:
        x, y = x.astype(np.float64, copy=False), y.astype(np.float64, copy=False)
    choices = {
        "matching": _arrays.choice(matching, "matching", _MATCHINGS),
        "n_projections": _arrays.whole(n_projections, "n_projections", 1, 2**32),
        "group": _arrays.choice(group, "group", _GROUPS),
        "overlap": _share(overlap),
        "max_steps": _arrays.whole(max_steps, "max_steps", 1, 2**32),
        "tolerance": _arrays.positive(tolerance, "tolerance", zero=True),
        "seed": _arrays.seed(seed),
    }
    begin = _pose(start, x.shape[1])
    (matrix, rotation, translation, scale, reflection), judged, steps, seconds = _swgg.register(
        x, y, begin, choices, _arrays.threads(n_threads), _arrays.function(callback, "callback")
    )
    share, cost, stop, confidence, sentence = judged
    return Registration(
        T_target_source=matrix,
        rotation=rotation,
        translation=translation,
        scale=scale,
        reflection=reflection,
        overlap=share,
        cost=cost,
        steps=tuple(RegistrationStep(*step) for step in steps),
        stop=stop,
        confidence=confidence,
        sentence=sentence,
        seconds=sum(seconds),
    )


def _share(value: Any) -> Optional[float]:
    """A share above 0 and at most 1; none if it is to be found."""
    if isinstance(value, str):
        _arrays.choice(value, "overlap", ("auto",))
        return None
    share = _arrays.number(value, "overlap")
    if not 0.0 < share <= 1.0:
        raise InputError(f"overlap: found {share}, expected a share above 0 and at most 1, or 'auto'")
    return share


def _pose(value: Any, dim: int) -> Optional[NDArray[np.float64]]:
    """A homogeneous matrix; none to begin anywhere."""
    if isinstance(value, str):
        word = _arrays.choice(value, "start", ("global", "identity"))
        return None if word == "global" else np.eye(dim + 1)
    pose = _arrays.matrix(value, "start")
    if pose.shape != (dim + 1, dim + 1):
        raise InputError(
            f"start: found shape {pose.shape}, expected {(dim + 1, dim + 1)}: a homogeneous matrix for clouds of "
            f"dimension {dim}"
        )
    return pose


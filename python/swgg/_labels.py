"""Labels of two domains: what pairs of different labels pay, and labels that a plan carries over."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np

from . import _arrays, _swgg
from ._tables import is_unknown
from .exceptions import InputError
from .result import Result

#: Neighbours in the target that vote for a label.
_VOTERS = 10


class Labels:
    """Labels of sources and targets as whole numbers; the last number is for those without one."""

    def __init__(self, ys: Any, yt: Any, n: int, m: int) -> None:
        self._texts, self.sources, self.targets = _numbered(ys, yt, n, m)
        self.count = len(self._texts)

    @property
    def some_unknown(self) -> bool:
        """Whether there are targets to guess the label of."""
        return bool((self.targets == self.count).any())

    def settings(self, extra: float, targets: np.ndarray) -> Dict[str, Any]:
        """Settings of the labelled cost: different labels pay ``extra``, unknown ones nothing."""
        costs = np.full((self.count + 1, self.count + 1), extra)
        np.fill_diagonal(costs, 0.0)
        costs[-1], costs[:, -1] = 0.0, 0.0
        return {
            "cost": "labelled",
            "label_costs": costs,
            "source_labels": self.sources,
            "target_labels": targets,
        }

    def carried(self, result: Result) -> np.ndarray:
        """Labels of the targets: their own, or the one of which most mass came to them and to their neighbours."""
        rows, cols, masses = result.entries
        votes = np.zeros((len(self.targets), self.count + 1))
        np.add.at(votes, (cols, self.sources[rows]), masses)
        votes[:, -1] = 0.0
        voters = min(_VOTERS, len(result.Y))
        near, _ = _swgg.nearest(result.Y, result.Y, voters, None)
        smooth = votes[near].sum(axis=1)
        guessed = np.where(smooth.max(axis=1) > 0.0, smooth.argmax(axis=1), self.count)
        return np.where(self.targets < self.count, self.targets, guessed)

    def original(self, labels: np.ndarray) -> np.ndarray:
        """Labels as the caller wrote them; -1 where there is none, if the labels are numbers, otherwise None."""
        if self._texts.dtype.kind in "iuf":
            return np.asarray(np.append(self._texts, self._texts.dtype.type(-1))[labels])
        return np.asarray(np.array([*self._texts.tolist(), None], dtype=object)[labels])


def penalty(given: Optional[float], X: np.ndarray, Y: np.ndarray) -> float:
    """What a pair of different labels pays; more than any distance if nothing else is said."""
    if given is not None:
        return _arrays.positive(given, "label_cost", zero=True)
    low = np.minimum(X.min(axis=0), Y.min(axis=0)).astype(np.float64)
    high = np.maximum(X.max(axis=0), Y.max(axis=0)).astype(np.float64)
    return float(((high - low) ** 2).sum()) + 1.0


def _numbered(ys: Any, yt: Any, n: int, m: int) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    sides = []
    for name, labels, count in (("ys", ys, n), ("yt", yt, m)):
        # No labels at all are labels of which each is unknown.
        array = np.full(count, -1) if labels is None else np.asarray(labels)
        if array.shape != (count,):
            raise InputError(f"{name}: found shape {array.shape}, expected ({count},): one label per point; -1 where it is not known")
        sides.append((array, is_unknown(array)))
    known = [array[~unknown] for array, unknown in sides if not unknown.all()]
    texts = np.unique(np.concatenate(known)) if known else np.zeros(0, dtype=np.int64)
    numbers = []
    for array, unknown in sides:
        number = np.full(len(array), len(texts))
        if not unknown.all():
            number[~unknown] = np.searchsorted(texts, array[~unknown])
        numbers.append(number)
    return texts, numbers[0], numbers[1]

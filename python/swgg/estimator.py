"""A plan as an estimator: ``fit``, ``transform``, in the shape that scikit-learn expects and without needing it."""

from __future__ import annotations

import inspect
from typing import Any, Dict, Optional

import numpy as np

from . import _arrays
from ._registry import EVERY, METHODS
from .exceptions import InputError, KindError, NotFittedError
from .result import Result
from .solvers import solve


class Transport:
    """Moves one cloud onto another, and points that come later along with it.

    ``fit`` finds a plan from ``X`` to ``Y``; ``transform`` moves points as their nearest neighbours in ``X`` move,
    which may be points that ``fit`` has not seen. In a pipeline for domain adaptation the target cloud takes the place
    of ``y``.

    Parameters
    ----------
    method, effort, time_limit, seed, n_threads
        As in :func:`swgg.solve`.
    neighbors : int
        How many neighbours a point follows; see :meth:`swgg.Result.transform`.
    **own
        Settings of the method by name, as in :func:`swgg.solve`: ``trees=8`` for ``"tree"``.

    Attributes
    ----------
    result_ : Result
        The plan, with its cost.
    n_features_in_ : int
        Columns of the clouds.

    Examples
    --------
    >>> import numpy as np, swgg
    >>> X = np.array([[0.0, 0.0], [10.0, 0.0]])
    >>> transport = swgg.Transport(neighbors=1).fit(X, X + [0.0, 5.0])
    >>> transport.transform([[1.0, 0.0], [9.0, 2.0]])
    array([[1., 5.],
           [9., 7.]])
    >>> transport.inverse_transform([[1.0, 5.0]])
    array([[1., 0.]])
    >>> transport.result_.value
    25.0
    """

    result_: Result
    n_features_in_: int

    def __init__(
        self,
        *,
        method: str = "auto",
        effort: Optional[int] = None,
        time_limit: Optional[float] = None,
        seed: int = 0,
        n_threads: Optional[int] = None,
        neighbors: int = 1,
        **own: Any,
    ) -> None:
        # As they were given, since clones are compared with them; fit() looks at them.
        self.method = method
        self.effort = effort
        self.time_limit = time_limit
        self.seed = seed
        self.n_threads = n_threads
        self.neighbors = neighbors
        self._set(own)

    def fit(self, X: Any, Y: Any = None, sample_weight_x: Any = None, sample_weight_y: Any = None) -> Transport:
        """Finds a plan from ``X`` to ``Y``, with weights if there are any.

        >>> import swgg
        >>> swgg.Transport(method="exact").fit([[0.0], [1.0]], [[2.0], [3.0]]).result_.value
        4.0
        """
        if Y is None:
            raise KindError("Y: found None, expected the target cloud; in a pipeline pass it as y")
        target = _arrays.numbers(Y, "Y")
        if target.ndim == 1 and np.ndim(X) == 2 and np.shape(X)[1] != 1:
            raise InputError(
                f"Y: found shape {target.shape}, expected the target cloud, with {np.shape(X)[1]} columns like X; "
                "labels cannot be transported to"
            )
        neighbors = _arrays.whole(self.neighbors, "neighbors", 1)
        result = solve(
            X,
            target,
            sample_weight_x,
            sample_weight_y,
            method=self.method,
            effort=self.effort,
            time_limit=self.time_limit,
            seed=self.seed,
            n_threads=self.n_threads,
            bounds=False,
            **{name: getattr(self, name) for name in self._own()},
        )
        fewest = min(len(result.X), len(result.Y))
        if neighbors > fewest:
            raise InputError(
                f"neighbors: found {neighbors}, expected at most {fewest}, the points of the smaller cloud"
            )
        self.result_ = result
        self.n_features_in_ = result.X.shape[1]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Moves points from near the source cloud to near the target cloud."""
        return self._fitted().transform(X, neighbors=self.neighbors)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Moves points from near the target cloud back to near the source cloud."""
        return self._fitted().inverse_transform(X, neighbors=self.neighbors)

    def fit_transform(
        self, X: Any, Y: Any = None, sample_weight_x: Any = None, sample_weight_y: Any = None
    ) -> np.ndarray:
        """Where the plan sends each point of ``X``, on average: :meth:`Result.barycentric`.

        ``fit(X, Y).transform(X)`` is the same, except that points of ``X`` in one place all go where the first one does.
        """
        return self.fit(X, Y, sample_weight_x, sample_weight_y)._fitted().barycentric()

    def _fitted(self) -> Result:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this Transport has no plan yet; call fit(X, Y) first")
        return self.result_

    # What scikit-learn asks of estimators.

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name not in ("self", "own")]

    def _own(self) -> list[str]:
        """Settings of methods that were given beside those in the signature."""
        return [name for name in vars(self) if name in EVERY and name not in self._names()]

    def _set(self, params: Dict[str, Any]) -> None:
        known = self._names()
        for name in params:
            if name not in known and name not in EVERY:
                own = [setting["name"] for setting in METHODS.get(self.method, {"settings": []})["settings"]]
                listed = ", ".join(dict.fromkeys([*known, *own]))
                raise InputError(f"{name}: no such setting of Transport, expected one of {listed}")
        for name, value in params.items():
            setattr(self, name, value)

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The settings by name."""
        return {name: getattr(self, name) for name in [*self._names(), *self._own()]}

    def set_params(self, **params: Any) -> Transport:
        """Changes settings by name; the plan stays until the next ``fit``."""
        self._set(params)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        usual = {name: parameter.default for name, parameter in defaults.items()}
        given = self.get_params().items()
        changed = (f"{name}={value!r}" for name, value in given if name not in usual or value != usual[name])
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "result_")

    def __sklearn_tags__(self) -> Any:
        # Only scikit-learn asks, so it is there.
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type="transformer",
            target_tags=TargetTags(required=True, multi_output=True),
            transformer_tags=TransformerTags(preserves_dtype=["float64", "float32"]),
            input_tags=InputTags(),
        )


__all__ = ["Transport"]

"""A plan as an estimator: ``fit``, ``transform``, in the shape that scikit-learn expects and without needing it."""

from __future__ import annotations

import inspect
import sys
from typing import Any, Dict, List, Optional

import numpy as np

from . import _arrays, _tables
from ._labels import Labels, penalty
from ._registry import EVERY, METHODS
from ._routing import Routed
from .exceptions import InputError, KindError, NotFittedError
from .result import Result
from .solvers import solve


class Transport(Routed):
    """Moves one cloud onto another, and points that come later along with it.

    ``fit`` finds a plan from ``X`` to ``Y``; ``transform`` moves points as their nearest neighbours in ``X`` move,
    which may be points that ``fit`` has not seen. In a pipeline for domain adaptation the target cloud takes the place
    of ``y``, or goes by name: ``fit(Xs=..., ys=..., Xt=..., yt=...)`` as in POT, or with ``sample_domain`` as in skada.

    Parameters
    ----------
    method, effort, time_limit, seed, n_threads
        As in :func:`swgg.solve`.
    neighbors : int
        How many neighbours a point follows; see :meth:`swgg.Result.transform`.
    label_cost : float, optional
        With labels of both domains: what a unit of mass pays in addition where they differ; more than any distance if left
        out.
    label_rounds : int
        With labels of the source, and targets without: how often labels that the plan carries over count as theirs for
        another plan (3). 0: only labels that are given count.
    random_state : int, RandomState or None
        Scikit-learn's name of ``seed``, which it takes the place of if it is given.
    n_jobs : int, optional
        Scikit-learn's name of ``n_threads``, in the same manner.
    **own
        Settings of the method by name, as in :func:`swgg.solve`: ``trees=8`` for ``"tree"``.

    Attributes
    ----------
    result_ : Result
        The plan, with its cost.
    n_features_in_ : int
        Columns of the clouds.
    feature_names_in_ : array of str
        Names of the columns, if ``X`` is a table with names. Tables with other names, or in another order, are refused.
    labels_ : array of shape (m,)
        With labels: those of the targets, given or carried over; -1 (None, if labels are text) where there is none.

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
    >>> swgg.Transport().fit(Xs=X, ys=["a", "b"], Xt=X + 1.0, yt=["b", None]).labels_.tolist()
    ['b', 'a']
    """

    result_: Result
    n_features_in_: int
    feature_names_in_: np.ndarray
    labels_: np.ndarray

    def __init__(
        self,
        *,
        method: str = "auto",
        effort: Optional[int] = None,
        time_limit: Optional[float] = None,
        seed: Optional[int] = 0,
        n_threads: Optional[int] = None,
        neighbors: int = 1,
        label_cost: Optional[float] = None,
        label_rounds: int = 3,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        **own: Any,
    ) -> None:
        # As they were given, since clones are compared with them; fit() looks at them.
        self.method = method
        self.effort = effort
        self.time_limit = time_limit
        self.seed = seed
        self.n_threads = n_threads
        self.neighbors = neighbors
        self.label_cost = label_cost
        self.label_rounds = label_rounds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self._set(own)

    def fit(
        self,
        X: Any = None,
        Y: Any = None,
        sample_weight_x: Any = None,
        sample_weight_y: Any = None,
        *,
        y: Any = None,
        Xs: Any = None,
        ys: Any = None,
        Xt: Any = None,
        yt: Any = None,
        sample_domain: Any = None,
    ) -> Transport:
        """Finds a plan from ``X`` to ``Y``, with weights and labels if there are any.

        Parameters
        ----------
        X, Xs : array-like or table of shape (n, d)
            The source cloud, under either name.
        Y, y, Xt : array-like or table of shape (m, d)
            The target cloud. A vector in the place of ``Y`` is labels: of ``X``, if there is ``Xt``; or else ``X`` holds both
            domains, and rows of label -1 (NaN, None) are the target.
        sample_weight_x, sample_weight_y : array-like of shape (n,) and (m,), optional
            Weights of the points.
        ys, yt : array-like of shape (n,) and (m,), optional
            Labels, -1 (NaN, None) where there is none. Pairs of different labels pay ``label_cost`` more, in the labelled
            cost of :func:`swgg.solve` (squared distances).
        sample_domain : array-like of shape (n,), optional
            ``X`` holds both domains: above 0 for rows of the source, below 0 for rows of the target.

        Examples
        --------
        >>> import swgg
        >>> swgg.Transport(method="exact").fit([[0.0], [1.0]], [[2.0], [3.0]]).result_.value
        4.0
        >>> swgg.Transport().fit([[0.0], [1.0], [5.0], [6.0]], sample_domain=[1, 1, -1, -1]).result_.value
        25.0
        """
        if X is not None and Xs is not None:
            raise InputError("X and Xs: found both, which are two names of the source cloud; leave one out")
        given = Xs if X is None else X
        if given is None:
            raise KindError("X: found None, expected the source cloud")
        names = _tables.names_of(given)
        source = _tables.read(given, "X" if X is not None else "Xs")
        second = y if Y is None else Y
        target: Optional[np.ndarray] = None
        if Xt is not None:
            _tables.check_names(_tables.names_of(Xt), names, "Xt", type(self).__name__)
            target = _tables.read(Xt, "Xt")
            if second is not None and ys is None:
                ys = second
        elif sample_domain is not None or (second is not None and _is_labels(second, source)):
            if ys is not None or yt is not None:
                raise InputError("ys and yt: found labels of two clouds, and one cloud; give the target cloud as Xt")
            rows, others = _tables.split_domains(source, second, sample_domain)
            if second is not None:
                both = np.asarray(second)
                ys, yt = both[rows], both[others]
            source, target = source[rows], source[others]
        elif second is not None:
            _tables.check_names(_tables.names_of(second), names, "Y", type(self).__name__)
            target = _tables.read(second, "Y")
        if target is None:
            raise KindError("Y: found None, expected the target cloud; in a pipeline pass it as y, or as Xt by name")
        neighbors = _arrays.whole(self.neighbors, "neighbors", 1)
        labels = None if ys is None else Labels(ys, yt, len(source), len(target))
        result = self._solved(source, target, sample_weight_x, sample_weight_y, labels)
        fewest = min(len(result.X), len(result.Y))
        if neighbors > fewest:
            raise InputError(
                f"neighbors: found {neighbors}, expected at most {fewest}, the points of the smaller cloud"
            )
        for name in ("feature_names_in_", "labels_"):
            vars(self).pop(name, None)
        self.result_ = result
        self.n_features_in_ = result.X.shape[1]
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        if labels is not None:
            self.labels_ = labels.original(labels.carried(result))
        return self

    def _solved(self, X: np.ndarray, Y: np.ndarray, a: Any, b: Any, labels: Optional[Labels]) -> Result:
        chance = self.seed if self.random_state is None else _seed_of(self.random_state)
        settings = {
            "method": self.method,
            "effort": self.effort,
            "time_limit": self.time_limit,
            "seed": chance,
            "n_threads": self.n_threads if self.n_jobs is None else _arrays.threads(self.n_jobs, "n_jobs"),
            "bounds": False,
            **{name: getattr(self, name) for name in self._own()},
        }
        rounds = _arrays.whole(self.label_rounds, "label_rounds", 0, 1000)
        if labels is None:
            return solve(X, Y, a, b, **settings)
        x, y = _arrays.clouds(X, Y)
        if x.shape[1] != y.shape[1]:
            return solve(x, y, a, b, **settings)
        extra, targets = penalty(self.label_cost, x, y), labels.targets
        result = solve(x, y, a, b, **settings, **labels.settings(extra, targets))
        for _ in range(rounds if labels.some_unknown else 0):
            guessed = labels.carried(result)
            if (guessed == targets).all():
                break
            targets = guessed
            result = solve(x, y, a, b, **settings, **labels.settings(extra, targets))
        return result

    def transform(self, X: Any = None, *, Xs: Any = None, sample_domain: Any = None) -> Any:
        """Moves points from near the source cloud to near the target cloud.

        With ``sample_domain``, only rows above 0, which are sources, move; ``Xs`` is POT's name of ``X``.
        """
        given = Xs if X is None else X
        fitted, points = self._fitted(), self._read(given, "X")
        moved = fitted.transform(points, neighbors=self.neighbors)
        if sample_domain is not None:
            signs = np.asarray(sample_domain)
            if signs.shape != (len(points),):
                raise InputError(f"sample_domain: found shape {signs.shape}, expected ({len(points)},): one number per row")
            moved = np.where((signs > 0)[:, None], moved, points)
        return self._output(moved, given)

    def inverse_transform(self, X: Any = None, *, Xt: Any = None) -> Any:
        """Moves points from near the target cloud back to near the source cloud; ``Xt`` is POT's name of ``X``."""
        given = Xt if X is None else X
        fitted, points = self._fitted(), self._read(given, "X")
        return fitted.inverse_transform(points, neighbors=self.neighbors)

    def fit_transform(
        self, X: Any = None, Y: Any = None, sample_weight_x: Any = None, sample_weight_y: Any = None, **more: Any
    ) -> Any:
        """Where the plan sends each point of ``X``, on average: :meth:`Result.barycentric`.

        ``fit(X, Y).transform(X)`` is the same, except that points of ``X`` in one place all go where the first one does.
        Further arguments are those of :meth:`fit`. Where ``X`` holds both domains, points of the target stay where they are.
        """
        self.fit(X, Y, sample_weight_x, sample_weight_y, **more)
        given: Any = more.get("Xs") if X is None else X
        moved = self.result_.barycentric()
        if len(moved) != len(given):
            second = more.get("y") if Y is None else Y
            points = _tables.read(given, "X")
            rows, _ = _tables.split_domains(points, second, more.get("sample_domain"))
            whole = points.astype(np.result_type(points, moved))
            whole[rows] = moved
            moved = whole
        return self._output(moved, given)

    def _fitted(self) -> Result:
        if not self.__sklearn_is_fitted__():
            raise _not_fitted()("this Transport has no plan yet; call fit(X, Y) first")
        return self.result_

    def _read(self, X: Any, name: str) -> np.ndarray:
        """Points that come later, with the columns of the fit."""
        if X is None:
            raise KindError(f"{name}: found None, expected points")
        fitted: Optional[List[str]] = list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None
        _tables.check_names(_tables.names_of(X), fitted, "X", type(self).__name__)
        points = _tables.read(X, name)
        if np.ndim(points) == 2 and points.shape[1] != self.n_features_in_:
            if np.ndim(X) == 1:
                raise InputError(
                    f"{name}: found one axis of shape {np.shape(X)}, expected 2: one row per point. Reshape your data with "
                    "reshape(1, -1) if it is a single point"
                )
            raise InputError(
                f"{name}_new: found {points.shape[1]} columns, expected {self.n_features_in_} as in the clouds of the plan: X has "
                f"{points.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input"
            )
        return points

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns that come out: those that went in, or ``x0``, ``x1``, and so on."""
        self._fitted()
        names = getattr(self, "feature_names_in_", None)
        if input_features is not None:
            given = np.asarray(input_features, dtype=object)
            if names is not None and list(given) != list(names):
                raise InputError("input_features is not equal to feature_names_in_")
            if len(given) != self.n_features_in_:
                raise InputError(
                    f"input_features should have length equal to number of features ({self.n_features_in_}), got {len(given)}"
                )
            return given
        if names is not None:
            return np.asarray(names, dtype=object)
        return np.array([f"x{column}" for column in range(self.n_features_in_)], dtype=object)

    def set_output(self, *, transform: Optional[str] = None) -> Transport:
        """What ``transform`` returns: ``"default"`` arrays, or data frames of ``"pandas"`` or ``"polars"``.

        >>> import swgg
        >>> swgg.Transport().set_output(transform="default").fit([[0.0], [1.0]], [[2.0], [3.0]]).transform([[0.0]])
        array([[2.]])
        """
        if transform is not None:
            chosen = _arrays.choice(transform, "transform", ("default", "pandas", "polars"))
            # Under the name by which scikit-learn's clone() takes it along.
            self._sklearn_output_config = {"transform": chosen}
        return self

    def _output(self, moved: np.ndarray, like: Any) -> Any:
        own: Dict[str, str] = getattr(self, "_sklearn_output_config", {})
        kind = _tables.output_kind(own.get("transform"))
        return _tables.wrapped(moved, kind, [str(name) for name in self.get_feature_names_out()], like)

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


def _is_labels(second: Any, source: np.ndarray) -> bool:
    """Whether what stands in the place of the target cloud is labels: one per row, and no cloud on the line."""
    if hasattr(second, "toarray") or source.shape[1] == 1:
        return False
    return np.ndim(second if hasattr(second, "shape") else np.asarray(second, dtype=object)) == 1


def _seed_of(state: Any) -> Optional[int]:
    """A seed by scikit-learn's conventions: a number, or a generator that one is drawn from."""
    if hasattr(state, "randint"):
        return int(state.randint(0, 2**31 - 1))
    if hasattr(state, "integers"):
        return int(state.integers(0, 2**63 - 1))
    return _arrays.whole(state, "random_state")


def _not_fitted() -> type:
    """Ours, which is scikit-learn's as well if that is loaded."""
    theirs: Any = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", None)
    return NotFittedError if theirs is None else type("NotFittedError", (NotFittedError, theirs), {"__module__": __name__})


__all__ = ["Transport"]

"""The estimator, alone and inside scikit-learn."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import swgg

SHIFT = np.array([4.0, -2.0])


def clouds(n: int = 80) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(n, 2))
    return X, (X + SHIFT)[::-1]


def test_fit_transform_and_back() -> None:
    X, Y = clouds()
    transport = swgg.Transport(method="exact", neighbors=3)
    assert transport.fit(X, Y) is transport
    assert transport.n_features_in_ == 2 and np.isclose(transport.result_.value, (SHIFT**2).sum())
    new = np.random.default_rng(1).normal(size=(15, 2))
    assert np.allclose(transport.transform(new), new + SHIFT)
    assert np.allclose(transport.inverse_transform(new + SHIFT), new)
    assert np.allclose(swgg.Transport().fit_transform(X, Y), X + SHIFT)


def test_weights_reach_the_solver() -> None:
    X, Y = clouds(20)
    a, b = np.linspace(1.0, 2.0, 20), np.linspace(3.0, 1.0, 20)
    transport = swgg.Transport().fit(X, Y, sample_weight_x=a, sample_weight_y=b)
    assert transport.result_.value == swgg.solve(X, Y, a, b).value


def test_settings_are_kept_as_given() -> None:
    transport = swgg.Transport(effort=np.int64(3), n_threads=1)
    params = transport.get_params()
    assert list(params) == ["method", "effort", "time_limit", "seed", "n_threads", "neighbors", "label_cost", "label_rounds", "random_state", "n_jobs"]
    assert type(params["effort"]) is np.int64
    assert transport.set_params(seed=4, method="tree") is transport and transport.seed == 4
    assert repr(transport) == f"Transport(method='tree', effort={np.int64(3)!r}, seed=4, n_threads=1)"
    assert repr(swgg.Transport()) == "Transport()"
    with pytest.raises(swgg.InputError, match="depth: no such setting"):
        transport.set_params(depth=3)
    with pytest.raises(TypeError):
        swgg.Transport("exact")  # type: ignore[misc]


def test_refusals() -> None:
    X, Y = clouds(5)
    for call in (swgg.Transport().transform, swgg.Transport().inverse_transform):
        with pytest.raises(swgg.NotFittedError, match="call fit"):
            call(X)
    with pytest.raises(swgg.KindError, match="Y: found None"):
        swgg.Transport().fit(X)
    with pytest.raises(swgg.InputError, match="y: found labels, and no row of another domain"):
        swgg.Transport().fit(X, [0, 1, 0, 1, 1])
    with pytest.raises(swgg.InputError, match="neighbors: found 6, expected at most 5"):
        swgg.Transport(neighbors=6).fit(X, Y)
    with pytest.raises(swgg.InputError, match="method: found 'magic'"):
        swgg.Transport(method="magic").fit(X, Y)
    with pytest.raises(swgg.InputError, match="X_new: found 3 columns"):
        swgg.Transport().fit(X, Y).transform(np.zeros((2, 3)))


def test_inside_scikit_learn() -> None:
    sklearn = pytest.importorskip("sklearn", reason="skipped: no scikit-learn")
    from sklearn.base import clone
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils.validation import check_is_fitted

    X, Y = clouds()
    transport = swgg.Transport(seed=3, neighbors=2)
    copy = clone(transport)
    assert copy is not transport and copy.get_params() == transport.get_params()
    with pytest.raises(sklearn.exceptions.NotFittedError):
        check_is_fitted(transport)
    check_is_fitted(transport.fit(X, Y))

    pipeline = make_pipeline(StandardScaler(with_std=False), swgg.Transport(method="exact"))
    moved = pipeline.fit(X, Y).transform(X)
    assert np.allclose(moved, X + SHIFT)
    assert np.allclose(pipeline.inverse_transform(moved), X)
    assert np.allclose(pipeline.fit_transform(X, Y), X + SHIFT)
    assert clone(pipeline).set_params(transport__neighbors=4).get_params()["transport__neighbors"] == 4
    before = make_pipeline(swgg.Transport(), StandardScaler()).fit(X, Y)
    assert np.allclose(before.transform(X).mean(axis=0), 0.0, atol=1e-9)
    weighted = pipeline.fit(X, Y, transport__sample_weight_x=np.arange(1.0, 81.0))
    assert weighted[-1].result_.a is not None
    assert "transport" in repr(pipeline)


def test_domain_adaptation_helps_a_classifier() -> None:
    pytest.importorskip("sklearn", reason="skipped: no scikit-learn")
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(2)
    labels = np.repeat([0, 1], 60)
    means = np.where(labels[:, None] == 0, [0.0, 0.0], [2.0, 0.0])
    X, Y = rng.normal(size=(120, 2)) * 0.3 + means, rng.normal(size=(120, 2)) * 0.3 + means
    # Seen by another sensor: turned a little, and shifted so that one class lies where the other was.
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    Y = Y @ turn.T + [2.0, 0.0]
    plain = KNeighborsClassifier().fit(X, labels).score(Y, labels)
    adapted = KNeighborsClassifier().fit(swgg.Transport().fit_transform(X, Y), labels).score(Y, labels)
    assert adapted > 0.95 and plain < 0.7


def test_points_in_one_place_go_where_the_plan_sends_them():
    rng = np.random.default_rng(0)
    X, Y = np.repeat(rng.normal(size=(10, 3)), 3, axis=0), rng.normal(size=(30, 3))
    transport = swgg.Transport()
    np.testing.assert_array_equal(transport.fit_transform(X, Y), transport.result_.barycentric())


class Mirrored(swgg.Transport):
    """scikit-learn's checks know one cloud: the other is made of it here. With feature_names_in_."""

    def fit(self, X, y=None):
        try:
            other = 2.0 * np.asarray(X, dtype=float)[::-1] + 1.0
            other = type(X)(other, columns=X.columns) if hasattr(X, "columns") else other.astype(getattr(X, "dtype", float))
        except (TypeError, ValueError, Warning):
            other = X
        return super().fit(Xs=X, Xt=other)

    def fit_transform(self, X, y=None):
        return self.fit(X).transform(X)


#: Checks of scikit-learn that are not met, and why.
EXCEPTIONS = {
    "check_do_not_raise_errors_in_init_or_set_params": "a setting that no method has is refused at once, with the list of those there are",
    "check_fit1d": "a sequence of numbers is a cloud on the line, as everywhere in swgg",
}


try:
    from sklearn.utils.estimator_checks import parametrize_with_checks

    import pandas as _  # noqa: F401  (some of the checks need it)
except ImportError:

    @pytest.mark.skip(reason="skipped: no scikit-learn, or no pandas")
    def test_checks_of_scikit_learn() -> None: ...

else:
    with warnings.catch_warnings():
        # It does not inherit from scikit-learn, which is not needed.
        warnings.filterwarnings("ignore", message="Estimator Mirrored does not inherit")
        checks = parametrize_with_checks([Mirrored()], expected_failed_checks=lambda estimator: EXCEPTIONS)

    @pytest.mark.filterwarnings("ignore:Estimator Mirrored does not inherit")
    @checks
    def test_checks_of_scikit_learn(estimator, check) -> None:
        check(estimator)


def test_domains_by_name_and_by_rows_are_one() -> None:
    X, Y = clouds(20)
    plain = swgg.Transport().fit(X, Y).result_.value
    assert swgg.Transport().fit(Xs=X, Xt=Y).result_.value == plain
    both, domain = np.concatenate([X, Y]), np.repeat([1, -2], 20)
    transport = swgg.Transport().fit(both, sample_domain=domain)
    assert transport.result_.value == plain
    labels = np.where(domain > 0, 1, -1)
    assert swgg.Transport(label_rounds=0).fit(both, labels).result_.value == plain
    moved = transport.transform(both, sample_domain=domain)
    assert np.array_equal(moved[20:], Y) and np.allclose(moved[:20], X + SHIFT)
    assert np.allclose(swgg.Transport().fit_transform(both, sample_domain=domain), moved)
    with pytest.raises(swgg.InputError, match="X and Xs: found both"):
        swgg.Transport().fit(X, Xs=X, Xt=Y)


def test_labels_decide_where_points_go() -> None:
    X, Y = np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[0.0, 0.0], [1.0, 0.0]])
    transport = swgg.Transport().fit(Xs=X, ys=["a", "b"], Xt=Y, yt=["b", "a"])
    assert transport.result_.permutation.tolist() == [1, 0] and transport.labels_.tolist() == ["b", "a"]
    assert swgg.Transport(label_cost=0.0).fit(Xs=X, ys=[3, 4], Xt=Y, yt=[4, 3]).result_.permutation.tolist() == [0, 1]
    with pytest.raises(swgg.InputError, match=r"yt: found shape \(1,\), expected \(2,\)"):
        swgg.Transport().fit(Xs=X, ys=[0, 1], Xt=Y, yt=[0])


def test_seeds_and_threads_by_either_name() -> None:
    X, Y = clouds(30)
    for settings in ({"seed": None}, {"random_state": 3}, {"random_state": np.random.RandomState(0)}, {"n_threads": -1}, {"n_jobs": -1}):
        assert np.isclose(swgg.Transport(**settings).fit(X, Y).result_.value, (SHIFT**2).sum())
    with pytest.raises(swgg.InputError, match="n_jobs: found -3"):
        swgg.Transport(n_jobs=-3).fit(X, Y)


def test_tables_keep_their_names() -> None:
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    X, Y = (pandas.DataFrame(cloud, columns=["u", "v"]) for cloud in clouds(12))
    transport = swgg.Transport().set_output(transform="pandas").fit(X, Y)
    assert list(transport.feature_names_in_) == ["u", "v"]
    moved = transport.transform(X.set_index(np.arange(12) + 5))
    assert list(moved.columns) == ["u", "v"] and list(moved.index) == list(range(5, 17))
    for call in (lambda: transport.transform(X[["v", "u"]]), lambda: swgg.Transport().fit(X, Y[["v", "u"]])):
        with pytest.raises(swgg.InputError, match="must be in the same order as they were in fit"):
            call()
    nullable = X.astype("Float64")
    assert np.allclose(swgg.Transport().fit(nullable, Y).transform(nullable), X + SHIFT)
    nullable.iloc[3, 1] = pandas.NA
    with pytest.raises(swgg.InputError, match="row 3 has a missing value"):
        swgg.Transport().fit(nullable, Y)
    objects = X.to_numpy().astype(object)
    assert np.allclose(swgg.Transport().fit(objects, Y.to_numpy()).transform(objects), X + SHIFT)


def test_tables_of_polars_keep_their_names_too() -> None:
    polars = pytest.importorskip("polars", reason="needs polars")
    X, Y = (polars.DataFrame(cloud, schema=["u", "v"], orient="row") for cloud in clouds(12))
    transport = swgg.Transport().set_output(transform="polars").fit(X, Y)
    assert list(transport.feature_names_in_) == ["u", "v"]
    moved = transport.transform(X)
    assert isinstance(moved, polars.DataFrame) and moved.columns == ["u", "v"]
    assert np.allclose(moved.to_numpy(), X.to_numpy() + SHIFT)
    with pytest.raises(swgg.InputError, match="must be in the same order as they were in fit"):
        transport.transform(X.select("v", "u"))

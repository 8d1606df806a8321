"""Every refusal is a SwggError, also what Python would raise, and says which argument and what to do."""

from __future__ import annotations

import decimal

import numpy as np
import pytest

import swgg

X = np.arange(12.0).reshape(6, 2)
NAN = np.where(np.arange(12).reshape(6, 2) == 5, np.nan, X)
INF = np.where(np.arange(12).reshape(6, 2) == 9, -np.inf, X)


class Lying:
    """Says that it is an array."""

    def __array__(self, dtype=None, copy=None):
        raise KeyError("no numbers today")


class Shy:
    """Cannot even be shown."""

    def __repr__(self):
        raise RuntimeError("no")


class Tensor:
    """A tensor on a card."""

    class device:
        type = "cuda"

        def __str__(self):
            return "cuda:0"

    device = device()


class Sparse:
    nnz = 3

    def toarray(self):
        return X


POINTS = [
    (NAN, ValueError, "X: row 2, column 1 (counted from 0) is NaN, not a finite number; drop the row"),
    (INF, ValueError, "X: row 4, column 1 (counted from 0) is -inf, not a finite number"),
    (NAN.astype(np.float32), ValueError, "X: row 2, column 1"),
    (np.full((6, 2), 1e200), ValueError, "X: row 0, column 0 (counted from 0) is 1e200: squared distances would"),
    (np.full((6, 2), np.longdouble("1e4000")), ValueError, "X: row 0, column 0 (counted from 0) is inf"),
    ([], ValueError, "X: the cloud has no points; a measure needs at least one"),
    (np.empty((0, 2)), ValueError, "X: the cloud has no points"),
    (np.empty((6, 0)), ValueError, "X: found points without coordinates, of shape (6, 0), expected a column"),
    ([[]], ValueError, "X: found points without coordinates, of shape (1, 0), expected a column"),
    (np.zeros((2, 3, 2)), ValueError, "X: found 3 axes of shape (2, 3, 2), expected 2: one row per point"),
    (np.float64(3.0), ValueError, "X: found a single number, expected an array with one row per point"),
    (3, ValueError, "X: found a single number"),
    (np.zeros((6, 3)), ValueError, "X has 3 columns and Y has 2; both clouds must live in the same space"),
    (np.array([[1, None], [2, 3]]), TypeError, "X: found an array of Python objects, expected numbers"),
    (X.astype(object), TypeError, "X: found an array of Python objects, expected numbers"),
    ([[1.0, 2.0], [3.0]], TypeError, "expected rows of equal length"),
    ([[1.0, [2.0]], [3.0, 1.0]], TypeError, "expected rows of equal length"),
    (X + 1j, TypeError, "X: found complex numbers, expected real ones; pass their real and imaginary parts as"),
    ([[1j, 2.0]], TypeError, "X: found complex numbers"),
    ("points.csv", TypeError, "X: found a value of type str, expected an array of numbers"),
    (b"123", TypeError, "X: found a value of type bytes, expected an array of numbers"),
    ([["a", "b"]], TypeError, "X: found an array of <U1, expected numbers; convert it with astype(float)"),
    (np.array([["1", "2"]]), TypeError, "convert it with astype(float)"),
    (np.array([["2020-01-01"] * 2], dtype="M8[D]"), TypeError, "X: found an array of datetime64[D], expected numbers"),
    (np.zeros(3, dtype=[("x", float)]), TypeError, "expected numbers"),
    (None, TypeError, "X: found None, expected an array of numbers"),
    ({"x": 1}, TypeError, "X: found a value of type dict, expected an array of numbers"),
    ({1.0, 2.0}, TypeError, "X: found a value of type set, expected an array of numbers"),
    (object(), TypeError, "X: found a value of type object, expected an array of numbers"),
    (iter([1.0, 2.0]), TypeError, "X: found a value of type list_iterator, expected an array of numbers"),
    (np.ma.masked_invalid(NAN), TypeError, "X: found a masked array, expected plain numbers; drop its masked rows"),
    (Lying(), TypeError, "X: found a value of type Lying that is not an array of numbers ('no numbers today')"),
    (Tensor(), TypeError, "X: found an array on device cuda:0, expected one in main memory; call its cpu()"),
    (Sparse(), TypeError, "X: found a sparse matrix, expected a dense array of points; call its toarray()"),
]

WEIGHTS = [
    ([1, 1, 1, 1, 1, -0.5], ValueError, "a: weight 5 (counted from 0) is -0.5; weights are finite and not negative"),
    ([1, 1, np.nan, 1, 1, 1], ValueError, "a: weight 2 (counted from 0) is NaN; weights are finite"),
    ([np.inf, 1, 1, 1, 1, 1], ValueError, "a: weight 0 (counted from 0) is inf; weights are finite"),
    (np.zeros(6), ValueError, "a: all 6 weights are zero; at least one must be positive"),
    (np.ones(5), ValueError, "a: found 5 weights for 6 points; give one weight per point"),
    ([], ValueError, "a: found 0 weights for 6 points"),
    (np.ones((6, 1)), ValueError, "a: found weights of shape (6, 1), expected one number per point; call its ravel()"),
    (1.0, ValueError, "a: found the number 1.0, expected weights, one per point; settings go by name"),
    (np.ones((6, 3)), ValueError, "a: found weights of shape (6, 3), expected one number per point; a matrix of costs goes by name"),
    (np.ones(6) + 0j, TypeError, "a: found complex numbers"),
    ("uniform", TypeError, "a: found a value of type str, expected an array of numbers"),
    ([1, 1, 1, 1, 1, None], TypeError, "a: found an array of Python objects"),
]

SETTINGS = [
    ("seed", 1.5, TypeError, "seed: found 1.5, expected a whole number"),
    ("seed", 1.0, TypeError, "seed: found 1.0, expected a whole number"),
    ("seed", "7", TypeError, "seed: found '7', expected a whole number"),
    ("seed", True, TypeError, "seed: found True, expected a whole number"),
    ("seed", np.random.default_rng(0), TypeError, "seed: found Generator(PCG64)"),
    ("seed", np.array([1, 2]), TypeError, "seed: found array([1, 2]), expected a whole number"),
    ("seed", Shy(), TypeError, "seed: found a value of type Shy, expected a whole number"),
    ("seed", -1, ValueError, "seed: found -1, expected a whole number from 0 to 2**64 - 1"),
    ("seed", 2**64, ValueError, "seed: found 18446744073709551616, expected a whole number from 0 to 2**64 - 1"),
    pytest.param("seed", 10**6000, ValueError, "seed: found a value of type int, expected", id="enormous"),
    ("effort", 0, ValueError, "effort: found 0, expected a whole number from 1 to 10"),
    ("effort", 11, ValueError, "effort: found 11, expected a whole number from 1 to 10"),
    ("effort", 2.5, TypeError, "effort: found 2.5, expected a whole number"),
    ("effort", True, TypeError, "effort: found True, expected a whole number"),
    ("method", "exat", ValueError, "method: found 'exat', expected one of "),
    ("method", "exat", ValueError, "; did you mean 'exact'?"),
    ("method", "Exact", ValueError, "; did you mean 'exact'?"),
    ("method", "", ValueError, "method: found '', expected one of 'auto'"),
    ("method", None, TypeError, "method: found None, expected one of 'auto'"),
    ("method", ["auto"], TypeError, "method: found ['auto'], expected one of 'auto'"),
    ("time_limit", -1, ValueError, "time_limit: found -1.0, expected seconds above 0; leave it out for no limit"),
    ("time_limit", 0, ValueError, "time_limit: found 0.0, expected seconds above 0; leave it out for no limit"),
    (
        "time_limit",
        1e300,
        ValueError,
        "time_limit: found 1e+300, expected at most 31536000 seconds, a year; leave it out for no limit",
    ),
    ("time_limit", float("nan"), ValueError, "time_limit: found nan, expected a finite number"),
    ("time_limit", float("inf"), ValueError, "time_limit: found inf, expected a finite number"),
    ("time_limit", "soon", TypeError, "time_limit: found 'soon', expected a number"),
    ("time_limit", "3", TypeError, "time_limit: found '3', expected a number"),
    ("time_limit", 1j, TypeError, "time_limit: found 1j, expected a number"),
    ("time_limit", True, TypeError, "time_limit: found True, expected a number"),
    ("time_limit", [1.0], TypeError, "time_limit: found [1.0], expected a number"),
    ("time_limit", np.ones(1), TypeError, "time_limit: found array([1.]), expected a number"),
    ("time_limit", decimal.Decimal("NaN"), ValueError, "time_limit: found nan, expected a finite number"),
    ("n_threads", 0, ValueError, "n_threads: found 0, expected a whole number from 1 to 1024"),
    ("n_threads", -2, ValueError, "n_threads: found -2, expected a whole number from 1 to 1024"),
    ("n_threads", 10**9, ValueError, "n_threads: found 1000000000, expected a whole number from 1 to 1024"),
    ("n_threads", 2.0, TypeError, "n_threads: found 2.0, expected a whole number"),
    ("callback", 3, TypeError, "callback: found 3, expected a function to call"),
    ("callback", "print", TypeError, "callback: found 'print', expected a function to call"),
    ("bounds", "no", TypeError, "bounds: found 'no', expected True or False"),
    ("bounds", np.array([True, False]), TypeError, "bounds: found array([ True, False]), expected True or False"),
]


def refused(kind, message, call):
    with pytest.raises(swgg.SwggError) as caught:
        call()
    assert isinstance(caught.value, kind), type(caught.value).__mro__
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(("value", "kind", "message"), POINTS)
def test_points(value, kind, message):
    refused(kind, message, lambda: swgg.solve(value, X))
    if message.startswith("X: "):
        refused(kind, message.replace("X: ", "Y: "), lambda: swgg.solve(X, value))


@pytest.mark.parametrize(("value", "kind", "message"), WEIGHTS)
def test_weights(value, kind, message):
    refused(kind, message, lambda: swgg.solve(X, X, value))
    refused(kind, message.replace("a: ", "b: ", 1), lambda: swgg.solve(X, X, None, value))


@pytest.mark.parametrize(("name", "value", "kind", "message"), SETTINGS)
def test_settings(name, value, kind, message):
    refused(kind, message, lambda: swgg.solve(X, X, **{name: value}))


def test_settings_that_look_odd_and_are_not():
    expected = swgg.solve(X, X + 1).value
    for settings in (
        {"seed": np.uint64(2**64 - 1)},
        {"seed": np.array(3)},
        {"effort": np.int8(10)},
        {"n_threads": np.int64(2)},
        {"time_limit": 1e-9},
        {"time_limit": 31_536_000},
        {"time_limit": np.float32(1)},
        {"time_limit": decimal.Decimal(1)},
        {"bounds": np.True_},
    ):
        assert swgg.solve(X, X + 1, **settings).value == expected


def test_later_calls_refuse_too():
    result = swgg.solve(X, X + 1)
    refused(ValueError, "X_new: found 3 columns, expected 2", lambda: result.transform(np.zeros((4, 3))))
    refused(ValueError, "Y_new: found 3 columns, expected 2", lambda: result.inverse_transform(np.zeros((4, 3))))
    refused(ValueError, "row 0, column 1 (counted from 0) is NaN", lambda: result.transform([[0.0, np.nan]]))
    refused(TypeError, "X_new: found None", lambda: result.transform(None))
    refused(ValueError, "neighbors: found 7, expected a whole number from 1", lambda: result.transform(X, neighbors=7))
    refused(TypeError, "neighbors: found 1.5", lambda: result.transform(X, neighbors=1.5))
    refused(ValueError, "t: found 1.5, expected a time from 0 to 1", lambda: result.interpolate(1.5))
    refused(ValueError, "t: found nan", lambda: result.interpolate(float("nan")))
    refused(TypeError, "t: found 'half'", lambda: result.interpolate("half"))
    refused(TypeError, "limit: found 1.0", lambda: result.dense_plan(1.0))


def test_huge_dense_plans_are_refused_rather_than_tried():
    n = 20_000
    line = np.arange(float(n))
    result = swgg.solve(line, line + 1, effort=1)
    message = f"a dense {n} x {n} plan takes 3200000000 bytes, the limit is 1073741824; use the sparse entries"
    refused(MemoryError, message, result.dense_plan)
    refused(MemoryError, "the limit is 0", lambda: swgg.solve(X, X).dense_plan(0))


def test_what_the_machine_does_not_have_is_refused():
    # A matrix larger than any address space: nobody may try to make it, and nobody may die of it.
    sources = np.array([0], dtype=np.uint32)
    plan = swgg._swgg.Plan(2**32 - 1, 2**32 - 1, sources, sources, np.ones(1))
    refused(MemoryError, "plan does not fit in memory", lambda: plan.dense(2**70))


def test_one_root():
    classes = [getattr(swgg, name) for name in swgg.__all__ if name.endswith("Error")]
    assert len(classes) == 7 and all(issubclass(kind, swgg.SwggError) for kind in classes)
    assert issubclass(swgg.InputError, ValueError)
    assert issubclass(swgg.KindError, (TypeError, ValueError))
    assert issubclass(swgg.SizeError, MemoryError)
    assert issubclass(swgg.MissingPackageError, ImportError)


@pytest.mark.parametrize(("work", "threads"), [(0.0, 1), (1e9, 1), (1e9, 2)])
def test_mistakes_of_ours_are_exceptions_and_print_nothing(work, threads, capfd):
    for _ in range(2):
        with pytest.raises(swgg.InternalError, match=r"on purpose \(.*\); this is a bug of swgg: please report it"):
            swgg._swgg._panic(work, threads)
    assert capfd.readouterr() == ("", "")
    # Nothing is broken afterwards.
    assert swgg.solve(X, X).value == 0.0

"""Anything array-like goes in; nothing is copied that need not be."""

from __future__ import annotations

import array
import tracemalloc

import numpy as np
import pytest

import swgg

RNG = np.random.default_rng(3)
X = RNG.normal(size=(40, 3))
Y = RNG.normal(size=(40, 3)) + 1.0
PLAIN = swgg.solve(X, Y)


def same(x, y=Y):
    """The answer is that of plain arrays, to the bit."""
    result = swgg.solve(x, y)
    assert result.value == PLAIN.value
    assert np.array_equal(result.permutation, PLAIN.permutation)
    return result


class Framed:
    """What data frames look like from here."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)


class Exchanged:
    """An array that only speaks DLPack."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class Labelled(np.ndarray):
    """A subclass that would rather stay one."""

    def __array_finalize__(self, other):
        self.label = getattr(other, "label", "none")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda x: x.tolist(), id="lists"),
        pytest.param(lambda x: tuple(map(tuple, x.tolist())), id="tuples"),
        pytest.param(lambda x: list(x), id="a list of rows"),
        pytest.param(np.asfortranarray, id="Fortran order"),
        pytest.param(lambda x: np.repeat(x, 2, axis=0)[::2], id="every other row"),
        pytest.param(lambda x: np.repeat(x, 3, axis=1)[:, ::3], id="every third column"),
        pytest.param(lambda x: x[::-1].copy()[::-1], id="negative strides"),
        pytest.param(lambda x: x[:, ::-1].copy()[:, ::-1], id="columns backwards"),
        pytest.param(lambda x: np.pad(x, 1)[1:-1, 1:-1], id="the middle of another"),
        pytest.param(lambda x: x.astype(">f8"), id="big-endian"),
        pytest.param(lambda x: x.astype("<f8"), id="little-endian"),
        pytest.param(lambda x: x.astype(np.longdouble), id="long double"),
        pytest.param(lambda x: np.asmatrix(x), id="matrix", marks=pytest.mark.filterwarnings("ignore")),
        pytest.param(lambda x: x.view(Labelled), id="subclass"),
        pytest.param(Framed, id="__array__"),
        pytest.param(Exchanged, id="DLPack"),
        pytest.param(memoryview, id="memoryview"),
    ],
)
def test_every_form_gives_the_same_answer(change):
    same(change(X), change(Y))
    same(change(X), Y)


def test_unaligned_numbers():
    packed = np.zeros(len(X), dtype=np.dtype([("tag", "u1"), ("point", "f8", 3)]))
    packed["point"] = X
    assert not packed["point"].flags.aligned
    same(packed["point"])
    # Contiguous, and not aligned all the same.
    bytes_ = np.frombuffer(b"." + X.tobytes(), dtype=np.uint8)[1:]
    shifted = bytes_.view(np.float64).reshape(X.shape)
    assert shifted.flags.c_contiguous and not shifted.flags.aligned
    same(shifted)


def test_read_only_arrays_are_neither_copied_nor_changed():
    x, y = X.copy(), Y.copy()
    x.flags.writeable = y.flags.writeable = False
    result = same(x, y)
    assert np.shares_memory(result.X, x) and np.shares_memory(result.Y, y)
    assert np.array_equal(x, X) and np.array_equal(y, Y)


def test_plain_arrays_are_not_copied():
    for x in (X, X.astype(np.float32), X.view(Labelled), Framed(X), Exchanged(X)):
        assert np.shares_memory(swgg.solve(x, Y.astype(getattr(x, "dtype", float))).X, getattr(x, "values", x))
    result = same(X.view(Labelled))
    assert type(result.X) is np.ndarray and type(result.transform(X.view(Labelled))) is np.ndarray


def test_memory_maps_are_not_copied(tmp_path):
    n = 300_000
    for name in "xy":
        np.save(tmp_path / f"{name}.npy", RNG.random((n, 4)))
    x, y = (np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "xy")
    assert isinstance(x, np.memmap)
    tracemalloc.start()
    try:
        result = swgg.solve(x, y, effort=1, bounds=False)
        # NumPy reports its allocations; one copy would be 9.6 MB.
        assert tracemalloc.get_traced_memory()[1] < 1e6
    finally:
        tracemalloc.stop()
    assert np.shares_memory(result.X, x) and np.shares_memory(result.Y, y)
    assert result.value == swgg.solve(np.array(x), np.array(y), effort=1, bounds=False).value


def test_whole_numbers_and_truth_values():
    x = RNG.integers(0, 9, size=(30, 2))
    expected = swgg.solve(x.astype(float), x[::-1] + 3.0)
    for kind in (np.int8, np.int64, np.uint8, np.uint32, object):
        whole = x.astype(kind)
        if kind is object:
            whole = whole.tolist()
        assert swgg.solve(whole, x[::-1] + 3).value == expected.value
    truth = np.array([[True], [False]])
    assert swgg.solve(truth, [[1], [0]]).value == 0.0
    assert swgg.solve(array.array("i", [3, 1]), array.array("d", [1.0, 3.0])).permutation.tolist() == [1, 0]


def test_single_precision_stays():
    x, y = X.astype(np.float32), Y.astype(np.float32)
    result = swgg.solve(x, y)
    assert result.X.dtype == np.float32
    assert result.barycentric().dtype == np.float32
    assert result.transform(x).dtype == np.float32
    assert result.inverse_transform(y).dtype == np.float32
    assert result.interpolate(0.5)[0].dtype == np.float32
    weighted = swgg.solve(x, y[:30])
    assert weighted.permutation is None
    assert weighted.barycentric().dtype == np.float32
    # Sums are in double precision: those of the same numbers as doubles.
    assert result.value == pytest.approx(swgg.solve(x.astype(float), y.astype(float)).value, rel=1e-12)


def test_half_precision_becomes_single():
    x = X.astype(np.float16)
    result = swgg.solve(x, x[::-1])
    assert result.X.dtype == np.float32 and result.value == 0.0


def test_mixed_precision_becomes_double():
    result = swgg.solve(X.astype(np.float32), Y)
    assert result.X.dtype == result.Y.dtype == np.float64
    assert result.value == swgg.solve(X.astype(np.float32).astype(float), Y).value
    assert swgg.solve(X.astype(np.float32), Y.astype(int)).X.dtype == np.float64


def test_one_axis_is_a_line():
    x, y = RNG.normal(size=50), RNG.normal(size=50)
    for form in (lambda v: v, list, lambda v: np.repeat(v, 2)[::2]):
        result = swgg.solve(form(x), form(y))
        assert result.X.shape == (50, 1)
        assert result.value == pytest.approx(np.mean((np.sort(x) - np.sort(y)) ** 2), rel=1e-12)


def test_one_point():
    result = swgg.solve([[1.0, 2.0]], [[4.0, 6.0]])
    assert (result.value, result.distance, result.permutation.tolist()) == (25.0, 5.0, [0])
    split = swgg.solve([[0.0]], [[1.0], [3.0]])
    assert split.value == 5.0 and split.barycentric().tolist() == [[2.0]]


def test_weights_of_every_form():
    a = RNG.random(40)
    expected = swgg.solve(X, Y, a).value
    for form in (a.tolist(), np.repeat(a, 2)[::2], a.astype(">f8"), Framed(a), Exchanged(a), a[::-1].copy()[::-1]):
        assert swgg.solve(X, Y, form).value == expected
    assert swgg.solve(X, Y, a.astype(np.float32)).value == pytest.approx(expected, rel=1e-6)
    assert swgg.solve(X, Y, np.ones(40, dtype=int)).value == pytest.approx(PLAIN.value, rel=1e-12)
    # Only their proportions matter, and those without weight are left out.
    assert swgg.solve(X, Y, 7 * a).value == pytest.approx(expected, rel=1e-12)
    a[:10] = 0.0
    assert swgg.solve(X, Y, a).value == pytest.approx(swgg.solve(X[10:], Y, a[10:]).value, rel=1e-12)


def test_the_same_array_twice():
    result = swgg.solve(X, X)
    assert result.value == 0.0 and result.permutation.tolist() == list(range(40))

"""Ten thousand calls with whatever comes to hand: a result or a refusal, never anything else."""

from __future__ import annotations

import random
from types import FunctionType

import numpy as np

import swgg

CALLS = 10_000


class Hostile:
    """Refuses everything it is asked."""

    def __getattr__(self, name):
        raise RuntimeError(name)

    def __len__(self):
        return -1

    def __repr__(self):
        raise RuntimeError("repr")

    def __bool__(self):
        raise RuntimeError("bool")

    def __eq__(self, other):
        raise RuntimeError("eq")

    __hash__ = None


class Wrong:
    """Answers, and wrongly."""

    def __array__(self, dtype=None, copy=None):
        return "not an array"

    def __index__(self):
        return "not an index"

    def __float__(self):
        return "not a number"


def clouds(draw: random.Random):
    """An array that is often right, and wrong in one of many ways otherwise."""
    n, d = draw.choice([0, *[1, 2, 3, 7, 20] * 4]), draw.choice([0, *[1, 2, 2, 3] * 6])
    rng = np.random.default_rng(draw.getrandbits(32))
    with np.errstate(over="ignore"):
        plain = rng.normal(size=(n, d)) * 10.0 ** draw.choice([-320, -200, -3, *[0] * 12, 3, 150, 200, 308])
    change = draw.randrange(60)
    if change == 0 and plain.size:
        plain.flat[draw.randrange(plain.size)] = draw.choice([np.nan, np.inf, -np.inf, -0.0])
    kinds = {
        1: np.float32, 2: np.float16, 3: np.int64, 4: np.uint8, 5: bool, 6: complex, 7: object, 8: str, 9: ">f8",
        10: ">f4", 11: np.longdouble, 12: "S3", 13: np.int8,
    }
    if change in kinds:
        with np.errstate(all="ignore"):
            return np.nan_to_num(plain).astype(kinds[change])
    shapes = {
        20: lambda: plain[:, :, None], 21: lambda: plain.ravel(), 22: lambda: plain.T, 23: lambda: plain[::-1],
        24: lambda: plain[::2], 25: lambda: plain[:, ::2], 26: lambda: np.broadcast_to(plain[:1], (min(n, 1) * 5, d)),
        27: plain.tolist, 28: lambda: list(plain), 29: lambda: np.ma.array(plain), 30: lambda: memoryview(plain),
        31: lambda: plain[:1].ravel(), 32: lambda: np.zeros((n, d), order="F"), 33: lambda: np.repeat(plain, 3, axis=0),
    }
    return shapes.get(change, lambda: plain)()


def junk(draw: random.Random):
    """Anything at all."""
    return draw.choice([
        None, True, False, 0, 1, -1, 2, 3.5, -0.0, float("nan"), float("inf"), 1e308, 2**63, 2**64, -(2**70), 10**5000,
        1j, "", "auto", "exact", "tree", "merged", "é\ud800", b"\xff", [], [[]], [[], []], [1, [2]], [None], (), {},
        {1}, range(3), slice(2), object(), Ellipsis, NotImplemented, int, len, lambda: 0, iter([1.0]), np.float64(2.0),
        np.int8(3), np.array(4), np.array("x"), np.bool_(True), np.datetime64("2020"), np.void(b"ab"), np.dtype("f8"),
        np.zeros(0), np.zeros((0, 0)), np.zeros((1,) * 20), Hostile(), Wrong(), swgg, swgg.solve,
        [Hostile()], [[Wrong()]], "a" * 10_000, [[1.0] * 3] * 2, bytearray(b"12"), memoryview(b"123"),
    ])


def weights(draw: random.Random, n: int):
    rng = np.random.default_rng(draw.getrandbits(32))
    plain = rng.random(n) * 10.0 ** draw.choice([-320, -300, 0, 0, 0, 0, 300, 308])
    if draw.random() < 0.6:
        return None
    return draw.choice([
        plain, plain, plain, plain, plain.tolist(), -plain, plain * 0, plain[:-1], plain[:, None], plain * np.nan,
        np.ones(n, dtype=int),
    ])


def callbacks(draw: random.Random):
    answer = draw.choice([None, True, "x", Hostile(), 10**400])
    return lambda i, best: answer


def settings(draw: random.Random):
    likely = {
        "method": lambda: draw.choice(["auto", "tree", "merged", "exact"]),
        "effort": lambda: draw.randint(0, 11),
        "time_limit": lambda: draw.choice([1e-9, 1e-3, 31_536_000, 1e300]),
        "seed": lambda: draw.choice([0, 1, 2**64 - 1, np.uint32(7)]),
        "n_threads": lambda: draw.choice([1, 2, 3, None]),
        "bounds": lambda: draw.random() < 0.5,
        "callback": lambda: callbacks(draw) if draw.random() < 0.2 else None,
    }
    chosen = draw.sample(sorted(likely), draw.choice([0, 0, 1, 2, 3]))
    given = {name: junk(draw) if draw.random() < 0.15 else likely[name]() for name in chosen}
    callback = given.get("callback")
    if any(callback is one for one in (int, len, swgg.solve)) or (type(callback) is FunctionType and not callback.__code__.co_argcount):
        # What a callback raises comes out of the call, as it must: that is tested elsewhere.
        given["callback"] = callbacks(draw)
    return given


def size(cloud) -> int:
    try:
        return len(cloud)
    except Exception:
        return 2


def test_garbage():
    draw = random.Random(20231)
    solved = refused = 0
    for call in range(CALLS):
        x, y = (junk(draw) if draw.random() < 0.08 else clouds(draw) for _ in "xy")
        if draw.random() < 0.8:
            # Otherwise few pairs would live in one space.
            y = x
        a, b = (junk(draw) if draw.random() < 0.03 else weights(draw, size(cloud)) for cloud in (x, y))
        chosen = settings(draw)
        try:
            result = swgg.solve(x, y, a, b, **chosen)
            solved += 1
            assert result.value >= 0.0, (call, chosen)
            assert isinstance(repr(result), str)
            afterwards(result, draw)
        except swgg.SwggError as error:
            assert not isinstance(error, swgg.InternalError), (call, chosen, error)
            assert len(str(error)) < 400
            refused += 1
    # Neither side is empty, or this would test nothing.
    assert solved > 2000 and refused > 2000, (solved, refused)


def afterwards(result: swgg.Result, draw: random.Random) -> None:
    step = draw.randrange(6)
    if step == 0:
        result.transform(junk(draw) if draw.random() < 0.5 else result.X)
    elif step == 1:
        result.interpolate(junk(draw))
    elif step == 2:
        result.dense_plan(junk(draw))
    elif step == 3:
        result.inverse_transform(clouds(draw), neighbors=draw.choice([1, 2, 3, junk(draw)]))
    elif step == 4:
        result.barycentric()

"""Threads, processes, Ctrl-C, callbacks: long calls are good citizens."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import swgg


def pair(n, seed=0, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(n, d)) + 1.0


def answer(seed, n=3000, **settings):
    """What a process or a thread brings home."""
    result = swgg.solve(*pair(n, seed), effort=2, bounds=False, seed=seed, **settings)
    return result.value, result.permutation.tobytes()


def forks_are_unwarned():
    # Python warns of forks in processes with threads, of which there may be some after a call.
    return pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


def test_threads_at_once_agree_with_one_after_the_other():
    seeds = range(6)
    serial = [answer(seed) for seed in seeds]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(2):
            assert list(pool.map(answer, seeds)) == serial
    with ThreadPoolExecutor(3) as pool:
        counts = list(pool.map(lambda k: answer(0, n_threads=k), [1, 2, 3, 5, 7, 9, 11]))
    assert counts == [serial[0]] * 7


def test_many_numbers_of_threads_do_not_pile_up():
    def count():
        return len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0

    x, y = pair(800)
    for k in range(2, 30):
        swgg.solve(x, y, effort=1, bounds=False, n_threads=k)
    deadline = time.monotonic() + 10.0
    # The last four stay: 26 + 27 + 28 + 29 threads, and those of others.
    while count() > 200 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert count() <= 200


@posix
@forks_are_unwarned()
@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_processes(way):
    expected = [answer(seed) for seed in range(2)]
    with multiprocessing.get_context(way).Pool(2) as pool:
        assert pool.map_async(answer, range(2)).get(timeout=60) == expected


FORKED = """
import os, sys, warnings
warnings.simplefilter("ignore")
import numpy as np, swgg
rng = np.random.default_rng(0)
x, y = rng.normal(size=(3000, 3)), rng.normal(size=(3000, 3))
solve = lambda: swgg.solve(x, y, effort=2, n_threads={threads}, callback={callback}).value
before = solve() if {used} else None
child = os.fork()
value = solve()
grandchild = os.fork() if child == 0 else None
if grandchild == 0:
    os._exit(0 if solve() == value else 3)
if child == 0:
    os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]) or (0 if before in (None, value) else 4))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), before in (None, value))
"""


@posix
@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize("threads", [None, 1, 2])
def test_forks_before_and_after_use(used, threads):
    callback = None if used else "lambda i, best: None"
    script = FORKED.format(used=used, threads=threads, callback=callback)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("0 True\n", "")


LONG = """
import signal, sys, time
import numpy as np, swgg
# Whoever runs the tests in the background hands on that Ctrl-C is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
x, y = rng.normal(size=({n}, 3)), rng.normal(size=({n}, 3)) + 1.0
print("ready", flush=True)
try:
    swgg.solve(x, y, method={method!r}, effort={effort}, callback={callback})
except KeyboardInterrupt:
    print("interrupted", flush=True)
# The session goes on.
print(swgg.solve(x[:50], y[:50]).gap < 1e-9, flush=True)
"""


@posix
@pytest.mark.parametrize(
    ("method", "n", "callback"),
    [("auto", 1_000_000, None), ("exact", 20_000, None), ("auto", 300_000, "lambda i, best: None"),
     ("auto", 300_000, "lambda i, best: time.sleep(60)")],
)
def test_interrupts_are_answered_within_a_second(method, n, callback):
    script = LONG.format(method=method, n=n, callback=callback, effort=10 if method == "auto" else None)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        # A second, and as much again for a machine with other things to do.
        assert time.monotonic() - start < 2.0
        assert process.stdout.readline() == "True\n"
        assert process.wait(timeout=20) == 0


@posix
def test_handlers_of_other_signals_are_heard():
    class Late(Exception):
        pass

    heard = []

    def handle(number, frame):
        heard.append(number)
        if len(heard) == 3:
            raise Late

    before = signal.signal(signal.SIGALRM, handle)
    try:
        # Two that only take note, one that raises.
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
        with pytest.raises(Late):
            swgg.solve(*pair(300_000), effort=10)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert len(heard) >= 3


DAEMON = """
import threading, time
import numpy as np, swgg
rng = np.random.default_rng(0)
x, y = rng.normal(size=(200_000, 3)), rng.normal(size=(200_000, 3))
for callback in (None, lambda i, best: None):
    threading.Thread(target=swgg.solve, args=(x, y), kwargs={"effort": 10, "callback": callback}, daemon=True).start()
time.sleep(0.3)
print("leaving", flush=True)
"""


def test_the_interpreter_may_end_while_threads_compute():
    done = subprocess.run([sys.executable, "-c", DAEMON], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, "leaving\n", "")


def test_progress():
    steps = []
    result = swgg.solve(*pair(20_000), effort=5, bounds=False, callback=lambda i, best: steps.append((i, best)))
    assert len(steps) > 2 and all(type(i) is int and type(best) is float for i, best in steps)
    counts, costs = zip(*steps)
    assert all(i <= j for i, j in zip(counts, counts[1:])) and counts[0] < counts[-1]
    assert all(c >= d for c, d in zip(costs, costs[1:])) and costs[-1] < costs[0]
    assert result.value <= costs[-1] * (1 + 1e-12)
    assert result.converged
    # Watching does not change the answer.
    assert swgg.solve(*pair(20_000), effort=5, bounds=False).value == result.value


@pytest.mark.parametrize("stop", [True, np.True_])
def test_a_callback_stops_at_the_step_it_means(stop):
    def run(pause):
        steps = []

        def callback(i, best):
            steps.append((i, best))
            time.sleep(pause)
            return stop if len(steps) == 3 else None

        result = swgg.solve(*pair(20_000), effort=8, bounds=False, callback=callback)
        assert len(steps) == 3 and result.status == "interrupted" and not result.converged
        return result

    quick, slow = run(0.0), run(0.02)
    assert quick.value == slow.value > swgg.solve(*pair(20_000), effort=8, bounds=False).value
    assert np.array_equal(np.sort(quick.permutation), np.arange(20_000))


def test_what_a_callback_raises_comes_out():
    class Enough(Exception):
        pass

    def callback(i, best):
        raise Enough(i)

    for _ in range(3):
        with pytest.raises(Enough):
            swgg.solve(*pair(20_000), effort=5, callback=callback)
    with pytest.raises(SystemExit):
        swgg.solve(*pair(5000), callback=lambda i, best: sys.exit(3))
    with pytest.raises(TypeError):
        swgg.solve(*pair(5000), callback=lambda: None)
    assert swgg.solve(*pair(50)).gap < 1e-9


def test_callbacks_may_call():
    inner = []

    def deeper(i, best):
        inner.append(swgg.solve(*pair(1500, 2), effort=1, bounds=False, callback=lambda i, best: None).value)
        return True

    def callback(i, best):
        swgg.solve(*pair(2500, 1), effort=1, bounds=False, callback=deeper)
        return len(inner) > 2

    swgg.solve(*pair(5000), effort=3, bounds=False, callback=callback)
    assert len(inner) > 2 and set(inner) == {swgg.solve(*pair(1500, 2), effort=1, bounds=False).value}


def test_callbacks_may_wait_for_other_threads_that_call():
    def callback(i, best):
        with ThreadPoolExecutor(2) as pool:
            values = list(pool.map(lambda k: swgg.solve(*pair(3000, k), effort=1, bounds=False).value, range(2)))
        return len(values) == 2

    with ThreadPoolExecutor(4) as pool:
        results = [pool.submit(swgg.solve, *pair(5000, k), effort=3, callback=callback) for k in range(4)]
        assert [result.result(timeout=60).status for result in results] == ["interrupted"] * 4


def test_other_threads_go_on_meanwhile():
    turns = 0
    done = threading.Event()

    def count():
        nonlocal turns
        while not done.is_set():
            turns += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        result = swgg.solve(*pair(100_000), effort=2, bounds=False)
    finally:
        done.set()
        thread.join()
    assert result.seconds > 0.05 and turns > 5


def test_the_time_limit_is_kept():
    result = swgg.solve(*pair(200_000), time_limit=0.3, bounds=False)
    assert result.seconds < 10.0
    assert np.array_equal(np.sort(result.permutation), np.arange(200_000))


def test_a_gap_that_is_missed_is_warned_of():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(3000, 12)), rng.normal(size=(2500, 12))
    with pytest.warns(swgg.GapWarning, match="asked: within"):
        found = swgg.solve(x, y, gap=1e-9, effort=1)
    assert "asked: within" in found.story

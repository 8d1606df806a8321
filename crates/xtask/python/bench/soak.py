"""The soak of `cargo xtask bench soak`: many calls from four threads at once, of random sizes, some of them cancelled.

    soak.py CALLS      prints what was found as JSON: the memory of the process after each twentieth of the calls

Every call that is not cancelled is compared with the same call made alone beforehand, bit by bit.
"""

import gc
import json
import os
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import swgg

THREADS = 4
#: Different calls; each is made many times.
KINDS = 120
#: Seconds without a finished call after which everything is taken to be stuck.
STUCK_SECONDS = 120


def megabytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def kind(k):
    """The arguments of a call, the same whenever it is asked for."""
    rng = np.random.default_rng(k)
    n, d = int(rng.integers(1, 400)), int(rng.integers(1, 6))
    m = n if k % 3 else int(rng.integers(1, 400))
    method = ["auto", "min-swgg", "tree", "merged", "exact", "sinkhorn"][k % 6]
    return rng.normal(size=(n, d)), rng.normal(size=(m, d)) + 1.0, method


def call(k, callback=None):
    x, y, method = kind(k)
    result = swgg.solve(x, y, method=method, seed=k, n_threads=1 + k % 3, callback=callback)
    return result.value, result.lower_bound


def main(calls):
    alone = [call(k) for k in range(KINDS)]
    dice = random.Random(0)
    order = [(dice.randrange(KINDS), dice.random() < 0.2) for _ in range(calls)]
    done, cancelled, wrong, lock = 0, 0, [], threading.Lock()
    curve, last = [], time.monotonic()

    def one(task):
        nonlocal done, cancelled, last
        k, is_cancelled = task
        stop = (lambda i, best: True) if is_cancelled else None
        try:
            found = call(k, stop)
        except swgg.SwggError as error:
            found = repr(error)
        with lock:
            done += 1
            last = time.monotonic()
            cancelled += is_cancelled
            if not is_cancelled and found != alone[k]:
                wrong.append((k, found, alone[k]))
            if done % max(1, calls // 20) == 0:
                gc.collect()
                curve.append(round(megabytes(), 1))

    def watch():
        while done < calls:
            time.sleep(1)
            if time.monotonic() - last > STUCK_SECONDS:
                print(json.dumps({"stuck_after": done, "curve_megabytes": curve}), flush=True)
                os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    started = time.monotonic()
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in pool.map(one, order):
            pass
    found = {
        "calls": done,
        "cancelled": cancelled,
        "wrong": len(wrong),
        "first_wrong": repr(wrong[:3]),
        "seconds": round(time.monotonic() - started, 1),
        "curve_megabytes": curve,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]))

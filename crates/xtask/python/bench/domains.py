"""`cargo xtask bench domains`: digits of USPS that are moved onto those of MNIST, beside POT's transport that knows labels.

    domains.py DATA [SEEDS]

DATA holds `usps` and `mnist` as IDX files. Labels of USPS are known, those of MNIST are guessed by the nearest moved digit of
USPS. Prints one JSON list, a row per method and seed.
"""

import gzip
import json
import os
import sys
import time
import warnings

import numpy as np
import ot

import swgg

POINTS = 2000
SIDE = 16
#: POT's settings: the usual ones of its gallery, beside distances that are divided by their largest.
ENTROPY, CLASSES = 1e-1, 1e0
#: Ours: a plan that moves each digit onto one, and a smooth one that moves it between several.
OURS = {
    "swgg.Transport()": {},
    "swgg.Transport(method='sinkhorn', relative_epsilon=0.03)": {"method": "sinkhorn", "relative_epsilon": 0.03},
}


def idx(*path):
    with gzip.open(os.path.join(*path)) as file:
        data = file.read()
    axes = data[3]
    shape = np.frombuffer(data, ">i4", axes, 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * axes).reshape(shape)


def resized(images):
    """Squares of pixels onto 16 x 16: each new pixel is the mean over what it covers of the old ones."""
    side = images.shape[1]
    edges = np.linspace(0, side, SIDE + 1)
    cover = np.clip(np.minimum(edges[1:, None], np.arange(1, side + 1)) - np.maximum(edges[:-1, None], np.arange(side)), 0, None)
    cover /= cover.sum(axis=1, keepdims=True)
    return np.einsum("pi,nij,qj->npq", cover, images.astype(float) / 255.0, cover).reshape(len(images), -1)


def drawn(images, labels, seed):
    chosen = np.random.default_rng(seed).permutation(len(images))[:POINTS]
    return resized(images[chosen]), labels[chosen].astype(int)


def accuracy(moved, labels, target, truth):
    near = ot.dist(target, moved).argmin(axis=1)
    return float((labels[near] == truth).mean())


def by_pot(Xs, ys, Xt):
    return ot.da.SinkhornLpl1Transport(reg_e=ENTROPY, reg_cl=CLASSES, norm="max").fit(Xs=Xs, ys=ys, Xt=Xt).transform(Xs=Xs)


def by_swgg(Xs, ys, Xt, settings):
    transport = swgg.Transport(**settings).fit(Xs=Xs, ys=ys, Xt=Xt)
    return transport.result_.barycentric()


def main(data, seeds):
    warnings.simplefilter("ignore")
    usps = idx(data, "usps", "usps-train-images-idx3-ubyte.gz"), idx(data, "usps", "usps-train-labels-idx1-ubyte.gz")
    mnist = idx(data, "mnist", "train-images-idx3-ubyte.gz"), idx(data, "mnist", "train-labels-idx1-ubyte.gz")
    rows = []
    for seed in range(seeds):
        (Xs, ys), (Xt, yt) = drawn(*usps, seed), drawn(*mnist, seed + 1000)
        rows.append({"method": "none", "seed": seed, "seconds": 0.0, "accuracy": accuracy(Xs, ys, Xt, yt)})
        start = time.perf_counter()
        moved = by_pot(Xs, ys, Xt)
        took = time.perf_counter() - start
        rows.append({"method": "POT, SinkhornLpl1Transport", "seed": seed, "seconds": took, "accuracy": accuracy(moved, ys, Xt, yt)})
        for name, settings in OURS.items():
            start = time.perf_counter()
            moved = by_swgg(Xs, ys, Xt, settings)
            took = time.perf_counter() - start
            rows.append({"method": name, "seed": seed, "seconds": took, "accuracy": accuracy(moved, ys, Xt, yt)})
    print(json.dumps(rows))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3)

"""
A map of many clouds
====================

Distances between all pairs of a family of clouds, in one call: then any method that starts from distances applies. Here
classical scaling draws a map, and a tree groups the clouds.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.cluster.hierarchy import dendrogram, linkage
from scipy.spatial.distance import squareform

import swgg

# %%
# Three families: rings, crosses and blobs, eight of each, in different sizes.

rng = np.random.default_rng(14)


def cloud(kind, n=120):
    size = rng.uniform(0.8, 1.2)
    s, t = rng.uniform(-1.0, 1.0, n), rng.uniform(0.0, 2.0 * np.pi, n)
    noise = rng.normal(0.0, 0.08, (n, 2))
    if kind == "ring":
        return size * np.column_stack([np.cos(t), np.sin(t)]) + noise
    if kind == "cross":
        arms = rng.integers(0, 2, n)[:, None]
        return 1.6 * size * s[:, None] * np.where(arms, [1.0, 0.0], [0.0, 1.0]) + noise
    return 0.6 * size * rng.normal(size=(n, 2))


kinds = ["ring"] * 8 + ["cross"] * 8 + ["blob"] * 8
clouds = [cloud(kind) for kind in kinds]
distances = swgg.pairwise(clouds, metric="auto")
print(f"{len(clouds)} clouds, {len(clouds) * (len(clouds) - 1) // 2} pairs, largest distance {distances.max():.3f}")

# %%
# Classical scaling: the plane in which the distances are kept best.

square = distances**2
centred = -0.5 * (square - square.mean(axis=0) - square.mean(axis=1)[:, None] + square.mean())
values, vectors = np.linalg.eigh(centred)
place = vectors[:, -2:] * np.sqrt(values[-2:])

figure, panels = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
for kind, color in zip(("ring", "cross", "blob"), ("tab:blue", "tab:orange", "tab:green")):
    chosen = [k for k, name in enumerate(kinds) if name == kind]
    panels[0].scatter(*place[chosen].T, color=color, label=kind)
panels[0].set(xticks=[], yticks=[], title="a map of the clouds", aspect="equal")
panels[0].legend()
dendrogram(linkage(squareform(distances), "average"), labels=kinds, ax=panels[1], leaf_font_size=6)
panels[1].set_title("a tree of the clouds")
plt.show()

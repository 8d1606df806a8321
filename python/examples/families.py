"""A map of many clouds: all pairwise distances, and from them a place for each cloud.

Thirty blobs that differ in two ways, their stretch and their tilt; the map should find these two.
"""

# %% Thirty clouds.
from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(0)
grid = np.meshgrid(np.linspace(1.2, 3.0, 6), np.linspace(0.0, np.pi / 3, 5))
stretch, tilt = grid[0].ravel(), grid[1].ravel()
clouds = []
for s, a in zip(stretch, tilt):
    turn = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    clouds.append(rng.normal(size=(2000, 2)) * [s, 1.0] @ turn)

# %% All distances at once: sliced ones, which tell clouds of one law from each other less than plans do.
distances = swgg.pairwise(clouds, metric="sliced", n_projections=64)

# %% Classical scaling: the plane that keeps them best.
centred = -0.5 * (distances**2 - (distances**2).mean(axis=0) - (distances**2).mean(axis=1)[:, None] + (distances**2).mean())
values, vectors = np.linalg.eigh(centred)
place = vectors[:, -2:] * np.sqrt(values[-2:])
print(f"the plane keeps {values[-2:].sum() / values[values > 0].sum():.0%} of the squared distances")

# %% The map.
figure, panels = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
for panel, value, name in zip(panels, (stretch, np.rad2deg(tilt)), ("stretch", "tilt in degrees")):
    dots = panel.scatter(*place.T, c=value, s=40)
    figure.colorbar(dots, ax=panel, label=name)
    panel.set_aspect("equal")
    panel.set(xticks=[], yticks=[])
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=110)

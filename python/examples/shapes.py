"""A disc becomes a ring: points on their way along a plan, drawn at five times.

Run it with ``python shapes.py [picture.svg]``; it needs matplotlib.
"""

# %% Two clouds, drawn here.
from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(0)
n = 3000
angle, radius = rng.uniform(0.0, 2.0 * np.pi, n), np.sqrt(rng.uniform(0.0, 1.0, n))
disc = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
angle, radius = rng.uniform(0.0, 2.0 * np.pi, n), rng.uniform(1.6, 2.0, n)
ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])

# %% One call.
result = swgg.solve(disc, ring)
print(result)

# %% Where everybody is on the way. Colours stay with their points.
hue = np.arctan2(disc[:, 1], disc[:, 0])
figure, panels = plt.subplots(1, 5, figsize=(12, 2.6), layout="constrained")
for t, panel in zip(np.linspace(0.0, 1.0, 5), panels):
    points, weights = result.interpolate(t)
    panel.scatter(*points.T, c=hue, s=2, cmap="twilight")
    panel.set(title=f"t = {t:.2f}", xlim=(-2.2, 2.2), ylim=(-2.2, 2.2), aspect="equal")
    panel.axis("off")
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=72)

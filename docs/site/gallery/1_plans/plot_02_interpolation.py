"""
One shape becomes another
=========================

A plan says where every point ends. Let all of them walk there at a steady pace, along straight lines, and you see one
shape become the other: this is interpolation between clouds, and it never blends or fades, it moves.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

# %%
# A spiral with two arms, and a clover with four leaves.

rng = np.random.default_rng(1)
n = 4000
s = np.sqrt(rng.uniform(0.02, 1.0, n))
angle = 5.0 * s + np.pi * rng.integers(0, 2, n)
spiral = 2.2 * s[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0.0, 0.05, (n, 2))

angle = rng.uniform(0.0, 2.0 * np.pi, n)
radius = 2.2 * np.abs(np.sin(2.0 * angle)) * np.sqrt(rng.uniform(0.3, 1.0, n))
clover = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])

# %%
# ``interpolate(t)`` gives the points at time ``t`` and their weights, from 0 (the first cloud) to 1 (the second).

result = swgg.solve(spiral, clover)
hue = np.arctan2(spiral[:, 1], spiral[:, 0])
figure, panels = plt.subplots(1, 5, figsize=(12, 2.8), layout="constrained")
for t, panel in zip(np.linspace(0.0, 1.0, 5), panels):
    points, weights = result.interpolate(t)
    panel.scatter(*points.T, c=hue, s=1.5, cmap="twilight")
    panel.set(title=f"t = {t:.2f}", xlim=(-2.6, 2.6), ylim=(-2.6, 2.6), aspect="equal")
    panel.axis("off")
plt.show()

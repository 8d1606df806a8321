"""
The cloud in the middle
=======================

The mean of several shapes, taken pixel by pixel, is a blur. The barycenter is the cloud whose sum of squared transport distances to
all of them is least: a shape again. With weights it is a triangle of shapes between three.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(21)
n = 500
angle = rng.uniform(0.0, 2.0 * np.pi, n)
ring = np.column_stack([np.cos(angle), np.sin(angle)]) * rng.uniform(0.8, 1.0, (n, 1))
square = rng.uniform(-1.0, 1.0, (n, 2))
cross = rng.uniform(-1.0, 1.0, (n, 2)) * np.where(rng.integers(0, 2, (n, 1)), [1.2, 0.25], [0.25, 1.2])

# %%
# Fifteen mixtures of three shapes. The corners are the shapes themselves.

figure, panels = plt.subplots(5, 5, figsize=(8, 7), layout="constrained")
for panel in panels.flat:
    panel.axis("off")
objective = {}
for row in range(5):
    for column in range(row + 1):
        weights = np.array([4 - row, row - column, column]) / 4.0
        found = swgg.barycenter([ring, square, cross], weights, effort=1, bounds=False)
        objective[tuple(weights)] = found.objective
        panel = panels[row, column + (4 - row) // 2]
        panel.scatter(*found.points.T, s=1.5, color=np.clip(weights[[2, 1, 0]] * 0.85, 0.0, 1.0))
        panel.set(xlim=(-1.4, 1.4), ylim=(-1.4, 1.4), aspect="equal")
print(f"sum of squared distances half way between square and cross: {objective[(0.0, 0.5, 0.5)]:.4f}")
plt.show()

"""Labels carried from one domain to another: a classifier learns where the labels are, after they have moved.

Two moons with labels, and the same moons turned, scaled and shifted, without.
"""

# %% Two domains.
from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

import swgg


def moons(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two half circles that face each other, and which one a point is of."""
    label = np.arange(n) % 2
    angle = rng.uniform(0.0, np.pi, n)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    points[label == 1] = [1.0, 0.5] - points[label == 1]
    return points + rng.normal(0.0, 0.08, (n, 2)), label


def nearest_label(train: np.ndarray, labels: np.ndarray, points: np.ndarray) -> np.ndarray:
    """A classifier small enough to write down."""
    nearest: np.ndarray = ((points[:, None] - train[None]) ** 2).sum(axis=2).argmin(axis=1)
    found: np.ndarray = labels[nearest]
    return found


rng = np.random.default_rng(0)
X, labels = moons(600, rng)
Y, truth = moons(600, rng)
turn = np.deg2rad(35.0)
Y = 1.3 * Y @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + [1.5, -0.5]

# %% Without transport, and with it.
before = (nearest_label(X, labels, Y) == truth).mean()
carried = swgg.Transport().fit(X, Y).transform(X)
after = (nearest_label(carried, labels, Y) == truth).mean()
print(f"right before {before:.1%}, after {after:.1%}")

# %% What happened.
figure, panels = plt.subplots(1, 2, figsize=(8, 3.2), sharex=True, sharey=True, layout="constrained")
for panel, points, title in zip(panels, (X, carried), (f"before: {before:.0%} right", f"after: {after:.0%} right")):
    panel.scatter(*Y.T, s=6, color="0.75", label="target, no labels")
    panel.scatter(*points.T, s=6, c=labels, cmap="coolwarm")
    panel.set_title(title)
    panel.set_aspect("equal")
panels[0].legend(loc="upper left", frameon=False)
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=72)

"""A scan brought back into place: the plan says which point belongs to which, and the best rotation follows.

This is one step of registration, between clouds that are roughly turned the same way. The plan of a large turn is not the turn.
"""

# %% A knot in space, and the same knot sampled anew, turned by 25 degrees and shifted.
from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(0)


def knot(n: int) -> np.ndarray:
    """Points on a trefoil knot with some thickness."""
    s = rng.uniform(0.0, 2.0 * np.pi, n)
    line = [np.sin(s) + 2 * np.sin(2 * s), np.cos(s) - 2 * np.cos(2 * s), -1.5 * np.sin(3 * s)]
    points: np.ndarray = np.column_stack(line) + rng.normal(0.0, 0.05, (n, 3))
    return points


def rotation(axis: list[float], degrees: float) -> np.ndarray:
    """Turns about an axis."""
    k, angle = np.array(axis) / np.linalg.norm(axis), np.deg2rad(degrees)
    cross = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    turn: np.ndarray = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return turn


turned, shift = rotation([1.0, 2.0, 0.5], 25.0), np.array([1.0, -0.5, 0.3])
scan, reference = knot(5000), knot(5000) @ turned.T + shift

# %% Match, fit the rigid motion to the pairs, move, and again.
moved = scan
for step in range(8):
    image = swgg.solve(moved, reference, effort=2, bounds=False).barycentric()
    u, _, vt = np.linalg.svd((moved - moved.mean(axis=0)).T @ (image - image.mean(axis=0)))
    fit = vt.T @ np.diag([1.0, 1.0, np.sign(np.linalg.det(vt.T @ u.T))]) @ u.T
    moved = (moved - moved.mean(axis=0)) @ fit.T + image.mean(axis=0)
error = np.sqrt(((moved - (scan @ turned.T + shift)) ** 2).sum(axis=1).mean())
print(f"root mean square error {error:.3f} in a knot of size {np.ptp(scan):.1f}")

# %% Before and after.
figure, panels = plt.subplots(1, 2, figsize=(8, 4), subplot_kw={"projection": "3d"}, layout="constrained")
for panel, points, title in zip(panels, (scan, moved), ("as scanned", f"in place, error {error:.3f}")):
    panel.scatter(*reference[::5].T, s=2, color="0.7")
    panel.scatter(*points[::5].T, s=2, color="tab:red")
    panel.set_title(title)
    panel.set_box_aspect(None, zoom=1.2)
    panel.set_axis_off()
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=72)

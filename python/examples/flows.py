"""Couplings for flow matching: pairs of noise and data whose straight paths hardly cross.

With independent pairs, paths cross everywhere and a velocity field has to average over them; with the pairs of a plan, each place has
nearly one velocity. The picture shows both; the number is what is left of the velocities' variance around each place.
"""

# %% Noise, and data on eight small clouds.
from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(0)
n = 1024
noise = rng.normal(0.0, 1.0, (n, 2))
angle = 2.0 * np.pi * rng.integers(0, 8, n) / 8.0
data = 4.0 * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0.0, 0.2, (n, 2))

# %% A batch, coupled. In PyTorch: x0, x1 = swgg.torch.couple(x0, x1).
result = swgg.solve(noise, data, bounds=False)
coupled = data[result.permutation]


def unexplained(x0: np.ndarray, x1: np.ndarray, t: float = 0.5, neighbors: int = 16) -> float:
    """Share of the variance of velocities that the place at time t does not explain."""
    place, velocity = (1.0 - t) * x0 + t * x1, x1 - x0
    near = ((place[:, None] - place[None]) ** 2).sum(axis=2).argsort(axis=1)[:, :neighbors]
    return float(((velocity[near] - velocity[near].mean(axis=1, keepdims=True)) ** 2).mean() / velocity.var(axis=0).mean())


pairs = {"independent pairs": data, "pairs of the plan": coupled}
for name, x1 in pairs.items():
    print(f"{name}: {unexplained(noise, x1):.1%} of the variance of velocities unexplained half way")

# %% Paths of 200 pairs.
figure, panels = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
for panel, (name, x1) in zip(panels, pairs.items()):
    for start, end in zip(noise[:200], x1[:200]):
        panel.plot(*np.column_stack([start, end]), color="tab:blue", alpha=0.25, linewidth=0.8)
    panel.scatter(*noise[:200].T, s=5, color="0.4")
    panel.scatter(*x1[:200].T, s=5, color="tab:red")
    panel.set(title=f"{name}: {unexplained(noise, x1):.1%} unexplained", aspect="equal")
    panel.axis("off")
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=72)

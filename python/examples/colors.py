"""The colours of an evening on a picture of the morning: every pixel is a point in the space of colours.

The plan is made between two samples of pixels, and moves all the others along (``Result.transform``).
"""

# %% Two pictures, drawn here: hills under a sky.
from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

import swgg


def hills(sky: list[float], glow: list[float], ground: list[float], seed: int) -> np.ndarray:
    """A picture of 240 x 360 pixels with colours in [0, 1]."""
    rng = np.random.default_rng(seed)
    height, width = 240, 360
    row, column = np.mgrid[0:height, 0:width] / [[[height]], [[width]]]
    picture = (1.0 - row[..., None]) * np.array(sky) + row[..., None] * np.array(glow)
    for depth in range(3):
        bumps = sum(np.sin(2 * np.pi * (k * column + rng.uniform())) / k for k in (1, 2, 3, 5))
        crest = 0.55 + 0.15 * depth - 0.06 * bumps
        shade = np.array(ground) * (0.5 + 0.25 * depth)
        picture = np.where((row > crest)[..., None], shade + 0.15 * (row - crest)[..., None], picture)
    noisy: np.ndarray = np.clip(picture + rng.normal(0.0, 0.02, picture.shape), 0.0, 1.0)
    return noisy


morning = hills([0.35, 0.6, 0.95], [0.85, 0.92, 1.0], [0.3, 0.6, 0.3], seed=1)
evening = hills([0.25, 0.12, 0.4], [1.0, 0.55, 0.2], [0.35, 0.15, 0.25], seed=2)

# %% A plan between 4000 pixels of each, and the rest moves along.
rng = np.random.default_rng(0)
X, Y = morning.reshape(-1, 3), evening.reshape(-1, 3)
result = swgg.solve(X[rng.choice(len(X), 4000, replace=False)], Y[rng.choice(len(Y), 4000, replace=False)])
print(result)
moved = np.clip(result.transform(X, neighbors=8), 0.0, 1.0).reshape(morning.shape)

# %% Side by side.
figure, panels = plt.subplots(1, 3, figsize=(11, 2.7), layout="constrained")
for panel, picture, title in zip(panels, (morning, evening, moved), ("morning", "evening", "morning in evening's colours")):
    panel.imshow(picture)
    panel.set_title(title)
    panel.axis("off")
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=60)

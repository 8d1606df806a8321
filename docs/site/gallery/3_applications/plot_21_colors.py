"""
The colours of one picture on another
=====================================

A picture is a cloud of colours: every pixel is a point with red, green and blue. Transport from the colours of one picture
to those of another gives the first exactly the palette of the second, and changes each pixel as little as that allows.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

# %%
# Two pictures, drawn here: a lake at noon and one at dusk.


def lake(sky, sun, water, seed):
    """180 x 270 pixels with colours from 0 to 1."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:180, 0:270] / [[[180.0]], [[270.0]]]
    horizon = 0.55 + 0.02 * np.sin(9.0 * x + seed)
    glow = np.exp(-12.0 * ((x - 0.7) ** 2 + (y - 0.4) ** 2))[..., None]
    upper = np.array(sky) * (1.1 - 0.5 * y[..., None]) + glow * np.array(sun)
    ripples = 0.06 * np.sin(120.0 * y**2 + 4.0 * np.sin(14.0 * x))[..., None]
    lower = np.array(water) * (0.6 + 0.6 * y[..., None]) + 0.5 * glow * np.array(sun) + ripples
    picture = np.where((y < horizon)[..., None], upper, lower) + rng.normal(0.0, 0.015, (180, 270, 3))
    return (255.0 * np.clip(picture, 0.0, 1.0)).astype(np.uint8)


noon = lake([0.45, 0.7, 0.95], [0.3, 0.3, 0.2], [0.15, 0.4, 0.5], seed=1)
dusk = lake([0.45, 0.25, 0.45], [0.6, 0.4, 0.05], [0.2, 0.12, 0.3], seed=2)

# %%
# All 48 600 pixels take part. ``strength`` goes only a part of the way.

moved = swgg.color_transfer(noon, dusk)
half = swgg.color_transfer(noon, dusk, strength=0.5, space="oklab")
palette = sorted(map(tuple, dusk.reshape(-1, 3).tolist()))
print("exactly the palette of dusk:", sorted(map(tuple, moved.reshape(-1, 3).tolist())) == palette)

figure, panels = plt.subplots(1, 4, figsize=(12, 2.4), layout="constrained")
for panel, picture, title in zip(panels, (noon, dusk, half, moved), ("noon", "dusk", "noon, half way", "noon in the colours of dusk")):
    panel.imshow(picture)
    panel.set_title(title)
    panel.axis("off")
plt.show()

"""
A gray picture gets colours
===========================

Grays lie on a line: from black to white through the space of colours. When one of two clouds lies on a line, sorting along it
gives the optimal plan, so this takes two sorts and nothing else.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

# %%
# A landscape in gray, and a palette: another landscape in colours.


def dunes(seed):
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:240, 0:360] / [[[240.0]], [[360.0]]]
    shade = 1.0 - 0.5 * y
    for depth in range(4):
        crest = 0.35 + 0.15 * depth + 0.08 * np.sin(2.0 * np.pi * (x * (1.0 + depth) / 2.0 + rng.uniform()))
        lit = 0.5 + 0.35 * np.cos(2.0 * np.pi * (x * (1.0 + depth) / 2.0 + rng.uniform()))
        shade = np.where(y > crest, (0.75 - 0.15 * depth) * lit + 0.3 * (y - crest), shade)
    return np.clip(shade + rng.normal(0.0, 0.01, shade.shape), 0.0, 1.0)


gray = dunes(3)
light = dunes(4)[..., None]
reference = np.clip(np.concatenate([0.15 + 0.95 * light, 0.05 + 0.75 * light**1.3, 0.25 - 0.1 * light + 0.6 * light**4], axis=2), 0.0, 1.0)

colored = swgg.colorize(gray, reference)
print(f"{gray.size} pixels, {len(np.unique(colored.reshape(-1, 3), axis=0))} colours")

figure, panels = plt.subplots(1, 3, figsize=(11, 2.7), layout="constrained")
panels[0].imshow(gray, cmap="gray", vmin=0.0, vmax=1.0)
panels[1].imshow(reference)
panels[2].imshow(colored)
for panel, title in zip(panels, ("a gray picture", "the colours", "the gray picture with them")):
    panel.set_title(title)
    panel.axis("off")
plt.show()

"""
How far apart are data sets?
============================

Which of my labelled data sets is nearest to the new one, and so the best to start from? OTDD compares points and labels together:
a label is the cloud of the points that bear it, so labels need not have the same names, nor be equally many.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

# %%
# Five data sets of small "digits": strokes on an 8 x 8 grid, in two styles and with growing noise, and one of something else.

rng = np.random.default_rng(18)
glyphs = (rng.uniform(size=(5, 8, 8)) < 0.3).astype(float)


def digits(glyphs, noise, n=250):
    label = rng.integers(0, len(glyphs), n)
    shift = rng.integers(-1, 2, n)
    images = np.stack([np.roll(glyphs[k], s, axis=1) for k, s in zip(label, shift)])
    return (images + rng.normal(0.0, noise, images.shape)).reshape(n, 64), label


bold = np.minimum(glyphs + np.roll(glyphs, 1, axis=2), 1.0)
sets = {
    "thin": digits(glyphs, 0.1),
    "thin, noisy": digits(glyphs, 0.3),
    "bold": digits(bold, 0.1),
    "three of them": digits(glyphs[:3], 0.1),
    "something else": (rng.normal(size=(250, 64)), rng.integers(0, 4, 250)),
}

found = swgg.otdd_matrix(list(sets.values()))
print(f"{len(found.pairs)} pairs in {found.seconds:.2f} s")

figure, panels = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", width_ratios=[1, 1.2])
panels[0].imshow(np.block([[np.pad(g, 1, constant_values=0.3) for g in kind] for kind in (glyphs, bold)]), cmap="gray_r")
panels[0].set(title="glyphs: thin above, bold below", xticks=[], yticks=[])
heat = panels[1].imshow(found.distances, cmap="YlGnBu")
figure.colorbar(heat, ax=panels[1], label="distance")
ticks = range(len(sets))
panels[1].set(xticks=ticks, yticks=ticks, yticklabels=sets, xticklabels=[name.replace(" ", "\n") for name in sets], title="distances between data sets")
plt.show()

"""
Have the data drifted?
======================

A model runs on data that arrive every day. Are today's like those it was trained on? A distance between the two clouds is one
number, but how large is large? Shuffle the points of both together many times: if today's distance is larger than nearly all
that come out of shuffling, something has changed.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(23)
d, n = 8, 600
mixing = rng.normal(size=(d, d))
train = rng.normal(size=(n, d)) @ mixing


def day(drift):
    arrived = rng.normal(size=(300, d)) @ mixing
    arrived[:, 2] *= 1.0 + drift
    return arrived


def test(X, Y, shuffles=150):
    """The distance, those of shuffled halves, and the share of these that is as large."""
    lines = rng.normal(size=(d, 50))
    both = np.vstack([X, Y])
    found = swgg.sliced_wasserstein(X, Y, projections=lines).distance
    chance = []
    for _ in range(shuffles):
        mixed = both[rng.permutation(len(both))]
        chance.append(swgg.sliced_wasserstein(mixed[: len(X)], mixed[len(X) :], projections=lines).distance)
    return found, np.array(chance), (1 + np.sum(np.array(chance) >= found)) / (1 + shuffles)


# %%
# Three days: as before, a column that varies a little more, and much more.

figure, panels = plt.subplots(1, 3, figsize=(11, 3), layout="constrained", sharex=True)
for panel, drift in zip(panels, (0.0, 0.2, 0.5)):
    found, chance, p = test(train, day(drift))
    print(f"column 2 stretched by {drift:.0%}: distance {found:.3f}, p = {p:.3f}")
    panel.hist(chance, bins=25, color="0.7", label="shuffled")
    panel.axvline(found, color="tab:red", label="this day")
    panel.set(title=f"stretched by {drift:.0%}: p = {p:.3f}", yticks=[], xlabel="distance")
panels[0].legend()

# %%
# Where did it change? Ask for the direction that tells the last day from the data of training.

most = swgg.max_sliced(train, day(0.5))
spread = np.abs(most.theta)
print(f"the direction has {spread[2] ** 2:.0%} of its weight on column 2")
plt.show()

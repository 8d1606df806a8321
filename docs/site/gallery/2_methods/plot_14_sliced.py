"""
A quick distance: averages over lines
=====================================

If you need a number and no plan, average the one-dimensional distance over many lines: the sliced Wasserstein distance.
It never exceeds the true one. The *largest* over all lines comes nearer, and says along which direction two clouds differ.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(11)
d = 10
X = rng.normal(size=(5000, d))
Y = rng.normal(size=(5000, d))
Y[:, 3] += 1.5 * (rng.uniform(size=5000) < 0.3)

# %%
# An average over random lines has an error that can be estimated, and that shrinks as the root of their number.

counts = [10, 30, 100, 300, 1000]
found = [swgg.sliced_wasserstein(X, Y, n_projections=count) for count in counts]
figure, panels = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
panels[0].errorbar(counts, [f.value for f in found], yerr=[2 * f.standard_error for f in found], fmt="o-", capsize=3)
panels[0].set(xscale="log", xlabel="lines", ylabel="squared sliced distance", title="the mean, and two standard errors")

# %%
# In which direction do they differ most? It is the column in which we moved a third of the points.

most = swgg.max_sliced(X, Y)
print(f"largest distance along a line {most.distance:.3f}, in column {np.abs(most.theta).argmax()}")
panels[1].bar(range(d), np.abs(most.theta))
panels[1].set(xlabel="column", ylabel="share of the direction", title="the line that tells them apart")

print(f"sliced {found[-1].distance:.3f} <= largest {most.distance:.3f} <= a plan of the default {swgg.solve(X, Y, effort=1, bounds=False).distance:.3f}")
plt.show()

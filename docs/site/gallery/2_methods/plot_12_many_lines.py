"""
Many lines make one plan
========================

A search for the best line throws all the others away. Merging keeps what is good in each: wherever two plans differ, the
cheaper pairs stay. Trees go further and choose a line for every cell of space. Both are parts of the default.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(9)
n = 3000
X, Y = rng.uniform(size=(n, 3)), rng.uniform(size=(n, 3))
optimum = swgg.solve(X, Y, method="exact").value

# %%
# Two samples of one cube are hard: no direction is better than another, and the best plan moves points only a little.

lines = [5, 10, 20, 50, 100, 200]
single = [swgg.min_swgg(X, Y, n_projections=k, bounds=False).value for k in lines]
merged = [swgg.solve(X, Y, method="merged", n_projections=k, bounds=False).value for k in lines]
trees = [swgg.solve(X, Y, method="tree", trees=k, bounds=False).value for k in (1, 2, 4, 8, 16, 32)]
default = swgg.solve(X, Y, effort=2, bounds=False).value
for name, value in [("best of 200 lines", single[-1]), ("200 lines merged", merged[-1]), ("32 trees", trees[-1]), ("default, effort 2", default)]:
    print(f"{name:18s} {value / optimum:8.2f} times the optimum")

figure, panel = plt.subplots(figsize=(7, 3.8), layout="constrained")
panel.loglog(lines, np.array(single) / optimum, "o-", label="the best line")
panel.loglog(lines, np.array(merged) / optimum, "o-", label="lines merged")
panel.loglog([1, 2, 4, 8, 16, 32], np.array(trees) / optimum, "o-", label="trees, a line per cell")
panel.axhline(default / optimum, linestyle="--", color="tab:red", label="default, effort 2")
panel.axhline(1.0, color="0.4", linewidth=1)
panel.set(xlabel="lines or trees", ylabel="cost, in units of the optimum")
panel.legend()
plt.show()

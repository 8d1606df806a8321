"""
Bakeries and cafés: weights and different sizes
===============================================

Points need not count the same, and there need not be as many on both sides. Here 12 bakeries deliver to 40 cafés. A bakery
has a number of loaves, a café a demand, and the plan says how many loaves go from each bakery to each café so that they
travel as little as possible.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(2)
bakeries, cafes = rng.uniform(0.0, 10.0, (12, 2)), rng.uniform(0.0, 10.0, (40, 2))
loaves, demand = rng.integers(20, 120, 12).astype(float), rng.integers(5, 30, 40).astype(float)

# %%
# Weights are scaled to sum to one on either side. Loaves travel along streets, so a unit pays the distance itself rather than
# its square.

result = swgg.solve(bakeries, cafes, a=loaves, b=demand, cost="euclidean")
print(result)

# %%
# Such a plan splits points, so there is no permutation. ``entries`` lists who sends how much to whom, and ``plan`` is the
# same as a sparse matrix. There are never more entries than points of both sides together, less one.

source, target, share = result.entries
print(f"{len(share)} deliveries; row sums are exact to {np.abs(result.plan.sum(axis=1) - loaves / loaves.sum()).max():.0e}")

# %%
# The wider a line, the more loaves on it.

figure, panel = plt.subplots(figsize=(6, 6), layout="constrained")
for i, j, mass in zip(source, target, share):
    panel.plot(*np.column_stack([bakeries[i], cafes[j]]), color="0.6", linewidth=120 * mass, solid_capstyle="round", zorder=1)
panel.scatter(*bakeries.T, s=2.5 * loaves, color="tab:brown", label="bakeries", zorder=2)
panel.scatter(*cafes.T, s=2.5 * demand, color="tab:green", label="cafés", zorder=2)
panel.set(aspect="equal", xticks=[], yticks=[])
panel.legend(loc="upper right", markerscale=0.6)
plt.show()

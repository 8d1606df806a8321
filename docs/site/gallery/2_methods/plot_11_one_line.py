"""
One line: min-SWGG and its landscape
====================================

Look at two clouds along a direction, so that each becomes a list of numbers; pair them by rank; pay for these pairs in the
full space. This is a plan for every direction, and min-SWGG keeps the cheapest. Which direction is best is hard to guess:
the cost as a function of the angle has many valleys.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(8)
n = 400
angle = rng.uniform(0.0, np.pi, n)
moon = np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0.0, 0.1, (n, 2))
corners = np.array([[-2.0, -1.0], [2.0, -1.0], [0.0, 2.5], [2.5, 1.5]])[rng.integers(0, 4, n)] + rng.normal(0.0, 0.25, (n, 2))

# %%
# Random directions, as columns; the sweep, which tries every direction of the plane that matters; and the optimum.

angles = np.linspace(0.0, np.pi, 721)
directions = np.vstack([np.cos(angles), np.sin(angles)])
scan = swgg.min_swgg(moon, corners, projections=directions, keep_costs=True)
sweep = swgg.min_swgg(moon, corners, search="sweep")
best = swgg.solve(moon, corners)
print(f"721 directions {scan.value:.4f}, all directions {sweep.value:.4f}, optimum {best.value:.4f}")

# %%
# The valley of the best line is narrow, and even its floor is above the optimum: one line is a weak map. How many lines become
# a strong one is the next example.

figure, panels = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained", width_ratios=[3, 2])
panels[0].plot(np.rad2deg(angles), scan.costs, linewidth=1, label="plan of one line")
panels[0].axhline(best.value, color="tab:green", label="optimum")
panels[0].plot(np.rad2deg(np.arctan2(sweep.theta[1], sweep.theta[0])) % 180, sweep.value, "o", color="tab:red", label="best line")
panels[0].set(xlabel="angle of the line in degrees", ylabel="squared cost")
panels[0].legend()
image = corners[sweep.permutation]
panels[1].plot([moon[::4, 0], image[::4, 0]], [moon[::4, 1], image[::4, 1]], color="0.8", linewidth=0.6)
panels[1].scatter(*moon.T, s=5)
panels[1].scatter(*corners.T, s=5, color="tab:red")
panels[1].axline((0.0, 0.0), sweep.theta, color="k", linestyle=":", linewidth=1)
panels[1].set(aspect="equal", xticks=[], yticks=[], title="the best line and its pairs")
plt.show()

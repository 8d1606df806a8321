"""
Big clouds
==========

Many solvers fill a matrix with the distance of every pair. For 200 000 points a side that is 320 GB. swgg never makes such a
matrix: memory grows as the number of points, and time only a little faster.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(5)
sizes = [2_000, 10_000, 50_000, 200_000]
seconds, values = [], []
for n in sizes:
    X = rng.normal(size=(n, 3))
    Y = rng.normal(size=(n, 3)) @ np.diag([2.0, 1.0, 0.5]) + 1.0
    begin = time.perf_counter()
    result = swgg.solve(X, Y, effort=1, bounds=False)
    seconds.append(time.perf_counter() - begin)
    values.append(result.value)
    print(f"{n:7d} points: cost {result.value:.4f} in {seconds[-1]:.3f} s")

# %%
# Between these two Gaussians the true cost is known, 4.25, and samples come closer to it the larger they are.
#
# The plan of the last pair has 200 000 entries; as a dense matrix it would have 40 billion.

print(f"plan: {result.plan.nnz} entries, {len(result.permutation)} of them on different points")

figure, panels = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
panels[0].loglog(sizes, seconds, "o-", label="measured")
panels[0].loglog(sizes, seconds[-1] * np.array(sizes) / sizes[-1], ":", color="0.5", label="as the number of points")
panels[0].set(xlabel="points a side", ylabel="seconds")
panels[0].legend()
panels[1].semilogx(sizes, values, "o-")
panels[1].axhline(4.25, linestyle=":", color="0.5")
panels[1].set(xlabel="points a side", ylabel="cost of the plan")
plt.show()

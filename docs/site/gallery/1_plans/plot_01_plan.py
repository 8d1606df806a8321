"""
A first plan
============

Two clouds of points, of the same number: who should go where, so that all of them together walk as little as possible?
That is optimal transport, and the answer is called a *plan*. One call finds it.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

# %%
# A cloud is an array with one row per point. Here are a round one and a bent one.

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 2))
bend = rng.normal(size=300)
Y = np.column_stack([bend + 5.0, 0.6 * bend**2 + rng.normal(0.0, 0.3, 300)])

result = swgg.solve(X, Y)
print(result)

# %%
# ``value`` is what the plan costs: the mean of the squared distances that points walk. ``gap`` says how far above the best
# possible plan that can be at most. For clouds this small it is zero but for rounding: the plan is the best one, and that is proved.

print(f"mean squared distance {result.value:.4f}, at most {result.gap:.1%} above the optimum")

# %%
# For clouds of one size the plan is a permutation: point ``i`` of ``X`` goes to ``Y[result.permutation[i]]``.

image = Y[result.permutation]
figure, panel = plt.subplots(figsize=(7, 3.6), layout="constrained")
panel.plot([X[:, 0], image[:, 0]], [X[:, 1], image[:, 1]], color="0.75", linewidth=0.6)
panel.scatter(*X.T, s=9, color="tab:blue", label="X", zorder=2)
panel.scatter(*Y.T, s=9, color="tab:red", label="Y", zorder=2)
panel.set(aspect="equal", title="every point and where it goes")
panel.legend()
plt.show()

"""
What does moving cost?
======================

Moving a point by ``v`` costs ``|v|^2`` unless told otherwise. Then one long way is dearer than two short ones, and the
effort is shared. If a point pays the distance itself, or counts streets and avenues, other plans are best.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

# %%
# Two heaps that overlap. With squared distances everybody moves a little to the right; with plain distances those who are
# in the right place already may as well stay, and no two ways cross.

rng = np.random.default_rng(6)
X, Y = rng.uniform(0.0, 1.0, (80, 2)), rng.uniform(0.0, 1.0, (80, 2)) + [0.6, 0.0]


def crossings(start, end):
    """How many pairs of straight ways cross."""

    def side(p, q, r):
        return np.sign((q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0]))

    a, b, c, d = start[:, None], end[:, None], start[None], end[None]
    return int(np.sum((side(a, b, c) != side(a, b, d)) & (side(c, d, a) != side(c, d, b)))) // 2


costs = {"squared distance": "sqeuclidean", "distance": "euclidean", "streets and avenues": "cityblock"}
figure, panels = plt.subplots(1, 3, figsize=(12, 3.2), layout="constrained", sharex=True, sharey=True)
for panel, (title, cost) in zip(panels, costs.items()):
    result = swgg.solve(X, Y, cost=cost)
    image = Y[result.permutation]
    print(f"{title}: {result.value:.4f}, {crossings(X, image)} crossings")
    panel.plot([X[:, 0], image[:, 0]], [X[:, 1], image[:, 1]], color="tab:purple", linewidth=1)
    panel.scatter(*X.T, s=12, color="tab:blue")
    panel.scatter(*Y.T, s=12, color="tab:red")
    panel.set(title=title, aspect="equal", xticks=[], yticks=[])

# %%
# Columns in different units need a common measure: ``scales`` has a factor for each. Here the second column is a
# hundred times as large as the first and would decide alone.

prices = np.column_stack([rng.normal(size=200), 100.0 * rng.normal(size=200)])
other = np.column_stack([rng.normal(size=200) + 1.0, 100.0 * rng.normal(size=200)])
plain, scaled = swgg.solve(prices, other), swgg.solve(prices, other, scales=[1.0, 0.01])
for name, result in [("as they are", plain), ("scaled", scaled)]:
    moved = np.abs(other[result.permutation] - prices).mean(axis=0)
    print(f"{name}: mean moves {moved[0]:.2f} in the first column, {moved[1]:.1f} in the second")
plt.show()

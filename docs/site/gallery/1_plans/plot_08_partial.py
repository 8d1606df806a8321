"""
Only a part of the mass: outliers
=================================

Transport moves everything. A few points that have no counterpart, dirt on a scan or cells of another kind, then pull
everybody along. With ``mass=0.8`` only the cheapest 80 % move, and the plan says who stayed.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

# %%
# Two handwritten-looking eights that agree, and dirt in opposite corners.

rng = np.random.default_rng(7)
s = rng.uniform(0.0, 2.0 * np.pi, 400)
eight = np.column_stack([np.sin(2.0 * s), 1.6 * np.cos(s)]) + rng.normal(0.0, 0.05, (400, 2))
X = np.vstack([eight, rng.normal([-2.5, -2.0], 0.2, (100, 2))])
Y = np.vstack([1.15 * eight[rng.permutation(400)] + [0.2, 0.1], rng.normal([2.8, 2.2], 0.2, (100, 2))])

everything, part = swgg.solve(X, Y), swgg.solve(X, Y, mass=0.8)
stayed, _ = part.unmatched_source
print(f"{len(stayed)} points of X stayed; {np.mean(stayed >= 400):.0%} of them are dirt")

figure, panels = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained", sharex=True, sharey=True)
for panel, result, title in zip(panels, (everything, part), ("all of the mass", "80 % of the mass")):
    i, j, _ = result.entries
    panel.plot([X[i, 0], Y[j, 0]], [X[i, 1], Y[j, 1]], color="0.7", linewidth=0.6)
    panel.scatter(*X.T, s=6, color="tab:blue")
    panel.scatter(*Y.T, s=6, color="tab:red")
    panel.set(title=f"{title}: cost {result.value:.3f}", aspect="equal", xticks=[], yticks=[])

# %%
# If the share is not known, ask what the last unit of mass pays as the share grows: it jumps where the outliers begin.
# Or say what a pair may cost at most, with ``discard_cost``.

shares = np.linspace(0.5, 1.0, 21)
values = np.array([swgg.solve(X, Y, mass=share).value for share in shares])
figure, panel = plt.subplots(figsize=(6, 2.8), layout="constrained")
panel.plot(shares[1:], np.diff(values) / np.diff(shares), "o-")
panel.set(xlabel="share that moves", ylabel="price of the last unit")
known = swgg.solve(X, Y, discard_cost=1.0)
print(f"pairs that cost at most 1: {known.moved:.0%} of the mass")
plt.show()

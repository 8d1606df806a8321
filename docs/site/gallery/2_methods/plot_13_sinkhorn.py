"""
Smoothed plans: Sinkhorn
========================

Some uses want a plan that changes smoothly with the data. Entropic transport has a knob for it, epsilon: the larger it is, the
more each point spreads its mass over neighbours, and the more the plan costs.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(10)
X = np.sort(np.concatenate([rng.normal(-2.0, 0.5, 60), rng.normal(1.0, 0.6, 60)]))[:, None]
Y = np.sort(np.concatenate([rng.normal(-1.0, 0.4, 40), rng.normal(2.0, 0.7, 80)]))[:, None]
optimum = swgg.solve(X, Y).value

# %%
# ``relative_epsilon`` is a share of the mean cost, so that it does not depend on units. Whatever it is, the plan in the
# result meets the weights of both sides exactly, and a lower bound stands beside its cost.

figure, panels = plt.subplots(1, 4, figsize=(12, 3.2), layout="constrained")
for panel, share in zip(panels, (0.001, 0.01, 0.1, 1.0)):
    found = swgg.sinkhorn(X, Y, relative_epsilon=share)
    print(f"epsilon {found.epsilon:7.4f}: cost {found.value:.4f} ({found.value / optimum - 1:6.2%} above the optimum), {found.n_iter} iterations")
    panel.imshow(found.smooth_plan() ** 0.5, cmap="magma_r", origin="lower")
    panel.set(title=f"{share:g} of the mean cost", xticks=[], yticks=[], xlabel="Y", ylabel="X")

# %%
# The Sinkhorn divergence takes off what smoothing costs by itself: it is zero between equal clouds, and makes a loss whose
# gradient does not pull clouds together.

print(f"divergence of a cloud from itself: {abs(swgg.sinkhorn_divergence(X, X, relative_epsilon=0.1).value):.1e}")
print(f"divergence of the two: {swgg.sinkhorn_divergence(X, Y, relative_epsilon=0.1).value:.4f}, squared distance {optimum:.4f}")
plt.show()

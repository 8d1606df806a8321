"""
Coming from POT
===============

``swgg.pot`` has calls of POT by their own names, argument order and return values: change the import and keep the code. What is
not there is refused with a message, never computed differently in silence.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg
import swgg.pot as ot

# %%
# A program as it stands in many notebooks.

rng = np.random.default_rng(13)
n = 200
xs = rng.multivariate_normal([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], n)
xt = rng.multivariate_normal([4.0, 4.0], [[1.0, -0.8], [-0.8, 1.0]], n)
a, b = ot.unif(n), ot.unif(n)
M = ot.dist(xs, xt)
G0 = ot.emd(a, b, M)
print(f"emd2 {ot.emd2(a, b, M):.4f}, sliced {ot.sliced_wasserstein_distance(xs, xt, a, b, 200, seed=0):.4f}")

# %%
# The same without the matrix ``M``, which grows as ``n * n``: this is what to use from some thousand points on.

found = ot.solve_sample(xs, xt)
again = swgg.solve(xs, xt)
print(f"solve_sample {found.value:.4f}, swgg.solve {again.value:.4f}, gap {again.gap:.1%}")

figure, panels = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
i, j = np.nonzero(G0 > 1e-12)
panels[0].plot([xs[i, 0], xt[j, 0]], [xs[i, 1], xt[j, 1]], color=(0.5, 0.5, 1.0), linewidth=0.5)
panels[0].plot(xs[:, 0], xs[:, 1], "+b", label="source")
panels[0].plot(xt[:, 0], xt[:, 1], "xr", label="target")
panels[0].legend()
order = np.argsort(xs[:, 0]), np.argsort(xt[:, 0])
panels[1].imshow(G0[np.ix_(*order)] > 0, cmap="gray_r", interpolation="nearest")
panels[1].set(title="the plan, both sides sorted", xticks=[], yticks=[])
plt.show()

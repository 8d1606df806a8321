"""
How good is the plan? Bounds
============================

Every plan costs at least as much as the best one, so its cost is an upper bound. A lower bound is harder: it has to hold for
all plans. ``solve`` looks for both, and the optimum lies between the two. Nobody has to believe that a plan is good.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(4)
n = 6_000
X = rng.normal(size=(n, 3))
X /= np.linalg.norm(X, axis=1, keepdims=True)
Y = rng.uniform(-1.0, 1.0, (n, 3))

# %%
# More ``effort`` never costs more, and narrows the interval in which the optimum must lie.

efforts = [1, 2, 3, 4, 5]
found = [swgg.solve(X, Y, effort=effort) for effort in efforts]
for effort, result in zip(efforts, found):
    print(f"effort {effort}: between {result.lower_bound:.5f} and {result.value:.5f}, gap {result.gap:.2%}, {result.seconds:.2f} s")

# %%
# Or say how close is close enough: with ``gap=0.01`` the search ends as soon as one per cent is certain.

enough = swgg.solve(X, Y, gap=0.01)
print(enough.story)
print(f"gap {enough.gap:.2%} after {enough.seconds:.2f} s")

figure, panel = plt.subplots(figsize=(7, 3.6), layout="constrained")
panel.fill_between(efforts, [r.lower_bound for r in found], [r.value for r in found], color="tab:blue", alpha=0.2, label="the optimum is here")
panel.plot(efforts, [r.value for r in found], "o-", label="cost of the plan")
panel.plot(efforts, [r.lower_bound for r in found], "o-", label="no plan costs less")
panel.set(xlabel="effort", ylabel="squared cost", xticks=efforts)
panel.legend()
plt.show()

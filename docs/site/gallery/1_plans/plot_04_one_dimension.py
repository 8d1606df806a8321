"""
On a line, sorting is enough
============================

Numbers have an order, and the best plan between two lists of numbers keeps it: the smallest goes to the smallest, the median
to the median. That is why transport in one dimension costs no more than two sorts, and it is what everything else here is
built on.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

# %%
# Waiting times of two offices, as plain lists of numbers.

rng = np.random.default_rng(3)
before, after = rng.gamma(2.0, 4.0, 50_000), rng.gamma(5.0, 1.2, 40_000) + 1.0

result = swgg.line_wasserstein(before, after, p=1)
print(f"people wait {result.value:.2f} minutes differently in the mean, found in {1e3 * result.seconds:.0f} ms")

# %%
# The distance is the area between the two curves of quantiles: how long the share of people on the horizontal axis
# waits at most.

share = np.linspace(0.001, 0.999, 400)
one, two = np.quantile(before, share), np.quantile(after, share)
figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
panels[0].hist([before, after], bins=60, density=True, label=["before", "after"], histtype="stepfilled", alpha=0.6)
panels[0].set(xlabel="minutes", yticks=[], title="two samples")
panels[0].legend()
panels[1].plot(share, one, share, two)
panels[1].fill_between(share, one, two, color="0.85", label=f"area {np.abs(one - two).mean():.2f}")
panels[1].set(xlabel="share of people", ylabel="minutes", title="their quantiles")
panels[1].legend()

# %%
# If only a part has to be matched, ``partial_1d`` gives the cheapest pairs of every number at once. Its running sum shows
# where pairs begin to be dear: here after 40 of 60, since the other 20 arrivals and departures are far from each other.

arrivals = np.concatenate([rng.uniform(0.0, 8.0, 40), rng.uniform(20.0, 22.0, 20)])
departures = np.concatenate([arrivals[:40] + rng.uniform(0.0, 0.3, 40), rng.uniform(-12.0, -10.0, 20)])
path = swgg.partial_1d(arrivals, departures, p=1)
figure, panel = plt.subplots(figsize=(6, 3), layout="constrained")
panel.plot(np.arange(1, 61), path.marginal_costs.cumsum(), marker=".")
panel.set(xlabel="pairs", ylabel="what they cost together")
plt.show()

"""
Particles follow a gradient
===========================

Any distance between clouds is a force field: let the points of one cloud walk downhill until they look like the other. Which
distance it is decides how they walk. Exact transport goes straight; sliced distances take detours, and one line leads
all of them to one side first.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(20)
n = 150
start = rng.normal([0.0, 0.0], 0.3, (n, 2))
angle = np.linspace(0.0, 2.0 * np.pi, n, endpoint=False)
radius = 1.5 + 0.5 * np.cos(5.0 * angle)
star = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])

# %%
# ``flow`` keeps the particles at every so many steps.

figure, panels = plt.subplots(1, 4, figsize=(12.5, 3.4), layout="constrained", width_ratios=[1, 1, 1, 1.2])
for panel, loss in zip(panels, ("auto", "sw", "min-swgg")):
    found = swgg.flow(start, star, loss=loss, steps=200, rate=0.03, every=5)
    way = np.stack([points for _, points in found.kept])
    panel.plot(way[:, :, 0], way[:, :, 1], color="tab:blue", alpha=0.35, linewidth=0.7)
    panel.scatter(*star.T, s=5, color="0.7")
    panel.scatter(*found.X.T, s=5, color="tab:red")
    panel.set(title=f"{loss}: {found.distance:.3f} left", aspect="equal", xlim=(-2.4, 2.4), ylim=(-2.4, 2.4), xticks=[], yticks=[])
    known = np.isfinite(found.distances)
    panels[3].semilogy(np.flatnonzero(known), found.distances[known], label=loss)
    print(f"{loss}: exact distance after 200 steps {found.distance:.4f}, {found.seconds:.2f} s")
panels[3].set(xlabel="step", title="exact distance to the star")
panels[3].legend()
plt.show()

"""
A page to look at
=================

A plan is easier to believe when you have turned it around. ``Result.plot`` draws it by matplotlib, and ``Result.report`` writes a
page: one HTML file with the clouds to turn and zoom, a slider along the plan, what every point pays, and the bounds. It needs
no network and no server.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(24)
n = 1500
angle, height = rng.uniform(0.0, 2.0 * np.pi, n), rng.uniform(-1.0, 1.0, n)
tube = np.column_stack([np.cos(angle), np.sin(angle), 2.0 * height])
sphere = rng.normal(size=(n, 3))
sphere = 1.2 * sphere / np.linalg.norm(sphere, axis=1, keepdims=True) + [4.0, 0.0, 0.0]
result = swgg.solve(tube, sphere)

figure = plt.figure(figsize=(8, 4.6), layout="constrained")
panel = result.plot(figure.add_subplot(projection="3d"), lines=300)
panel.set_box_aspect((2.2, 1, 1.2), zoom=1.4)

# %%
# The page goes where you say.

with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "plan.html"
    result.report(page)
    print(f"{page.name}: {page.stat().st_size / 1e3:.0f} kB, opened by any browser")
plt.show()

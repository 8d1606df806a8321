"""
The straight map: Gaussians
===========================

Between two Gaussians the best map is linear and known in a formula. For clouds that look roughly like ellipses it is a quick,
smooth stand-in for a plan, and always a lower bound of the cost. For clouds that do not, it misses the shape.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(12)
X = rng.normal(size=(1500, 2))
ellipse = rng.normal(size=(1500, 2)) @ np.array([[1.6, 0.6], [0.0, 0.5]]) + [6.0, 0.0]
angle = rng.uniform(0.0, 2.0 * np.pi, 1500)
ring = 1.6 * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0.0, 0.12, (1500, 2)) + [6.0, 0.0]

figure, panels = plt.subplots(1, 2, figsize=(10, 3.2), layout="constrained", sharex=True, sharey=True)
for panel, Y, name in zip(panels, (ellipse, ring), ("an ellipse", "a ring")):
    line, plan = swgg.gaussian(X, Y), swgg.solve(X, Y)
    print(f"{name}: Gaussians {line.value:.3f}, plan {plan.value:.3f}")
    panel.scatter(*X.T, s=3, color="0.7")
    panel.scatter(*Y.T, s=3, color="tab:red", label="target")
    panel.scatter(*line.transform(X).T, s=3, color="tab:blue", label="moved by the formula")
    panel.set(title=f"to {name}: {line.value:.2f} <= {plan.value:.2f}", aspect="equal", xticks=[], yticks=[])
panels[1].legend(loc="upper left")
plt.show()

"""
A scan brought into place
=========================

Two scans of one object, taken from different sides: which turn and shift brings one onto the other? ``register`` needs no
first guess. It tries many poses, matches points by transport, fits the motion, and says whether the answer is to be trusted.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

# %%
# A shell, and the same shell sampled anew, turned upside down and moved away, with noise.

rng = np.random.default_rng(15)


def shell(n):
    s, t = rng.uniform(0.0, 4.0 * np.pi, n), rng.uniform(0.0, 2.0 * np.pi, n)
    growth = np.exp(0.12 * s)
    tube = 0.4 * growth
    x = (growth + tube * np.cos(t)) * np.cos(s)
    y = (growth + tube * np.cos(t)) * np.sin(s)
    return np.column_stack([x, y, -1.2 * growth + tube * np.sin(t)]) + rng.normal(0.0, 0.02, (n, 3))


axis, angle = np.array([0.6, 0.0, 0.8]), np.deg2rad(155.0)
cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
turn = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
source, target = shell(3000), shell(3000) @ turn.T + [8.0, -3.0, 2.0]

found = swgg.register(source, target)
print(found.sentence)
off = np.rad2deg(np.arccos(np.clip((np.trace(found.rotation @ turn.T) - 1.0) / 2.0, -1.0, 1.0)))
print(f"confidence: {found.confidence}; the turn is off by {off:.2f} degrees, found in {found.seconds:.2f} s")

figure, panels = plt.subplots(1, 2, figsize=(9, 4.2), subplot_kw={"projection": "3d"}, layout="constrained")
for panel, points, title in zip(panels, (source, found.transform(source)), ("before", "after")):
    panel.scatter(*target[::3].T, s=2, color="0.7")
    panel.scatter(*points[::3].T, s=2, color="tab:red")
    panel.set_title(title)
    panel.set_box_aspect(np.ptp(np.vstack([target, points]), axis=0), zoom=1.3)
    panel.set_axis_off()
plt.show()

"""
Labels carried to another domain
================================

A classifier was trained on one instrument, and a second one measures the same things on a different scale. There are no labels
for the second. Transport moves the labelled data to where the new data are, and the classifier is trained there.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import KNeighborsClassifier

import swgg

# %%
# Three classes seen by two instruments. The second turns, stretches and shifts them; its labels are only there to keep score.

rng = np.random.default_rng(16)


def measure(n):
    label = rng.integers(0, 3, n)
    centre = np.array([[0.0, 0.0], [2.4, 0.3], [0.8, 2.2]])[label]
    bend = rng.uniform(-1.0, 1.0, n)
    return centre + np.column_stack([0.6 * bend, 0.5 * bend**2]) + rng.normal(0.0, 0.15, (n, 2)), label


X, y = measure(700)
Z, truth = measure(700)
turn = np.deg2rad(30.0)
Z = Z @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) * [1.5, 0.9] + [2.0, -0.5]

# %%
# ``Transport`` is an estimator with ``fit`` and ``transform``, as scikit-learn has them.

carried = swgg.Transport().fit(X, Z).transform(X)
before = KNeighborsClassifier(5).fit(X, y).score(Z, truth)
after = KNeighborsClassifier(5).fit(carried, y).score(Z, truth)
print(f"right without transport {before:.1%}, with it {after:.1%}")

figure, panels = plt.subplots(1, 2, figsize=(10, 3.8), sharex=True, sharey=True, layout="constrained")
for panel, points, title in zip(panels, (X, carried), (f"as measured: {before:.0%} right", f"carried over: {after:.0%} right")):
    panel.scatter(*Z.T, s=7, color="0.8", label="second instrument, no labels")
    panel.scatter(*points.T, s=7, c=y, cmap="brg")
    panel.set(title=title, aspect="equal")
panels[0].legend(loc="lower right", fontsize=8)
plt.show()

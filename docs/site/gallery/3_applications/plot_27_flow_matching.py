"""
Flow matching without a deep-learning framework
===============================================

Flow matching learns a field of velocities that carries noise to data. It is trained on pairs of noise and data. If pairs are drawn
independently, their straight paths cross everywhere and the field must average; if a plan makes the pairs, paths hardly
cross, the field is simple, and a few steps are enough to follow it.

The field here is a regression on a few hundred bumps, so that NumPy is all it takes. With PyTorch, ``swgg.torch.couple`` pairs
batches in the same way.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

rng = np.random.default_rng(19)
n = 2000
noise = rng.normal(size=(n, 2))
side = rng.integers(0, 2, n)
angle = rng.uniform(0.0, np.pi, n)
data = np.column_stack([np.cos(angle), np.sin(angle)]) * np.where(side, 1.0, -1.0)[:, None] + np.where(side, -0.5, 0.5)[:, None] * [1.0, 0.4]
data = 2.2 * data + rng.normal(0.0, 0.1, (n, 2))

# %%
# A small model: velocity as a function of place and time, smoothed by bumps around places where paths are.


def features(place, t, bumps):
    z = np.column_stack([place, 2.0 * np.broadcast_to(t, (len(place), 1))])
    far = (z**2).sum(axis=1)[:, None] - 2.0 * z @ bumps.T + (bumps**2).sum(axis=1)
    near = np.exp(-(far - far.min(axis=1, keepdims=True)) / (2.0 * 0.25**2))
    return near / near.sum(axis=1, keepdims=True)


def train(x0, x1):
    t = rng.uniform(size=(len(x0) * 4, 1))
    x0, x1 = np.tile(x0, (4, 1)), np.tile(x1, (4, 1))
    place = (1.0 - t) * x0 + t * x1
    bumps = np.column_stack([place, 2.0 * t])[rng.choice(len(t), 500, replace=False)]
    F = features(place, t, bumps)
    return bumps, np.linalg.solve(F.T @ F + 1e-1 * np.eye(len(bumps)), F.T @ (x1 - x0))


def follow(start, model, steps):
    bumps, velocities = model
    path = [start]
    for k in range(steps):
        path.append(path[-1] + features(path[-1], (k + 0.5) / steps, bumps) @ velocities / steps)
    return np.stack(path)


# %%
# Both kinds of pairs, then six steps from fresh noise.

coupled = data[swgg.solve(noise, data, bounds=False).permutation]
fresh = rng.normal(size=(1000, 2))
figure, panels = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained", sharex=True, sharey=True)
for panel, x1, name in zip(panels, (data, coupled), ("independent pairs", "pairs of a plan")):
    path = follow(fresh, train(noise, x1), steps=6)
    far = swgg.solve(path[-1], data[:1000]).distance
    print(f"{name}: distance of what was made from the data {far:.3f}")
    panel.plot(path[:, :60, 0], path[:, :60, 1], color="tab:blue", alpha=0.4, linewidth=0.8)
    panel.scatter(*data.T, s=3, color="0.8")
    panel.scatter(*path[-1].T, s=4, color="tab:red")
    panel.set(title=f"{name}, 6 steps: {far:.2f} from the data", aspect="equal", xticks=[], yticks=[])
plt.show()

"""
Cells from one day to the next
==============================

Measuring a cell destroys it, so nobody has seen the same cell on two days. Transport between the cells of two days says which
became what, if cells change little in a day. Cells that divide count for more, which is what weights are for.

The embeddings are generated: 30 principal components, as a pipeline of single-cell analysis would have them.
"""

import matplotlib.pyplot as plt
import numpy as np

import swgg

# %%
# On day one there are stem cells and progenitors of two fates; on day two both fates have moved on, and one has doubled.

rng = np.random.default_rng(17)
names = ["stem", "red", "white"]
axes = rng.normal(size=(3, 30))
axes /= np.linalg.norm(axes, axis=1, keepdims=True)


def day(counts, ages):
    kind = np.repeat(np.arange(3), counts)
    age = np.repeat(ages, counts) + rng.normal(0.0, 0.5, kind.size)
    return 4.0 * age[:, None] * axes[kind] + rng.normal(0.0, 0.35, (kind.size, 30)), kind


early, kind_early = day([2000, 1000, 1000], [0.1, 1.0, 1.0])
late, kind_late = day([1500, 3000, 1500], [0.3, 1.6, 1.6])

# %%
# Growth as it would come from a score of the cell cycle: progenitors of red cells divide, others hardly.

growth = np.array([1.0, 2.4, 1.2])[kind_early] * rng.lognormal(0.0, 0.1, kind_early.size)
result = swgg.solve(early, late, a=growth, effort=3)
print(f"{early.shape[0]} cells to {late.shape[0]}: {result.plan.nnz} entries in {result.seconds:.2f} s")

# %%
# The table of transitions: of the mass of each kind on day one, which share is of which kind on day two?

i, j, mass = result.entries
table = np.zeros((3, 3))
np.add.at(table, (kind_early[i], kind_late[j]), mass)
table /= table.sum(axis=1, keepdims=True)

# %%
# And the way back: how much of each cell's past is red. Annotations are pulled from one day to the other by the plan.

past = np.zeros(late.shape[0])
np.add.at(past, j, mass * (kind_early[i] == 1))
past /= np.bincount(j, mass, late.shape[0])

flat = np.linalg.svd(np.vstack([early, late]) - np.vstack([early, late]).mean(axis=0), full_matrices=False)[2][:2]
figure, panels = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
panels[0].scatter(*(early @ flat.T).T, c=kind_early, s=2, cmap="brg")
panels[0].set(title="day one, by kind", xticks=[], yticks=[])
dots = panels[1].scatter(*(late @ flat.T).T, c=past, s=2, cmap="viridis")
figure.colorbar(dots, ax=panels[1], label="share of its past that was red")
panels[1].set(title="day two, by its past", xticks=[], yticks=[])
panels[2].imshow(table, cmap="Blues", vmin=0.0, vmax=1.0)
for row in range(3):
    for column in range(3):
        panels[2].text(column, row, f"{table[row, column]:.0%}", ha="center", va="center", color="w" if table[row, column] > 0.5 else "k")
panels[2].set(title="who becomes what", xticks=range(3), yticks=range(3), xticklabels=names, yticklabels=names, xlabel="day two", ylabel="day one")
plt.show()

"""A sphere and a cube, with equal weights or without."""

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    name = "Sphere to cube"
    parameters = {"n": [1000, 5000], "weighted": [False, True]}
    requirements = ["numpy"]
    test_parameters = {"n": [50], "weighted": [True]}

    def get_data(self):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(self.n, 3))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        Y = rng.uniform(-1.0, 1.0, (self.n, 3))
        a, b = (rng.uniform(0.5, 1.5, self.n) if self.weighted else np.ones(self.n) for _ in range(2))
        return dict(X=X, Y=Y, a=a / a.sum(), b=b / b.sum())

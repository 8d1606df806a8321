"""A cloud and the same cloud moved, in another order: the best plan moves every point alike, so its cost is known."""

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    name = "Shifted"
    parameters = {"n, d": [(1000, 3), (1000, 30)]}
    requirements = ["numpy"]
    test_parameters = {"n, d": [(50, 2)]}

    def get_data(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(self.n, self.d))
        weights = np.full(self.n, 1.0 / self.n)
        return dict(X=X, Y=rng.permutation(X + 1.0), a=weights, b=weights, optimum=float(self.d))

"""Transport between two clouds at squared distances: the less a plan costs, the better."""

import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    name = "Transport plans"
    min_benchopt_version = "1.6"
    sampling_strategy = "run_once"
    requirements = ["numpy"]

    def set_data(self, X, Y, a, b, optimum=None):
        """Clouds and their weights; the cost of the best plan, where it is known."""
        self.X, self.Y, self.a, self.b, self.optimum = X, Y, a, b, optimum

    def get_objective(self):
        return dict(X=self.X, Y=self.Y, a=self.a, b=self.b)

    def evaluate_result(self, source, target, mass):
        """Looks at a plan given by its entries, and believes nothing else."""
        rows = np.bincount(source, mass, len(self.X))
        columns = np.bincount(target, mass, len(self.Y))
        cost = float(np.sum(mass * ((self.X[source] - self.Y[target]) ** 2).sum(axis=1)))
        found = dict(value=cost, marginal_error=float(np.abs(rows - self.a).sum() + np.abs(columns - self.b).sum()), entries=len(mass))
        if self.optimum is not None:
            found["excess"] = cost / self.optimum - 1.0
        return found

    def get_one_result(self):
        """Every point with every other: a plan, though a bad one."""
        source, target = (index.ravel() for index in np.indices((len(self.X), len(self.Y))))
        return dict(source=source, target=target, mass=self.a[source] * self.b[target])

"""The default solver of swgg, at several efforts."""

import numpy as np
import swgg
from benchopt import BaseSolver


class Solver(BaseSolver):
    name = "swgg"
    sampling_strategy = "run_once"
    parameters = {"effort": [1, 5, 10]}
    requirements = ["numpy", "pip::swgg"]

    def set_objective(self, X, Y, a, b):
        self.X, self.Y = X, Y
        # Equal weights are left out: the plan is then one to one.
        is_even = np.ptp(a) == 0.0 and np.ptp(b) == 0.0
        self.weights = {} if is_even else {"a": a, "b": b}

    def run(self, _):
        self.result = swgg.solve(self.X, self.Y, **self.weights, effort=self.effort, bounds=False)

    def get_result(self):
        source, target, mass = self.result.entries
        return dict(source=source, target=target, mass=mass)

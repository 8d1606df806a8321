"""POT's BSP-OT: bijections by trees, merged. It has neither weights nor clouds of different sizes."""

import numpy as np
import ot
from benchopt import BaseSolver


class Solver(BaseSolver):
    name = "POT BSP-OT"
    sampling_strategy = "run_once"
    parameters = {"plans": [64]}
    requirements = ["numpy", "pip::POT"]

    def skip(self, X, Y, a, b):
        is_even = len(X) == len(Y) and np.ptp(a) == 0.0 and np.ptp(b) == 0.0
        return (False, None) if is_even else (True, "BSP-OT matches equal weights one to one")

    def set_objective(self, X, Y, a, b):
        self.X, self.Y = X, Y

    def run(self, _):
        _, self.permutation, _ = ot.compute_bspot_bijection(self.X, self.Y, n_plans=self.plans)

    def get_result(self):
        n = len(self.X)
        return dict(source=np.arange(n), target=np.asarray(self.permutation), mass=np.full(n, 1.0 / n))

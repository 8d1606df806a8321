"""What the functions of the paper refuse, and how they say so."""

from __future__ import annotations

import numpy as np
import pytest

import swgg

X = np.random.default_rng(1).normal(size=(6, 3))
Y = np.random.default_rng(2).normal(size=(5, 3))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: swgg.swgg(X, Y, [1.0, 0.0]), r"theta: found 2 coordinates, expected 3"),
        (lambda: swgg.swgg(X, Y, [0.0, 0.0, 0.0]), r"theta: direction 0 has length 0"),
        (lambda: swgg.swgg(X, Y, [1.0, np.inf, 0.0]), r"theta: "),
        (lambda: swgg.swgg(X, Y, None), r"theta: found None"),
        (lambda: swgg.swgg(X, Y, np.eye(3)), r"theta: found shape \(3, 3\)"),
        (lambda: swgg.swgg(X, Y[:, :2], [1.0, 0.0, 0.0]), r"X has 3 columns and Y has 2"),
        (lambda: swgg.swgg(X, Y, [1.0, 0.0, 0.0], a=np.ones(4)), r"a: found 4 weights for 6 points"),
        (lambda: swgg.swgg(X, Y, [1.0, 0.0, 0.0], b=-np.ones(5)), r"b: weight 0"),
        (lambda: swgg.line_wasserstein(X, Y, p=0.5), r"p: found 0.5, expected 1 or more"),
        (lambda: swgg.generalized_geodesic(X, Y, [1.0, 0.0, 0.0], 1.5), r"t: found 1.5"),
        (lambda: swgg.generalized_geodesic(X, Y, [1.0, 0.0], 0.5), r"theta: "),
        (lambda: swgg.sliced_wasserstein(X, Y, p=0), r"p: found 0.0"),
        (lambda: swgg.sliced_wasserstein(X, Y, n_projections=0), r"n_projections: found 0"),
        (lambda: swgg.sliced_wasserstein(X, Y, n_projections=3, projections=np.eye(3)), r"n_projections: found beside"),
        (lambda: swgg.pwd(X, Y, projections=np.eye(3), orthogonal=True), r"orthogonal: found beside"),
        (lambda: swgg.pwd(X, Y, projections=np.ones((2, 3))), r"projections: found shape \(2, 3\).*transpose"),
        (lambda: swgg.sliced_wasserstein(np.where(X > 0, np.nan, X), Y), r"X: row 0, column"),
        (lambda: swgg.max_sliced(X, Y, steps=0), r"steps: found 0"),
        (lambda: swgg.max_sliced(X, Y, learning_rate=0), r"learning_rate: found 0.0"),
        (lambda: swgg.max_sliced(X, Y, optimizer="newton"), r"optimizer: found 'newton'"),
        (lambda: swgg.max_sliced(X, Y, start=[1.0]), r"start: found 1 coordinates"),
        (lambda: swgg.sinkhorn(X, Y, epsilon=0), r"epsilon: found 0.0, expected a number above 0"),
        (lambda: swgg.sinkhorn(X, Y, epsilon=1, blur=1), r"epsilon and blur: found together"),
        (lambda: swgg.sinkhorn(X, Y, blur=1, p=1), r"blur: found beside p = 1"),
        (lambda: swgg.sinkhorn(X, Y, scaling=1.0), r"scaling is 1; give a factor between 0.01 and 0.99"),
        (lambda: swgg.sinkhorn(X, Y, max_iter=0), r"max_iter: found 0"),
        (lambda: swgg.sinkhorn(X, Y, tolerance=-1), r"tolerance: found -1.0"),
        (lambda: swgg.sinkhorn(X, Y, epsilon=1e-14), r"epsilon is 0.0+1; give between 1e-12 of the largest cost"),
        (lambda: swgg.sinkhorn_divergence(X, Y, blur="wide"), r"blur: found 'wide'"),
        (lambda: swgg.emd(), r"X: found None"),
        (lambda: swgg.emd(X, M=np.ones((6, 5))), r"X and Y: found one of them"),
        (lambda: swgg.emd(X, Y, M=np.ones((5, 6))), r"M: found shape \(5, 6\), expected \(6, 5\)"),
        (lambda: swgg.emd(M=[[1.0, -1.0]]), r"M: .*-1"),
        (lambda: swgg.emd(M=[[1.0, np.nan]]), r"M: "),
        (lambda: swgg.emd(M=np.ones(3)), r"M: found shape \(3,\)"),
        (lambda: swgg.emd(M=np.ones((2, 2)), a=[1.0]), r"a: found 1 weights for 2 points"),
        (lambda: swgg.emd(M=np.ones((2, 2)), b=[1.0, -1.0]), r"b: weight 1"),
        (lambda: swgg.emd(M=np.ones((0, 2))), r"M: "),
        (lambda: swgg.factored(X, Y, k=0), r"k: found 0"),
        (lambda: swgg.factored(X, Y, glue="tape"), r"glue: found 'tape'"),
        (lambda: swgg.subspace_robust(X, Y, k=4), r"k: found 4, expected a whole number from 1 to 3"),
        (lambda: swgg.subspace_detour(X, Y, k=1, subspace=np.eye(3)), r"k: found beside subspace"),
        (lambda: swgg.subspace_detour(X, Y, subspace=np.eye(2)), r"subspace: found shape \(2, 2\)"),
        (lambda: swgg.subspace_detour(X, Y, subspace=np.ones((2, 3))), r"subspace: "),
        (lambda: swgg.subspace_detour(X, Y, detour="crane"), r"detour: found 'crane'"),
        (lambda: swgg.bures(np.eye(2), np.eye(3)), r"second: found shape \(3, 3\)"),
        (lambda: swgg.bures(np.ones((2, 3)), np.ones((2, 3))), r"first: "),
        (lambda: swgg.bures([[1.0, 2.0], [0.0, 1.0]], np.eye(2)), r"first: .*symmetric"),
        (lambda: swgg.bures(np.eye(2), -np.eye(2)), r"second: .*positive semi-definite"),
        (lambda: swgg.bures(np.zeros((0, 0)), np.zeros((0, 0))), r"first: "),
        (lambda: swgg.gaussian(X, Y).transform(np.ones((2, 2))), r"X_new: found 2 columns, expected 3"),
        (lambda: swgg.linear_ot([], X), r"clouds: found none"),
        (lambda: swgg.linear_ot(3, X), r"clouds: found 3, expected a list"),
        (lambda: swgg.linear_ot([X, Y[:, :2]], X), r"clouds\[1\]: found 2 columns, expected 3"),
        (lambda: swgg.linear_ot([X, np.where(Y > 0, np.nan, Y)], X), r"clouds\[1\]: row"),
        (lambda: swgg.linear_ot([X, Y], X, weights=[None]), r"weights: found 1, expected one entry for each of the 2"),
        (lambda: swgg.linear_ot([X, Y], X, weights=[None, -np.ones(5)]), r"weights of clouds\[1\]: weight 0"),
        (lambda: swgg.linear_ot([X, Y], X, plans="sinkhorn"), r"plans: found 'sinkhorn'"),
    ],
)
def test_refusals_name_the_argument(call, message):
    with pytest.raises(swgg.InputError, match=message):
        call()


def test_dense_matrices_have_a_limit():
    with pytest.raises(swgg.SizeError, match="a dense 6 x 5 plan takes 240 bytes"):
        swgg.sinkhorn(X, Y).smooth_plan(limit=100)

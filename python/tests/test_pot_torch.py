"""swgg.pot with tensors: tensors in, tensors out, and the directions that POT draws by torch."""

from __future__ import annotations

import numpy as np
import pytest

import swgg.pot as our

torch = pytest.importorskip("torch", reason="needs torch (pip install torch)")


def clouds(kind, n=30):
    generator = torch.Generator().manual_seed(0)
    return torch.randn(n, 3, generator=generator, dtype=kind), torch.randn(n, 3, generator=generator, dtype=kind) + 1.0


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_tensors_come_back(kind):
    x, y = clouds(kind)
    thetas = our.get_random_projections(3, 9, seed=1, type_as=x)
    expected = torch.randn(3, 9, generator=torch.Generator().manual_seed(1), dtype=kind)
    np.testing.assert_allclose(thetas, expected / expected.norm(dim=0, keepdim=True), rtol=1e-5)
    for dense in (True, False):
        plan, cost, log = our.min_sliced_transport_plan(x, y, n_projections=9, seed=1, dense=dense, log=True)
        assert plan.dtype == kind and plan.is_sparse != dense
        same = our.min_sliced_transport_plan(x.numpy(), y.numpy(), projections=thetas.numpy())
        np.testing.assert_allclose(plan.to_dense().numpy(), same[0])
        np.testing.assert_allclose(cost, same[1], rtol=1e-12)
        assert all(isinstance(value, torch.Tensor) for value in log.values())
    a = torch.full((30,), 1 / 30, dtype=kind)
    M = ((x[:, None] - y) ** 2).sum(dim=2)
    plan, log = our.emd(a, a, M, log=True)
    assert plan.dtype == log["u"].dtype == kind
    np.testing.assert_allclose(float((plan * M).sum()), float(log["cost"]), rtol=1e-5)
    assert isinstance(our.emd2(a, a, M), torch.Tensor)
    assert our.wasserstein_1d(x, y).shape == (3,)
    cost, perm, perms = our.compute_bspot_bijection(x, y, n_plans=3)
    np.testing.assert_allclose(float(cost), float(((x - y[perm.long()]) ** 2).sum(dim=1).mean()), rtol=1e-5)
    assert perms.shape == (3, 30)


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_samples_and_costs_as_tensors(kind):
    x, y = clouds(kind)
    for metric in ("sqeuclidean", "cityblock", "cosine", "canberra"):
        costs = our.dist(x, y, metric=metric)
        assert isinstance(costs, torch.Tensor)
        np.testing.assert_allclose(costs.numpy(), our.dist(x.numpy(), y.numpy(), metric=metric))
    cost, log = our.emd2_lazy(x, y)
    assert log["G"].is_sparse and log["G"].dtype == log["u"].dtype == kind and isinstance(cost, torch.Tensor)
    for reg in (None, 1.0):
        found = our.solve_sample(x, y, reg=reg, lazy=True)
        same = our.solve_sample(x.numpy(), y.numpy(), reg=reg)
        np.testing.assert_allclose(float(found.value), float(same.value), rtol=1e-12)
        assert found.plan.dtype == found.potential_a.dtype == found.marginal_b.dtype == kind
        np.testing.assert_allclose(found.plan.numpy(), same.plan)
        np.testing.assert_allclose(found.sparse_plan.to_dense().numpy(), same.plan)
        np.testing.assert_allclose(found.lazy_plan[3:5].numpy(), same.plan[3:5])
    for method in ("1d", "gaussian", "factored", "sliced", "max_sliced", "bsp"):
        found = our.solve_sample(x, y, method=method, random_state=0)
        assert isinstance(found.value, torch.Tensor)
        assert found.plan is None or isinstance(found.plan, torch.Tensor)


def test_gradients_are_not_kept():
    x, y = clouds(torch.float64)
    x.requires_grad_()
    assert not our.sliced_wasserstein_distance(x, y, seed=0).requires_grad

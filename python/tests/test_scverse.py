"""Couplings between cells of AnnData objects."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import swgg

pytest.importorskip("scipy", reason="skipped: no scipy")
anndata = pytest.importorskip("anndata", reason="skipped: no anndata")
pd = pytest.importorskip("pandas", reason="skipped: no pandas")

from swgg.scverse import couple  # noqa: E402


def cells(n: int = 90) -> anndata.AnnData:
    """Cells of three types on three days, which drift; stem cells grow."""
    rng = np.random.default_rng(0)
    day, kind = np.arange(n) % 3, rng.integers(0, 3, n)
    places = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    obs = pd.DataFrame(
        {
            "day": day,
            "type": pd.Categorical(np.array(["stem", "blood", "nerve"])[kind]),
            "growth": np.where(kind == 0, 2.0, 1.0),
            "weight": rng.uniform(0.5, 1.5, n),
        },
        index=[f"cell{k}" for k in range(n)],
    )
    found = anndata.AnnData(np.zeros((n, 1), dtype=np.float32), obs=obs)
    found.obsm["X_pca"] = places[kind] + rng.normal(scale=0.3, size=(n, 2)) + day[:, None] * 0.5
    return found


def test_groups_of_one_object() -> None:
    adata = cells()
    coupling = couple(adata, groupby="day", source=0, target=1, key_added="drift")
    early, late = adata[adata.obs.day == 0], adata[adata.obs.day == 1]
    alone = swgg.solve(early.obsm["X_pca"], late.obsm["X_pca"])
    assert coupling.value == alone.value and (coupling.plan != alone.plan).nnz == 0
    assert list(coupling.source_names) == list(early.obs_names) and list(coupling.target_names) == list(late.obs_names)
    # What is stored is the same, cells by cells.
    stored = adata.obsp["drift"]
    assert stored.shape == (90, 90) and stored.sum() == pytest.approx(1.0)
    i, j = (adata.obs_names.get_indexer(names) for names in (coupling.source_names, coupling.target_names))
    assert np.allclose(stored[i][:, j].toarray(), coupling.plan.toarray())
    assert adata.uns["drift"]["groupby"] == "day" and adata.uns["drift"]["value"] == coupling.value
    both = couple(early, late)
    assert both.value == coupling.value
    assert "30 source and 30 target cells" in repr(both)


def test_stored_couplings_are_written_to_files(tmp_path) -> None:
    adata = cells()
    couple(adata, groupby="day", source=0, target=1, growth="growth", key_added="drift")
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert np.allclose(again.obsp["drift"].toarray(), adata.obsp["drift"].toarray())
    assert again.uns["drift"]["growth"] == "growth"


def test_transition_tables() -> None:
    adata = cells()
    adata.obs.loc[:, "type2"] = adata.obs["type"].astype(str)
    coupling = couple(adata, groupby="day", source=0, target=1)
    masses = coupling.transitions("type", normalize=None)
    assert masses.to_numpy().sum() == pytest.approx(1.0) and list(masses.index) == ["blood", "nerve", "stem"]
    shares = adata.obs[adata.obs.day == 0]["type"].value_counts(normalize=True)
    assert np.allclose(masses.sum(axis=1), shares[masses.index])
    went = coupling.transitions("type", "type2")
    assert np.allclose(went.sum(axis=1), 1.0) and (np.diag(went) > 0.5).all()
    assert np.allclose(coupling.transitions("type", normalize="target").sum(axis=0), 1.0)


def test_growth_and_weights_are_masses() -> None:
    adata = cells()
    coupling = couple(adata, groupby="day", source=0, target=2, growth="growth", weights="weight")
    early, late = adata.obs[adata.obs.day == 0], adata.obs[adata.obs.day == 2]
    grown = (early.growth * early.weight).to_numpy()
    assert np.allclose(coupling.plan.sum(axis=1), grown / grown.sum())
    assert np.allclose(coupling.plan.sum(axis=0), late.weight / late.weight.sum())


def test_annotations_are_pushed_and_pulled() -> None:
    adata = cells()
    coupling = couple(adata, groupby="day", source=0, target=1, growth="growth")
    plan = coupling.plan.toarray()
    values = np.random.default_rng(1).normal(size=30)
    assert np.allclose(coupling.push(values), plan.T @ values / plan.sum(axis=0))
    assert np.allclose(coupling.pull(values), plan @ values / plan.sum(axis=1))
    assert np.allclose(coupling.push(values, normalize=False), plan.T @ values)
    pairs = np.stack([values, values**2], axis=1)
    assert coupling.push(pairs).shape == (30, 2) and np.allclose(coupling.push(pairs)[:, 0], coupling.push(values))
    kinds = coupling.push("type")
    assert list(kinds.columns) == ["blood", "nerve", "stem"] and np.allclose(kinds.sum(axis=1), 1.0)
    assert list(kinds.index) == list(coupling.target_names)
    late = adata.obs[adata.obs.day == 1]["type"]
    assert (kinds.idxmax(axis=1).to_numpy() == late.to_numpy()).mean() > 0.7
    assert coupling.pull("type").shape == (30, 3)
    marked = coupling.push(np.arange(30) < 5, normalize=False)
    assert marked.sum() == pytest.approx(plan[:5].sum())


def test_unbalanced_masses() -> None:
    adata = cells()
    adata.obsm["X_pca"][0] = 1000.0
    part = couple(adata, groupby="day", source=0, target=1, mass=0.9)
    assert part.plan.sum() == pytest.approx(0.9) and part.plan.toarray()[0].sum() == 0.0
    assert np.isnan(part.pull(np.ones(30))[0]) and np.isnan(part.push("type").to_numpy()).any(axis=1).sum() == 3
    cheap = couple(adata, groupby="day", source=0, target=1, discard_cost=400.0)
    assert cheap.plan.toarray()[0].sum() == 0.0
    soft = couple(
        adata, groupby="day", source=0, target=1, method="sinkhorn", epsilon=1.0, tau_a=0.9, tau_b=0.9, bounds=False
    )
    assert soft.plan.toarray()[0].sum() < 1e-6


def test_embeddings_as_tables() -> None:
    adata = cells()
    adata.obsm["table"] = pd.DataFrame(adata.obsm["X_pca"], index=adata.obs_names, columns=["u", "v"])
    first, second = (couple(adata, groupby="day", source=0, target=1, obsm=key) for key in ("X_pca", "table"))
    assert first.value == second.value


def test_refusals() -> None:
    adata = cells()
    for call, match in (
        (lambda: couple(adata), "found both or neither"),
        (lambda: couple(adata, adata, groupby="day"), "found both or neither"),
        (lambda: couple(adata, adata, source=1), "without groupby"),
        (lambda: couple(adata, groupby="year", source=0, target=1), "obs: found no column 'year' in adata, expected one of 'day'"),
        (lambda: couple(adata, groupby="day", source=0, target=7), "target: found no cell where day is 7; there are 0, 1, 2"),
        (lambda: couple(adata, adata, obsm="X_umap"), "obsm: found no 'X_umap' in the source cells, expected one of 'X_pca'"),
        (lambda: couple(adata, adata, growth="type"), "expected numbers"),
        (lambda: couple(adata, np.zeros((3, 2))), "target: found ndarray, expected an AnnData"),
        (lambda: couple(adata, adata).push(np.ones(3)), "values: found 3 for 90 source cells"),
        (lambda: couple(adata, adata).transitions("kind"), "obs: found no column 'kind'"),
        (lambda: couple(adata, adata).transitions("type", normalize="rows"), "normalize: found 'rows'"),
        (lambda: couple(adata, adata).store(adata[:5]), "adata: found no cell"),
    ):
        with pytest.raises(swgg.InputError, match=match):
            call()
    adata.obs.loc[adata.obs_names[0], "type"] = np.nan
    with pytest.raises(swgg.InputError, match="missing values"):
        couple(adata, groupby="day", source=0, target=1).transitions("type")


def test_nothing_of_scverse_is_imported() -> None:
    code = "import sys, swgg.scverse; print([m for m in ('anndata', 'jax', 'pandas', 'scipy', 'torch') if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "[]\n"


def test_the_page_says_what_comes_out() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "scverse.md"
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried > 5 and failed == 0

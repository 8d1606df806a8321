"""Couplings between cells: AnnData in, sparse couplings, transition tables and carried annotations out.

Nothing of scverse is imported here: objects are asked for their ``obs``, ``obsm`` and ``obsp``. Sparse couplings need SciPy,
and tables need pandas, which come with anndata. docs/scverse.md has an example from end to end.
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _arrays
from ._arrays import Callback
from .exceptions import InputError, KindError, MissingPackageError
from .result import Result
from .solvers import solve


class CellCoupling:
    """Which cells became which: a plan between two populations, with their names and annotations.

    Made by :func:`couple`.
    """

    #: The plan with its cost and bounds.
    result: Result
    #: Names of the cells of both populations, in the order of the plan.
    source_names: NDArray[Any]
    target_names: NDArray[Any]

    def __init__(self, result: Result, sides: Tuple["_Side", "_Side"], settings: Dict[str, Any]) -> None:
        self.result = result
        self._sides = sides
        self._settings = settings
        self.source_names, self.target_names = (np.asarray(side.obs.index) for side in sides)

    @property
    def plan(self) -> Any:
        """The coupling as a SciPy sparse array: mass from each source cell (rows) to each target cell (columns)."""
        return self.result.plan

    @property
    def value(self) -> float:
        """Cost of the coupling: the mean squared distance (not rooted), or the sum over what moved if a part was asked for."""
        return self.result.value

    def transitions(self, source_key: str, target_key: Optional[str] = None, *, normalize: Optional[str] = "source") -> Any:
        """How much of each cell type became which, as a pandas DataFrame.

        Parameters
        ----------
        source_key, target_key : str
            Columns of ``obs`` with the types; the same one for both if left out.
        normalize : {"source", "target"}, optional
            Whether rows sum to one (where each type went), or columns (where each came from); None keeps masses.
        """
        pandas = _pandas()
        if normalize is not None:
            _arrays.choice(normalize, "normalize", ("source", "target"))
        keys = source_key, source_key if target_key is None else target_key
        groups = [_categories(side.column(key), side.name) for side, key in zip(self._sides, keys)]
        table = np.zeros((len(groups[0][1]), len(groups[1][1])))
        rows, columns, masses = self.result.entries
        np.add.at(table, (groups[0][0][rows], groups[1][0][columns]), masses)
        if normalize is not None:
            axis = 1 if normalize == "source" else 0
            totals = table.sum(axis=axis, keepdims=True)
            # Types of which nothing moved have no shares.
            table = np.divide(table, totals, out=np.full_like(table, np.nan), where=totals > 0.0)
        return pandas.DataFrame(
            table,
            index=pandas.Index(groups[0][1], name="source"),
            columns=pandas.Index(groups[1][1], name="target"),
        )

    def push(self, values: Any, *, normalize: bool = True) -> Any:
        """Annotations of source cells, carried to the target cells.

        Parameters
        ----------
        values : str or array-like of length n, or (n, k)
            A column of ``obs``, or values of its own, one per source cell: numbers (or truth values), or categories.
        normalize : bool
            Whether a target cell gets the mean over what it received, NaN if that is nothing; or the sum of mass times
            value, such as the mass that came from marked cells.

        Returns
        -------
        numpy.ndarray or pandas.DataFrame
            Numbers per target cell; of categories, the share of each, one column per category.
        """
        return self._carried(values, 0, normalize)

    def pull(self, values: Any, *, normalize: bool = True) -> Any:
        """Annotations of target cells, carried back to the source cells; see :meth:`push`."""
        return self._carried(values, 1, normalize)

    def store(self, adata: Any, key: str = "swgg") -> None:
        """Writes the coupling into ``adata.obsp[key]``, cells by cells, and what it is into ``adata.uns[key]``.

        For couplings between two groups of one object; every cell has to be there by its name.
        """
        try:
            from scipy import sparse
        except ImportError as error:
            raise MissingPackageError("a sparse coupling needs SciPy (pip install scipy)") from error
        names = np.asarray(adata.obs.index)
        place = {name: k for k, name in enumerate(names)}
        if len(place) != len(names):
            raise InputError("adata: found names of cells twice, expected each once; call obs_names_make_unique()")
        sides = []
        for own in (self.source_names, self.target_names):
            missing = [name for name in own if name not in place]
            if missing:
                raise InputError(
                    f"adata: found no cell {missing[0]!r} (and {len(missing) - 1} others), expected those of the coupling"
                )
            sides.append(np.array([place[name] for name in own], dtype=np.int64))
        rows, columns, masses = self.result.entries
        adata.obsp[key] = sparse.csr_matrix(
            (masses, (sides[0][rows], sides[1][columns])), shape=(len(names), len(names))
        )
        facts = {"value": self.value, "method": self.result.method, "moved": self.result.moved}
        if self.result.lower_bound is not None:
            facts["lower_bound"] = self.result.lower_bound
        adata.uns[key] = {**{name: value for name, value in self._settings.items() if value is not None}, **facts}

    def _carried(self, values: Any, side: int, normalize: bool) -> Any:
        normalize = _arrays.flag(normalize, "normalize")
        given = self._sides[side].column(values) if isinstance(values, str) else values
        count = len(self._sides[side].obs)
        try:
            length = len(given)
        except TypeError:
            raise KindError(f"values: found {_arrays.shown(values)}, expected a column of obs, or a value per cell") from None
        if length != count:
            raise InputError(f"values: found {length} for {count} {self._sides[side].name} cells, expected one each")
        kind = getattr(given, "dtype", None)
        numbers = np.asarray(given)
        names = None
        if str(kind) == "category" or numbers.dtype.kind not in "biuf":
            codes, names = _categories(given, "values")
            numbers = np.eye(len(names))[codes]
        flat = numbers.reshape(count, -1).astype(np.float64)
        rows, columns, masses = self.result.entries
        here, there = (rows, columns) if side == 0 else (columns, rows)
        other = self._sides[1 - side]
        carried = np.zeros((len(other.obs), flat.shape[1]))
        for c in range(flat.shape[1]):
            carried[:, c] = np.bincount(there, weights=masses * flat[here, c], minlength=len(carried))
        if normalize:
            got = np.bincount(there, weights=masses, minlength=len(carried))[:, None]
            carried = np.divide(carried, got, out=np.full_like(carried, np.nan), where=got > 0.0)
        if names is not None:
            return _pandas().DataFrame(carried, index=other.obs.index, columns=names)
        return carried.reshape(len(carried), *numbers.shape[1:])

    def __repr__(self) -> str:
        n, m = len(self.source_names), len(self.target_names)
        return f"CellCoupling of {n} source and {m} target cells\n{self.result!r}"


def couple(
    adata: Any,
    other: Any = None,
    *,
    groupby: Optional[str] = None,
    source: Any = None,
    target: Any = None,
    obsm: str = "X_pca",
    growth: Optional[str] = None,
    weights: Optional[str] = None,
    method: str = "auto",
    mass: Optional[float] = None,
    discard_cost: Optional[float] = None,
    key_added: Optional[str] = None,
    seed: int = 0,
    n_threads: Optional[int] = None,
    callback: Optional[Callback] = None,
    bounds: bool = True,
    **own: Any,
) -> CellCoupling:
    """Couples two populations of cells by transport at squared cost between their embeddings.

    Parameters
    ----------
    adata : anndata.AnnData
        The source cells; or all of them, with ``groupby``.
    other : anndata.AnnData, optional
        The target cells, in an object of their own.
    groupby : str, optional
        A column of ``obs``, such as the day: cells where it is ``source`` are coupled with those where it is ``target``.
    source, target
        Those two values.
    obsm : str
        The embedding, a key of ``obsm``; the same for both.
    growth : str, optional
        A column of ``obs``: by which factor the mass of each source cell grows before it moves (division and death).
    weights : str, optional
        A column of ``obs`` with masses of both sides; equal if left out.
    method, mass, discard_cost, seed, n_threads, callback, bounds
        As in :func:`swgg.solve`: ``mass=0.9`` moves the cheapest nine tenths, ``discard_cost`` leaves behind what would
        pay more. ``method="sinkhorn"`` with ``epsilon``, ``tau_a`` and ``tau_b`` meets masses softly.
    key_added : str, optional
        Where to store the coupling, as :meth:`CellCoupling.store` does (``groupby`` only).
    **own
        Settings of the method, as in :func:`swgg.solve`.

    Returns
    -------
    CellCoupling
    """
    if (other is None) == (groupby is None):
        raise InputError("found both or neither of other and groupby, expected one: a second object, or groups of the first")
    if groupby is None:
        if source is not None or target is not None or key_added is not None:
            raise InputError("source, target and key_added: found without groupby, expected it beside them")
        sides = _Side(adata, "source", None), _Side(other, "target", None)
    else:
        column = _column(adata, groupby, "adata")
        masks = [np.asarray(column == value) for value in (source, target)]
        for name, value, mask in (("source", source, masks[0]), ("target", target, masks[1])):
            if not mask.any():
                there = ", ".join(map(repr, sorted(set(column), key=str)[:10]))
                raise InputError(f"{name}: found no cell where {groupby} is {value!r}; there are {there}")
        sides = _Side(adata, "source", masks[0]), _Side(adata, "target", masks[1])
    clouds = [side.points(obsm) for side in sides]
    masses = [None if weights is None else side.numbers(weights) for side in sides]
    if growth is not None:
        factors = sides[0].numbers(growth)
        masses[0] = factors if masses[0] is None else masses[0] * factors
    result = solve(
        clouds[0],
        clouds[1],
        masses[0],
        masses[1],
        method=method,
        mass=mass,
        discard_cost=discard_cost,
        seed=seed,
        n_threads=n_threads,
        callback=callback,
        bounds=bounds,
        **own,
    )
    settings = {"groupby": groupby, "source": source, "target": target, "obsm": obsm, "growth": growth, "weights": weights}
    coupling = CellCoupling(result, sides, {**settings, "mass": mass, "discard_cost": discard_cost})
    if key_added is not None:
        coupling.store(adata, key_added)
    return coupling


class _Side:
    """One of the two populations."""

    def __init__(self, adata: Any, name: str, mask: Optional[NDArray[np.bool_]]) -> None:
        for part in ("obs", "obsm"):
            if not hasattr(adata, part):
                raise KindError(f"{name}: found {type(adata).__name__}, expected an AnnData with obs and obsm")
        self.adata, self.name, self.mask = adata, name, mask
        self.obs = adata.obs if mask is None else adata.obs[mask]

    def points(self, key: str) -> NDArray[Any]:
        if key not in self.adata.obsm:
            there = ", ".join(map(repr, self.adata.obsm.keys())) or "none"
            raise InputError(f"obsm: found no {key!r} in the {self.name} cells, expected one of {there}")
        rows = _arrays.points(self.adata.obsm[key], f"obsm[{key!r}] of the {self.name} cells")
        return rows if self.mask is None else np.ascontiguousarray(rows[self.mask])

    def column(self, key: str) -> Any:
        return _column(self, key, f"the {self.name} cells")

    def numbers(self, key: str) -> NDArray[np.float64]:
        found = _arrays.weights(np.asarray(self.column(key)), f"obs[{key!r}] of the {self.name} cells")
        assert found is not None
        return found


def _column(holder: Any, key: str, name: str) -> Any:
    obs = holder.obs
    if key not in obs:
        there = ", ".join(map(repr, list(obs.columns)[:20])) or "none"
        raise InputError(f"obs: found no column {key!r} in {name}, expected one of {there}")
    return obs[key]


def _categories(values: Any, name: str) -> Tuple[NDArray[np.int64], NDArray[Any]]:
    """A code for each value, and the values in order; missing ones are refused."""
    pandas = _pandas()
    codes, names = pandas.factorize(pandas.Series(np.asarray(values)), sort=True)
    if (codes < 0).any():
        raise InputError(f"{name}: found missing values among categories, expected one for each cell; fill them in")
    return np.asarray(codes, dtype=np.int64), np.asarray(names)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise MissingPackageError("tables of cells need pandas (pip install pandas), which comes with anndata") from error
    return pandas


__all__ = ["CellCoupling", "couple"]

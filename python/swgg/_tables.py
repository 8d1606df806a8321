"""Tables in and out: names of columns, missing values, data frames of pandas and polars."""

from __future__ import annotations

import sys
import warnings
from typing import Any, List, Optional, Tuple

import numpy as np

from . import _arrays
from .exceptions import InputError, KindError, MissingPackageError


def names_of(table: Any) -> Optional[List[str]]:
    """Names of the columns, if it has columns and all of them are named by text."""
    columns = getattr(table, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    if not names or not any(isinstance(name, str) for name in names):
        return None
    if not all(isinstance(name, str) for name in names):
        raise KindError("X: found names of columns of which some are text and some are not, expected text or no names")
    return [str(name) for name in names]


def read(table: Any, name: str) -> np.ndarray:
    """Points as rows, out of arrays, lists and tables."""
    if hasattr(table, "to_numpy") and hasattr(table, "columns"):
        array = _frame(table, name)
    else:
        array = table if type(table) is np.ndarray else _plain(table, name)
    if array.dtype.kind == "c":
        raise KindError(f"{name}: Complex data not supported; pass real and imaginary parts as columns")
    if array.dtype.kind == "O":
        array = _from_objects(array, name)
    if array.ndim == 2 and array.shape[1] == 0:
        raise InputError(f"{name}: found 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    if array.ndim == 2 and array.shape[0] == 0:
        raise InputError(f"{name}: found 0 sample(s) (shape={array.shape}) while a minimum of 1 is required.")
    return _arrays.points(array, name)


def _plain(value: Any, name: str) -> np.ndarray:
    if hasattr(value, "toarray") and hasattr(value, "nnz"):
        raise KindError(f"{name}: found sparse data, expected a dense array; sparse input is not supported, call its toarray()")
    return _arrays.plain(value, name)


def _frame(table: Any, name: str) -> np.ndarray:
    """Numbers of a data frame; nullable columns are numbers if nothing is missing."""
    if hasattr(table, "isna") and not _is_dense(table):
        return _from_objects(np.asarray(table.to_numpy(dtype=object)), name)
    if hasattr(table, "null_count"):
        missing = [column for column in table.columns if table[column].null_count() > 0]
        if missing:
            raise InputError(f"{name}: found a missing value (NaN) in column {missing[0]!r}; drop its row or fill it in")
    return np.asarray(table.to_numpy())


def _is_dense(table: Any) -> bool:
    """Whether all columns of a data frame of pandas are kinds of NumPy."""
    return all(isinstance(kind, np.dtype) for kind in getattr(table, "dtypes", []))


def _from_objects(array: np.ndarray, name: str) -> np.ndarray:
    """Python's numbers as floats; anything else is refused with its place."""
    try:
        # Text is no number, even if it reads like one.
        places = [place for place, value in np.ndenumerate(array) if isinstance(value, (str, bytes))]
        if not places:
            return array.astype(np.float64)
    except (TypeError, ValueError):
        pass
    for place, value in np.ndenumerate(array):
        try:
            if isinstance(value, (str, bytes)):
                raise TypeError("text")
            float(value)
        except (TypeError, ValueError) as error:
            if value is None or type(value).__name__ in ("NAType", "NaTType"):
                raise InputError(f"{name}: row {place[0]} has a missing value (NaN); drop the row or fill it in") from None
            where = ", column ".join(str(index) for index in place)
            raise KindError(
                f"{name}: row {where} is {_arrays.shown(value)}, expected a number ({error})"
            ) from None
    raise KindError(f"{name}: found an array of Python objects, expected numbers")


def check_names(found: Optional[List[str]], fitted: Optional[List[str]], name: str, who: str) -> None:
    """Refuses columns that are not those of the fit, in their order; warns if only one side has names."""
    if found is None and fitted is None:
        return
    if found is None or fitted is None:
        if found is None:
            text = f"{name} does not have valid feature names, but {who} was fitted with feature names"
        else:
            text = f"{name} has feature names, but {who} was fitted without feature names"
        warnings.warn(text, stacklevel=4)
        return
    if found == fitted:
        return
    lines = [f"{name}: The feature names should match those that were passed during fit."]
    unseen, missing = sorted(set(found) - set(fitted)), sorted(set(fitted) - set(found))
    for title, names in (("unseen at fit time", unseen), ("seen at fit time, yet now missing", missing)):
        if names:
            lines.append(f"Feature names {title}:")
            lines += [f"- {one}" for one in names[:5]] + (["- ..."] if len(names) > 5 else [])
    if not (unseen or missing):
        lines.append("Feature names must be in the same order as they were in fit.")
    raise InputError("\n".join(lines) + "\n")


def wrapped(data: np.ndarray, kind: str, names: List[str], like: Any) -> Any:
    """An array as the table that was asked for by ``set_output``; rows keep the index of the table they come from."""
    if kind == "default":
        return data
    try:
        if kind == "pandas":
            import pandas  # type: ignore[import-untyped,unused-ignore]

            index = like.index if isinstance(like, pandas.DataFrame) else None
            return pandas.DataFrame(data, columns=names, index=index, copy=False)
        import polars

        return polars.DataFrame(data, schema=names, orient="row")
    except ImportError as error:
        raise MissingPackageError(f"set_output(transform={kind!r}) needs {kind} (pip install {kind})") from error


def output_kind(own: Optional[str]) -> str:
    """What was asked for here, or else of all of scikit-learn if that is loaded."""
    if own is not None:
        return own
    sklearn: Any = sys.modules.get("sklearn")
    return str(sklearn.get_config().get("transform_output", "default")) if sklearn is not None else "default"


def split_domains(X: np.ndarray, y: Any, domain: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Which rows are sources and which are targets, in skada's manner: by sign, or by labels that are missing."""
    if domain is not None:
        signs = np.asarray(domain)
        if signs.shape != (len(X),) or signs.dtype.kind not in "iu" or (signs == 0).any():
            raise InputError(
                f"sample_domain: found {_arrays.shown(domain)}, expected {len(X)} whole numbers: above 0 for sources, below 0 "
                "for targets"
            )
        sources = signs > 0
    else:
        sources = ~is_unknown(np.asarray(y))
    if sources.all() or not sources.any():
        raise InputError(
            "y: found labels, and no row of another domain: give the target cloud as Xt (or as a second cloud in the place of "
            "y), or mark rows of the target by the label -1 or by sample_domain"
        )
    return np.flatnonzero(sources), np.flatnonzero(~sources)


def is_unknown(labels: np.ndarray) -> np.ndarray:
    """Labels that say that there is none: -1, NaN, None."""
    if labels.dtype.kind == "f":
        return np.asarray(np.isnan(labels) | (labels == -1.0))
    if labels.dtype.kind in "iu":
        return np.asarray(labels == -1)
    return np.array([label is None or label == -1 or label != label for label in labels.tolist()], dtype=bool)

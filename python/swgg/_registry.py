"""The engine's lists of methods and of searches: which there are, and what each may be told."""

from __future__ import annotations

import warnings
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _arrays, _swgg
from .exceptions import InputError

#: Methods by name, the default first.
METHODS: Dict[str, Dict[str, Any]] = {method["name"]: method for method in _swgg.methods()}
#: Methods that have a plan between the points.
PLANS: Tuple[str, ...] = tuple(name for name, method in METHODS.items() if method["plan"] == "plan")

#: More than this of anything is a slip of the finger: years of work.
_MOST = 10**9
#: Settings of all methods by name.
EVERY = {setting["name"]: setting for method in METHODS.values() for setting in method["settings"]}
#: What each method may be told; a name that only others know is theirs.
_KNOWN = {
    name: {**EVERY, **{setting["name"]: setting for setting in method["settings"]}} for name, method in METHODS.items()
}


def settings(method: str, given: Dict[str, Any], dim: Optional[int] = None) -> Dict[str, Any]:
    """Settings that are not none, of the kinds that the engine reads; it refuses those that belong to others."""
    known, read = _KNOWN[method], {}
    for name, value in given.items():
        if name not in known:
            own = ", ".join(setting["name"] for setting in METHODS[method]["settings"]) or "none"
            raise InputError(f"{name}: found a setting that no method has; those of {method!r} are: {own}")
        if value is not None:
            read[name] = _read(known[name], value, dim)
    for name in read:
        other = known[name]["instead_of"]
        if other in read:
            raise InputError(f"{other} and {name}: found both, expected one of them")
    return read


def methods_with(name: str) -> List[str]:
    """The methods that have a setting."""
    return [method for method, listed in METHODS.items() if any(own["name"] == name for own in listed["settings"])]


def foreign(name: str, what: str, chosen: str, owners: Sequence[str]) -> InputError:
    """The engine's refusal of a setting that does not belong to what was asked, where only Python knows what was asked."""
    return InputError(f"{name} is not a setting of {what} {chosen}; leave it out, or use {what} {'|'.join(owners)}")


def renamed(given: Dict[str, Any], former: str, name: str) -> Dict[str, Any]:
    """Settings in which a former name, which is warned of, has become the name of today."""
    if given.get(former) is None:
        return {key: value for key, value in given.items() if key != former}
    if given.get(name) is not None:
        raise InputError(f"{former} and {name}: found both, which are two names of one setting; leave {former} out")
    # Seen from the caller of the function that calls this one.
    warnings.warn(f"{former} is called {name} now; the old name will go", DeprecationWarning, stacklevel=3)
    return {**{key: value for key, value in given.items() if key != former}, name: given[former]}


def _read(setting: Dict[str, Any], value: Any, dim: Optional[int]) -> Any:
    name, kind = setting["name"], setting["kind"]
    if kind == "count":
        least, most = setting["limits"]
        return _arrays.whole(value, name, least, min(most, _MOST))
    if name == "time_limit":
        return _arrays.seconds(value, name)
    if kind == "number":
        return _arrays.number(value, name)
    if kind == "word":
        return _arrays.choice(value, name, tuple(setting["words"]))
    if kind == "flag":
        return _arrays.flag(value, name)
    if kind == "vector":
        return _arrays.vector(value, name) if dim is None else _arrays.direction(value, name, dim)
    if kind == "labels":
        return _arrays.vector(value, name)
    if kind == "directions" and dim is not None:
        return _arrays.projections(value, name, dim)
    return _arrays.matrix(value, name)

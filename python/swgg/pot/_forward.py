"""Names that are not here are POT's, where POT is installed: ``swgg.pot.da`` is ``ot.da``, and ``swgg.pot.lp.barycenter`` is POT's."""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Callable, Optional, Sequence

_HERE = "swgg.pot"


def package() -> Any:
    """POT; an ``ImportError`` where it is not installed."""
    return importlib.import_module("ot")


def forwarding(module: str, theirs: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module of ours, which asks the module of POT."""

    def __getattr__(name: str) -> Any:
        # Python and its tools ask for such names on their own: that is no reason to import POT.
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        try:
            package()
        except ImportError:
            raise AttributeError(
                f"{module} has no {name!r} of its own, and POT, which it would come from, is not installed (pip install POT)"
            ) from None
        whole = importlib.import_module(theirs)
        if hasattr(whole, name):
            return getattr(whole, name)
        if _exists(f"{theirs}.{name}"):
            # A submodule that POT does not import by itself, such as ot.plot; what it needs, it asks for.
            return importlib.import_module(f"{theirs}.{name}")
        raise AttributeError(f"neither {module} nor {theirs} of POT {_version()} has {name!r}")

    return __getattr__


def _version() -> str:
    return str(getattr(package(), "__version__", "(unknown version)"))


def _exists(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


class _Submodules:
    """Makes ``import swgg.pot.plot`` mean ``import ot.plot``; Python asks it last, so modules of ours come first."""

    @classmethod
    def find_spec(
        cls, name: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        if not name.startswith(_HERE + ".") or name.count(".") != 2 or name.rpartition(".")[2].startswith("_"):
            return None
        try:
            package()
        except ImportError:
            raise ModuleNotFoundError(
                f"no module {name!r}: it would be POT's, which is not installed (pip install POT)", name=name
            ) from None
        theirs = "ot" + name[len(_HERE) :]
        return ModuleSpec(name, cls(), origin=theirs) if _exists(theirs) else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """An empty one, of Python's making."""

    def exec_module(self, module: ModuleType) -> None:
        # One module under two names, not a second copy of it: Python looks here again after this call.
        sys.modules[module.__name__] = importlib.import_module("ot" + module.__name__[len(_HERE) :])


def listen() -> None:
    """Puts the finder at the end of Python's list, once."""
    if not any(getattr(finder, "__name__", "") == "_Submodules" for finder in sys.meta_path):
        sys.meta_path.append(_Submodules)

"""Our functions inside an installed POT, and out again."""

from __future__ import annotations

import functools
import importlib
import sys
from types import MappingProxyType, TracebackType
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Type

from .. import _arrays
from ..exceptions import MissingPackageError
from . import _forward, bregman, bsp, lp, partial, sliced, solvers, utils
from ._errors import NotHereError

#: Functions of POT that :func:`patch` replaces, by their place in POT (``"lp.emd"`` is ``ot.lp.emd``), and by what.
REPLACED: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        f"{module.__name__.rpartition('.')[2]}.{name}": getattr(module, name)
        for module, names in (
            (lp, lp.__all__),
            (bregman, bregman.__all__),
            (sliced, sliced.__all__),
            (partial, partial.__all__),
            (solvers, ["solve_sample"]),
            (bsp, bsp.__all__),
            (utils, ["dist"]),
        )
        for name in names
    }
)

#: Where arrays come from that only POT carries along, with their gradients and on their devices.
_FOREIGN = {"torch", "jax", "jaxlib", "tensorflow", "cupy"}


class Patch:
    """Functions that were replaced; :meth:`undo` puts POT's back, and so does the end of a ``with`` block."""

    def __init__(self, pairs: Dict[str, Tuple[Callable[..., Any], Callable[..., Any]]]) -> None:
        self._pairs = pairs
        #: Names of what was replaced, as in :data:`REPLACED`.
        self.replaced: Tuple[str, ...] = tuple(pairs)
        _exchange([(theirs, ours) for theirs, ours in pairs.values()])

    def undo(self) -> None:
        """Puts POT's functions back, in every module of POT, also in those imported meanwhile; a second time does nothing."""
        _exchange([(ours, theirs) for theirs, ours in self._pairs.values()])
        self._pairs = {}

    def __enter__(self) -> Patch:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.undo()

    def __repr__(self) -> str:
        return f"<swgg.pot.patch: {len(self._pairs)} functions of POT replaced>"


def patch(*names: str) -> Patch:
    """Puts our functions into the installed POT, where POT's own modules and ``import ot`` find them.

    Programs that say ``ot.emd`` get ours from then on, and so do functions of POT that call them, such as those of
    ``ot.da``. A name that a module outside POT imported before (``from ot import emd``) is that module's and stays as it
    was. Calls with arrays of torch, JAX, TensorFlow or CuPy go to POT's own functions, which carry gradients and devices;
    so do calls for what is not here, such as ``solve_sample(unbalanced=...)``.

    Parameters
    ----------
    *names : str
        Which functions, as in :data:`swgg.pot.REPLACED` (``"lp.emd"``) or without their module (``"emd"``); all of them
        if left out.

    Returns
    -------
    Patch
        Call its ``undo()``, or use it in a ``with`` statement; ``replaced`` lists the names. A function that is replaced
        already is left to the patch that did it.

    Examples
    --------
    >>> import swgg.pot
    >>> "lp.emd" in swgg.pot.REPLACED
    True
    >>> with swgg.pot.patch("emd2", "sliced_wasserstein_distance") as patched:  # doctest: +SKIP
    ...     import ot
    ...     ot.emd2([0.5, 0.5], [0.5, 0.5], [[0.0, 1.0], [1.0, 0.0]])  # ours
    0.0
    """
    try:
        _forward.package()
    except ImportError as error:
        raise MissingPackageError("swgg.pot.patch() needs the package to patch: POT (pip install POT)") from error
    known = {**{name.rpartition(".")[2]: name for name in REPLACED}, **{name: name for name in REPLACED}}
    wanted = [known[_arrays.choice(name, "names", tuple(known))] for name in names] if names else list(REPLACED)
    pairs = {}
    for name in dict.fromkeys(wanted):
        module, _, function = name.rpartition(".")
        # Other versions of POT may not have one of them.
        theirs = getattr(importlib.import_module(f"ot.{module}"), function, None)
        if theirs is not None and not hasattr(theirs, "by_swgg"):
            pairs[name] = theirs, _inside(REPLACED[name], theirs)
    return Patch(pairs)


def _inside(ours: Callable[..., Any], theirs: Callable[..., Any]) -> Callable[..., Any]:
    """Our function as POT has it: with the help of POT's, and with POT's own for what is not ours."""

    @functools.wraps(theirs)
    def function(*arguments: Any, **settings: Any) -> Any:
        if not (_are_foreign(arguments) or _are_foreign(settings.values())):
            try:
                return ours(*arguments, **settings)
            except NotHereError:
                pass
        return theirs(*arguments, **settings)

    function.by_swgg = ours  # type: ignore[attr-defined]
    return function


def _are_foreign(values: Any) -> bool:
    for value in values:
        if type(value).__module__.partition(".")[0] in _FOREIGN:
            return True
        # Lists of clouds, and pairs of potentials.
        if isinstance(value, (list, tuple)) and len(value) and type(value[0]).__module__.partition(".")[0] in _FOREIGN:
            return True
    return False


def _exchange(pairs: List[Tuple[Callable[..., Any], Callable[..., Any]]]) -> None:
    """Wherever a module of POT holds the first of a pair, under whatever name, it gets the second."""
    becomes = {id(old): new for old, new in pairs}
    for name, module in list(sys.modules.items()):
        if module is None or not (name == "ot" or name.startswith("ot.")):
            continue
        for attribute, value in list(vars(module).items()):
            if id(value) in becomes:
                setattr(module, attribute, becomes[id(value)])

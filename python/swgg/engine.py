"""Plans of tables that do not fit into memory, by the program ``swgg-engine``.

Points stay in their files: this module starts the program, listens to its progress, and hands on the plan, a folder of
Parquet parts, without reading it. docs/engine.md has the whole story.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from ._swgg import __version__
from .exceptions import InputError, InternalError, MissingPackageError

PathLike = Union[str, "os.PathLike[str]"]
#: Called as ``callback(stage, done, total)``; returning ``True`` ends the call.
Progress = Callable[[str, int, int], Any]

_PROGRAM = "swgg-engine"
_INTERRUPTED = 130


class EnginePlan:
    """A plan on disk: a folder of Parquet parts with the columns ``source``, ``target``, ``mass`` and ``cost``.

    Nothing is read before it is asked for. ``cost`` of an entry is the squared distance of its two points, so the sum of ``mass * cost`` is the cost of
    the plan.

    Attributes
    ----------
    path : pathlib.Path
        The folder.
    manifest : dict
        What ``manifest.json`` says: sizes, method, direction, cost, bounds, versions, parts.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = pathlib.Path(path)
        try:
            text = (self.path / "manifest.json").read_text()
        except OSError:
            raise InputError(
                f"path: {self.path} holds no manifest.json, expected a folder that `swgg solve --engine` wrote"
            ) from None
        try:
            self.manifest: Dict[str, Any] = json.loads(text)
        except ValueError as error:
            raise InputError(f"path: {self.path / 'manifest.json'} is damaged ({error}); solve again") from None

    @property
    def cost(self) -> float:
        """Cost of the plan, never rooted: an upper bound of the squared Wasserstein distance."""
        return float(self.manifest["cost"])

    @property
    def lower_bound(self) -> float:
        """What no plan costs less than."""
        return float(self.manifest["lower_bound"])

    @property
    def files(self) -> List[pathlib.Path]:
        """The parts in order."""
        return [self.path / part["file"] for part in self.manifest["parts"]]

    def __len__(self) -> int:
        """Entries of the plan."""
        return int(self.manifest["entries"])

    def __repr__(self) -> str:
        said = self.manifest
        return f"EnginePlan({str(self.path)!r}, method={said['method']!r}, entries={len(self)}, cost={self.cost:.6g})"

    def arrow(self) -> Any:
        """The parts as a ``pyarrow.dataset.Dataset``, which reads them when it is scanned."""
        dataset = _package("pyarrow.dataset", "pyarrow")
        return dataset.dataset([str(file) for file in self.files], format="parquet")

    def polars(self) -> Any:
        """The parts as a ``polars.LazyFrame``."""
        return _package("polars", "polars").scan_parquet([str(file) for file in self.files])

    def duckdb(self, connection: Any = None) -> Any:
        """The parts as a relation of DuckDB, of this connection or the default one."""
        where = _package("duckdb", "duckdb") if connection is None else connection
        return where.read_parquet([str(file) for file in self.files])


def solve(
    source: PathLike,
    target: PathLike,
    *,
    engine: str = "datafusion",
    method: str = "min-swgg",
    plan: Optional[PathLike] = None,
    memory: Union[int, str, None] = None,
    spill: Optional[PathLike] = None,
    cells: Optional[int] = None,
    effort: Optional[int] = None,
    passes: Optional[int] = None,
    direction: Optional[Sequence[float]] = None,
    n_projections: Optional[int] = None,
    columns: Union[str, Sequence[str], None] = None,
    source_weights: Optional[str] = None,
    target_weights: Optional[str] = None,
    id: Optional[str] = None,
    seed: int = 0,
    n_threads: Optional[int] = None,
    resume: bool = False,
    callback: Optional[Progress] = None,
    program: Optional[PathLike] = None,
) -> EnginePlan:
    """A plan between two tables of any size; its cost is squared.

    Parameters
    ----------
    source, target : path
        A file, a folder or a pattern of ``.parquet``, ``.csv``, ``.tsv``, ``.arrow``, ``.feather`` or ``.ipc`` files, one point per row.
    engine : str
        ``"datafusion"``: this machine.
    method : str
        ``"min-swgg"``, the paper's plan of one line, equal to the one in memory entry by entry; or ``"auto"``, cells that are solved in memory,
        regrouped and solved again, which is much cheaper.
    plan : path, optional
        New folder for the plan; a temporary one, which stays, if left out.
    memory : int or str, optional
        Bytes, or with a unit such as ``"2GB"``, for everything that grows with the tables; 2 GB if left out.
    spill : path, optional
        Folder for what does not fit into memory; beside the plan if left out.
    cells : int, optional
        Cells that the tables are cut into. The plan of ``"auto"`` depends on it.
    effort, passes : int, optional
        Of ``"auto"``: 1 to 10 (5 if left out), and how often every pair is solved (3).
    direction : sequence of d floats, optional
        Of ``"min-swgg"``; looked for on a sample if left out.
    n_projections : int, optional
        Random directions that ``"min-swgg"`` tries on the sample; the recommended search if left out.
    columns : str or sequence of str, optional
        Columns that are coordinates; all columns of numbers but weights and ids if left out.
    source_weights, target_weights, id : str, optional
        Columns that hold weights, and names of the points (whole numbers from 0; numbers of rows if left out).
    seed : int
        Seed of everything random.
    n_threads : int, optional
        All processors if left out; the plan does not depend on it.
    resume : bool
        Go on where a run to the same ``plan`` was stopped.
    callback : callable, optional
        Called as ``callback(stage, done, total)`` now and then; returning ``True`` ends the call with ``KeyboardInterrupt``, and ``resume=True`` goes
        on later.
    program : path, optional
        The program ``swgg-engine``; looked for on the ``PATH`` if left out.

    Returns
    -------
    EnginePlan
        A handle on the parts, which are not read.
    """
    words = ["solve", os.fspath(source), os.fspath(target), "--engine", engine, "--method", method]
    place = pathlib.Path(tempfile.mkdtemp(prefix="swgg-plan-")) if plan is None else pathlib.Path(plan)
    if not isinstance(columns, str) and columns is not None:
        columns = ",".join(columns)
    flags = {
        "plan": place,
        "memory": memory,
        "spill": spill,
        "cells": cells,
        "effort": effort,
        "passes": passes,
        "direction": None if direction is None else ",".join(repr(float(x)) for x in direction),
        "directions": n_projections,
        "columns": columns,
        "source-weights": source_weights,
        "target-weights": target_weights,
        "id": id,
        "seed": seed,
        "threads": n_threads,
    }
    # With an equals sign a value may begin with a minus.
    words += [f"--{name}={value}" for name, value in flags.items() if value is not None]
    words += ["--resume"] if resume else []
    try:
        _run(words, callback, program)
    except BaseException:
        if plan is None:
            shutil.rmtree(place, ignore_errors=True)
        raise
    return EnginePlan(place)


def _run(words: List[str], callback: Optional[Progress], program: Optional[PathLike]) -> None:
    """Runs the program; its messages become exceptions, its progress calls."""
    found = shutil.which(_PROGRAM) if program is None else os.fspath(program)
    if found is None:
        raise MissingPackageError(
            f"tables beyond memory need the program {_PROGRAM}, which is not on the PATH; build it with "
            f"`cargo build --release -p {_PROGRAM}`, or name it by program="
        )
    told = ["--progress-lines", "--quiet"] if callback is not None else ["--quiet"]
    said: List[str] = []
    ended = False
    try:
        process = subprocess.Popen(
            [found, *words, *told],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "SWGG_CALLER_VERSION": __version__},
        )
    except OSError as error:
        raise InputError(f"program: {found} could not be started ({error.strerror or error})") from None
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if callback is None or not line.startswith("{"):
                said.append(line.strip())
                continue
            reached = json.loads(line)
            if callback(reached["stage"], reached["done"], reached["total"]) is True and not ended:
                ended = True
                process.send_signal(signal.SIGINT)
        code = process.wait()
    except BaseException:
        # Ctrl-C, or a callback that raised: the program saves what it has before it ends.
        process.send_signal(signal.SIGINT)
        process.wait()
        raise
    finally:
        process.stderr.close()
    if code == 0:
        return
    message = "\n".join(line for line in said if line)
    if code == _INTERRUPTED:
        raise KeyboardInterrupt(message)
    if message.startswith("error: "):
        raise InputError(message[len("error: ") :])
    raise InternalError(f"{_PROGRAM} ended with code {code}: {message or 'it said nothing'}")


def _package(module: str, name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise MissingPackageError(f"this needs {name}, which is not installed; `pip install {name}`") from None


__all__ = ["EnginePlan", "solve"]

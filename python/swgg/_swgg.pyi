"""The native half. Arrays are contiguous, of one precision where there are two clouds; see `_arrays.py`."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Affine",
    "Answer",
    "Entropic",
    "Envelope",
    "Mean",
    "Plan",
    "Slice",
    "__version__",
    "_panic",
    "bures",
    "color_transfer",
    "colorize",
    "emd",
    "emd_matrix",
    "envelope",
    "factored",
    "gaussian",
    "geodesic",
    "line_wasserstein",
    "linear_ot",
    "main",
    "max_sliced",
    "min_swgg",
    "nearest",
    "pairwise",
    "pot_costs",
    "pot_emd",
    "pot_lines",
    "pot_merge",
    "pot_plans",
    "pot_slices",
    "pot_trees",
    "register",
    "sinkhorn",
    "sinkhorn_divergence",
    "sliced",
    "sliced_gradient",
    "sliced_potentials",
    "solve",
    "solve_batch",
    "subspace_detour",
    "subspace_robust",
    "swgg_at",
]

__version__: str

_Callback = Optional[Callable[[int, float], Any]]
_Both = Tuple[NDArray[np.float64], NDArray[np.float64]]
_Pair = Tuple[NDArray[Any], NDArray[Any], Optional[NDArray[np.float64]], Optional[NDArray[np.float64]]]
_Cloud = Tuple[NDArray[np.float64], Optional[NDArray[np.float64]]]

@final
class Plan:
    def __new__(
        cls,
        n: int,
        m: int,
        sources: NDArray[np.uint32],
        targets: NDArray[np.uint32],
        masses: Optional[NDArray[np.float64]],
    ) -> Plan: ...
    @property
    def shape(self) -> Tuple[int, int]: ...
    def __len__(self) -> int: ...
    def targets(self) -> Optional[NDArray[np.int64]]: ...
    def entries(self) -> Tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
    def dense(self, limit: int) -> NDArray[np.float64]: ...
    def inverse(self) -> Plan: ...
    def barycentric(self, x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]: ...
    def __reduce__(self) -> Tuple[type, Tuple[Any, ...]]: ...

@final
class Answer:
    def __new__(
        cls,
        value: float,
        lower_bound: Optional[float],
        plan: Plan,
        theta: Optional[NDArray[np.float64]],
        method: str,
        story: str,
        stop: str,
        n_iter: int,
        seconds: float,
    ) -> Answer: ...
    @property
    def value(self) -> float: ...
    @property
    def lower_bound(self) -> Optional[float]: ...
    @property
    def plan(self) -> Plan: ...
    @property
    def theta(self) -> Optional[NDArray[np.float64]]: ...
    @property
    def method(self) -> str: ...
    @property
    def story(self) -> str: ...
    @property
    def stop(self) -> str: ...
    @property
    def n_iter(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    def __reduce__(self) -> Tuple[type, Tuple[Any, ...]]: ...

@final
class Affine:
    @property
    def value(self) -> float: ...
    @property
    def lower_bound(self) -> float: ...
    @property
    def mean_x(self) -> NDArray[np.float64]: ...
    @property
    def mean_y(self) -> NDArray[np.float64]: ...
    @property
    def cov_x(self) -> NDArray[np.float64]: ...
    @property
    def cov_y(self) -> NDArray[np.float64]: ...
    @property
    def linear(self) -> NDArray[np.float64]: ...

@final
class Entropic:
    @property
    def answer(self) -> Optional[Answer]: ...
    @property
    def cost(self) -> float: ...
    @property
    def objective(self) -> float: ...
    @property
    def lower_bound(self) -> float: ...
    @property
    def f(self) -> NDArray[np.float64]: ...
    @property
    def g(self) -> NDArray[np.float64]: ...
    @property
    def image(self) -> Optional[NDArray[np.float64]]: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def marginal_error(self) -> float: ...
    @property
    def story(self) -> str: ...
    @property
    def stop(self) -> str: ...
    @property
    def n_iter(self) -> int: ...
    @property
    def seconds(self) -> float: ...

@final
class Mean:
    @property
    def value(self) -> float: ...
    @property
    def standard_error(self) -> float: ...
    @property
    def n_projections(self) -> int: ...
    @property
    def stop(self) -> str: ...
    @property
    def seconds(self) -> float: ...

@final
class Slice:
    @property
    def value(self) -> float: ...
    @property
    def theta(self) -> NDArray[np.float64]: ...
    @property
    def n_iter(self) -> int: ...
    @property
    def stop(self) -> str: ...
    @property
    def seconds(self) -> float: ...

def bures(first: NDArray[np.float64], second: NDArray[np.float64]) -> float: ...
def emd(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    p: float,
    seed: int,
    threads: Optional[int],
    callback: _Callback,
) -> Tuple[Answer, NDArray[np.float64], NDArray[np.float64]]: ...
def emd_matrix(
    costs: NDArray[np.float64],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    seed: int,
    threads: Optional[int],
    callback: _Callback,
) -> Tuple[Answer, NDArray[np.float64], NDArray[np.float64]]: ...
def factored(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    k: int,
    monotone: bool,
    max_iter: int,
    tolerance: float,
    bounds: bool,
    seed: int,
    threads: Optional[int],
    callback: _Callback,
) -> Tuple[Answer, NDArray[np.float64], float, str]: ...
def gaussian(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
) -> Affine: ...
def geodesic(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    theta: NDArray[np.float64],
    t: float,
) -> Tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def line_wasserstein(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    p: float,
) -> Answer: ...
def linear_ot(
    pivot: _Cloud,
    clouds: List[_Cloud],
    exact: bool,
    seed: int,
    threads: Optional[int],
) -> Tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def max_sliced(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    p: float,
    steps: int,
    starts: int,
    learning_rate: float,
    adam: bool,
    start: Optional[NDArray[np.float64]],
    seed: int,
    threads: Optional[int],
    callback: _Callback,
) -> Slice: ...
def min_swgg(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    look: Dict[str, Any],
    thetas: Optional[NDArray[np.float64]],
    start: Optional[NDArray[np.float64]],
    bounds: bool,
    seed: int,
    threads: Optional[int],
    callback: _Callback,
) -> Tuple[Answer, str, Optional[NDArray[np.float64]]]: ...
def sinkhorn(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    smoothing: Dict[str, Any],
    bounds: bool,
    threads: Optional[int],
    callback: _Callback,
) -> Entropic: ...
def sinkhorn_divergence(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    smoothing: Dict[str, Any],
    threads: Optional[int],
) -> Tuple[float, float, float, float, float, bool, int]: ...
def sliced(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    across: bool,
    p: float,
    thetas: Optional[NDArray[np.float64]],
    n_projections: int,
    orthogonal: bool,
    seed: int,
    threads: Optional[int],
    callback: _Callback,
) -> Mean: ...
def sliced_gradient(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    thetas: Optional[NDArray[np.float64]],
    n_projections: int,
    p: float,
    seed: int,
    threads: Optional[int],
) -> Tuple[float, NDArray[np.float64], NDArray[np.float64]]: ...
def subspace_detour(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    k: int,
    rows: Optional[NDArray[np.float64]],
    independent: bool,
    bounds: bool,
    threads: Optional[int],
    callback: _Callback,
) -> Tuple[Answer, float, NDArray[np.float64], Tuple[int, int]]: ...
def subspace_robust(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    k: int,
    max_iter: int,
    tolerance: float,
    bounds: bool,
    threads: Optional[int],
    callback: _Callback,
) -> Tuple[Answer, float, float, NDArray[np.float64]]: ...
def swgg_at(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    theta: NDArray[np.float64],
    bounds: bool,
    threads: Optional[int],
) -> Answer: ...
def main(arguments: List[str]) -> int: ...
def nearest(
    points: NDArray[Any], queries: NDArray[Any], k: int, threads: Optional[int]
) -> Tuple[NDArray[np.int64], NDArray[np.float64]]: ...
def color_transfer(
    source: NDArray[Any],
    reference: NDArray[Any],
    part: Optional[NDArray[np.bool_]],
    reference_part: Optional[NDArray[np.bool_]],
    choices: Dict[str, Any],
    threads: Optional[int],
) -> NDArray[Any]: ...
def colorize(
    gray: NDArray[Any], reference: NDArray[Any], reference_part: Optional[NDArray[np.bool_]], threads: Optional[int]
) -> NDArray[Any]: ...
def register(
    source: NDArray[Any],
    target: NDArray[Any],
    start: Optional[NDArray[np.float64]],
    choices: Dict[str, Any],
    threads: Optional[int],
    callback: _Callback,
) -> Tuple[
    Tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float, bool],
    Tuple[float, float, str, str, str],
    List[Tuple[str, NDArray[np.float64], int, float, float]],
    Tuple[float, float],
]: ...
def pot_costs(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    thetas: NDArray[np.float64],
    metric: str,
    p: float,
) -> NDArray[np.float64]: ...
def pot_emd(
    costs: NDArray[np.float64], a: Optional[NDArray[np.float64]], b: Optional[NDArray[np.float64]]
) -> Tuple[Plan, float, NDArray[np.float64], NDArray[np.float64]]: ...
def pot_lines(
    u: NDArray[np.float64],
    v: NDArray[np.float64],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    p: float,
    sorted: bool,
    plans: bool,
    values: bool,
) -> Tuple[
    NDArray[np.float64], List[Tuple[NDArray[np.int64], NDArray[np.int64], Optional[NDArray[np.float64]]]]
]: ...
def pot_merge(x: NDArray[Any], y: NDArray[Any], perms: NDArray[np.int64], p: float) -> NDArray[np.int32]: ...
def pot_plans(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    thetas: NDArray[np.float64],
    metric: str,
    p: float,
) -> Tuple[
    List[Tuple[NDArray[np.int64], NDArray[np.int64], Optional[NDArray[np.float64]]]], NDArray[np.float64]
]: ...
def pot_slices(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    thetas: NDArray[np.float64],
    p: float,
) -> NDArray[np.float64]: ...
def pot_trees(
    x: NDArray[Any],
    y: NDArray[Any],
    trees: int,
    p: float,
    initial: Optional[NDArray[np.int64]],
    seed: int,
) -> Tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def solve(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    method: str,
    effort: int,
    time_limit: Optional[float],
    lines: Optional[int],
    bounds: bool,
    p: float,
    seed: int,
    threads: Optional[int],
    callback: Optional[Callable[[int, float], Any]],
) -> Answer: ...
def solve_batch(
    pairs: Sequence[_Pair],
    method: str,
    effort: int,
    time_limit: Optional[float],
    lines: Optional[int],
    bounds: bool,
    p: float,
    seed: int,
    threads: Optional[int],
    callback: _Callback,
) -> List[Answer]: ...
def pairwise(
    clouds: Sequence[Tuple[NDArray[Any], Optional[NDArray[np.float64]]]],
    dim: int,
    method: str,
    effort: int,
    lines: Optional[int],
    p: float,
    seed: int,
    threads: Optional[int],
    callback: _Callback,
) -> NDArray[np.float64]: ...
@final
class Envelope:
    @property
    def value(self) -> float: ...
    @property
    def points(self) -> _Both: ...
    @property
    def weights(self) -> Optional[_Both]: ...

def envelope(
    pairs: Sequence[_Pair],
    method: str,
    effort: int,
    time_limit: Optional[float],
    lines: Optional[int],
    seed: int,
    weighted: bool,
    threads: Optional[int],
) -> List[Envelope]: ...
def sliced_potentials(
    x: NDArray[Any],
    y: NDArray[Any],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    thetas: Optional[NDArray[np.float64]],
    n_projections: int,
    p: float,
    seed: int,
    threads: Optional[int],
) -> _Both: ...
def _panic(work: float, threads: int) -> None: ...

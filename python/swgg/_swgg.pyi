"""The native half. Arrays are contiguous, of one precision where there are two clouds; see `_arrays.py`."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypedDict, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Affine",
    "Answer",
    "Envelope",
    "Mean",
    "Plan",
    "Slice",
    "__version__",
    "_panic",
    "barycenter",
    "bures",
    "color_methods",
    "color_transfer",
    "colorize",
    "emd_matrix",
    "envelope",
    "factored",
    "flow",
    "gaussian",
    "geodesic",
    "line_wasserstein",
    "linear_ot",
    "losses",
    "main",
    "matchings",
    "max_sliced",
    "methods",
    "nearest",
    "otdd",
    "otdd_names",
    "pairwise",
    "partial_line",
    "partial_matrix",
    "pot_costs",
    "pot_dist",
    "pot_exact",
    "pot_lines",
    "pot_merge",
    "pot_plans",
    "pot_sinkhorn",
    "pot_slices",
    "pot_trees",
    "register",
    "searches",
    "sinkhorn",
    "sinkhorn_divergence",
    "sliced",
    "sliced_gradient",
    "solve",
    "solve_batch",
    "subspace_detour",
    "subspace_robust",
    "swgg_at",
]

__version__: str

_Callback = Optional[Callable[[int, float], Any]]
_How = Tuple[bool, int, Optional[int], _Callback]
_Both = Tuple[NDArray[np.float64], NDArray[np.float64]]
_Pair = Tuple[NDArray[Any], NDArray[Any], Optional[NDArray[np.float64]], Optional[NDArray[np.float64]]]
_Cloud = Tuple[NDArray[np.float64], Optional[NDArray[np.float64]]]

class _Facts(TypedDict, total=False):
    """What only some methods say."""

    basis: NDArray[np.float64]
    costs: NDArray[np.float64]
    epsilon: float
    factored: float
    fibres: Tuple[int, int]
    gap_missed: str
    glue: str
    marginal_error: float
    moved: float
    moved_share: float
    omega: NDArray[np.float64]
    pivot: NDArray[np.float64]
    robust_lower: float
    robust_upper: float
    search: str
    smooth_cost: float
    subspace_cost: float
    unmatched_source: Tuple[NDArray[np.int64], NDArray[np.float64]]
    unmatched_target: Tuple[NDArray[np.int64], NDArray[np.float64]]
    value: float

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
        plan: Optional[Plan],
        theta: Optional[NDArray[np.float64]],
        method: str,
        story: str,
        stop: str,
        n_iter: int,
        seconds: float,
        potentials: Optional[_Both],
        image: Optional[NDArray[np.float64]],
        facts: _Facts,
    ) -> Answer: ...
    @property
    def value(self) -> float: ...
    @property
    def lower_bound(self) -> Optional[float]: ...
    @property
    def plan(self) -> Optional[Plan]: ...
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
    @property
    def potentials(self) -> Optional[_Both]: ...
    @property
    def image(self) -> Optional[NDArray[np.float64]]: ...
    @property
    def facts(self) -> _Facts: ...
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
def emd_matrix(
    costs: NDArray[np.float64],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    how: _How,
) -> Answer: ...
def partial_matrix(
    costs: NDArray[np.float64],
    a: Optional[NDArray[np.float64]],
    b: Optional[NDArray[np.float64]],
    part: Dict[str, float],
    how: _How,
) -> Answer: ...
def partial_line(
    x: NDArray[np.float64], y: NDArray[np.float64], p: float
) -> Tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
def factored(
    clouds: _Pair, k: Optional[int], monotone: bool, max_iter: int, tolerance: float, how: _How
) -> Answer: ...
def gaussian(clouds: _Pair) -> Affine: ...
def geodesic(
    clouds: _Pair,
    theta: NDArray[np.float64],
    t: float,
) -> Tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def line_wasserstein(clouds: _Pair, p: float) -> Answer: ...
def linear_ot(
    pivot: _Cloud, clouds: List[_Cloud], plans: str, how: _How
) -> Tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def max_sliced(
    clouds: _Pair,
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
def sinkhorn(clouds: _Pair, smoothing: Dict[str, Any], how: _How) -> Answer: ...
def sinkhorn_divergence(
    clouds: _Pair,
    smoothing: Dict[str, Any],
    threads: Optional[int],
) -> Tuple[float, float, float, float, float, bool, int]: ...
def sliced(
    clouds: _Pair,
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
    clouds: _Pair,
    thetas: Optional[NDArray[np.float64]],
    n_projections: int,
    p: float,
    weights: bool,
    how: _How,
) -> Tuple[float, NDArray[np.float64], NDArray[np.float64], Optional[_Both]]: ...
def subspace_detour(
    clouds: _Pair, k: Optional[int], rows: Optional[NDArray[np.float64]], independent: bool, how: _How
) -> Answer: ...
def subspace_robust(
    clouds: _Pair, k: Optional[int], max_iter: int, tolerance: float, how: _How
) -> Answer: ...
def swgg_at(clouds: _Pair, theta: NDArray[np.float64], how: _How) -> Answer: ...
def main(arguments: List[str]) -> int: ...
def color_methods() -> List[str]: ...
def matchings() -> List[str]: ...
def methods() -> List[Dict[str, Any]]: ...
def searches() -> List[Dict[str, Any]]: ...
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
def barycenter(
    clouds: Sequence[_Cloud],
    start: Optional[_Cloud],
    choices: Dict[str, Any],
    method: str,
    settings: Dict[str, Any],
    how: _How,
    names: Tuple[str, str, str, str],
) -> Tuple[
    Tuple[NDArray[np.float64], Optional[NDArray[np.float64]]],
    Tuple[List[float], float, Optional[float], Optional[float], List[Optional[float]]],
    List[Optional[Plan]],
    List[Tuple[float, float, Optional[int]]],
    Tuple[bool, str, str, float],
]: ...
def flow(
    clouds: _Pair,
    choices: Dict[str, Any],
    settings: Dict[str, Any],
    threads: Optional[int],
    callback: _Callback,
) -> Tuple[
    NDArray[np.float64],
    Tuple[NDArray[np.float64], NDArray[np.float64]],
    List[Tuple[int, NDArray[np.float64]]],
    Tuple[int, str, Optional[str]],
    Tuple[float, float],
]: ...
def otdd(
    sets: Sequence[Tuple[NDArray[np.float64], NDArray[np.uint32]]],
    names: Sequence[str],
    choices: Dict[str, Any],
    settings: Dict[str, Any],
    how: _How,
) -> Tuple[
    NDArray[np.float64],
    List[
        Tuple[
            int,
            int,
            Tuple[float, float, str, Optional[float], Optional[float]],
            NDArray[np.float64],
            str,
            str,
            Tuple[float, float],
        ]
    ],
    List[Tuple[List[int], List[int]]],
    str,
    float,
]: ...
def otdd_names() -> Tuple[List[str], List[str]]: ...
def losses() -> List[Tuple[str, List[str]]]: ...
def pot_costs(
    clouds: _Pair,
    thetas: NDArray[np.float64],
    metric: str,
    p: float,
) -> NDArray[np.float64]: ...
def pot_dist(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    metric: str,
    p: float,
    weights: Optional[NDArray[np.float64]],
    single: bool,
) -> NDArray[Any]: ...
def pot_exact(clouds: _Pair, costs: Dict[str, Any], how: _How) -> Answer: ...
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
def pot_merge(clouds: _Pair, perms: NDArray[np.int64], p: float) -> NDArray[np.int32]: ...
def pot_plans(
    clouds: _Pair,
    thetas: NDArray[np.float64],
    metric: str,
    p: float,
) -> Tuple[
    List[Tuple[NDArray[np.int64], NDArray[np.int64], Optional[NDArray[np.float64]]]], NDArray[np.float64]
]: ...
def pot_sinkhorn(clouds: _Pair, smoothing: Dict[str, Any], costs: Dict[str, Any], how: _How) -> Answer: ...
def pot_slices(
    clouds: _Pair,
    thetas: NDArray[np.float64],
    p: float,
) -> NDArray[np.float64]: ...
def pot_trees(
    clouds: _Pair,
    trees: int,
    p: float,
    initial: Optional[NDArray[np.int64]],
    seed: int,
) -> Tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def solve(clouds: _Pair, method: str, settings: Dict[str, Any], how: _How) -> Answer: ...
def solve_batch(
    pairs: Sequence[_Pair], method: str, settings: Dict[str, Any], how: _How
) -> List[Answer]: ...
def pairwise(
    clouds: Sequence[Tuple[NDArray[Any], Optional[NDArray[np.float64]]]],
    dim: int,
    method: str,
    settings: Dict[str, Any],
    how: _How,
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
    pairs: Sequence[_Pair], method: str, settings: Dict[str, Any], weighted: bool, how: _How
) -> List[Envelope]: ...
def _panic(work: float, threads: int) -> None: ...

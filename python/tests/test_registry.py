"""One source for names and settings: what the engine lists, the functions and the stubs must say the same."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import swgg
from swgg import _registry, _swgg, pot

METHODS = {method["name"]: method for method in _swgg.methods()}
SEARCHES = {search["name"]: search for search in _swgg.searches()}

#: Arguments that every function may have: the question, and how it runs.
COMMON = {"X", "Y", "a", "b", "Xs", "Ys", "method", "bounds", "seed", "n_threads", "callback", "own"}
#: Settings of the ground cost, which solve() takes by name.
COSTS = {"cost", "p", "order", "scales", "covariance", "label_costs", "source_labels", "target_labels", "cost_matrix", "M"}
#: The function of each method, its settings under other names, and those that only Python has.
FUNCTIONS = {
    "auto": (swgg.solve, {}, set()),
    # Methods of solve() only, which takes any setting.
    "tree": None,
    "merged": None,
    "min-swgg": (swgg.min_swgg, {}, set()),
    "line": (swgg.line_wasserstein, {}, {"p"}),
    "exact": (swgg.emd, {"cost_matrix": "M"}, set()),
    "sinkhorn": (swgg.sinkhorn, {}, {"blur", "p", "max_iter", "tolerance", "scaling", "accelerate"}),
    "gaussian": (swgg.gaussian, {}, set()),
    "factored": (swgg.factored, {}, {"glue", "max_iter", "tolerance"}),
    "subspace-robust": (swgg.subspace_robust, {}, {"max_iter", "tolerance"}),
    "subspace-detour": (swgg.subspace_detour, {}, {"subspace", "lift"}),
    "linear-ot": (swgg.linear_ot, {}, {"clouds", "weights", "pivot_weights", "plans"}),
    "expected-sliced": None,
}


@pytest.mark.parametrize("name", METHODS)
def test_functions_have_the_settings_of_their_method(name):
    assert name in FUNCTIONS, f"{name} is new: name its function here, or say that it is a method of solve() only"
    if FUNCTIONS[name] is None:
        for function in (swgg.solve, swgg.solve_batch, swgg.pairwise, swgg.Transport):
            assert inspect.signature(function).parameters["own"].kind is inspect.Parameter.VAR_KEYWORD
        return
    function, renamed, own = FUNCTIONS[name]
    listed = {renamed.get(setting["name"], setting["name"]) for setting in METHODS[name]["settings"]}
    assert set(inspect.signature(function).parameters) - COMMON - COSTS == (listed | own) - COSTS
    assert name not in ("auto", "exact", "tree", "merged", "sinkhorn") or listed >= COSTS - {"cost_matrix", "M"}


def settings_in_the_docstring(function):
    """`name -> (what is said after it)`, for lines such as `steps : int, optional`."""
    found = re.findall(r"^    (\w[\w, ]*) : .*\n((?:        .*\n)+)", inspect.getdoc(function).replace("\n", "\n    ") + "\n", re.M)
    return {name: " ".join(text.split()) for names, text in found for name in names.split(", ")}


def test_the_docstring_says_to_which_search_a_setting_belongs():
    told = settings_in_the_docstring(swgg.min_swgg)
    owners = {}
    for search in SEARCHES.values():
        for setting in search["settings"]:
            owners.setdefault(setting["name"], []).append(search["name"])
    assert set(owners) == {setting["name"] for setting in METHODS["min-swgg"]["settings"]} - {"search", "keep_costs"}
    for name, searches in owners.items():
        assert told[name].split(":")[0].split(", ") == searches, name
    words = re.search(r"search : \{(.*?)\}", inspect.getdoc(swgg.min_swgg)).group(1)
    assert [word.strip('"') for word in words.split(", ")] == list(SEARCHES)


def test_the_docstring_gives_the_defaults_of_the_engine():
    told = settings_in_the_docstring(swgg.min_swgg)
    listed = {setting["name"]: setting["about"] for setting in METHODS["min-swgg"]["settings"]}
    for name, about in listed.items():
        default = re.search(r"\[default: ([\d., ]+)\]", about)
        if default:
            assert f"({default.group(1)})" in told[name], (name, about, told[name])
    effort = next(setting for setting in METHODS["auto"]["settings"] if setting["name"] == "effort")
    assert "[default: 5]" in effort["about"] and "(5;" in settings_in_the_docstring(swgg.solve)["effort"]


def test_every_method_with_a_plan_is_solved_by_its_name():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(12, 1)), rng.normal(size=(10, 1))
    assert _registry.PLANS[0] == "auto" and {"gaussian", "linear-ot"}.isdisjoint(_registry.PLANS)
    for method in _registry.PLANS:
        found, (twin,) = swgg.solve(X, Y, method=method), swgg.solve_batch([X], [Y], method=method)
        assert (twin.value, twin.lower_bound) == (found.value, found.lower_bound)
        assert found.value >= swgg.emd(X, Y).value * (1 - 1e-12)
        assert f'"{method}"' in inspect.getdoc(swgg.solve), "name it in the docstring"


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda X: swgg.solve(X, X, method="tree", effort=3),
            "effort is not a setting of method tree; leave it out, or use method auto",
        ),
        (
            lambda X: swgg.solve(X, X, method="sinkhorn", time_limit=3),
            "time_limit is not a setting of method sinkhorn; leave it out, or use method auto",
        ),
        (
            lambda X: swgg.solve_batch([X], [X], method="exact", n_projections=3),
            "n_projections is not a setting of method exact; leave it out, or use method merged|min-swgg",
        ),
        (
            lambda X: swgg.pairwise([X, X], metric="sliced", trees=2),
            "trees is not a setting of metric sliced; leave it out, or use metric tree",
        ),
        (
            lambda X: swgg.pairwise([X, X], metric="auto", time_limit=0),
            "time_limit: found 0.0, expected seconds above 0",
        ),
        (
            lambda X: swgg.Transport(method="exact", trees=2).fit(X, X),
            "trees is not a setting of method exact; leave it out, or use method tree",
        ),
        (
            lambda X: swgg.Transport(sparkle=True),
            "sparkle: no such setting of Transport, expected one of method, effort, time_limit,",
        ),
        (
            lambda X: swgg.pairwise([X, X], metric="exact", effort=2),
            "effort is not a setting of method exact; leave it out, or use method auto",
        ),
        (
            lambda X: swgg.pairwise([X, X], metric="sliced", effort=2),
            "effort is not a setting of metric sliced; leave it out, or use metric auto",
        ),
        (
            lambda X: swgg.Transport(method="merged", effort=2).fit(X, X),
            "effort is not a setting of method merged; leave it out, or use method auto",
        ),
        (
            lambda X: swgg.min_swgg(X, X, search="sweep", reach=1.0),
            "reach is not a setting of search sweep; leave it out, or use search annealing",
        ),
        (lambda X: swgg.min_swgg(X, X, pairs=3), "pairs needs a search it belongs to; add search stein"),
        (lambda X: swgg.solve(X, X, effort=3, time_limit=1.0), "effort and time_limit: found both"),
    ],
)
def test_settings_that_do_not_belong_are_refused_in_the_words_of_the_engine(call, message):
    with pytest.raises(swgg.InputError) as caught:
        call(np.random.default_rng(0).normal(size=(6, 2)))
    assert str(caught.value).startswith(message)


def test_bounds_are_looked_for_everywhere_unless_told():
    functions = [getattr(swgg, name) for name in swgg.__all__ if inspect.isfunction(getattr(swgg, name))]
    bounded = [function for function in functions if "bounds" in inspect.signature(function).parameters]
    assert len(bounded) == 11
    assert all(inspect.signature(function).parameters["bounds"].default is True for function in bounded)


def stubs():
    nodes = ast.parse(Path(swgg.__file__).with_name("_swgg.pyi").read_text()).body
    classes = [node for node in nodes if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    return {node.name: node for node in [*classes, *(node for node in nodes if isinstance(node, ast.FunctionDef))]}


def parameters(node):
    return [argument.arg for argument in node.args.args if argument.arg not in ("self", "cls")]


def test_stubs_are_those_of_the_native_half():
    native = {name for name in dir(_swgg) if not name.startswith("__")}
    assert set(stubs()) == native
    for name, node in stubs().items():
        found = getattr(_swgg, name)
        if isinstance(node, ast.FunctionDef):
            assert parameters(node) == list(inspect.signature(found).parameters), name
            assert found.__text_signature__, name
            continue
        members = {member.name: member for member in node.body if isinstance(member, ast.FunctionDef)}
        public = {member for member in vars(found) if not member.startswith("_")}
        assert {member for member in members if not member.startswith("_")} == public, name
        for member, stub in members.items():
            if member in public and "property" not in map(ast.unparse, stub.decorator_list):
                assert parameters(stub) == list(inspect.signature(getattr(found, member)).parameters)[1:], member
        if "__new__" in members:
            assert parameters(members["__new__"]) == list(inspect.signature(found).parameters), name


def test_solve_takes_the_settings_of_any_method():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 1.0
    assert swgg.solve(X, Y, method="tree", trees=3).n_iter == 3
    cold = swgg.solve(X, Y, method="expected-sliced", n_projections=40, beta=1e6)
    best = swgg.min_swgg(X, Y, n_projections=40)
    assert np.isclose(cold.value, best.value) and cold.value >= swgg.emd(X, Y).value
    plan, cost = pot.expected_sliced_plan(X, Y, projections=np.eye(2), beta=0.5)
    ours = swgg.solve(X, Y, method="expected-sliced", projections=np.eye(2), beta=0.5)
    assert np.allclose(ours.dense_plan(), plan) and np.isclose(ours.value, cost)
    with pytest.raises(swgg.InputError, match="trees is not a setting of method exact; leave it out, or use method tree"):
        swgg.solve(X, Y, method="exact", trees=3)
    assert swgg.solve(X, Y, method="exact", p=1).distance == swgg.emd(X, Y, p=1).distance
    assert swgg.solve(X, Y, method="sinkhorn", epsilon=0.5).epsilon == 0.5
    costs = rng.random((30, 30))
    assert swgg.solve(X, Y, method="exact", cost_matrix=costs).value == swgg.emd(M=costs).value
    with pytest.raises(swgg.InputError, match="no method has; those of 'auto' are: effort, time_limit"):
        swgg.solve(X, Y, sparkle=True)


def test_everybody_takes_the_settings_of_a_method_by_name():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 1.0
    alone = swgg.solve(X, Y, method="tree", trees=3)
    (batched,) = swgg.solve_batch([X], [Y], method="tree", trees=3)
    assert (batched.value, batched.n_iter) == (alone.value, 3)
    squared = swgg.pairwise([X, Y], metric="tree", trees=3, squared=True)
    assert squared[0, 1] == alone.value
    stein = swgg.min_swgg(X, Y, search="stein", pairs=3)
    assert swgg.pairwise([X, Y], metric="swgg", search="stein", pairs=3, squared=True)[0, 1] == stein.value
    fitted = swgg.Transport(method="tree", trees=3).fit(X, Y)
    assert fitted.result_.value == alone.value


def test_the_estimator_keeps_the_settings_of_its_method():
    transport = swgg.Transport(method="tree", trees=3)
    assert repr(transport) == "Transport(method='tree', trees=3)"
    assert transport.get_params()["trees"] == 3
    assert swgg.Transport(**transport.get_params()).get_params() == transport.get_params()
    assert transport.set_params(method="merged", n_projections=7).get_params()["n_projections"] == 7
    assert "trees" not in swgg.Transport().get_params()


@pytest.mark.parametrize(
    "former, today",
    [
        (
            lambda X: swgg.subspace_detour(X, X[::-1], lift="independent"),
            lambda X: swgg.subspace_detour(X, X[::-1], detour="independent"),
        ),
        (
            lambda X: swgg.solve_batch([X], [X[::-1] + 1.0], method="tree", n_projections=2)[0],
            lambda X: swgg.solve_batch([X], [X[::-1] + 1.0], method="tree", trees=2)[0],
        ),
    ],
)
def test_old_names_are_understood_and_warned_of(former, today):
    X = np.random.default_rng(0).normal(size=(8, 2))
    with pytest.warns(DeprecationWarning, match="is called .* now") as caught:
        found = former(X)
    assert found.value == today(X).value
    assert caught[0].filename == __file__


def test_two_names_of_one_setting_are_refused():
    X = np.zeros((3, 2))
    with pytest.raises(swgg.InputError, match="lift and detour: found both"):
        swgg.subspace_detour(X, X, lift="knothe", detour="knothe")
    with pytest.raises(swgg.InputError, match="n_projections and trees: found both"):
        swgg.pairwise([X, X], metric="tree", n_projections=2, trees=2)

"""Names that are POT's, and our functions inside POT."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

import swgg
import swgg.pot as our
from swgg.pot import _forward

ot = pytest.importorskip("ot", reason="needs POT, which is patched (pip install POT)")


def holders(function):
    """Every place of POT that holds a function."""
    modules = [(name, module) for name, module in sys.modules.items() if name == "ot" or name.startswith("ot.")]
    return {(name, key) for name, module in modules for key, value in vars(module).items() if value is function}


def test_names_that_are_not_here_are_pots():
    assert our.da is ot.da and our.gromov_wasserstein is ot.gromov_wasserstein
    assert our.lp.barycenter is ot.lp.barycenter and our.utils.kernel is ot.utils.kernel
    assert our.partial.partial_gromov_wasserstein is ot.partial.partial_gromov_wasserstein
    import swgg.pot.datasets
    from swgg.pot.datasets import make_1D_gauss

    assert swgg.pot.datasets is ot.datasets and make_1D_gauss is ot.datasets.make_1D_gauss
    assert ot.datasets.__name__ == "ot.datasets" and ot.datasets.__spec__.name == "ot.datasets"
    # What is here comes first.
    assert our.emd is not ot.emd and our.lp is not ot.lp
    with pytest.raises(AttributeError, match="neither swgg.pot nor ot of POT .* has 'emd3'"):
        our.emd3
    with pytest.raises(ModuleNotFoundError, match="swgg.pot.emd3"):
        importlib.import_module("swgg.pot.emd3")
    with pytest.raises(AttributeError, match="module 'swgg.pot' has no attribute '__wrapped__'"):
        our.__wrapped__


def test_a_module_that_pot_does_not_import_itself():
    pytest.importorskip("matplotlib", reason="ot.plot needs matplotlib")
    script = "import sys, swgg.pot as ot; assert 'ot' not in sys.modules; ot.plot.plot2D_samples_mat; import swgg.pot.plot; print('done')"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "done\n"


def test_without_pot_it_is_said(monkeypatch):
    def missing():
        raise ImportError("No module named 'ot'")

    monkeypatch.setattr(_forward, "package", missing)
    message = r"has no 'da' of its own, and POT, .* is not installed \(pip install POT\)"
    with pytest.raises(AttributeError, match=message):
        our.da
    with pytest.raises(ImportError, match="POT's, which is not installed"):
        importlib.import_module("swgg.pot.gmm")
    with pytest.raises(swgg.MissingPackageError, match="needs the package to patch"):
        our.patch()
    assert our.emd2([1.0], [1.0], [[3.0]]) == 3.0


def test_patch_goes_everywhere_and_leaves_no_trace():
    before = {name: holders(getattr(importlib.import_module("ot." + name.rpartition(".")[0]), name.rpartition(".")[2])) for name in our.REPLACED}
    theirs = ot.emd
    assert ("ot.da", "emd") in before["lp.emd"] and ("ot", "emd") in before["lp.emd"]
    with our.patch() as patched:
        assert set(patched.replaced) == set(our.REPLACED)
        assert ot.emd.by_swgg is our.emd and ot.da.emd is ot.emd and ot.optim.emd is ot.emd
        assert ot.emd.__doc__ == theirs.__doc__
        assert holders(theirs) == set() and holders(ot.emd) == before["lp.emd"]
        # A second one finds nothing to do, and takes nothing away.
        with our.patch() as second:
            assert second.replaced == ()
        assert ot.emd.by_swgg is our.emd
    for name, places in before.items():
        module, _, function = name.rpartition(".")
        assert holders(getattr(importlib.import_module("ot." + module), function)) == places
    assert ot.emd is theirs and not hasattr(ot.emd, "by_swgg")


def test_patch_as_a_function_with_its_undo():
    patched = our.patch("emd2", "utils.dist")
    try:
        assert patched.replaced == ("lp.emd2", "utils.dist") and "2 functions" in repr(patched)
        assert ot.emd2.by_swgg is our.emd2 and not hasattr(ot.emd, "by_swgg")
    finally:
        patched.undo()
    patched.undo()
    assert not hasattr(ot.emd2, "by_swgg")
    with pytest.raises(swgg.InputError, match="names: found 'emd3', expected one of"):
        our.patch("emd3")
    with pytest.raises(RuntimeError), our.patch():
        raise RuntimeError
    assert not hasattr(ot.emd2, "by_swgg")


def test_modules_imported_under_a_patch_are_given_back_theirs():
    script = """
        import sys, swgg.pot, ot
        del sys.modules["ot.factored"]
        with swgg.pot.patch():
            import importlib
            late = importlib.import_module("ot.factored")
            assert late.emd.by_swgg is swgg.pot.emd
        assert late.emd is ot.emd and not hasattr(ot.emd, "by_swgg")
        """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True)


def test_functions_of_pot_call_ours_and_what_is_not_here_stays_pots(monkeypatch):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 2)), rng.normal(size=(40, 2)) + 1.0
    plain = ot.da.EMDTransport().fit(Xs=X, Xt=Y).transform(Xs=X)
    unbalanced = ot.solve_sample(X, Y, reg=1.0, unbalanced=1.0).value_linear
    calls = []
    monkeypatch.setitem(our.emd.__globals__, "check_unneeded", lambda *_: calls.append(1))
    with our.patch():
        np.testing.assert_allclose(ot.da.EMDTransport().fit(Xs=X, Xt=Y).transform(Xs=X), plain, atol=1e-12)
        assert calls == [1]
        assert np.isclose(ot.solve_sample(X, Y, reg=1.0, unbalanced=1.0).value_linear, unbalanced)
    with pytest.raises(our.NotHereError):
        our.solve_sample(X, Y, reg=1.0, unbalanced=1.0)


def documented():
    """Every docstring of POT that has examples, by its name."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for info in pkgutil.walk_packages(ot.__path__, "ot."):
            try:
                module = importlib.import_module(info.name)
            except ImportError:
                # Parts of POT that need other packages.
                continue
            for test in doctest.DocTestFinder().find(module, module.__name__):
                if test.examples:
                    found[test.name] = test
    return found


#: Docstrings whose examples do not run in POT itself.
BROKEN = {"ot.utils.deprecated": "imports a module that POT does not have"}
#: How far from POT's an answer may be that is better: POT ends at its number of steps there.
FARTHER = {"ot.bregman._empirical.empirical_sinkhorn_divergence": 1e-4}
EXAMPLES = documented()


def shown(name):
    """What the examples of a docstring would print, as values."""
    # The names of its module as they are now, patched or not.
    module = importlib.import_module(EXAMPLES[name].globs["__name__"])
    scope, values = {**vars(module), "np": np, "ot": ot}, []
    before, sys.displayhook = sys.displayhook, lambda value: values.append(value) if value is not None else None
    np.random.seed(0)
    try:
        for example in EXAMPLES[name].examples:
            exec(compile(example.source, name, "single"), scope)
    finally:
        sys.displayhook = before
    return values


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(set(EXAMPLES) - set(BROKEN)))
def test_examples_of_pots_docstrings(name):
    """The examples of POT's whole documentation come out the same with our functions inside it."""
    theirs = shown(name)
    with our.patch():
        ours = shown(name)
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs):
        assert np.shape(mine) == np.shape(other)
        np.testing.assert_allclose(mine, other, rtol=FARTHER.get(name, 1e-7), atol=1e-9)


@pytest.mark.filterwarnings("ignore:Sinkhorn did not converge")
def test_a_divergence_that_is_nearer_to_its_limit_than_pots():
    X, Y = np.arange(2.0)[:, None], np.arange(4.0)[:, None]
    terms = [(ot.unif(len(x)), ot.unif(len(y)), ot.dist(x, y)) for x, y in ((X, Y), (X, X), (Y, Y))]
    whole = [ot.sinkhorn2(*term, 0.1, method="sinkhorn_log", stopThr=1e-14, numItermax=100_000) for term in terms]
    limit = whole[0] - 0.5 * (whole[1] + whole[2])
    with our.patch():
        np.testing.assert_allclose(ot.bregman.empirical_sinkhorn_divergence(X, Y, 0.1), limit, rtol=1e-6)


def test_the_examples_are_those_of_what_is_replaced_too():
    assert len(EXAMPLES) > 60
    with_examples = {name.rpartition(".")[2] for name in EXAMPLES}
    assert {"emd", "emd2", "emd_1d", "sinkhorn", "partial_wasserstein", "sliced_wasserstein_distance"} <= with_examples


def test_errors_are_also_those_that_pot_asserts():
    x, M = np.ones((3, 2)), np.ones((2, 2))
    for call in (
        lambda module: module.emd([0.5, 0.5], [0.4, 0.4], M),
        lambda module: module.emd2([0.5, 0.5, 0.0], [0.5, 0.5], M),
        lambda module: module.emd_1d(x, x),
        lambda module: module.emd2_1d(x, x),
        lambda module: module.wasserstein_1d(x[0], x[0], p=0.5),
        lambda module: module.min_sliced_transport_plan(x, np.ones((3, 4)), n_projections=3),
        lambda module: module.expected_sliced_plan(x[0], x[0], n_projections=3),
        lambda module: module.min_sliced_transport_plan(x, x),
        lambda module: module.min_sliced_transport_plan(x, x, n_projections=3, metric="cosine"),
        lambda module: module.partial.partial_wasserstein_1d(x, x),
    ):
        for module in (ot, our):
            with pytest.raises(AssertionError) as caught:
                call(module)
        assert isinstance(caught.value, swgg.InputError) and isinstance(caught.value, ValueError)


def test_too_few_steps_are_warned_of_and_the_optimum_is_found_all_the_same():
    rng = np.random.default_rng(0)
    M = rng.random((20, 20))
    for module in (ot, our):
        with pytest.warns(UserWarning, match="numItermax"):
            module.emd2([], [], M, numItermax=1)
    with pytest.warns(UserWarning, match="numItermax") as caught:
        plan = our.emd([], [], M, numItermax=1)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(plan, our.emd([], [], M))
    our.emd([], [], M, numItermax=40)

"""The pages of the Python reference: which names stand on which page. What they say is in the docstrings."""

import inspect
import re

import swgg
import swgg.pot

GROUPS = {
    "plans": (
        "Plans",
        "solve emd line_wasserstein min_swgg swgg generalized_geodesic sinkhorn factored subspace_robust subspace_detour partial_1d",
    ),
    "distances": ("Distances", "sliced_wasserstein max_sliced pwd sinkhorn_divergence gaussian bures linear_ot"),
    "many": ("Many clouds, estimators", "solve_batch pairwise Transport"),
    "applications": ("Applications", "register color_transfer colorize barycenter flow otdd otdd_matrix"),
}
HEADER = ".. This page is written by cargo xtask site.\n\n"


def write(source, repository):
    """Pages in source/api: all that is public, in groups; what nobody has put into one is on the last page."""
    folder = source / "api"
    folder.mkdir()
    gallery = "\n".join(path.read_text("utf-8") for path in (source / "gallery").rglob("*.py"))
    public = [name for name in swgg.__all__ if not name.startswith("__")]
    grouped = {slug: (title, [name for name in names.split() if name in public]) for slug, (title, names) in GROUPS.items()}
    taken = {name for _, names in grouped.values() for name in names}
    rest = [name for name in public if name not in taken]
    grouped["results"] = ("Results", [name for name in rest if _is_class(name) and not _is_error(name)])
    grouped["errors"] = ("Errors and warnings", [name for name in rest if _is_error(name)])
    grouped["more"] = ("More", [name for name in rest if not _is_class(name)])
    grouped = {slug: group for slug, group in grouped.items() if group[1]}

    for slug, (title, names) in grouped.items():
        _page(folder / f"{slug}.rst", title, "swgg", names, gallery)
    pot = [name for name in swgg.pot.__all__ if not inspect.ismodule(getattr(swgg.pot, name))]
    partial = [f"partial.{name}" for name in swgg.pot.partial.__all__]
    _page(folder / "pot.rst", "swgg.pot: the calls of POT", "swgg.pot", [*pot, *partial], gallery)
    others = _others(folder, repository)

    lines = [HEADER + "Python\n======\n\nEvery function and class, by what it is for. What is written here stands in the docstrings, too: ``help(swgg.solve)``.\n"]
    for slug, (title, names) in grouped.items():
        lines += [f"\n.. rubric:: :doc:`{title} <{slug}>`\n\n.. list-table::\n   :class: names\n   :widths: 30 70\n"]
        for name in names:
            first = (inspect.getdoc(getattr(swgg, name)) or "").partition("\n\n")[0].replace("\n", " ")
            first = re.sub(r":(?:py:)?\w+:`~?([^`]+)`", r"``\1``", first)
            role = "py:class" if _is_class(name) else "py:func"
            lines += [f"\n   * - :{role}:`swgg.{name}`\n     - {first}"]
        lines += ["\n"]
    toc = "\n   ".join([*grouped, "pot", *others])
    lines += [f"\n.. toctree::\n   :hidden:\n\n   {toc}\n"]
    (folder / "index.rst").write_text("".join(lines), "utf-8")


def _page(path, title, module, names, gallery):
    parts = [f"{HEADER}{title}\n{'=' * len(title)}\n\n.. py:currentmodule:: {module}\n"]
    for name in names:
        thing = _found(module, name)
        kind = "autoclass" if inspect.isclass(thing) else "autofunction"
        kind = "autoexception" if inspect.isclass(thing) and issubclass(thing, BaseException) else kind
        parts.append(f"\n{name}\n{'-' * len(name)}\n\n.. {kind}:: {module}.{name}\n")
        if kind == "autoclass":
            parts.append("   :inherited-members:\n" if issubclass(thing, swgg.Result) and thing is swgg.Result else "")
        if module == "swgg" and re.search(rf"\bswgg\.{name}\b", gallery):
            parts.append(f"\n.. minigallery:: swgg.{name}\n   :add-heading: Examples\n   :heading-level: ^\n")
    path.write_text("".join(parts), "utf-8")


def _others(folder, repository):
    """Modules that need packages which are not here: their part of docs/python/reference.md, which is read off the sources."""
    text = (repository / "docs" / "python" / "reference.md").read_text("utf-8")
    slugs = []
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        module, _, body = section.partition("\n")
        if module.strip() in ("swgg", "swgg.pot"):
            continue
        slug = module.strip().removeprefix("swgg.")
        # One level up, since the module is the page; names as headings, how they are called below them.
        body = re.sub(r"^#(#+) ", r"\1 ", body, flags=re.M)
        body = re.sub(r"^(#+) `((?:class )?([\w.]+)(\(.*\))?)`$", lambda m: f"{m[1]} {m[3].rpartition('.')[2]}\n\n```python\n{m[2]}\n```", body, flags=re.M)
        (folder / f"{slug}.md").write_text(f"# {module}\n{body}", "utf-8")
        slugs.append(slug)
    return slugs


def _found(module, name):
    thing = swgg if module == "swgg" else swgg.pot
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


def _is_class(name):
    return inspect.isclass(getattr(swgg, name))


def _is_error(name):
    return _is_class(name) and issubclass(getattr(swgg, name), BaseException)

"""Brings everything that Sphinx reads into one directory: pages of the site, pages of docs/, references made of the program itself."""

import os
import re
import shutil
import sys

import command_line
import python_reference

# What the words "[text](target)" of Markdown are, with a possible "!" in front.
LINK = re.compile(r"(!?)\[([^\]\[]*(?:\[[^\]]*\][^\]\[]*)*)\]\(([^)\s]+)\)")
RUST = "<!-- cargo xtask site: rust -->"


def pages(repository, source, with_rust):
    """Makes `source` anew; pictures of the gallery that need not be drawn again stay."""
    site, docs = repository / "docs" / "site", repository / "docs"
    source.mkdir(parents=True, exist_ok=True)
    drawn = {path.relative_to(source / "examples").with_suffix("") for path in source.glob("examples/*/plot_*.rst")}
    wanted = {path.relative_to(site / "gallery").with_suffix("") for path in site.glob("gallery/*/plot_*.py")}
    # The gallery knows by their contents which examples have to run again, but not which of them are gone.
    kept = ("examples", "backreferences") if drawn <= wanted else ()
    for old in source.iterdir():
        if old.name not in kept:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    shutil.copytree(site, source, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))

    copied = source / "pages"
    copied.mkdir()
    (copied / "python").mkdir()
    for path in sorted([*docs.glob("*"), *docs.glob("python/*.png")]):
        if path.suffix in (".png", ".svg"):
            shutil.copy(path, copied / path.relative_to(docs))
        elif path.suffix == ".md":
            write(copied / path.name, moved(path, copied / path.name, repository, source))
    for name in ("CHANGELOG.md", "CONTRIBUTING.md"):
        page = source / name.lower()
        write(page, moved(repository / name, page, repository, source))

    python_reference.write(source, repository)
    command_line.write(source / "command-line")
    rust = source / "rust.md"
    plain = "`cargo doc --open --no-deps` shows the documentation of all crates; `cargo xtask site --rust` puts it beside this site."
    text = rust.read_text("utf-8")
    # Sphinx knows nothing of pages that others wrote, so this link is HTML; `check` follows it.
    link = '<a href="rust/swgg/index.html">The documentation of all crates</a> is beside this site.'
    write(rust, text.replace(RUST, link if with_rust else plain))


def write(path, text):
    path.write_text(text, "utf-8")


def moved(path, to, repository, source):
    """A Markdown page of the repository, with links that work where it goes: what is no page of the site is named, not linked."""

    def link(match):
        picture, text, target = match.groups()
        if target.startswith("#") or "://" in target:
            return match.group(0)
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve().relative_to(repository.resolve())
        place = placed(file, source)
        if place is None:
            if not (repository / file).exists():
                sys.exit(f"{path}: the link to {target} leads nowhere")
            bare = text.strip("`")
            return text if bare == str(file) else f"{text} (`{file}` of the sources)"
        return f"{picture}[{text}]({os.path.relpath(place, to.parent)}{'#' + anchor if anchor else ''})"

    kept, code = [], False
    for line in path.read_text("utf-8").splitlines():
        code ^= line.lstrip().startswith("```")
        kept.append(line if code else LINK.sub(link, line))
    return "\n".join(kept) + "\n"


def placed(file, source):
    """Where a file of the repository stands in the site, or none."""
    if str(file) == "docs/python/reference.md":
        return source / "api" / "index.rst"
    if str(file) in ("CHANGELOG.md", "CONTRIBUTING.md"):
        return source / str(file).lower()
    if str(file) == "README.md":
        return source / "index.md"
    if file.parts[0] == "docs" and file.suffix in (".md", ".png", ".svg"):
        return source / "pages" / file.relative_to("docs")
    return None

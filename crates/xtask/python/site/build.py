"""Builds the site: gathers its pages, runs the code on them, lets Sphinx write HTML, and looks at every link of the result.

usage: build.py REPOSITORY OUT [--rust DOC_DIRECTORY]

OUT/source has the pages that Sphinx reads, OUT/html what it makes of them.
"""

import argparse
import doctest
import os
import shutil
import subprocess
import sys
from pathlib import Path

import check
import gather


def tried(source):
    """Runs the examples of the pages that are written for the site; those of docs/ are run by `cargo xtask test`."""
    failed = 0
    for page in sorted([source / "start.md", *(source / "guide").glob("*.md")]):
        found = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        failed += found.failed
    if failed:
        sys.exit(f"{failed} examples of the guide do not say what comes out: see above")


def main():
    words = argparse.ArgumentParser()
    words.add_argument("repository", type=Path)
    words.add_argument("out", type=Path)
    words.add_argument("--rust", type=Path, help="documentation that `cargo doc` built")
    asked = words.parse_args()
    source, html = asked.out / "source", asked.out / "html"

    print("== pages", flush=True)
    gather.pages(asked.repository, source, with_rust=asked.rust is not None)
    tried(source)

    print("== Sphinx", flush=True)
    # A page that is gone must not be found in what was built before.
    shutil.rmtree(html, ignore_errors=True)
    sphinx = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-d", str(asked.out / "doctrees")]
    environment = dict(os.environ, MPLBACKEND="Agg", PYTHONDONTWRITEBYTECODE="1")
    if subprocess.run([*sphinx, str(source), str(html)], env=environment).returncode:
        sys.exit("Sphinx has something to say about the pages: see above")
    if asked.rust is not None:
        shutil.copytree(asked.rust, html / "rust", dirs_exist_ok=True)

    print("== links", flush=True)
    check.links(html)


if __name__ == "__main__":
    main()

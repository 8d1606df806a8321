"""Settings of Sphinx for the site. `cargo xtask site` gathers the pages under target/site/source and builds them there."""

import sys
from pathlib import Path

import swgg

here = Path(__file__).parent
sys.path.insert(0, str(here / "extensions"))

project = "swgg"
author = "The swgg contributors"
copyright = "the swgg contributors, MIT or Apache-2.0"
version = release = swgg.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx_gallery.gen_gallery", "mathml"]
exclude_patterns = ["extensions", "gallery/**", "examples/**/*.ipynb"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
nitpicky = True
# What autodoc names as a base of our classes, and other packages document.
# An attribute that a class has from the one before it.
nitpick_ignore = [("py:attr", "theta")]
nitpick_ignore_regex = [("py:.*", r"(numpy|np|NDArray|Any|Optional|Tuple|Dict|List|Callable|Union|Sequence|ArrayLike|scipy|torch|matplotlib)(\..*)?")]

# Two hyphens are a flag, not a dash.
smartquotes = False

# Markdown: the pages in docs/ are written for a forge, so headings have the anchors that forges give them.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "dollarmath"]
# Blocks such as ```sh or ```text are shown, not checked.
suppress_warnings = ["misc.highlighting_failure", "config.cache"]

# Docstrings: types stand in the text of the parameters, and only there.
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": False}

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"plot_",
    "ignore_pattern": r"__init__\.py",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "doc_module": ("swgg",),
    "backreferences_dir": "backreferences",
    "reset_modules": ("matplotlib", "pictures.look"),
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 0,
    "nested_sections": False,
    "line_numbers": False,
    "thumbnail_size": (360, 240),
    "download_all_examples": True,
    # Every page says how long its example took; the table of all times would fetch scripts from a network.
    "write_computation_times": False,
}

html_theme = "furo"
html_title = f"swgg {version}"
html_static_path = ["style"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
# Formulas are MathML, which browsers draw themselves: nothing is fetched.
html_math_renderer = "mathml"
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {"color-brand-primary": "#1f4e79", "color-brand-content": "#1f5f99"},
    "dark_css_variables": {"color-brand-primary": "#9cc4ea", "color-brand-content": "#8fbdf0"},
}

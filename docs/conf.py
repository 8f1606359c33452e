"""How the site is built: ``python -m sphinx -W -n docs docs/_build/html``; nothing is fetched."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE.parent)]

import bayesf1  # noqa: E402

project = "bayesf1"
author = "The bayesf1 developers"
project_copyright = author
version = release = bayesf1.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "matplotlib.sphinxext.plot_directive",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "reference_pages",
]
exclude_patterns = ["_build", "_extensions", "**/sg_execution_times.rst", "sg_execution_times.rst"]
# Single backticks in docstrings name what is public, or are code.
default_role = "name"
nitpicky = True

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

# ---- reference --------------------------------------------------------------------------------------------

autosummary_generate = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
# What stands in a signature by its name, instead of all that it may be.
autodoc_type_aliases = {
    name: name
    for name in (
        *(
            "AnyArray",
            "ArrayLike",
            "AxesArray",
            "AxesLike",
            "BoolArray",
            "Column",
            "Discount",
            "Files",
            "FloatArray",
            "IntArray",
            "Level",
            "Lists",
            "Log",
        ),
        *(
            "MetricLike",
            "Models",
            "Numbers",
            "OneLabel",
            "RNGLike",
            "RopeLike",
            "Size",
            "SoftClusters",
            "StrPath",
        ),
    )
}
# Signatures of several lines where one would be too long to read.
maximum_signature_line_length = 100
numpydoc_show_class_members = False
# Types of other packages, and names of ours that serve type checkers alone: no page has them.
nitpick_ignore_regex = [
    (
        "py:.*",
        r"(np|numpy|npt|pd|pandas|xr|xarray|nw|narwhals|matplotlib|arviz|typing|collections|os|abc)\b.*",
    ),
    ("py:.*", r"bayesf1\.[a-z_]+\..*|[A-Z]\w+"),
]

# ---- figures ----------------------------------------------------------------------------------------------

plot_formats = [("png", 200)]
plot_html_show_source_link = False
plot_html_show_formats = False
plot_include_source = True
plot_pre_code = ""

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/\w+\.py$",
    "ignore_pattern": r"/papers/|__init__\.py|/ci/",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "default_thumb_file": str(HERE / "wnut17_difference.png"),
    "image_scrapers": ("figure_words.scrape",),
    "plot_gallery": "True",
    "within_subsection_order": "FileNameSortKey",
}
warnings.filterwarnings("ignore", message=r"\s*ArviZ is undergoing a major refactor")

# ---- pages ------------------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = f"bayesf1 {release}"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_context = {"default_mode": "auto"}
# Pages without neighbours in their section.
html_sidebars = {
    name: [] for name in ("index", "start", "rows", "questions", "search", "genindex", "py-modindex")
}
html_show_sourcelink = False
html_copy_source = False
WIDE = (
    "start",
    "rows",
    "architecture",
    "guides/corpora",
    "guides/seeds",
    "guides/retrieval",
    "background/peers",
)
html_theme_options = {
    "logo": {"text": "bayesf1"},
    "navigation_with_keys": False,
    "show_prev_next": True,
    # Pages with wide tables have the room of the list of sections.
    "secondary_sidebar_items": {"**": ["page-toc"]} | {page: [] for page in WIDE},
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 7,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

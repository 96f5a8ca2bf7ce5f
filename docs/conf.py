"""The documentation site: `make docs` builds it with Sphinx; a warning is an error there."""

from __future__ import annotations

import rehabcount

project = "rehabcount"
author = "the rehabcount authors"
copyright = "the rehabcount authors; GPL-3.0-or-later"  # noqa: A001 (Sphinx's name)
version = release = rehabcount.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_heading_anchors = 3  # links such as simulated-patient.md#against-real-people
myst_enable_extensions = ["colon_fence"]
default_role = "code"  # what stands in backticks in a docstring
nitpicky = False  # types of numpy and of the standard library have no page here

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"  # fields are described as attributes, not as parameters once more

html_theme = "furo"
html_title = f"rehabcount {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}

"""Sphinx: `sphinx-build -W docs build/docs` (extra `docs`). The pages are Markdown that reads in the repository too."""

import re

project = "Longhaul"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "Longhaul"
exclude_patterns = ["mechanisms/*"]
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]
pygments_style = "default"
suppress_warnings = ["misc.highlighting_failure"]

# What stands in the repository but not on the site is named, not linked: folders, and files above docs/.
OUTSIDE = re.compile(r"\[(`?)([^\]`]+)`?\]\(((?:\.\./)+(?:conf|harness|tests|strategies|tasks|results)[^)]*|[a-z]+)\)")


def name_what_is_outside(app, docname, source):
    source[0] = OUTSIDE.sub(r"`\2`", source[0])


def setup(app):
    app.connect("source-read", name_what_is_outside)

"""How Sphinx makes the site of docs/; `build.py` calls it, on pages that it has prepared."""

import json
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

project = "Guildhall"
html_title = "Guildhall"
copyright = "The authors of Guildhall"
language = "en"

extensions = ["myst_parser"]
myst_heading_anchors = 6
# A page may begin a part at a deeper heading, and show code of which Pygments does not know all.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["guildhall.css"]
html_favicon = "../../console/public/favicon.svg"
html_copy_source = False
html_use_index = False
html_show_sphinx = False
html_show_copyright = False
html_permalinks_icon = "#"
templates_path = ["templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/this_server.html",
        "sidebar/scroll-end.html",
    ]
}
html_theme_options = {"sidebar_hide_name": False, "top_of_page_buttons": []}


def setup(app: Sphinx) -> None:
    # Before the theme's own, which resolves the tree of all pages for each: half of the time of a build.
    app.connect("html-page-context", add_navigation, priority=400)


def add_navigation(app: Sphinx, page: str, template: str, context: dict[str, Any], _: object) -> None:
    """Gives a page the navigation, of which its own branch is open."""
    tree = json.loads((Path(app.srcdir) / "navigation.json").read_text("utf-8"))
    titles, below = app.env.titles, tree["below"]

    def entry(place: str) -> dict[str, Any]:
        name = place.removesuffix(".md")
        children = [one.removesuffix(".md") for one in below.get(place, ())]
        is_open = page == name or page in children or any(page in found_below(child) for child in children)
        return {
            "title": titles[name].astext(),
            "path": context["pathto"](name),
            "current": page == name,
            "children": [entry(f"{child}.md") for child in children] if is_open else [],
        }

    def found_below(name: str) -> list[str]:
        return [one.removesuffix(".md") for one in below.get(f"{name}.md", ())]

    context["parts"] = {caption: [entry(place) for place in own] for caption, own in tree["parts"].items()}
    context["toctree"] = lambda **_: ""

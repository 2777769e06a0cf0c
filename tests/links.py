"""The links of Markdown pages and the anchors that they can lead to, as a reader on a code host has them."""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_WHERE = ("*.md", "docs/**/*.md", "libs/**/*.md", "sdk/*.md", "sdk/testing/*.md", "clients/*/*.md")
_FENCED = re.compile(r"^(?P<fence> *(?:```+|~~~+)).*?^(?P=fence) *$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\((?P<target>[^)\s]*)\)", re.DOTALL)
_AUTOLINK = re.compile(r"<(https?://[^>\s]+)>")
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def pages():
    """Returns every page of prose that ships with the sources."""
    found = {path for where in _WHERE for path in ROOT.glob(where)}
    return sorted(path for path in found if "node_modules" not in path.parts)


def links_of(page):
    """Returns the target of every link and picture of a page, in their order."""
    prose = _CODE.sub("", _prose(page))
    return [found["target"] for found in _LINK.finditer(prose)] + _AUTOLINK.findall(prose)


@cache
def anchors_of(page):
    """Returns the anchors of a page: one for each heading, counted on where two would be the same."""
    anchors = set()
    for heading in _HEADING.findall(_prose(page)):
        anchor = _anchor(heading)
        number = next(n for n in range(1000) if (f"{anchor}-{n}" if n else anchor) not in anchors)
        anchors.add(f"{anchor}-{number}" if number else anchor)
    return anchors


def _prose(page):
    return _COMMENT.sub("", _FENCED.sub("", page.read_text("utf-8")))


def _anchor(heading):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def fault_of(page, target):
    """Returns what is wrong with a link, or None; what lies outside of the sources is read, not called."""
    if "://" in target or target.startswith("mailto:"):
        plain = re.fullmatch(r"(https?://[A-Za-z0-9.-]+(:\d+)?(/[^\s\"<>]*)?|mailto:[^\s@]+@[^\s@]+)", target)
        return None if plain else "is no address"
    path, _, anchor = target.partition("#")
    to = (page.parent / path).resolve() if path else page
    if path.startswith("/") or not to.is_relative_to(ROOT):
        return "leads out of the sources"
    if not to.exists():
        return "leads nowhere"
    if anchor and (to.suffix != ".md" or anchor not in anchors_of(to)):
        return "names no heading of that page"
    return None

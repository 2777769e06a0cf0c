"""Finds the words for people that stand in a page's own files instead of the catalog."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

# Attributes that are read out or shown.
SHOWN_ATTRIBUTES = {
    *("placeholder", "title", "alt", "label", "summary"),
    *("aria-label", "aria-description", "aria-placeholder", "aria-roledescription", "aria-valuetext"),
}
_UNREAD_ELEMENTS = {"script", "style", "code", "template"}
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

_SLOT = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_LETTERS = re.compile(r"[^\W\d_]{2,}")
# Comments and regular expressions go first: an apostrophe in one begins no literal.
_TOKENS = re.compile(
    r"""//[^\n]*|/\*.*?\*/"""
    r"""|(?<=[(=,:!&|?{};\[])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\\\n])+/[a-z]*"""
    r'''|"(?P<double>(?:\\.|[^"\\\n])*)"'''
    r"""|'(?P<single>(?:\\.|[^'\\\n])*)'"""
    r"""|`(?P<template>(?:\\.|[^`\\])*)`""",
    re.DOTALL,
)
_PROSE = re.compile(r"\s*[^\W\d_a-z]\S*\s+[^\W\d_]|[^\W\d_]{2,}\s+[^\W\d_]{2,}.*[.…?]\s*$", re.DOTALL)
_SHOWING = re.compile(
    r"(?:\.(?:textContent|innerText|innerHTML|title|placeholder|alt|ariaLabel)\s*=\s*"
    r"|\b(?:aria-label|placeholder|title|alt|label)=\{?\s*"
    r"|setAttribute\(\s*[\"'](?:aria-label|title|placeholder|alt)[\"']\s*,\s*"
    r"|\b(?:alert|confirm|prompt)\(\s*)$"
)
_JSX_TEXT = re.compile(r">([^<>{}=;()]*)</")


class _Texts(HTMLParser):
    """Collects what a reader of the page meets; what is hidden from everybody is not read."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._unread: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if not self._unread:
            self.found += [value for name, value in given.items() if self._is_shown(tag, name, given)]
        hidden = given.get("aria-hidden") == "true" or tag in _UNREAD_ELEMENTS
        if (self._unread or hidden) and tag not in _VOID:
            self._unread.append(tag)

    @staticmethod
    def _is_shown(tag: str, name: str, given: dict[str, str]) -> bool:
        if tag == "meta":
            return name == "content" and given.get("name") == "description"
        return name in SHOWN_ATTRIBUTES

    def handle_endtag(self, tag: str) -> None:
        if self._unread and self._unread[-1] == tag:
            self._unread.pop()

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.found.append(data)


def words_in(path: Path) -> Iterator[str]:
    """Yields each text of a file that people would read, and that is no slot and no key."""
    source = path.read_text("utf-8")
    yield from words_in_html(source) if path.suffix == ".html" else words_in_script(source)


def words_in_html(source: str) -> Iterator[str]:
    # A slot inside of a tag would end it: `{{#required}} required{{/required}}`.
    page = _Texts()
    page.feed(_SLOT.sub("", source))
    page.close()
    yield from (text.strip() for text in page.found if _LETTERS.search(text))


def words_in_script(source: str) -> Iterator[str]:
    for token in _TOKENS.finditer(source):
        text = next((text for text in token.group("double", "single", "template") if text), "")
        text = re.sub(r"\$\{[^}]*\}", "", text)
        shown = _SHOWING.search(source, max(0, token.start() - 80), token.start())
        if _LETTERS.search(text) and (shown or _PROSE.match(text)):
            yield text
    without = _TOKENS.sub("", source)
    yield from (text.strip() for text in _JSX_TEXT.findall(without) if _LETTERS.search(text))

"""HTML as a reader sees it: no scripts, no styles, nothing that is hidden."""

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import BinaryIO

from .plain import read_by
from .task import Task, Transcript

_UNSEEN = frozenset({"script", "style", "template", "noscript", "iframe", "object", "svg", "datalist"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "title"})
_BLOCKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "dialog", "div"),
        *("dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "head", "header", "hr", "html"),
        *("legend", "li", "main", "menu", "nav", "ol", "option", "p", "pre", "section", "summary", "table"),
        *("tbody", "tfoot", "thead", "tr", "ul"),
    }
)
_CELLS = frozenset({"td", "th"})
# Their end may go unsaid, so that there is no telling how far what they hide reaches.
_OPEN_ENDED = frozenset({"p", "li", "dt", "dd", "tr", "td", "th", "option", "body", "html", "head", "tbody"})
_EMPTY = frozenset(
    {
        *("area", "base", "br", "col", "embed", "hr", "img"),
        *("input", "link", "meta", "source", "track", "wbr"),
    }
)
_SPACE = re.compile(r"\s+")


def read(document: BinaryIO, transcript: Transcript, task: Task) -> None:
    read_by(write_visible, document, transcript, task)


def write_visible(text: str, transcript: Transcript) -> None:
    page = _Page(transcript)
    try:
        page.feed(text)
        page.close()
    except AssertionError:
        # How this parser says that it does not understand a declaration.
        transcript.partial = True


class _Page(HTMLParser):
    def __init__(self, transcript: Transcript) -> None:
        super().__init__(convert_charrefs=True)
        self._transcript = transcript
        self._hidden_by: str | None = None
        self._depth = 0
        self._verbatim = 0

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if self._hidden_by:
            self._depth += tag == self._hidden_by
            return
        attributes = dict(attrs)
        if tag not in _EMPTY and (tag in _UNSEEN or ("hidden" in attributes and tag not in _OPEN_ENDED)):
            self._hidden_by, self._depth = tag, 1
        elif tag == "img" and attributes.get("alt"):
            self.handle_data(f" {attributes['alt']} ")
        self._verbatim += tag == "pre"
        self._separate(tag, opening=True)

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        # The slash means something in SVG alone, which is not seen anyway.
        self.handle_starttag(tag, attrs)
        if tag == self._hidden_by:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._hidden_by:
            self._depth -= tag == self._hidden_by
            if not self._depth:
                self._hidden_by = None
            return
        self._verbatim = max(0, self._verbatim - (tag == "pre"))
        self._separate(tag, opening=False)

    def handle_data(self, data: str) -> None:
        if self._hidden_by:
            return
        words = data if self._verbatim else _SPACE.sub(" ", data)
        if words.startswith(" ") and not self._verbatim:
            self._transcript.separate(" ")
            words = words[1:]
        if words:
            self._transcript.write(words)

    def _separate(self, tag: str, *, opening: bool) -> None:
        if tag in _HEADINGS:
            self._transcript.separate("\n\n")
        elif tag in _BLOCKS or tag == "br":
            self._transcript.separate("\n")
        elif tag in _CELLS and opening:
            self._transcript.separate("\t")

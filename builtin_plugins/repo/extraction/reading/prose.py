"""Running text as Word and PowerPoint write it: paragraphs of runs, and tables of paragraphs."""

from collections.abc import Mapping

from .markup import local
from .transcript import Transcript

# Properties hold tab stops, not tabs. A fallback or a moved text stands elsewhere too; a field is a number.
_PASSED_OVER = frozenset(
    {
        *("pPr", "rPr", "sectPr", "tblPr", "trPr", "tcPr", "tblGrid", "bodyPr", "lstStyle"),
        *("Fallback", "moveFrom", "fld"),
    }
)
_SEPARATES = {"tab": "\t", "br": "\n", "cr": "\n", "p": "\n", "tr": "\n", "tbl": "\n\n"}
_HEADING_STYLES = ("heading", "title", "subtitle")


class Prose:
    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._passing: str | None = None
        self._passed_depth = 0
        self._cells = 0
        self._in_text = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._passing:
            self._passed_depth += name == self._passing
            if name == "pStyle" and local(attributes, "val").lower().startswith(_HEADING_STYLES):
                self._separate("\n\n")
        elif name in _PASSED_OVER:
            self._passing, self._passed_depth = name, 1
        elif name == "t":
            self._in_text = True
        elif name == "tc":
            self._cells += 1
        elif name == "noBreakHyphen":
            self._transcript.write("-")
        elif name in _SEPARATES:
            self._separate(_SEPARATES[name])

    def end(self, name: str) -> None:
        if self._passing:
            self._passed_depth -= name == self._passing
            if not self._passed_depth:
                self._passing = None
        elif name == "t":
            self._in_text = False
        elif name == "tc":
            self._cells -= 1
            self._separate("\t")
        elif name in _SEPARATES:
            self._separate(_SEPARATES[name])

    def text(self, text: str) -> None:
        if self._in_text and not self._passing:
            self._transcript.write(text)

    def _separate(self, mark: str) -> None:
        """Separates two pieces; a cell stays on its line, whatever is in it."""
        self._transcript.separate(" " if self._cells else mark)

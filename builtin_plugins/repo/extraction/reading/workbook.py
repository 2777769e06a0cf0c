"""Where the sheets of a workbook are, and what their cells refer to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from .markup import local, relation_id
from .parts import Parts

SHEET = "xl/worksheets/sheet"
_SHARED_STRINGS = "xl/sharedStrings"
_STYLES = "xl/styles"


@dataclass(frozen=True, slots=True)
class Workbook:
    sheets: Sequence[tuple[str, str | None]]
    """Each by its name, which may be empty, with its part, which may be missing."""
    shared_strings: Sequence[str]
    styles: Sequence[str]
    from_1904: bool


def find_workbook(parts: Parts, main: str) -> Workbook:
    """Finds the sheets by relations, or by the names of parts where nothing leads to them."""
    book = _Book()
    if main in parts:
        parts.parse(main, book)
    if parts.leads_on(main):
        return _listed(parts, main, book)
    names = [name for name, _ in book.sheets]
    return Workbook(
        [(name or "", part) for name, part in zip_longest(names, parts.named(SHEET))],
        parts.named(_SHARED_STRINGS),
        parts.named(_STYLES),
        book.from_1904,
    )


def _listed(parts: Parts, main: str, book: "_Book") -> Workbook:
    relations = parts.relations(main)
    targets = {relation.id: relation.target for relation in relations if relation.kind == "worksheet"}
    return Workbook(
        [(name, targets.get(sheet_id)) for name, sheet_id in book.sheets],
        [relation.target for relation in relations if relation.kind == "sharedStrings"],
        [relation.target for relation in relations if relation.kind == "styles"],
        book.from_1904,
    )


class _Book:
    def __init__(self) -> None:
        self.sheets: list[tuple[str, str]] = []
        self.from_1904 = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "sheet":
            self.sheets.append((local(attributes, "name"), relation_id(attributes)))
        elif name == "workbookPr":
            self.from_1904 = local(attributes, "date1904") in ("1", "true")

    def end(self, name: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass

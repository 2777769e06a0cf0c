"""An Office package: which of the three it is, and the reader for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from .archive import Archive
from .declared import Kind
from .limits import ReadingLimits
from .parts import Parts
from .refusal import NotSupported
from .slides import SLIDE, write_slides
from .spreadsheet import write_sheets
from .task import Task
from .transcript import Transcript
from .word import write_document
from .workbook import SHEET

# What a list of types that was made by hand says of every part.
_SAY_NOTHING = frozenset({"", "application/xml", "text/xml"})


@dataclass(frozen=True, slots=True)
class _Format:
    kind: Kind
    type_words: tuple[str, str]
    """In the type of each of its parts; the second in that of a main part beside macros."""
    main: str
    """What programs call its main part."""
    numbered: str | None
    """What they call the parts that hold its text, before the number."""
    write: Callable[[Parts, str, Transcript, ReadingLimits], None]

    def is_named_by(self, content_type: str) -> bool:
        return any(word in content_type for word in self.type_words)

    def fits_names(self, parts: Parts) -> bool:
        """Tells whether a part is named as in this format, and not declared to be something else."""
        named = self._first_named(parts)
        if named is None:
            return False
        content_type = parts.type_of(named)
        return content_type in _SAY_NOTHING or self.is_named_by(content_type)

    def _first_named(self, parts: Parts) -> str | None:
        if self.main in parts:
            return self.main
        return next(iter(parts.named(self.numbered)), None) if self.numbered else None


_FORMATS = (
    _Format(Kind.DOCX, ("wordprocessingml", "ms-word"), "word/document.xml", None, write_document),
    _Format(
        Kind.XLSX, ("spreadsheetml", "ms-excel.sheet.macroenabled"), "xl/workbook.xml", SHEET, write_sheets
    ),
    _Format(Kind.PPTX, ("presentationml", "ms-powerpoint"), "ppt/presentation.xml", SLIDE, write_slides),
)


def read(document: BinaryIO, transcript: Transcript, task: Task) -> None:
    """Reads a package by the type of its main part, or by the names of its parts where none is given."""
    parts = Parts(Archive(document, task.limits), task.limits)
    office_format, main = _find_listed(parts) or _find_by_names(parts, task.declared)
    transcript.kind = office_format.kind
    office_format.write(parts, main, transcript, task.limits)


def _find_listed(parts: Parts) -> tuple[_Format, str] | None:
    """Returns the format and the main part that the package names, or None where it names none."""
    says_other = False
    for relation in parts.relations():
        if relation.kind != "officeDocument":
            continue
        main_type = parts.type_of(relation.target)
        for office_format in _FORMATS:
            if office_format.is_named_by(main_type):
                parts.require(relation.target)
                return office_format, relation.target
        says_other |= main_type not in _SAY_NOTHING
    if says_other:
        raise _none_of_the_three()
    return None


def _find_by_names(parts: Parts, declared: Kind) -> tuple[_Format, str]:
    """Returns the format by the names of parts; of several, the one that was declared."""
    fitting = [office_format for office_format in _FORMATS if office_format.fits_names(parts)]
    if len(fitting) > 1:
        fitting = [office_format for office_format in fitting if office_format.kind is declared]
    if not fitting:
        raise _none_of_the_three()
    return fitting[0], fitting[0].main


def _none_of_the_three() -> NotSupported:
    return NotSupported("is a zip archive, not one of the Office files that are read")

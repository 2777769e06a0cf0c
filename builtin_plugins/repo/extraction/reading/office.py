"""An Office package: which of the three it is, and the readers of DOCX and PPTX."""

from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO, NamedTuple

from .kinds import Kind, NotSupported
from .package import Archive, Parts, local, relation_id
from .spreadsheet import SHEET, write_sheets
from .task import ReadingLimits, Task, Transcript

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


_AROUND = ("footnotes", "endnotes", "header", "footer", "comments")


def write_document(parts: Parts, main: str, transcript: Transcript, _limits: ReadingLimits) -> None:
    parts.parse(main, Prose(transcript))
    for part in _find_around(parts, main):
        transcript.separate("\n\n")
        parts.parse(part, Prose(transcript))


def _find_around(parts: Parts, main: str) -> Sequence[str]:
    """Finds the parts around the text by relations, or by their names where nothing leads to them."""
    if not parts.leads_on(main):
        return [part for kind in _AROUND for part in parts.named(f"word/{kind}")]
    relations = parts.relations(main)
    return [relation.target for kind in _AROUND for relation in relations if relation.kind == kind]


SLIDE = "ppt/slides/slide"
_NOTES = "ppt/notesSlides/notesSlide"


def write_slides(parts: Parts, main: str, transcript: Transcript, limits: ReadingLimits) -> None:
    slides = _find_slides(parts, main)
    for number, slide in enumerate(slides[: limits.pages]):
        if number:
            transcript.end_page()
        if slide is not None:
            _write_part(parts, slide, transcript)
            for notes in _find_notes(parts, slide):
                _write_part(parts, notes, transcript)
    if len(slides) > limits.pages:
        transcript.stop()


def _write_part(parts: Parts, part: str, transcript: Transcript) -> None:
    transcript.separate("\n\n")
    parts.parse(part, Prose(transcript))


def _find_slides(parts: Parts, main: str) -> Sequence[str | None]:
    """Finds the slides by relations, or by the names of parts where nothing leads to them."""
    show = _SlideListParser()
    if main in parts:
        parts.parse(main, show)
    if not parts.leads_on(main):
        return parts.named(SLIDE)
    targets = {relation.id: relation.target for relation in parts.relations(main) if relation.kind == "slide"}
    return [targets.get(slide_id) for slide_id in show.slide_ids]


def _find_notes(parts: Parts, slide: str) -> Sequence[str]:
    """Finds the notes by relations, or by the number of the slide where nothing leads to them."""
    if parts.leads_on(slide):
        return [relation.target for relation in parts.relations(slide) if relation.kind == "notesSlide"]
    notes = slide.replace(SLIDE, _NOTES)
    return [notes] if notes != slide and notes in parts else []


class _SlideListParser:
    def __init__(self) -> None:
        self.slide_ids: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "sldId":
            self.slide_ids.append(relation_id(attributes))

    def end(self, name: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass


# What a list of types that was made by hand says of every part.
_SAY_NOTHING = frozenset({"", "application/xml", "text/xml"})


class _Format(NamedTuple):
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

"""PPTX: the slides in the order of the show, each followed by its notes."""

from collections.abc import Mapping, Sequence

from .limits import ReadingLimits
from .markup import relation_id
from .parts import Parts
from .prose import Prose
from .transcript import Transcript

SLIDE = "ppt/slides/slide"
_NOTES = "ppt/notesSlides/notesSlide"


def write_slides(parts: Parts, main: str, transcript: Transcript, limits: ReadingLimits) -> None:
    slides = _find_slides(parts, main)
    for slide in slides[: limits.pages]:
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
    show = _Show()
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


class _Show:
    def __init__(self) -> None:
        self.slide_ids: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "sldId":
            self.slide_ids.append(relation_id(attributes))

    def end(self, name: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass

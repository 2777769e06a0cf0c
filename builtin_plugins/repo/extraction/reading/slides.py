"""PPTX: the slides in the order of the show, each followed by its notes."""

from collections.abc import Mapping

from .limits import Limits
from .markup import relation_id
from .parts import Parts
from .prose import Prose
from .transcript import Transcript


def write_slides(parts: Parts, main: str, transcript: Transcript, limits: Limits) -> None:
    show = _Show()
    parts.parse(main, show)
    targets = {relation.id: relation.target for relation in parts.relations(main) if relation.kind == "slide"}
    for slide_id in show.slide_ids[: limits.pages]:
        if slide_id in targets:
            _write_slide(parts, targets[slide_id], transcript)
    if len(show.slide_ids) > limits.pages:
        transcript.stop()


def _write_slide(parts: Parts, slide: str, transcript: Transcript) -> None:
    transcript.separate("\n\n")
    parts.parse(slide, Prose(transcript))
    for relation in parts.relations(slide):
        if relation.kind == "notesSlide":
            transcript.separate("\n\n")
            parts.parse(relation.target, Prose(transcript))


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

"""DOCX: the text, then what stands around it."""

from .limits import Limits
from .parts import Parts
from .prose import Prose
from .transcript import Transcript

_AROUND = ("footnotes", "endnotes", "header", "footer", "comments")


def write_document(parts: Parts, main: str, transcript: Transcript, _limits: Limits) -> None:
    parts.parse(main, Prose(transcript))
    relations = parts.relations(main)
    for kind in _AROUND:
        for relation in relations:
            if relation.kind == kind:
                transcript.separate("\n\n")
                parts.parse(relation.target, Prose(transcript))

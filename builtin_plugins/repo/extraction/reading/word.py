"""DOCX: the text, then what stands around it."""

from collections.abc import Sequence

from .limits import ReadingLimits
from .parts import Parts
from .prose import Prose
from .transcript import Transcript

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

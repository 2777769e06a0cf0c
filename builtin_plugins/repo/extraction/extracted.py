"""What became of a document."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    TEXT = "text"
    UNSUPPORTED = "unsupported"
    """Nothing here reads that kind of document."""
    REFUSED = "refused"
    """Malformed, locked by a password, or costlier than the limits; asking again changes nothing."""
    UNCONFINED = "unconfined"
    """Nothing was read: this system cannot confine the reader, and the operator did not say to do without."""
    FAILED = "failed"
    """The reader did not start or was ended from outside; asking again may help."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """`reason` follows "the document …" and is there whenever `text` is not."""

    outcome: Outcome
    text: str | None = None
    kind: str | None = None
    """What the bytes were read as: text, markdown, html, csv, json, pdf, docx, xlsx or pptx."""
    partial: bool = False
    """The document goes on behind this text: it was too long, or a page of it could not be read."""
    reason: str | None = None

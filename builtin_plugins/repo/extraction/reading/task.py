"""What a reader is given, and what it is."""

from dataclasses import dataclass
from typing import BinaryIO, Protocol

from .declared import Kind
from .limits import ReadingLimits
from .transcript import Transcript


@dataclass(frozen=True, slots=True)
class Task:
    declared: Kind
    charset: str | None
    limits: ReadingLimits


class DocumentReader(Protocol):
    """A module that reads one kind of document."""

    def read(self, document: BinaryIO, transcript: Transcript, task: Task) -> None:
        """Writes what it finds to the transcript, which may stop it; raises `Unreadable` if it cannot."""

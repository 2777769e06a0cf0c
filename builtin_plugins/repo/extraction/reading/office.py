"""An Office package: which of the three it is, and the reader for it."""

from typing import BinaryIO

from .archive import Archive
from .declared import Kind
from .parts import Parts
from .refusal import NotSupported
from .slides import write_slides
from .spreadsheet import write_sheets
from .task import Task
from .transcript import Transcript
from .word import write_document

_READERS = (
    ("wordprocessingml", "ms-word", Kind.DOCX, write_document),
    ("spreadsheetml", "ms-excel.sheet.macroenabled", Kind.XLSX, write_sheets),
    ("presentationml", "ms-powerpoint", Kind.PPTX, write_slides),
)


def read(document: BinaryIO, transcript: Transcript, task: Task) -> None:
    """The type of its main part decides, whatever the file is called."""
    parts = Parts(Archive(document, task.limits), task.limits)
    for relation in parts.relations():
        if relation.kind != "officeDocument":
            continue
        main_type = parts.type_of(relation.target).lower()
        for word, macro_word, kind, write in _READERS:
            if word in main_type or macro_word in main_type:
                transcript.kind = kind
                write(parts, relation.target, transcript, task.limits)
                return
    raise NotSupported("is a zip archive, not one of the Office files that are read")

"""PDF, page by page."""

import codecs
import logging
from contextlib import suppress
from importlib import import_module
from pkgutil import walk_packages
from typing import BinaryIO

import pypdf
from pypdf import PdfReader
from pypdf.errors import DependencyError, LimitReachedError, PyPdfError

from .kinds import ReadingRefused
from .task import Full, Task, Transcript

_CODECS = (
    *("ascii", "charmap", "latin-1", "utf-16", "utf-16-be", "utf-16-le"),
    *("gbk", "gb2312", "gb18030", "cp950", "cp932", "euc_jp", "euc_kr", "cp949"),
)


def _load_what_comes_late() -> None:
    """Imports what pypdf would load while it reads, when nothing can be loaded any more."""
    for module in walk_packages(pypdf.__path__, "pypdf."):
        with suppress(ImportError):
            import_module(module.name)
    for codec in _CODECS:
        codecs.lookup(codec)


_load_what_comes_late()

_LOCKED = "is locked by a password"


def read(document: BinaryIO, transcript: Transcript, task: Task) -> None:
    logging.disable(logging.CRITICAL)
    try:
        reader = PdfReader(document, strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise ReadingRefused(_LOCKED)
        _write_title(reader, transcript)
        _write_pages(reader, transcript, task.limits.pages)
    except LimitReachedError:
        raise ReadingRefused("is a PDF that unfolds to more than a document holds") from None
    except DependencyError:
        raise ReadingRefused(_LOCKED) from None


def _write_title(reader: PdfReader, transcript: Transcript) -> None:
    try:
        title = reader.metadata.title if reader.metadata else None
    except (PyPdfError, ValueError, TypeError, KeyError, AttributeError):
        title = None
    if isinstance(title, str) and title.strip():
        transcript.write(title.strip())


def _write_pages(reader: PdfReader, transcript: Transcript, max_pages: int) -> None:
    """Writes the pages; one that cannot be read does not take the others along."""
    count, unread = len(reader.pages), 0
    for number in range(min(count, max_pages)):
        if number:
            transcript.end_page()
        try:
            text = reader.pages[number].extract_text()
        except (Full, LimitReachedError, MemoryError, RecursionError):
            raise
        except Exception:
            unread += 1
            continue
        transcript.separate("\n\n")
        transcript.write(text)
    if count and unread == count:
        raise ReadingRefused("is a PDF with no page that can be read")
    transcript.partial = bool(unread)
    if count > max_pages:
        transcript.stop()

"""From a stored document to the text in it, read by a child process that can do little else.

`reading/` runs in that child and stands alone: it imports the standard library, pypdf, `libs/sandbox`,
and its own modules relatively, because there it is a package of its own and the plugin is not loaded.

One child process for each document: started for it, bounded, and gone with it. A fresh interpreter costs
40 ms, with pypdf 180 ms: little beside what a document takes, and cheaper than the doubt whether a reused one
still carries something of the document before. So it imports little: no dataclasses, no pathlib.
"""

import asyncio
import json
import os
import signal
from enum import StrEnum
from posixpath import splitext
from typing import BinaryIO, NamedTuple
from weakref import WeakKeyDictionary

from builtin_plugins.repo.extraction.child_process import child_command, run_child
from builtin_plugins.repo.extraction.reading.kinds import Kind
from builtin_plugins.repo.extraction.reading.task import PAGE_MARK, ReadingLimits

__all__ = ["PAGE_MARK", "Extracted", "Extractor", "Kind", "Outcome", "ReadingLimits", "declared_kind"]


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


class Extracted(NamedTuple):
    """`reason` follows "the document …" and is there whenever `text` is not."""

    outcome: Outcome
    text: str | None = None
    kind: str | None = None
    """What the bytes were read as: text, markdown, html, csv, json, pdf, docx, xlsx or pptx."""
    partial: bool = False
    """The document goes on behind this text: it was too long, or a page of it could not be read."""
    reason: str | None = None


_COMMAND = child_command("child")
_HEADER_BYTES = 4096
_TYPE_CHARACTERS = 256
_NO_SENSE = Extracted(Outcome.FAILED, reason="found a reader whose answer makes no sense")


class Extractor:
    """Reads at most `at_once` documents at a time; the others wait for their turn.

    With `unconfined` also where the system cannot confine the child; it then has its limits, and no more.
    """

    def __init__(
        self, limits: ReadingLimits | None = None, at_once: int = 2, *, unconfined: bool = False
    ) -> None:
        self._unconfined = unconfined
        self._limits = limits or ReadingLimits()
        self._at_once = at_once
        # A semaphore belongs to the loop that waits for it.
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    async def extract(self, document: BinaryIO, content_type: str, filename: str) -> Extracted:
        """Reads an open file from where it stands. Raises nothing on account of what it holds."""
        declared = declared_kind(content_type, filename)
        if declared is None:
            return Extracted(Outcome.UNSUPPORTED, reason="is of a kind that no text is read from")
        turn = self._turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._at_once))
        async with turn:
            size = os.fstat(document.fileno()).st_size
            if size > self._limits.input_bytes:
                max_mib = self._limits.input_bytes >> 20
                return Extracted(Outcome.REFUSED, reason=f"is larger than {max_mib} MiB")
            request = {
                "declared": declared,
                "content_type": content_type[:_TYPE_CHARACTERS],
                "limits": self._limits._asdict(),
                "parent": os.getpid(),
                "unconfined": self._unconfined,
            }
            return await self._read_in_child(document, json.dumps(request))

    async def _read_in_child(self, document: BinaryIO, request: str) -> Extracted:
        max_bytes = _HEADER_BYTES + self._limits.text_bytes
        try:
            ended = await run_child(_COMMAND, request, document, max_bytes, self._limits.wall_seconds)
        except OSError as error:
            return Extracted(
                Outcome.FAILED, reason=f"found no reader, as none could be started ({error.strerror})"
            )
        if ended is None:
            return self._took_too_long()
        if len(ended.answer) > max_bytes:
            return _NO_SENSE
        return self._understand(ended.answer, ended.status)

    def _understand(self, answer: bytes, status: int) -> Extracted:
        if status == 0:
            return _parse(answer)
        if status == -signal.SIGXCPU:
            seconds = self._limits.cpu_seconds
            return Extracted(Outcome.REFUSED, reason=f"takes more than {seconds} s of a processor to read")
        if status == -signal.SIGALRM:
            return self._took_too_long()
        if status in (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT):
            return Extracted(Outcome.REFUSED, reason=f"breaks its reader ({signal.Signals(-status).name})")
        return Extracted(Outcome.FAILED, reason=f"found no reader that ran to its end (status {status})")

    def _took_too_long(self) -> Extracted:
        seconds = self._limits.wall_seconds
        return Extracted(Outcome.REFUSED, reason=f"takes longer than {seconds} s to read")


def _parse(answer: bytes) -> Extracted:
    """Parses the answer of a child, checked like anyone's: it has read hostile bytes."""
    header, _, body = answer.partition(b"\n")
    try:
        fields = json.loads(header)
        outcome = Outcome(fields["outcome"])
        text = body.decode() if outcome is Outcome.TEXT else None
        if text is not None and ("\0" in text or len(answer) > len(header) + 1 + fields["bytes"]):
            raise ValueError("more or other text than announced")
        return Extracted(outcome, text, fields["kind"], fields["partial"], fields["reason"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return _NO_SENSE


_OFFICE = "application/vnd.openxmlformats-officedocument."
_TYPES = {
    "text/markdown": Kind.MARKDOWN,
    "text/x-markdown": Kind.MARKDOWN,
    "text/html": Kind.HTML,
    "application/xhtml+xml": Kind.HTML,
    "text/csv": Kind.CSV,
    "application/csv": Kind.CSV,
    "text/tab-separated-values": Kind.CSV,
    "application/json": Kind.JSON,
    "text/json": Kind.JSON,
    "application/pdf": Kind.PDF,
    "application/x-pdf": Kind.PDF,
    f"{_OFFICE}wordprocessingml.document": Kind.DOCX,
    f"{_OFFICE}wordprocessingml.template": Kind.DOCX,
    "application/vnd.ms-word.document.macroenabled.12": Kind.DOCX,
    f"{_OFFICE}spreadsheetml.sheet": Kind.XLSX,
    f"{_OFFICE}spreadsheetml.template": Kind.XLSX,
    "application/vnd.ms-excel.sheet.macroenabled.12": Kind.XLSX,
    f"{_OFFICE}presentationml.presentation": Kind.PPTX,
    f"{_OFFICE}presentationml.slideshow": Kind.PPTX,
    f"{_OFFICE}presentationml.template": Kind.PPTX,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": Kind.PPTX,
    **dict.fromkeys(
        (
            *("application/xml", "application/yaml", "application/x-yaml", "application/toml"),
            *("application/javascript", "application/x-javascript", "application/typescript"),
            *("application/sql", "application/x-sh", "application/x-ndjson", "application/jsonl"),
            *("application/x-tex", "application/x-subrip"),
        ),
        Kind.TEXT,
    ),
}
_SUFFIXES = {
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd"), Kind.MARKDOWN),
    **dict.fromkeys((".html", ".htm", ".xhtml"), Kind.HTML),
    **dict.fromkeys((".csv", ".tsv", ".tab"), Kind.CSV),
    **dict.fromkeys((".json", ".geojson", ".ipynb"), Kind.JSON),
    ".pdf": Kind.PDF,
    **dict.fromkeys((".docx", ".docm", ".dotx"), Kind.DOCX),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx"), Kind.XLSX),
    **dict.fromkeys((".pptx", ".pptm", ".potx", ".ppsx"), Kind.PPTX),
    **dict.fromkeys(
        (
            *(".txt", ".text", ".log", ".rst", ".adoc", ".org", ".tex", ".srt", ".vtt", ".eml", ".ics"),
            *(".xml", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".jsonl", ".ndjson"),
            *(".py", ".js", ".mjs", ".ts", ".tsx", ".jsx", ".css", ".scss", ".sql", ".sh", ".bat", ".ps1"),
            *(".c", ".h", ".cpp", ".hpp", ".cs", ".java", ".kt", ".go", ".rs", ".rb", ".php", ".swift"),
            *(".vcf", ".lua", ".r", ".pl", ".diff", ".patch"),
        ),
        Kind.TEXT,
    ),
}
# Types that say nothing, or that programs give to what they are not: the name decides.
_VAGUE = frozenset(
    {
        *("", "application/octet-stream", "binary/octet-stream", "application/x-download"),
        *("application/zip", "application/x-zip-compressed"),
        *("application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint"),
    }
)
_TEXTS = frozenset(
    {"readme", "license", "copying", "changelog", "authors", "notice", "makefile", "dockerfile"}
)
_NOT_PLAIN = frozenset({"text/rtf", "text/richtext"})


def declared_kind(content_type: str, filename: str) -> Kind | None:
    """Returns the kind that the type or the name declares, or None where no reader is known for it."""
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type in _VAGUE:
        name = filename.rpartition("/")[2].lower()
        # What has neither a type nor an ending is data of some program, far more often than text.
        return Kind.TEXT if name in _TEXTS else _SUFFIXES.get(splitext(name)[1])
    if media_type in _TYPES:
        return _TYPES[media_type]
    if media_type.startswith("text/") and media_type not in _NOT_PLAIN:
        return Kind.TEXT
    return Kind.JSON if media_type.startswith("application/") and media_type.endswith("+json") else None


def supported(content_type: str, filename: str) -> bool:
    """Tells whether it is worth asking for the text; the bytes may still say otherwise."""
    return declared_kind(content_type, filename) is not None

"""The child's one errand: the document on its standard input, the answer on its standard output."""

import importlib
import json
import os
from contextlib import suppress
from typing import Any, BinaryIO, cast

from libs.sandbox import Bounds, Unconfined, bind, confine

from .kinds import (
    HEAD_BYTES,
    PLAIN_KINDS,
    Kind,
    Unreadable,
    find_charset,
    sniff,
)
from .task import DocumentReader, Full, ReadingLimits, Task, Transcript

# After this share of its processor time a reader stops with what it has, where it can.
_PATIENCE = 0.6
_READERS = {Kind.PDF: "pdf", Kind.HTML: "web_page"}


def main(request: str) -> None:
    task = json.loads(request)
    limits = ReadingLimits(**task["limits"])
    bind(Bounds(limits.memory_bytes, limits.cpu_seconds, limits.wall_seconds), task["parent"])
    # Opened now: what asks about a descriptor is refused later.
    with os.fdopen(0, "rb") as document, os.fdopen(1, "wb") as output:
        header, text = answer(document, task, limits)
        output.write(json.dumps(header).encode() + b"\n" + text)
        output.flush()
        # Taking the interpreter down orderly costs time, and might fail where memory is short.
        os._exit(0)


def answer(document: BinaryIO, task: dict[str, Any], limits: ReadingLimits) -> tuple[dict[str, Any], bytes]:
    transcript = Transcript(limits.text_bytes, limits.cpu_seconds * _PATIENCE)
    # Put together now: once memory is short there is none for it, until the reader's is let go.
    too_large = f"takes more than {limits.memory_bytes >> 20} MiB of memory to read"
    try:
        _read(document, task, limits, transcript)
        text = transcript.finished()
        return _header("text", None, transcript.kind, transcript.partial, len(text)), text
    except Unreadable as unreadable:
        outcome, reason = unreadable.outcome, str(unreadable)
    except Unconfined as error:
        outcome, reason = "unconfined", f"found no reader that is confined: {error}"
    except MemoryError:
        outcome, reason = "refused", too_large
    except RecursionError:
        outcome, reason = "refused", "is nested too deeply"
    except Exception as error:
        # Whatever a parser trips over: the document is the only thing here that varies.
        outcome, reason = "refused", f"is malformed ({type(error).__name__})"
    return _header(outcome, reason), b""


def _header(
    outcome: str, reason: str | None, kind: str | None = None, partial: bool = False, size: int = 0
) -> dict[str, Any]:
    return {"outcome": outcome, "reason": reason, "kind": kind, "partial": partial, "bytes": size}


def _read(document: BinaryIO, task: dict[str, Any], limits: ReadingLimits, transcript: Transcript) -> None:
    declared = Kind(task["declared"])
    head = os.pread(0, HEAD_BYTES, 0)
    transcript.kind = sniff(head, declared)
    charset = find_charset(task["content_type"], head) if transcript.kind in PLAIN_KINDS else None
    reader = _load(transcript.kind)
    try:
        confine()
    except Unconfined:
        if not task["unconfined"]:
            raise
    with suppress(Full):
        reader.read(document, transcript, Task(declared, charset, limits))


def _load(kind: Kind | None) -> DocumentReader:
    """Imports a reader with its own modules only: most of what a small document takes is importing."""
    name = "office" if kind is None else _READERS.get(kind, "plain")
    return cast(DocumentReader, importlib.import_module(f".{name}", __package__))

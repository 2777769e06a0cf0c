"""The child's one errand: the document on its standard input, the answer on its standard output."""

import importlib
import json
import os
from contextlib import suppress
from typing import Any, cast

from .confinement import bound, close_doors
from .declared import Kind
from .encoding import find_charset
from .limits import Limits
from .refusal import Unreadable
from .sniffing import HEAD_BYTES, PLAIN_KINDS, sniff
from .task import Reader, Task
from .transcript import Full, Transcript

# After this share of its processor time a reader stops with what it has, where it can.
_PATIENCE = 0.6


def main(request: str) -> None:
    asked = json.loads(request)
    limits = Limits(**asked["limits"])
    bound(limits, asked["parent"])
    header, text = answer(Kind(asked["declared"]), asked["content_type"], limits)
    with os.fdopen(1, "wb") as output:
        output.write(json.dumps(header).encode() + b"\n" + text)
    # Taking the interpreter down orderly costs time, and might fail where memory is short.
    os._exit(0)


def answer(declared: Kind, content_type: str, limits: Limits) -> tuple[dict[str, Any], bytes]:
    transcript = Transcript(limits.text_bytes, limits.cpu_seconds * _PATIENCE)
    try:
        _read(declared, content_type, limits, transcript)
        text = transcript.finished()
        return _header("text", None, transcript.kind, transcript.partial, len(text)), text
    except Unreadable as unreadable:
        outcome, reason = unreadable.outcome, str(unreadable)
    except MemoryError:
        outcome, reason = "refused", f"takes more than {limits.memory_bytes >> 20} MiB of memory to read"
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


def _read(declared: Kind, content_type: str, limits: Limits, transcript: Transcript) -> None:
    head = os.pread(0, HEAD_BYTES, 0)
    transcript.kind = sniff(head, declared)
    charset = find_charset(content_type, head) if transcript.kind in PLAIN_KINDS else None
    reader = _load(transcript.kind)
    close_doors()
    with open(0, "rb", closefd=False) as document, suppress(Full):
        reader.read(document, transcript, Task(declared, charset, limits))


def _load(kind: Kind | None) -> Reader:
    """Each brings its own modules, and only those: pypdf alone takes longer to load than all the rest."""
    name = ".pdf" if kind is Kind.PDF else ".plain" if kind else ".office"
    return cast(Reader, importlib.import_module(name, __package__))

"""Small plain texts, read where the tests run: what a child adds is shown by the tests of extraction."""

import json
from contextlib import suppress
from typing import Any, BinaryIO

import pytest

from builtin_plugins.repo.extraction import Extracted, Extractor, Outcome
from builtin_plugins.repo.extraction.reading import child
from builtin_plugins.repo.extraction.reading.kinds import HEAD_BYTES, PLAIN_KINDS, Kind, find_charset, sniff
from builtin_plugins.repo.extraction.reading.task import Full, ReadingLimits, Task, Transcript

_read_in_child = Extractor._read_in_child


async def _read_here(extractor: Extractor, document: BinaryIO, request: str) -> Extracted:
    """Takes the place of `Extractor._read_in_child`; what is no plain text is read by a child as ever."""
    task = json.loads(request)
    declared, limits = Kind(task["declared"]), ReadingLimits(**task["limits"])
    head = document.read(HEAD_BYTES + 1)
    document.seek(0)
    with suppress(child.Unreadable):
        kind = sniff(head[:HEAD_BYTES], declared)
        if kind in PLAIN_KINDS and len(head) <= HEAD_BYTES:
            transcript = Transcript(limits.text_bytes, float("inf"))
            charset = find_charset(task["content_type"], head)
            with suppress(Full):
                child._load(kind).read(document, transcript, Task(declared, charset, limits))
            return Extracted(Outcome.TEXT, transcript.finished().decode(), kind, transcript.partial)
    document.seek(0)
    return await _read_in_child(extractor, document, request)


@pytest.fixture(autouse=True)
def texts_are_read_here(monkeypatch: Any) -> None:
    monkeypatch.setattr(Extractor, "_read_in_child", _read_here)

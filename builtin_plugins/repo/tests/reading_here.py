"""Small documents, read where the tests run: that a child reads them, and may do little else, others show."""

import json
import logging
import os
from types import SimpleNamespace
from typing import BinaryIO

import pytest

from builtin_plugins.repo.extraction import Extracted, Extractor, _parse
from builtin_plugins.repo.extraction.reading import child
from builtin_plugins.repo.extraction.reading.task import ReadingLimits

SMALL = 64 * 1024
COSTS = {name: getattr(ReadingLimits(), name) for name in ("memory_bytes", "cpu_seconds", "wall_seconds")}
_read_in_child = Extractor._read_in_child


async def _read_here(extractor: Extractor, document: BinaryIO, request: str) -> Extracted:
    """Takes the place of `Extractor._read_in_child`, but for what is large or bounded in what it costs."""
    number, task = document.fileno(), json.loads(request)
    bounded = any(task["limits"][name] != most for name, most in COSTS.items())
    if bounded or os.fstat(number).st_size > SMALL:
        return await _read_in_child(extractor, document, request)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(child, "confine", lambda: None)
        patch.setattr(child, "os", SimpleNamespace(pread=lambda _, *where: os.pread(number, *where)))
        patch.setattr(child, "_PATIENCE", float("inf"))  # of a process that did nothing else
        try:
            header, text = child.answer(document, task, ReadingLimits(**task["limits"]))
        finally:
            logging.disable(logging.NOTSET)  # a child silences the libraries that read, and ends
    return _parse(json.dumps(header).encode() + b"\n" + text)


@pytest.fixture(autouse=True)
def documents_are_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Extractor, "_read_in_child", _read_here)

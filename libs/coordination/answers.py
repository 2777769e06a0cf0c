"""Answers that hold for as long as a version stands."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


class VersionedAnswers(OrderedDict[tuple[Key, str | None], bool]):
    """Yes or no by key and version, as it was found under that; the last that were found are remembered."""

    def __init__(self, max_keys: int = 4096) -> None:
        super().__init__()
        self._max_keys = max_keys

    def put(self, key: Key, version: str | None, answer: object) -> None:
        """Remembers an answer, yes where it is true; one that was found under no version is not."""
        if version is None:
            return
        self[key, version] = bool(answer)
        self.move_to_end((key, version))
        if len(self) > self._max_keys:
            self.popitem(last=False)

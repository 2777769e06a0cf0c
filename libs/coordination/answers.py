"""Answers that hold for as long as a version stands."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class VersionedAnswers(Generic[Key]):
    """Yes or no by key, each as it was found under a version; those that were found last are remembered."""

    def __init__(self, max_keys: int = 4096) -> None:
        self._max_keys = max_keys
        self._found: OrderedDict[Key, tuple[str, bool]] = OrderedDict()

    def get(self, key: Key, version: str | None) -> bool | None:
        """Returns the answer, or None where none was found under this version."""
        at, answer = self._found.get(key, (None, False))
        return answer if version is not None and at == version else None

    def put(self, key: Key, version: str | None, answer: object) -> None:
        """Remembers an answer, yes where it is true; one that was found under no version is not."""
        if version is None:
            return
        self._found[key] = version, bool(answer)
        self._found.move_to_end(key)
        if len(self._found) > self._max_keys:
            self._found.popitem(last=False)

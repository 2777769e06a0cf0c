"""Facts about an instance as a whole, which all its processes share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from guildhall_sdk.data import Reader, Writer


@dataclass(frozen=True, slots=True)
class LiveServer:
    """A server process that works on the database now."""

    host: str
    pid: int


class InstanceFacts(Protocol):
    """A short text for each key; keys of a plugin begin with its id, so that no two plugins share one."""

    async def find(self, reader: Reader, key: str) -> str | None:
        """Returns the text of a key, or None."""
        ...

    async def below(self, reader: Reader, prefix: str) -> Mapping[str, str]:
        """Returns the texts of all keys that begin with a prefix, which ends in a colon."""
        ...

    async def set(self, writer: Writer, key: str, value: str) -> None:
        """Sets the text of a key, over one that is there."""
        ...

    async def remove(self, writer: Writer, key: str, *, value: str | None = None) -> None:
        """Removes a key; with `value` only while that is its text."""
        ...

    async def live_server(self, reader: Reader) -> LiveServer | None:
        """Returns a server that works on the database now; None where only one can, which is whoever asks."""
        ...

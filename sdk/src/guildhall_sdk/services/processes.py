"""The processes of a server that runs in several, as one of them sees them."""

from collections.abc import Sequence
from typing import Protocol


class MemorySlot(Protocol):
    """Memory that all processes of a server read and one of them writes; it outlives that one."""

    def write(self, number: int, content: bytes) -> bool:
        """Writes a content; `number` is one more than that of the content before.

        Returns False where there was no room for it: then the content before still stands.
        """
        ...

    def read(self) -> tuple[int, bytes]:
        """Returns the last content that was written whole, with its number; 0 where there is none."""
        ...


class ProcessGroup(Protocol):
    """The processes of one `guildhall serve --workers`; a server of one process has no such service.

    The slots hold what the processes count, and are written by who implements `Metrics`.
    """

    @property
    def supervisor(self) -> int:
        """The id of the process that began the others, whose life is the server's."""
        ...

    @property
    def position(self) -> int:
        """The position of this process's slot, which is that of the one that it replaces."""
        ...

    @property
    def slots(self) -> Sequence[MemorySlot]:
        """The slots of all processes."""
        ...

"""Programs that are not trusted, in a sandbox."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol


class Sandbox(Protocol):
    """Starts programs that can compute, read their folder and talk over their standard streams.

    The plugin `oop` offers it. What holds on this machine is measured once, by a program that tries to flee.
    """

    async def tier(self) -> Literal["A", "B", "C"]:
        """Returns A or B where a program is closed off, A with its file tree hidden; C where it is not."""
        ...

    async def command(
        self, folder: Path, command: Sequence[str], *, memory_bytes: int = 512 << 20, cpu_seconds: int = 600
    ) -> Sequence[str]:
        """Returns the command that runs `command` in `folder`; it begins with an absolute path.

        Start it with an empty environment and in a session of its own. It ends with the thread that started
        it, so start it from the event loop. Raises `Unavailable` in tier C.
        """
        ...

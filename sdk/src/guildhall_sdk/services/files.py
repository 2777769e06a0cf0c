"""Files of a folder as answers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from guildhall_sdk.context import Call
from guildhall_sdk.replies import Reply


class Files(Protocol):
    """Serves files of this machine: parts by `Range`, conditional requests, any size in flat memory."""

    async def reply(
        self,
        call: Call,
        folder: Path,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        packed: bool = False,
    ) -> Reply:
        """Returns the file at `path` below `folder`; raises `NotFound` for whatever is not plainly one.

        `path` may come from a caller. It is opened segment by segment: no `..`, no name that begins with a
        dot, no symbolic link, and nothing but regular files. The folder itself is trusted.
        With `packed` the twin `<path>.gz` that a build laid beside it goes to whoever takes gzip.
        """

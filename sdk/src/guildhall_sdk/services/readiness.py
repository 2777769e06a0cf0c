"""Whether the server can do its work now, and whether it is about to stop."""

from dataclasses import dataclass
from typing import Literal, Protocol

from guildhall_sdk.errors import Problem

NOT_READY = "not_ready"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why the server is not ready; `detail` is for anybody and names no path."""

    reason: Literal["starting", "draining", "database", "disk"]
    detail: str


class Readiness(Protocol):
    async def trouble(self) -> Trouble | None:
        """What keeps the server from its work; None when nothing does. Measured at most once a second."""
        ...

    async def until_stopping(self) -> None:
        """Comes back when the server begins to stop; whoever makes callers wait lets them go then."""
        ...

    def suspect(self, refusal: Problem) -> None:
        """Tells of a request that was refused as unavailable: what is behind it is looked for, and logged."""
        ...

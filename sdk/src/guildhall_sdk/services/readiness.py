"""The readiness of the server: whether it can do its work now, and whether it is about to stop."""

from dataclasses import dataclass
from typing import Literal, Protocol

from guildhall_sdk.errors import Problem

NOT_READY = "not_ready"


@dataclass(frozen=True, slots=True)
class Trouble:
    """The reason why the server is not ready; `detail` is for anybody and names no path."""

    reason: Literal["starting", "draining", "database", "disk"]
    detail: str


class Readiness(Protocol):
    """The readiness of the server."""

    async def trouble(self) -> Trouble | None:
        """Returns what keeps the server from its work, or None. Measured at most once a second."""

    async def until_stopping(self) -> None:
        """Returns when the server begins to stop; a handler that makes callers wait answers them then."""

    def suspect(self, refusal: Problem) -> None:
        """Reports a request that was refused as unavailable; its cause is looked for, and logged."""

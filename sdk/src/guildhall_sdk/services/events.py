"""Publishing events."""

from collections.abc import Iterable
from typing import Any, Protocol

from guildhall_sdk.data import Writer
from guildhall_sdk.subscriptions import Event, Origin


class Events(Protocol):
    """Records events for those who subscribed to them, in the transaction that makes them happen."""

    def wanted(self, event: Event) -> bool:
        """Whether anybody subscribed; for a payload that costs something to make."""
        ...

    async def emit(self, writer: Writer, event: Event, payload: Any, origin: Origin) -> None:
        """Commits or vanishes with the caller's transaction. Where nobody subscribed it does nothing."""
        ...

    async def emit_many(self, writer: Writer, event: Event, happened: Iterable[tuple[Any, Origin]]) -> None:
        """Records many of one event, each with its payload and origin, by one statement."""
        ...

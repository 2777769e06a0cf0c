"""Publishing events."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from guildhall_sdk.data import Writer
from guildhall_sdk.subscriptions import Event, Origin


class Events(Protocol):
    """Records events for those who subscribed to them, in the transaction that makes them happen."""

    def wanted(self, event: Event) -> bool:
        """Tells whether anybody subscribed, before a payload is made that costs something."""

    async def emit(
        self,
        writer: Writer,
        event: Event,
        payload: Any,
        origin: Origin,
        *,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        """Records an event in the caller's transaction; does nothing where nobody subscribed.

        `facts` are the values of those that the event declares.
        """

    async def emit_many(self, writer: Writer, event: Event, happened: Iterable[tuple[Any, Origin]]) -> None:
        """Records many of one event, each with its payload and origin, by one statement.

        It is not for an event that has facts.
        """

"""What happened in a hall, and who heard of it."""

from kernel.events import Deliveries, Outbox, RecordedEvent
from kernel.events.deliveries import Delivered


class EventLog:
    """Every event whose transaction committed, subscribed to or not, and every attempt to deliver one."""

    def __init__(self, outbox: Outbox, deliveries: Deliveries) -> None:
        self._recorded: list[RecordedEvent] = []
        self._delivered: list[Delivered] = []
        outbox.observer = self._recorded.append
        deliveries.observer = self._delivered.append

    def recorded(self, name: str | None = None) -> list[RecordedEvent]:
        """Returns the events of this name, or all, in order: `name`, `payload`, `origin` and `depth`."""
        return [event for event in self._recorded if name in (None, event.name)]

    def delivered(self, name: str | None = None) -> list[Delivered]:
        """Returns the attempts that have ended: `subscription`, `event`, `payload`, `attempt` and `error`.

        `error` is the code that the job has for it, and None for what was delivered with its effects.
        """
        return [delivered for delivered in self._delivered if name in (None, delivered.event)]

    def clear(self) -> None:
        """Forgets what happened so far."""
        self._recorded.clear()
        self._delivered.clear()

"""Who subscribed to what, and payloads on their way to them."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

from guildhall_sdk import Event, JobFailed, Subscription

_PREFIX = "events."


def kind_of(plugin_id: str, subscription: Subscription) -> str:
    """The kind of job that delivers to it."""
    return f"{_PREFIX}{plugin_id}.{subscription.name}"


def is_delivery(kind: str) -> bool:
    return kind.startswith(_PREFIX)


@dataclass(frozen=True, slots=True)
class Listener:
    """A subscription to an event that is declared."""

    kind: str
    plugin_id: str
    subscription: Subscription
    event: Event
    allowed: tuple[tuple[str, tuple[Any, ...]], ...]

    @classmethod
    def of(cls, plugin_id: str, subscription: Subscription, event: Event) -> "Listener":
        allowed = tuple(
            (name, tuple(value) if isinstance(value, tuple | list | frozenset | set) else (value,))
            for name, value in subscription.where.items()
        )
        return cls(kind_of(plugin_id, subscription), plugin_id, subscription, event, allowed)

    def wants(self, payload: Any) -> bool:
        return all(getattr(payload, name) in values for name, values in self.allowed)

    def restored(self, content: Mapping[str, Any]) -> Any:
        """The payload as it was recorded, maybe by another version of the plugin that published it."""
        known = {one.name: one for one in fields(self.event.type)}
        required = {
            name for name, one in known.items() if one.default is MISSING and one.default_factory is MISSING
        }
        if missing := sorted(required - content.keys()):
            raise JobFailed(
                "event_outdated",
                f"The event {self.event.name} was recorded without {', '.join(missing)}, by another version.",
            )
        return self.event.type(
            **{
                name: tuple(value) if isinstance(value, list) else value
                for name, value in content.items()
                if name in known
            }
        )


def content_of(payload: Any) -> dict[str, Any]:
    return {one.name: getattr(payload, one.name) for one in fields(payload)}


def listeners_of(
    events: Sequence[Event], subscriptions: Sequence[tuple[str, Subscription]]
) -> dict[str, tuple[Listener, ...]]:
    """By event; of an optional event that nobody declares there are none."""
    declared = {event.name: event for event in events}
    found: dict[str, tuple[Listener, ...]] = {}
    for plugin_id, subscription in subscriptions:
        event = declared.get(subscription.event)
        if event is not None:
            found[event.name] = (*found.get(event.name, ()), Listener.of(plugin_id, subscription, event))
    return found

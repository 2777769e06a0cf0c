"""Events that a plugin publishes, and subscriptions to anybody's."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from guildhall_sdk.jobs import DEFAULT_MAX_ATTEMPTS, JobCall

if TYPE_CHECKING:
    from guildhall_sdk.context import Host
    from guildhall_sdk.data import Writer
    from guildhall_sdk.principal import Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happens in a plugin and that others may react to.

    The `name` is `<plugin id>.<noun>.<verb>`, as in `shelf.book.added`. `type` is a frozen dataclass whose
    fields are what JSON has: text, numbers, booleans, None, and tuples of these. They name things by id,
    never by title or key.
    """

    name: str
    doc: str
    type: type[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """On whose behalf an event happened, and in which team; `scope` is that of the credential in use."""

    org_id: str
    team_id: str
    user_id: str
    credential_id: str | None = None
    scope: frozenset[str] | None = None

    @classmethod
    def of(cls, principal: "Principal", team_id: str | None = None) -> "Origin":
        """The caller's own team, or the team that the thing belongs to."""
        return cls(
            org_id=principal.org_id,
            team_id=team_id or principal.team_id,
            user_id=principal.user_id,
            credential_id=principal.credential.id,
            scope=principal.credential.scope,
        )


class EventCall(Protocol):
    """One attempt to deliver one event to one subscription."""

    @property
    def id(self) -> str:
        """The same for every attempt, and for no other delivery: what has been done under it is done."""
        ...

    @property
    def event(self) -> str: ...

    @property
    def event_id(self) -> str:
        """The same for all subscriptions that the event is delivered to."""
        ...

    @property
    def payload(self) -> Any:
        """An instance of the event's type."""
        ...

    @property
    def at(self) -> int:
        """When it happened, in milliseconds since the epoch."""
        ...

    @property
    def attempt(self) -> int: ...

    @property
    def origin(self) -> Origin:
        """Whose doing it was, and the scope that they did it with."""
        ...

    @property
    def job(self) -> JobCall:
        """The job that delivers it, in the event's team and for the person whose doing it was."""
        ...

    @property
    def host(self) -> "Host": ...

    def on_success(self, effect: "Callable[[Writer], Awaitable[None]]") -> None:
        """Runs `effect` in the transaction that ends the delivery: both happen once, or neither."""
        ...


EventHandler = Callable[[EventCall], Awaitable[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """What a plugin does when an event happens; `name` is its own among the plugin's subscriptions.

    `where` leaves out events: by the name of a field, the value that it must have, or a tuple of values.
    `optional` is for an event whose plugin may not be there. With `feature`, a team that turned it off is
    left out. A delivery that fails is tried `max_attempts` times in all, each for at most `timeout_seconds`.
    """

    name: str
    event: str
    handler: EventHandler
    doc: str
    where: Mapping[str, Any] = field(default_factory=dict)
    optional: bool = False
    feature: str | None = None
    max_attempts: int = DEFAULT_MAX_ATTEMPTS
    timeout_seconds: int = 300

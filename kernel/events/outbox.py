"""Recording events in the transaction that makes them happen."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from guildhall_sdk import (
    Clock,
    Event,
    JobFailed,
    Origin,
    Subscription,
    Writer,
    load_queries,
    new_id,
)
from guildhall_sdk.jobs import running_job
from guildhall_sdk.plugin import Switches
from guildhall_sdk.subscriptions import EVERY_EVENT
from kernel.logs import get_logger
from libs.coordination import VersionedAnswers
from libs.records import FieldsMissing, content_of, restored
from libs.sql_binds import names_in

_PREFIX = "events."
MAX_PAYLOAD_BYTES = 64 * 1024
_FEW = 16
_NO_FACTS: Mapping[str, Any] = {}
_log = get_logger("events")
sql = load_queries(Path(__file__).with_name("queries.sql"))
_record_few = replace(sql.record, quick=True)


def kind_of(plugin_id: str, subscription: Subscription) -> str:
    """Returns the kind of job that delivers to a subscription."""
    return f"{_PREFIX}{plugin_id}.{subscription.name}"


def is_delivery(kind: str) -> bool:
    return kind.startswith(_PREFIX)


class Listener(NamedTuple):
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
        """Restores a recorded payload, maybe of another version of the plugin that published it."""
        try:
            return restored(self.event.type, content)
        except FieldsMissing as missing:
            raise JobFailed(
                "event_outdated",
                f"The event {self.event.name} was recorded without {missing}, by another version.",
            ) from None


def listeners_of(
    events: Sequence[Event], subscriptions: Sequence[tuple[str, Subscription]]
) -> dict[str, tuple[Listener, ...]]:
    """Returns the listeners by event; an optional event that nobody declares has none."""
    found: dict[str, tuple[Listener, ...]] = {}
    for event in events:
        for plugin_id, subscription in subscriptions:
            if subscription.event in (event.name, EVERY_EVENT):
                found[event.name] = (*found.get(event.name, ()), Listener.of(plugin_id, subscription, event))
    return found


def encoded_content(event: Event, payload: Any) -> str:
    content = json.dumps(content_of(payload), allow_nan=False)
    if len(content) > MAX_PAYLOAD_BYTES:
        raise ValueError(
            f"the event {event.name} takes at most {MAX_PAYLOAD_BYTES} bytes; name large things by id"
        )
    return content


class Interest(NamedTuple):
    """A listener that an event is recorded for, with what its own query found, if it has one."""

    listener: Listener
    matches: Sequence[Any] | None = None

    @property
    def encoded(self) -> str | None:
        """The matches as they are recorded; more than an event may carry are left to the handler."""
        if self.matches is None:
            return None
        text = json.dumps(self.matches, allow_nan=False)
        return text if len(text) <= MAX_PAYLOAD_BYTES else None


class Outbox:
    """The SDK's `Events`. An event that nobody subscribed to costs a look into a dictionary."""

    def __init__(
        self,
        events: Sequence[Event],
        subscriptions: Sequence[tuple[str, Subscription]],
        clock: Clock,
        read_switches: Callable[[str | None], Switches],
    ) -> None:
        """Takes the declared events; `read_switches` reads a team's switches from how they are stored."""
        self._clock = clock
        self._read_switches = read_switches
        self._possible = VersionedAnswers[tuple[str, str]]()
        #: Called after each commit that recorded something.
        self.on_recorded: Callable[[], None] = lambda: None
        #: Of subscriptions that hear of some teams alone, by kind: the teams of each event.
        self._narrowed: dict[str, Mapping[str, Collection[str] | None] | None] = {}
        self.declare(events, subscriptions)

    def declare(self, events: Sequence[Event], subscriptions: Sequence[tuple[str, Subscription]]) -> None:
        """Replaces the events and subscriptions."""
        self._listeners = listeners_of(events, subscriptions)
        #: By kind and event; a subscription to every event has one kind for all.
        self.by_event = {(one.kind, name): one for name, those in self._listeners.items() for one in those}
        self._by_kind = {one.kind: one for one in self.by_event.values()}
        self._find_wanted()

    def narrow(self, subscription: str, teams: Mapping[str, Collection[str] | None] | None) -> None:
        self._narrowed[f"{_PREFIX}{subscription}"] = teams
        self._find_wanted()

    def _find_wanted(self) -> None:
        teams = {(kind, name): self._narrowed.get(kind) for kind, name in self.by_event}
        self._wanted = {name for (_, name), narrowed in teams.items() if narrowed is None or name in narrowed}

    @property
    def listeners(self) -> list[Listener]:
        """One for each kind."""
        return [*self._by_kind.values()]

    def is_on(self, listener: Listener, stored: str | None) -> bool:
        """Tells whether a subscription is on for a team whose switches are stored so."""
        switches = self._read_switches(stored)
        return switches.switched_off(listener.plugin_id, listener.subscription.feature) is None

    def wanted(self, event: Event) -> bool:
        return event.name in self._wanted

    async def emit(
        self, writer: Writer, event: Event, payload: Any, origin: Origin, *, facts: Mapping[str, Any] = {}
    ) -> None:
        if self.wanted(event):
            happened = [(payload, origin, running_job.get().depth)]
            for row in await self.emit_deep(writer, event, happened, facts):
                raise _without_team(event, row)

    async def emit_many(
        self,
        writer: Writer,
        event: Event,
        happened: Iterable[tuple[Any, Origin]],
        *,
        facts: Mapping[str, Any] = _NO_FACTS,
    ) -> None:
        deep = [(payload, origin, running_job.get().depth) for payload, origin in happened]
        for row in await self.emit_deep(writer, event, deep, facts):
            raise _without_team(event, row)

    async def emit_deep(
        self,
        writer: Writer,
        event: Event,
        happened: Iterable[tuple[Any, Origin, int]],
        facts: Mapping[str, Any] = _NO_FACTS,
    ) -> Sequence[Mapping[str, Any]]:
        """Records events with the depth of their chains; returns rows whose team is not of their company."""
        if facts.keys() != set(event.facts):
            raise TypeError(
                f"the event {event.name} takes the facts {sorted(event.facts)}, not {sorted(facts)}"
            )
        rows: list[dict[str, Any]] = []
        for payload, origin, depth in happened:
            if type(payload) is not event.type:
                raise TypeError(
                    f"the event {event.name} takes a {event.type.__name__}, not a {type(payload).__name__}"
                )
            interested = await self._interested(writer, event, payload, origin, facts)
            if interested:
                rows += self._rows(event, payload, origin, depth + 1, interested)
        if rows:
            rows = await self._of_those_on(writer, rows)
        if not rows:
            return ()
        statement = _record_few if len(rows) <= _FEW else sql.record
        recorded = {row["id"] for row in await writer.all(statement, deliveries=json.dumps(rows))}
        writer.after_commit(self.on_recorded)
        return [row for row in rows if row["id"] not in recorded]

    async def _of_those_on(self, writer: Writer, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Returns the rows whose subscription is on: an event while it is off is not delivered later."""
        found = await writer.all(sql.switches_of_teams, ids=json.dumps([*{row["team_id"] for row in rows}]))
        stored: dict[str, str] = {row["id"]: row["switches"] for row in found}
        return [
            row for row in rows if self.is_on(self._by_kind[row["subscription"]], stored.get(row["team_id"]))
        ]

    async def _interested(
        self, writer: Writer, event: Event, payload: Any, origin: Origin, facts: Mapping[str, Any]
    ) -> list[Interest]:
        """Returns those who want to hear of an event: by its fields, and by a query of their own."""
        found: list[Interest] = []
        given = {"team_id": origin.team_id, "event": event.name, **facts}
        for listener in self._listeners.get(event.name, ()):
            teams = None if (of := self._narrowed.get(listener.kind)) is None else of.get(event.name, ())
            if teams is not None and origin.team_id not in teams:
                continue
            if listener.allowed and not listener.wants(payload):
                continue
            matches = await self._matches(writer, listener, payload, given)
            if matches is None or matches:
                found.append(Interest(listener, matches))
        return found

    async def _matches(
        self, writer: Writer, listener: Listener, payload: Any, given: Mapping[str, Any]
    ) -> Sequence[Any] | None:
        """Returns the first column of the listener's query, if it has one; None where it fails too.

        The savepoint keeps the transaction usable then: it belongs to whoever caused the event, and the
        handler decides. Where the team is known to have nothing that could match, nothing is asked.
        """
        wanted, possible = listener.subscription.wanted, listener.subscription.possible
        if wanted is None:
            return None
        access, whose = getattr(writer, "access", None), (listener.kind, given["team_id"])
        known = self._possible.get((whose, access))
        if known is False:
            return ()
        binds = {one: given.get(one, getattr(payload, one, None)) for one in names_in(*wanted.texts())}
        try:
            async with writer.savepoint():
                if possible is not None and known is None:
                    found = await writer.all(possible, team_id=whose[1])
                    self._possible.put(whose, access, found)
                    if not found:
                        return ()
                rows = await writer.all(wanted, **binds)
        except Exception as error:
            _log.error("event.wanted_failed", subscription=listener.kind, exc=error)
            return None
        return [next(iter(row.values())) for row in rows] if rows else ()

    def _rows(
        self, event: Event, payload: Any, origin: Origin, depth: int, interested: Sequence[Interest]
    ) -> list[dict[str, Any]]:
        content = encoded_content(event, payload)
        now = self._clock.now_ms()
        common = {
            "event_id": new_id("evt", now),
            "event": event.name,
            "org_id": origin.org_id,
            "team_id": origin.team_id,
            "user_id": origin.user_id,
            "credential_id": origin.credential_id,
            "scope": None if origin.scope is None else json.dumps(sorted(origin.scope)),
            "depth": depth,
            "payload": content,
            "created_at": now,
        }
        return [
            {**common, "id": new_id("dlv", now), "subscription": one.listener.kind, "matches": one.encoded}
            for one in interested
        ]


def _without_team(event: Event, row: Mapping[str, Any]) -> ValueError:
    return ValueError(f"the event {event.name}: {row['org_id']} has no team {row['team_id']}")

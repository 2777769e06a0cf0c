"""The ledger against a model that remembers every event and adds them up anew."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builtin_plugins.quotas.counters import Moment
from builtin_plugins.quotas.store import REMEMBERED_MS, give_back_lapsed
from guildhall_sdk import TooManyRequests

KINDS = {"test.calls": "rate", "test.words": "rate", "test.slots": "concurrency", "test.bytes": "stock"}
CUTS = {"minute": 16, "hour": 13, "day": 10, "month": 7}


def window_of(window, at_ms):
    """By name: the model knows nothing of how long a window is."""
    if window == "none":
        return "ever"
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat()[: CUTS[window]]


@dataclass
class Event:
    team: int
    dimension: str
    at: int
    amount: int
    expires_at: int | None = None
    settled: bool = False

    def counts_for(self, now):
        lapsed = self.expires_at is not None and not self.settled and self.expires_at <= now
        return 0 if lapsed else self.amount


@dataclass
class Model:
    """Team None is the company."""

    now: int
    events: list[Event] = field(default_factory=list)
    limits: dict[tuple[int | None, str, str], int] = field(default_factory=dict)

    def used(self, team, dimension, window):
        return sum(
            event.counts_for(self.now)
            for event in self.events
            if event.dimension == dimension
            and team in (None, event.team)
            and window_of(window, event.at) == window_of(window, self.now)
        )

    def kept(self, team, dimension):
        """Without what is reserved only."""
        return sum(
            event.amount
            for event in self.events
            if (event.dimension, event.team) == (dimension, team)
            and (event.settled or event.expires_at is None)
        )

    def has_room(self, team, dimension, amount, without=0):
        return amount <= 0 or all(
            self.used(level, dimension, window) - without + amount <= limit
            for (level, name, window), limit in self.limits.items()
            if name == dimension and level in (None, team)
        )


teams = st.sampled_from([0, 1])
levels = st.sampled_from([None, 0, 1])
amounts = st.integers(0, 9)
steps = st.one_of(
    st.tuples(
        st.just("reserve"),
        teams,
        st.dictionaries(st.sampled_from(sorted(KINDS)), amounts, min_size=1),
        st.sampled_from([1_000, 90_000, 4_000_000]),
    ),
    st.tuples(st.sampled_from(["settle", "release"]), st.integers(0, 30), amounts),
    st.tuples(st.just("reserve"), teams, st.fixed_dictionaries({"test.bytes": amounts}), st.just(90_000)),
    st.tuples(st.just("extend"), st.integers(0, 30), st.sampled_from([1_000, 90_000]), amounts),
    st.tuples(st.just("adjust"), teams, st.integers(-9, 9)),
    st.tuples(st.just("land"), st.integers(0, 30), amounts),
    st.tuples(
        st.just("limit"),
        levels,
        st.sampled_from(["test.calls", "test.words"]),
        st.sampled_from(["minute", "hour", "day", "month", "none"]),
        st.none() | st.integers(0, 25),
    ),
    st.tuples(
        st.just("limit"),
        levels,
        st.sampled_from(["test.slots", "test.bytes"]),
        st.just("none"),
        st.none() | st.integers(0, 25),
    ),
    st.tuples(
        st.just("wait"), st.sampled_from([0, 999, 30_000, 59_999, 1_800_000, 40_000_000, 1_000_000_000])
    ),
    st.tuples(st.just("sweep")),
)


class Run:
    """One sequence of steps, played to both, in one transaction that is thrown away."""

    def __init__(self, books, writer):
        self.books, self.writer, self.clock = books, writer, books.clock
        self.team_ids = [books.team_id, books.second_team_id]
        self.model = Model(self.clock.now_ms())
        self.reservations = []

    async def expect(self, room, attempt):
        try:
            outcome = await attempt
        except TooManyRequests:
            assert not room
            return None
        assert room
        return outcome

    async def reserve(self, team, wanted, ttl_ms):
        model = self.model
        room = all(model.has_room(team, name, amount) for name, amount in wanted.items())
        reservation = await self.expect(
            room,
            self.books.ledger.reserve(self.writer, self.books.org_id, self.team_ids[team], wanted, ttl_ms),
        )
        if reservation is not None:
            events = [
                Event(team, name, model.now, amount, model.now + ttl_ms) for name, amount in wanted.items()
            ]
            model.events += events
            self.reservations.append((reservation, events))

    async def settle(self, index, actual):
        await self.end(index, actual, self.books.ledger.settle, as_reserved=True)

    async def release(self, index, actual):
        await self.end(index, actual, self.books.ledger.release, as_reserved=False)

    async def end(self, index, actual, ending, *, as_reserved):
        if not self.reservations:
            return
        reservation, events = self.reservations[index % len(self.reservations)]
        if any(event.expires_at + REMEMBERED_MS <= self.model.now for event in events):
            return  # Long gone: whether the ledger still remembers it depends on when it last swept.
        named = {event.dimension: actual for event in events[:1]}
        await ending(self.writer, reservation, named)
        for event in events:
            if event.settled:
                continue
            event.settled = True
            event.amount = named.get(event.dimension, event.amount if as_reserved else 0)
            if KINDS[event.dimension] == "concurrency":
                event.amount = 0

    async def extend(self, index, ttl_ms, amount):
        if not self.reservations:
            return
        reservation, events = self.reservations[index % len(self.reservations)]
        alive = all(not event.settled and event.expires_at > self.model.now for event in events)
        stocks = [event for event in events if event.dimension == "test.bytes"]
        more = {"test.bytes": amount} if stocks else {}
        room = not more or self.model.has_room(events[0].team, "test.bytes", amount)
        extended = await self.expect(room, self.books.ledger.extend(self.writer, reservation, ttl_ms, more))
        if not room:
            return
        assert extended == alive
        for event in events if alive else ():
            event.expires_at = self.model.now + ttl_ms
            event.amount += amount if event in stocks else 0

    async def land(self, index, size):
        """A stock takes the place of what was reserved for it, if its real size has room."""
        if not self.reservations:
            return
        reservation, events = self.reservations[index % len(self.reservations)]
        if [event.dimension for event in events] != ["test.bytes"]:
            return
        (event,) = events
        reserved = 0 if event.settled else event.counts_for(self.model.now)
        room = size == 0 or self.model.has_room(event.team, "test.bytes", size, without=reserved)
        await self.expect(
            room,
            self.books.ledger.adjust(
                self.writer, self.books.org_id, self.team_ids[event.team], "test.bytes", size, reservation
            ),
        )
        if room:
            if not event.settled:
                event.settled, event.amount = True, 0
            self.model.events.append(Event(event.team, "test.bytes", self.model.now, size))

    async def adjust(self, team, by):
        by = max(by, -self.model.kept(team, "test.bytes"))
        room = self.model.has_room(team, "test.bytes", by)
        rooms = [
            max(0, limit - self.model.used(level, name, window))
            for (level, name, window), limit in self.model.limits.items()
            if name == "test.bytes" and level in (None, team)
        ]
        left = await self.books.ledger.left(self.writer, self.books.org_id, self.team_ids[team], "test.bytes")
        assert left == min(rooms, default=None)
        await self.expect(
            room,
            self.books.ledger.adjust(self.writer, self.books.org_id, self.team_ids[team], "test.bytes", by),
        )
        if room:
            self.model.events.append(Event(team, "test.bytes", self.model.now, by))

    async def limit(self, team, dimension, window, limit):
        level, subject = ("org", self.books.org_id) if team is None else ("team", self.team_ids[team])
        row = await self.books.ledger.set_limit(self.writer, level, subject, dimension, window, limit)
        assert (row.used, row.limit) == (self.model.used(team, dimension, window), limit)
        if limit is None:
            self.model.limits.pop((team, dimension, window), None)
        else:
            self.model.limits[team, dimension, window] = limit

    async def wait(self, milliseconds):
        self.clock.advance(milliseconds=milliseconds)
        self.model.now = self.clock.now_ms()

    async def sweep(self):
        await give_back_lapsed(self.writer, self.books.org_id, Moment.at(self.model.now))

    async def check(self):
        for team, team_id in enumerate(self.team_ids):
            for row in await self.books.ledger.usage(self.writer, self.books.org_id, team_id):
                level = None if row.level == "org" else team
                assert row.used == self.model.used(level, row.dimension, row.window), row
                assert row.limit == self.model.limits.get((level, row.dimension, row.window)), row


class _ThrownAway(Exception):
    pass


@pytest.mark.short_on("sqlite")
@settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(steps, max_size=40))
async def test_the_ledger_agrees_with_the_model(books, steps):
    try:
        async with books.process.data.write() as writer:
            run = Run(books, writer)
            for name, *arguments in steps:
                await getattr(run, name)(*arguments)
                await run.check()
            raise _ThrownAway
    except _ThrownAway:
        pass

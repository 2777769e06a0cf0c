"""Walks through the route table: every row with the largest inputs that it takes, and much to read."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from guildhall_sdk import Auth, Body, Factory, Route
from guildhall_testing.client import Client
from guildhall_testing.conformance.samples import fill, make_ids
from guildhall_testing.conformance.trial import SILENCE_SECONDS, Trial
from guildhall_testing.hall import Hall
from tests.steps.largest import (
    DEEPEST,
    EVERY_FIELD,
    FILLINGS,
    largest_bodies,
    largest_queries,
    most_members,
    other_fillings,
)
from tests.steps.meter import SlowStep, StepMeter

_ORDER = {"POST": 0, "PUT": 0, "PATCH": 1, "GET": 2, "OPTIONS": 2, "DELETE": 4}
_MANAGING = 3
_LAST = 5


@dataclass
class Found:
    """What a walk found: the slow steps of each row, and how often it answered what."""

    slow: dict[str, list[SlowStep]] = field(default_factory=dict)
    statuses: dict[str, Counter[int]] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """Yields each row with its slow steps, the slowest row first."""
        for row, steps in sorted(self.slow.items(), key=lambda one: -one[1][0].ms):
            yield row
            yield from (f"    {step}" for step in steps[:3])


class Walk:
    """One walk through all rows of a hall: `fill`, then `go`."""

    def __init__(self, hall: Hall, meter: StepMeter) -> None:
        self._hall = hall
        self._meter = meter
        # The newest large thing of each kind, by the prefix of its id, and who made it.
        self._largest: dict[str, tuple[str, Client]] = {}
        self._sizes: set[int] = set()
        self._targets: dict[str, tuple[Client, list[str]]] = {}
        self.found = Found()

    async def fill(self, times: int) -> None:
        """Makes what the rows are called on, and so many of everything that there is a factory for."""
        for bound in self._hall.registry.routes():  # first: of some things a company may have no more then
            self._targets[bound.name] = await self._target(Trial(self._hall, bound))
        for factory in self._hall.registry.declared(Factory):
            maker = await self._hall.join(self._hall.acme, factory.role, org_role="org_owner")
            for number in range(times if factory.tenant else 0):
                try:
                    await factory.make(maker, f"sample{number}")
                except Exception:
                    break  # there is one at most, or a team may have no more
        await self._hall.drain_jobs()

    async def go(self, *, long: bool = False) -> Found:
        """Visits every row.

        What code that is one for all rows refuses is sent once for each size, examples are filled with one
        thing or another by turns, and a row is sent either these or every field; in a long walk all of it.
        """
        for turn, bound in enumerate(sorted(self._hall.registry.routes(), key=_rank)):
            self.found.statuses[bound.name] = Counter()
            bodies = dict(largest_bodies(bound.row))
            if bound.row.body and (long or bound.row.max_body not in self._sizes):
                self._sizes.add(bound.row.max_body)
                bodies["most members"] = most_members(bound.row)
            elif not long:
                bodies.pop(DEEPEST, None)
            left_out = () if long else (*other_fillings(turn), *_by_turns(bodies, turn))
            for name, body in bodies.items():
                if name.endswith(left_out):
                    continue
                for query in largest_queries(bound.row):
                    await self._visit(bound, name, body, query)
        return self.found

    async def _visit(self, bound: Any, name: str, body: bytes | None, query: dict[str, str]) -> None:
        caller, path = self._caller_and_path(bound)
        status, slow = await self._call(caller, bound.row, path, body, query)
        if slow:  # cold caches and fresh memory cost once; what the code does it does each time
            status, again = await self._call(caller, bound.row, path, body, query)
            slow = again and min(slow, again, key=lambda steps: steps[0].ms)
        self.found.statuses[bound.name][status] += 1
        if slow:
            self.found.slow[f"{bound.name} ({name})"] = slow

    async def _call(
        self, caller: Client, row: Route, path: str, body: bytes | None, query: dict[str, str]
    ) -> tuple[int, list[SlowStep]]:
        self._meter.take()
        response = await caller.request(
            row.method,
            path,
            content=body,
            params=query or None,
            headers={"Content-Type": "text/markdown" if row.body_kind is Body.RAW else "application/json"},
            silence_seconds=SILENCE_SECONDS,
        )
        await self._hall.drain_jobs()
        if response.is_success and row.method != "GET":
            self._remember(caller, response.headers.get("content-type", ""), response.content)
        return response.status_code, self._meter.take()

    async def _target(self, trial: Trial) -> tuple[Client, list[str]]:
        """Returns who calls a row, and the ids in its path."""
        row = trial.row
        maker = await trial.maker(self._hall.acme)
        ids = await make_ids(trial.parameters, maker, "sample")
        if row.auth is Auth.PROVISION:
            return self._hall.host, ids
        if row.auth is Auth.PUBLIC:
            return self._hall.anonymous, ids
        if row.while_suspended and not ids:  # it may end the session that it is called with
            return await trial.caller(self._hall.acme, fresh=True), ids
        return (maker if trial.may(maker) else await trial.caller(self._hall.acme)), ids

    def _caller_and_path(self, bound: Any) -> tuple[Client, str]:
        """Returns who calls a row, and its path: of the largest that it can be called on, if there is one."""
        caller, ids = self._targets[bound.name]
        largest = self._largest.get(_prefix(ids[0])) if len(ids) == 1 else None
        if largest is not None:
            ids, caller = [largest[0]], largest[1]
        return caller, fill(bound.row.path, ids)

    def _remember(self, caller: Client, content_type: str, content: bytes) -> None:
        made: Any = json.loads(content) if content_type == "application/json" and content else None
        found = made.get("id") if isinstance(made, dict) else None
        if isinstance(found, str) and _prefix(found) not in ("", _prefix(self._hall.operator.user_id)):
            self._largest[_prefix(found)] = found, caller


def _by_turns(bodies: Mapping[str, Any], turn: int) -> tuple[str, ...]:
    """Returns how the names of those bodies end that others stand for: both kinds are as large as may be."""
    has_both = EVERY_FIELD in bodies and any(name.endswith((*FILLINGS,)) for name in bodies)
    if not has_both:
        return ()
    return (EVERY_FIELD,) if turn // len(FILLINGS) % 2 else (*FILLINGS,)


def _rank(bound: Any) -> int:
    """Writes come first, so that there is much to read; what changes others' things or all comes later."""
    row = bound.row
    if row.method == "GET":
        return _ORDER["GET"]
    if row.auth in (Auth.PROVISION, Auth.SUPERADMIN):
        return _LAST
    manages = row.method != "DELETE" and (row.permission or "").endswith(":manage")
    return _MANAGING if manages else _ORDER[row.method]


def _prefix(id_: str) -> str:
    return id_.rpartition("_")[0]

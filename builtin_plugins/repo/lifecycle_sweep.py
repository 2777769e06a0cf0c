"""Deletes what a team's rules let go: a portion at a time, team by team, beside everybody's work.

Each process takes the team that waits longest, and does one portion of it before the next team has its turn.
How far a team has come stands in the database. What goes is checked again under the locks of a writer:
nothing that was made the newest, brought back or referred to meanwhile goes.
"""

import asyncio
import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from builtin_plugins.repo import finding
from builtin_plugins.repo.blob_lifecycle import BlobLifecycle
from builtin_plugins.repo.lifecycle import sql
from builtin_plugins.repo.lifecycle_rules import DAY_MS, AppliedRules, Uses, decode
from builtin_plugins.repo.storage_reservations import STORAGE
from guildhall_sdk import Actor, Host, Origin, Row, Writer
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.errors import PaymentRequired
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.services.stored_objects import MAX_KEPT
from guildhall_sdk.subscriptions import OBJECT_DELETED, Events, ObjectDeleted

EVERY_SECONDS = 600.0
PAUSE_SECONDS = 0.5
PORTION = 100
# Most of what a team has stays, and is looked at again every day: what something refers to, what is one of
# the newest, and what no rule is about. Only the age of a version is in an index.
ROWS_AT_ONCE = 1000
HELD_MS = 120_000
# What is due for so long was not looked at because the servers were off, or the clock is far ahead.
JUMP_MS = 7 * DAY_MS
_VERSIONS, _DELETED, _MARKERS, _DONE = "versions", "deleted", "markers", ""
_log = logging.getLogger("guildhall.repo")
_NEXT = {_VERSIONS: _DELETED, _DELETED: _MARKERS, _MARKERS: _DONE}


class _TakenOver(Exception):
    """Another process has the team now, or it has other rules."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """A team, how far its sweep has come, and what tells that this process has it."""

    team_id: str
    org_id: str
    set_by: str
    rules: str
    stage: str
    after_time: int
    after_name: str
    due_at: int
    held_until: int

    def following(self) -> "_Turn":
        return replace(self, stage=_NEXT[self.stage], after_time=-1, after_name="")


class LifecycleUpkeep:
    """Applies the rules of all teams, once a day each."""

    def __init__(self, host: Host, blobs: BlobLifecycle) -> None:
        self._host = host
        self._blobs = blobs

    async def run_in_time(self) -> None:
        """Looks every ten minutes until it is cancelled, and not while the server comes up."""
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            await self.sweep()

    async def sweep(self, pause_seconds: float = PAUSE_SECONDS) -> int:
        """Throws away what is due of every team; returns how many versions and delete markers went."""
        gone = 0
        await self._bring_forward()
        loop = asyncio.get_running_loop()
        while (turn := await self._claim()) is not None:
            if turn.due_at < self._host.clock.now_ms() - JUMP_MS:
                _log.warning("lifecycle.clock_jumped", extra={"fields": {"team": turn.team_id}})
                await self._postpone(turn)
                continue
            began = loop.time()
            try:
                many, following = await self._portion(turn)
            except _TakenOver:
                continue
            except PaymentRequired:
                await self._postpone(turn)
                continue
            gone += many
            await self._store_place(turn, following)
            # Where nothing went, nobody waits but for the sweep itself.
            await asyncio.sleep(pause_seconds if many else min(pause_seconds, loop.time() - began))
        return gone

    async def _bring_forward(self) -> None:
        due_at = self._host.clock.now_ms() + DAY_MS
        async with self._host.data.write() as writer:
            await writer.run(sql.bring_forward, due_at=due_at)

    async def _claim(self) -> _Turn | None:
        now = self._host.clock.now_ms()
        async with self._host.data.write() as writer:
            row = await writer.one(sql.claim, now=now, until=now + HELD_MS)
        if row is None:
            return None
        turn = _Turn(**row)
        return turn if turn.stage else replace(turn, stage=_VERSIONS, after_time=-1, after_name="")

    async def _store_place(self, turn: _Turn, following: _Turn) -> None:
        now = self._host.clock.now_ms()
        async with self._host.data.write() as writer:
            await writer.run(
                sql.store_place,
                team_id=turn.team_id,
                held_until=turn.held_until,
                stage=following.stage,
                after_time=following.after_time,
                after_name=following.after_name,
                due_at=now + DAY_MS if following.stage == _DONE else now,
                now=now,
            )

    async def _postpone(self, turn: _Turn) -> None:
        """Leaves alone for a day: a suspended company, or all when the clock may be wrong."""
        due_at = self._host.clock.now_ms() + DAY_MS
        async with self._host.data.write() as writer:
            await writer.run(sql.postpone, team_id=turn.team_id, held_until=turn.held_until, due_at=due_at)

    async def _portion(self, turn: _Turn) -> tuple[int, _Turn]:
        applied = AppliedRules(decode(turn.rules), self._host.clock.now_ms())
        if turn.stage == _VERSIONS:
            return await self._portion_of_versions(turn, applied)
        return await self._portion_of_objects(turn, applied)

    async def _portion_of_versions(self, turn: _Turn, applied: AppliedRules) -> tuple[int, _Turn]:
        if applied.old_until is None:
            return 0, turn.following()
        async with self._host.data.read() as reader:
            rows = await reader.all(
                sql.old_versions,
                team_id=turn.team_id,
                until=applied.old_until,
                after_time=turn.after_time,
                after_name=turn.after_name,
                max_kept=MAX_KEPT,
                limit=ROWS_AT_ONCE,
            )
        going = [row for row in rows if applied.version_goes(row) and not row["referred"]][:PORTION]
        gone = await self._delete_versions(turn, applied, going) if going else 0
        last = _last_of_portion(rows, going)
        if last is None:
            return gone, turn.following()
        return gone, replace(turn, after_time=last["old_since"], after_name=last["id"])

    async def _delete_versions(self, turn: _Turn, applied: AppliedRules, seen: Sequence[Row]) -> int:
        async with self._host.data.write(_actor(turn), within=turn.org_id) as writer:
            await self._hold(writer, turn, seen)
            ids = _json(row["id"] for row in seen)
            await writer.all(sql.lock_versions, ids=ids, team_id=turn.team_id)
            rows = await writer.all(sql.old_versions_again, ids=ids, team_id=turn.team_id, max_kept=MAX_KEPT)
            going = [row for row in rows if applied.version_goes(row) and not row["referred"]]
            needed = await self._in_use(writer, turn, going)
            ids = _json(row["id"] for row in going if row["id"] not in needed)
            gone = await writer.all(sql.delete_versions, ids=ids, team_id=turn.team_id)
            await writer.run(sql.vacate_many, ids=_json({row["object_id"] for row in gone}))
            await self._settle(writer, turn, gone, objects=())
        return len(gone)

    async def _portion_of_objects(self, turn: _Turn, applied: AppliedRules) -> tuple[int, _Turn]:
        async with self._host.data.read() as reader:
            if turn.stage == _DELETED and applied.deleted_until is not None:
                rows = await reader.all(
                    sql.deleted_objects,
                    team_id=turn.team_id,
                    until=applied.deleted_until,
                    after_time=turn.after_time,
                    after_name=turn.after_name,
                    limit=ROWS_AT_ONCE,
                )
            elif turn.stage == _MARKERS and applied.about_markers:
                rows = await reader.all(
                    sql.vacant_objects, team_id=turn.team_id, after_name=turn.after_name, limit=ROWS_AT_ONCE
                )
            else:
                return 0, turn.following()
        going = [row for row in rows if _goes(turn, applied, row)][:PORTION]
        gone, whole = await self._delete_objects(turn, applied, going) if going else (0, True)
        if not whole:
            return gone, turn
        last = _last_of_portion(rows, going)
        if last is None:
            return gone, turn.following()
        if turn.stage == _MARKERS:
            return gone, replace(turn, after_name=last["key"])
        return gone, replace(turn, after_time=last["updated_at"], after_name=last["id"])

    async def _delete_objects(
        self, turn: _Turn, applied: AppliedRules, seen: Sequence[Row]
    ) -> tuple[int, bool]:
        """Returns how many versions went, and whether all did: of an object there may be many."""
        async with self._host.data.write(_actor(turn), within=turn.org_id) as writer:
            await self._hold(writer, turn, seen)
            rows = await writer.all(
                sql.hidden_again,
                ids=_json(row["id"] for row in seen),
                team_id=turn.team_id,
                vacant=int(turn.stage == _MARKERS),
            )
            objects = _json(row["id"] for row in rows if _goes(turn, applied, row))
            first = await writer.all(sql.first_versions, ids=objects, limit=PORTION)
            await writer.all(sql.lock_hidden_versions, ids=_json(row["id"] for row in first))
            needed = await self._in_use(writer, turn, first)
            kept = {row["object_id"] for row in first if row["id"] in needed}
            ids = _json(row["id"] for row in first if row["object_id"] not in kept)
            gone = await writer.all(sql.delete_hidden_versions, ids=ids)
            emptied = await writer.all(sql.delete_emptied, ids=objects, team_id=turn.team_id)
            await writer.run(sql.vacate_many, ids=_json({row["object_id"] for row in gone}))
            await self._settle(writer, turn, gone, objects=[row["id"] for row in emptied])
        return len(gone), len(first) < PORTION or not gone

    async def _hold(self, writer: Writer, turn: _Turn, rows: Sequence[Row]) -> None:
        """Locks the rules, and then the keys in their order: as every other writer, before any bytes."""
        held = await writer.one(sql.hold_claim, team_id=turn.team_id, held_until=turn.held_until)
        if held is None or held["rules"] != turn.rules:
            raise _TakenOver
        for key in sorted({row["key"] for row in rows}):
            await finding.hold_key(writer, turn.team_id, key)

    async def _in_use(self, writer: Writer, turn: _Turn, rows: Sequence[Row]) -> set[str]:
        return await Uses(self._host.service(Plugins)).of(writer, turn.team_id, rows)

    async def _settle(self, writer: Writer, turn: _Turn, gone: Sequence[Row], objects: Sequence[str]) -> None:
        """Releases the bytes of what is gone, tells others, and gives the storage back: last, as it locks."""
        if not gone and not objects:
            return
        content = [row for row in gone if not row["marker"]]
        size = sum(row["size"] for row in content)
        await self._emit(writer, turn, content, objects)
        await writer.run(sql.add_gone, team_id=turn.team_id, versions=len(gone), bytes=size)
        detail = {"versions": len(gone), "objects": len(objects), "bytes": size}
        writer.audit("lifecycle.thrown_away", ("team", turn.team_id), detail=detail)
        await self._blobs.release(writer, turn.org_id, {row["sha256"] for row in content})
        if size:
            await self._host.service(Quotas).adjust(writer, turn.org_id, turn.team_id, STORAGE, -size)

    async def _emit(
        self, writer: Writer, turn: _Turn, content: Sequence[Row], objects: Sequence[str]
    ) -> None:
        writer.after_commit(partial(self._host.service(LiveLists).changed, "/api/repo", turn.team_id))
        events = self._host.service(Events)
        if not events.wanted(OBJECT_DELETED):
            return
        origin = Origin(org_id=turn.org_id, team_id=turn.team_id, user_id=turn.set_by)
        whole = set(objects)
        for row in content:
            if row["object_id"] not in whole:
                payload = ObjectDeleted(object_id=row["object_id"], version_id=row["id"], deleted="version")
                await events.emit(writer, OBJECT_DELETED, payload, origin)
        for object_id in objects:
            payload = ObjectDeleted(object_id=object_id, version_id=None, deleted="object")
            await events.emit(writer, OBJECT_DELETED, payload, origin)


def _last_of_portion(rows: Sequence[Row], going: Sequence[Row]) -> Row | None:
    """Returns the row that the next portion comes after; None where there are no more."""
    if len(going) == PORTION:
        return going[-1]
    return rows[-1] if len(rows) == ROWS_AT_ONCE else None


def _goes(turn: _Turn, applied: AppliedRules, row: Row) -> bool:
    if row["referred"]:
        return False
    return applied.markers_go(row) if turn.stage == _MARKERS else applied.deleted_goes(row)


def _actor(turn: _Turn) -> Actor:
    return Actor("lifecycle", None, turn.org_id, turn.team_id)


def _json(ids: Iterable[str]) -> str:
    return json.dumps(sorted(ids))

"""Another prefix for all objects below one: a job that moves one after the other, and goes on where it was.

A few are moved in each transaction, which also notes how far the job has come: killed at any moment it moves
nothing twice, forgets nothing, and holds nobody up.
"""

import asyncio
import hashlib
import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from builtin_plugins.repo import finding, keys, listing
from builtin_plugins.repo.listing import past_prefix
from builtin_plugins.repo.moving import Moving
from builtin_plugins.repo.object_row import WRITE, Record
from guildhall_sdk import (
    Actor,
    Conflict,
    Host,
    InvalidRequest,
    Job,
    JobCall,
    NewJob,
    NotFound,
    PermissionDenied,
    Principal,
    Problem,
    Reader,
    UserError,
    Writer,
    load_queries,
)
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.search import PreparedText
from guildhall_sdk.services.stored_objects import just_after

sql = load_queries(Path(__file__).with_name("folder_moving.sql"))

MOVE_FOLDER = "repo.move_folder"
MAX_SKIPPED = 100
_PAGE = 100
# A commit takes as long as some moves; who writes meanwhile waits no longer than this and one move.
_TOGETHER = 20
_HELD_SECONDS = 0.04
# Characters of a text that is split into words before the transaction.
_LONG_TEXT = 4_000
_MAX_COUNTED = 1_000_000
_END = "/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a job has come: the key that it looked at last, and what became of those before."""

    after_key: str
    total: int
    moved: int
    left_there: int
    skipped: str

    @property
    def fraction(self) -> float:
        done = self.moved + self.left_there
        return done / max(self.total, done, 1)

    def result(self, payload: Any) -> dict[str, Any]:
        counts = {"moved": self.moved, "left": self.left_there}
        return {**payload, **counts, "skipped": json.loads(self.skipped)}

    def left(self, record: Record, problem: Problem) -> "Progress":
        """Returns how far it is with one more that stays where it is."""
        skipped = json.loads(self.skipped)
        if len(skipped) < MAX_SKIPPED:
            skipped.append({"id": record.id, "key": record.key, "code": problem.code})
        text = json.dumps(skipped, ensure_ascii=False)
        return replace(self, left_there=self.left_there + 1, skipped=text)


class _Next(NamedTuple):
    """An object that is to be moved, its new key, and what was prepared for it, or why it stays."""

    record: Record
    key: str
    prepared: PreparedText | None = None
    refusal: Problem | None = None


def check_prefixes(source: str, target: str) -> None:
    """Raises for what is no folder, and for one that would go into itself."""
    for pointer, prefix in (("/from", source), ("/to", target)):
        if not prefix.endswith(_END):
            raise InvalidRequest.at(pointer, "must end with a slash")
        keys.check_key(f"{prefix}x")
    if target.startswith(source):
        raise InvalidRequest.at("/to", "lies in the folder that is to be moved")


def new_job(caller: Principal, source: str, target: str) -> NewJob:
    """Returns the job; while one waits or runs that the caller asked for, asking again gives that one."""
    both = hashlib.sha256(f"{source}\0{target}".encode()).hexdigest()
    return NewJob(
        MOVE_FOLDER,
        caller.org_id,
        caller.team_id,
        caller.user_id,
        {"from": source, "to": target},
        unique_key=f"{MOVE_FOLDER}:{caller.user_id}:{both}",
        asked_with=caller.credential.id,
    )


async def enqueue(host: Host, writer: Writer, caller: Principal, source: str, target: str) -> Job:
    check_prefixes(source, target)
    return await host.service(Jobs).enqueue(writer, new_job(caller, source, target))


class FolderMover:
    """One attempt at the job: it moves what its caller may write below a prefix."""

    def __init__(self, job: JobCall, moving: Moving) -> None:
        self._job = job
        self._data = job.host.data
        self._moving = moving
        self._source, self._target = job.payload["from"], job.payload["to"]
        self._whose = {"job_id": job.id, "team_id": job.team_id, "attempt": job.attempt}

    async def run(self) -> dict[str, Any]:
        progress = await self._begin()
        self._job.on_stop(lambda: progress.result(self._job.payload))
        while True:
            async with self._data.read() as reader:
                caller = await self._job.principal(reader)
                page = await self._page(reader, caller, progress.after_key)
            for first in range(0, len(page), _TOGETHER):
                waiting = await self._prepare(caller, page[first : first + _TOGETHER])
                while waiting:
                    progress = await self._move_some(caller, waiting, progress)
                    await self._job.progress(progress.fraction)
            if len(page) < _PAGE:
                return progress.result(self._job.payload)

    async def _page(self, reader: Reader, caller: Principal, after: str) -> list[Record]:
        if not caller.may(WRITE):
            raise PermissionDenied(WRITE)
        return await listing.objects(
            reader,
            caller,
            listing.in_bucket(caller, caller.team_id),
            self._job.host.clock.now_ms(),
            prefix=self._source,
            start=just_after(after) if after else "",
            limit=_PAGE,
        )

    async def _begin(self) -> Progress:
        """Takes the job over from an earlier attempt, which moves nothing more."""
        job = self._job
        async with self._data.read() as reader:
            total = await reader.value(
                sql.size_of_folder,
                team_id=job.team_id,
                start=self._source,
                end=past_prefix(self._source),
                most=_MAX_COUNTED,
            )
        async with self._data.write(within=job.org_id) as writer:
            row = await writer.one(sql.begin, **self._whose, org_id=job.org_id, total=total)
        assert row is not None
        return Progress(**row)

    async def _prepare(self, caller: Principal, records: Sequence[Record]) -> deque[_Next]:
        """Does for some objects what needs no transaction; what is refused already stays where it is."""
        ids = json.dumps([record.id for record in records])
        async with self._data.read() as reader:
            rows = await reader.all(sql.long_texts, ids=ids, org_id=self._job.org_id, longest=_LONG_TEXT)
        long = {row["object_id"] for row in rows}
        return deque([await self._prepared(caller, record, record.id in long) for record in records])

    async def _prepared(self, caller: Principal, record: Record, is_long: bool) -> _Next:
        key = self._target + record.key.removeprefix(self._source)
        try:
            if key.startswith(self._source):
                raise Conflict("It would stay in the folder that is moved.", code="into_itself")
            keys.check_key(key)
            return _Next(record, key, await self._moving.prepare(caller, record.id, key) if is_long else None)
        except Problem as problem:
            return _Next(record, key, refusal=problem)

    async def _move_some(self, caller: Principal, waiting: deque[_Next], progress: Progress) -> Progress:
        """Moves the next few in one transaction, which is over before anybody waits for long."""
        clock = asyncio.get_running_loop().time
        actor = Actor(caller.username, caller.user_id, caller.org_id, caller.team_id)
        skipped = progress.skipped
        async with self._data.write(actor, within=self._job.org_id) as writer:
            # In the order of all who lock several, so that nobody waits for one who waits for them.
            for key in sorted({key for each in waiting for key in (each.record.key, each.key)}):
                await finding.hold_key(writer, self._job.team_id, key)
            until = clock() + _HELD_SECONDS
            while waiting:
                progress = await self._move(writer, caller, waiting.popleft(), progress)
                if clock() > until:
                    break
            await self._advance(writer, progress, None if progress.skipped == skipped else progress.skipped)
        return progress

    async def _move(self, writer: Writer, caller: Principal, each: _Next, progress: Progress) -> Progress:
        """Moves one object, or notes why it stays where it is."""
        record = each.record
        behind = replace(progress, after_key=record.key)

        def check(found: Record) -> None:
            if found.key != record.key:
                raise NotFound()

        try:
            if each.refusal is not None:
                raise each.refusal
            async with writer.savepoint():
                await self._moving.move(writer, caller, record.id, each.key, each.prepared, check)
            return replace(behind, moved=progress.moved + 1)
        except NotFound:  # deleted, or moved by somebody else
            return behind
        except (Conflict, PermissionDenied, UserError) as problem:
            return behind.left(record, problem)

    async def _advance(self, writer: Writer, progress: Progress, skipped: str | None) -> None:
        row = await writer.one(
            sql.advance,
            **self._whose,
            after_key=progress.after_key,
            moved=progress.moved,
            left_there=progress.left_there,
            skipped=skipped,
        )
        if row is None:
            raise Conflict("Another attempt at this job has begun.", code="stale_claim")


async def forget(_host: Host, writer: Writer, job: Job) -> None:
    """Ends what was noted of a job that has ended."""
    await writer.run(sql.forget, job_id=job.id, team_id=job.team_id)

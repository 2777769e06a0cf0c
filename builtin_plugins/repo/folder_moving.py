"""Another prefix for all objects below one: a job that moves one after the other, and goes on where it was.

Each is moved in a transaction of its own, which also notes how far the job has come: killed at any moment it
moves nothing twice, forgets nothing, and holds nobody up.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from builtin_plugins.repo import keys, listing
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
from guildhall_sdk.services.stored_objects import just_after, past_prefix

sql = load_queries(Path(__file__).with_name("folder_moving.sql"))

MOVE_FOLDER = "repo.move_folder"
MAX_SKIPPED = 100
_PAGE = 100
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
            for record in page:
                progress = await self._take(caller, record, progress)
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

    async def _take(self, caller: Principal, record: Record, progress: Progress) -> Progress:
        """Moves one object, or notes why it stays where it is."""
        key = self._target + record.key.removeprefix(self._source)
        behind = replace(progress, after_key=record.key)
        moved = replace(behind, moved=progress.moved + 1)

        def check(found: Record) -> None:
            if found.key != record.key:
                raise NotFound()

        try:
            if key.startswith(self._source):
                raise Conflict("It would stay in the folder that is moved.", code="into_itself")
            prepared = await self._moving.prepare(caller, record.id, key)
            actor = Actor(caller.username, caller.user_id, caller.org_id, caller.team_id)
            async with self._data.write(actor, within=record.org_id) as writer:
                await self._advance(writer, moved)
                await self._moving.move(writer, caller, record.id, key, prepared, check)
            return moved
        except NotFound:  # deleted, or moved by somebody else
            left = behind
        except (Conflict, PermissionDenied, UserError) as problem:
            left = behind.left(record, problem)
        async with self._data.write(within=record.org_id) as writer:
            await self._advance(writer, left, left.skipped)
        return left

    async def _advance(self, writer: Writer, progress: Progress, skipped: str | None = None) -> None:
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

"""The history of triggers: what became of each version that one of them matched."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Any

from builtin_plugins.triggers.service import NEWEST
from builtin_plugins.triggers.trigger import Trigger, sql
from guildhall_sdk import Principal, Reader, Row, Statement, Writer, cut_page, new_id, rfc3339
from guildhall_sdk.data import Data
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.subscriptions import ObjectWritten

#: Of each trigger so many stay, and whatever is younger than the days.
KEPT_FIRES = 1_000
KEPT_MS = 2 * 24 * 3600 * 1000
#: What an upload has led to is forgotten so long after the last run of it.
KEPT_BUDGETS_MS = 30 * 24 * 3600 * 1000
SHOWN_FIRES = 100
READ = "files:read"
_DROPPED_AT_ONCE = 1_000
_RECORDED_BETWEEN = 50
_HERE = "1 = 0 /* readable */"
_recorded = count(1)


async def record(
    writer: Writer, trigger: Trigger, written: ObjectWritten, reason: str | None, at: int
) -> str | None:
    """Records what is decided of a version that was written then: a start, if no reason is against it.

    Returns the id of the fire; None where it was decided before, or the trigger is gone.
    """
    fire_id: str | None = await writer.value(
        sql.record_fire,
        id=new_id("fire", at),
        trigger_id=trigger.id,
        team_id=trigger.team_id,
        object_id=written.object_id,
        version_id=written.version_id,
        version=written.number,
        outcome="started" if reason is None else "skipped",
        reason=reason,
        at=at,
    )
    if next(_recorded) % _RECORDED_BETWEEN == 0:
        await drop_old(writer, trigger.id, at)
    return fire_id


async def set_run(writer: Writer, fire_id: str, run_id: str) -> None:
    await writer.run(sql.set_run, id=fire_id, run_id=run_id)


async def list_fires(
    reader: Reader,
    repository: Repository,
    caller: Principal,
    trigger: Trigger,
    before: str | None,
    now_ms: int,
) -> tuple[list[dict[str, Any]], str | None]:
    """Returns a page, newest first; the key of an object is for those who may read the object."""
    rows = await reader.all(
        _fires(repository.readable),
        trigger_id=trigger.id,
        own_team_id=trigger.team_id,
        before=before or NEWEST,
        limit=SHOWN_FIRES + 1,
        user_id=caller.user_id,
        team_id=caller.team_id,
        org_id=caller.org_id,
        by_role=int(caller.may(READ)),
        now=now_ms,
    )
    page, cursor = cut_page(rows, SHOWN_FIRES + 1, lambda row: str(row["id"]))
    return [_public(row, with_key=caller.scope_allows(READ)) for row in page], cursor


async def drop_old(writer: Writer, trigger_id: str, now_ms: int) -> None:
    """Drops what is neither young nor among the newest of a trigger, and budgets that nobody uses."""
    await writer.run(
        sql.drop_old,
        trigger_id=trigger_id,
        until=new_id("fire", max(0, now_ms - KEPT_MS)),
        newest=KEPT_FIRES - 1,
        limit=_DROPPED_AT_ONCE,
    )
    await writer.run(sql.drop_old_budgets, until=now_ms - KEPT_BUDGETS_MS, limit=_DROPPED_AT_ONCE)


async def drop_all(data: Data, trigger_id: str) -> None:
    """Drops the history of a trigger that is deleted, a part at a time: it may be long."""
    while True:
        async with data.write() as writer:
            dropped = await writer.all(sql.drop_fires, trigger_id=trigger_id, limit=_DROPPED_AT_ONCE)
        if len(dropped) < _DROPPED_AT_ONCE:
            return


async def drop_orphans(data: Data) -> None:
    """Drops what a process left behind that was killed while it deleted a trigger."""
    async with data.read() as reader:
        rows: Sequence[Row] = await reader.all(sql.orphans)
    for row in rows:
        await drop_all(data, row["trigger_id"])


@lru_cache(maxsize=4)
def _fires(readable: Statement) -> Statement:
    """Returns the statement of a page with the repository's own rule of who may read in its place."""

    def is_readable(text: str) -> str:
        # On lines of its own: it may end in a comment.
        return f"(SELECT 1 FROM (\n{text}\n) AS readable LIMIT 1) IS NOT NULL"

    return Statement(
        "fires",
        sql.fires.sqlite.replace(_HERE, is_readable(readable.sqlite)),
        sql.fires.postgresql.replace(_HERE, is_readable(readable.postgresql)),
    )


def _public(row: Mapping[str, Any], *, with_key: bool) -> dict[str, Any]:
    return {
        "id": row["id"],
        "object_id": row["object_id"],
        "key": row["key"] if with_key else None,
        "version": row["version"],
        "outcome": row["outcome"],
        "run_id": row["run_id"],
        "reason": row["reason"],
        "at": rfc3339(row["at"]),
    }

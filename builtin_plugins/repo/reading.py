"""Reading the text of an object now, and at the start asking again for what still waits to be read."""

import asyncio
import logging
from dataclasses import replace

from builtin_plugins.repo import finding
from builtin_plugins.repo.extraction import Outcome
from builtin_plugins.repo.texts import (
    REMEDY,
    UNCONFINED,
    Texts,
    new_extraction,
    sql,
    without_page_marks,
)
from guildhall_sdk import Host, Principal, Problem, Row
from guildhall_sdk.commands import CommandHost
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.stored_objects import ReadText, TextPending
from libs.sandbox import measure

# When a job that waits asks again: for a reader, and for an operator.
READER_SECONDS, OPERATOR_SECONDS = 30, 600


async def read_text(host: Host, texts: Texts, caller: Principal, object_id: str) -> ReadText:
    """Returns the text of the newest version; one that is read already is not read again."""
    async with host.data.read() as reader:
        record = await finding.readable(reader, caller, object_id, host.clock.now_ms())
        current = await texts.current(reader, record)
        if current.number != record.newest.number:  # overwritten between the two
            record = await finding.readable(reader, caller, object_id, host.clock.now_ms())
    if current.text is not None and current.number == record.newest.number:
        return ReadText(replace(record.stored(), text_status="indexed"), current.text)
    if record.text_status not in ("pending", "stale"):
        why = "is empty or broken" if record.text_status == "none" else "is of a type that has no text"
        return ReadText(record.stored(), None, why)
    found = await texts.read(record.newest)
    if found.outcome is Outcome.FAILED:
        raise TextPending(f"The document {found.reason or 'could not be read'}; try again.", READER_SECONDS)
    if found.outcome is Outcome.UNCONFINED:
        detail = "This server cannot confine what reads documents; its operator must decide."
        raise TextPending(detail, OPERATOR_SECONDS)
    prepared = await texts.prepare(record.org_id, record.key, found.text)
    async with host.data.write(within=caller.org_id) as writer:
        kept = await texts.store(writer, caller, record.newest, found, prepared)
    # What was read is of the version that was there; a newer one waits for its own job.
    status = kept.text_status if kept.newest.id == record.newest.id else record.text_status
    text = without_page_marks(found.text)
    return ReadText(replace(record.stored(), text_status=status), text, found.reason)


async def check_sandbox(host: CommandHost) -> str:
    """Checks the sandbox; a server without one runs, and does not do what would need it."""
    found = await measure.measured()
    return found.describe() if found.tier != "C" else f"{found.describe()}; {REMEDY}"


_log = logging.getLogger("guildhall.repo")
_BATCH = 200
_EVERY_SECONDS = 3600.0


class Unread:
    """Objects whose text nobody has asked for any more: the reader was refused, or failed too often."""

    def __init__(self, host: Host, texts: Texts) -> None:
        self._host = host
        self._texts = texts

    async def begin(self) -> None:
        """Says in one line if documents are read without confinement or not at all, then catches up.

        It does so again now and then, for what a process that died did not come to enqueue.
        """
        await self.announce()
        while await self._texts.may_read():
            await self.enqueue_unread()
            await asyncio.sleep(_EVERY_SECONDS)

    async def announce(self) -> None:
        found = await measure.measured()
        if found.tier != "C":
            return
        unconfined = self._host.setting(UNCONFINED)
        action = "extraction.unconfined" if unconfined else "extraction.refused"
        remedy = "SERVICE_REPO_UNCONFINED is on; turn it off to refuse" if unconfined else REMEDY
        _log.warning(action, extra={"fields": {"sandbox": found.describe(), "remedy": remedy}})

    async def enqueue_unread(self) -> int:
        """Enqueues a job for each that has none; returns how many objects were looked at."""
        jobs = self._host.find_service(Jobs)
        looked_at, last = 0, ("", "")
        while jobs is not None:
            async with self._host.data.read() as reader:
                rows = await reader.all(sql.all_unread, team_id=last[0], id=last[1], limit=_BATCH)
            for row in rows:
                await self._enqueue(jobs, row)
            looked_at += len(rows)
            if len(rows) < _BATCH:
                break
            last = (rows[-1]["team_id"], rows[-1]["id"])
        return looked_at

    async def _enqueue(self, jobs: Jobs, row: Row) -> None:
        """Enqueues the reading of an object, unless a job for it waits or runs; a suspended company waits."""
        try:
            async with self._host.data.write(within=row["org_id"]) as writer:
                await jobs.enqueue(
                    writer,
                    new_extraction(
                        row["org_id"],
                        row["team_id"],
                        row["owner_id"],
                        row["id"],
                        row["newest_id"],
                        row["number"],
                    ),
                )
        except Problem:
            return

"""At the start: what still waits to be read is asked for again, and an operator hears who may read it."""

import logging
from pathlib import Path

from builtin_plugins.repo.settings import REMEDY, UNCONFINED
from builtin_plugins.repo.texts import Texts, new_extraction
from guildhall_sdk import Host, Problem, Row, load_queries
from guildhall_sdk.services.jobs import Jobs
from libs.sandbox import measure

sql = load_queries(Path(__file__).with_name("texts.sql"))

_log = logging.getLogger("guildhall.repo")
_BATCH = 200


class Unread:
    """Objects whose text nobody has asked for any more: the reader was refused, or failed too often."""

    def __init__(self, host: Host, texts: Texts) -> None:
        self._host = host
        self._texts = texts

    async def begin(self) -> None:
        """Says in one line if documents are read without confinement or not at all, then catches up."""
        await self.announce()
        if await self._texts.may_read():
            await self.ask_again()

    async def announce(self) -> None:
        found = await measure.measured()
        if found.tier != "C":
            return
        unconfined = self._host.setting(UNCONFINED)
        action = "extraction.unconfined" if unconfined else "extraction.refused"
        remedy = "SERVICE_REPO_UNCONFINED is on; turn it off to refuse" if unconfined else REMEDY
        _log.warning(action, extra={"fields": {"sandbox": found.describe(), "remedy": remedy}})

    async def ask_again(self) -> int:
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

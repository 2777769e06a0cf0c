"""Deletes what was kept for long enough: a portion at a time, and beside everybody's work."""

import asyncio
import json
import logging
import time
from pathlib import Path

from builtin_plugins.retention.ended_jobs import ended_jobs
from builtin_plugins.retention.periods import JUMP_MS, Period, audit_events
from guildhall_sdk import Host, Reader, Writer, load_queries, rfc3339
from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.plugin import PluginData, Plugins, RemovedPlugin
from guildhall_sdk.retention import FOR_EVER, AuditRetention, Retained
from guildhall_sdk.services.jobs import JobRetention

sql = load_queries(Path(__file__).with_name("queries.sql"))

EVERY_SECONDS = 600.0
TURN_MS = 3600 * 1000
PORTION = 200
_log = logging.getLogger("guildhall.retention")


def all_retained(host: Host | OpenedHost) -> list[Retained]:
    """Returns what plugins contribute, jobs and, where a plugin proves what remains, the audit trail."""
    contributed = [retained for _, retained in host.service(Plugins).owned(Retained)]
    trail = host.find_service(AuditRetention)
    audit = [] if trail is None else [audit_events(trail)]
    jobs = ended_jobs(host.service(JobRetention))
    return sorted([*contributed, *audit, jobs], key=lambda retained: retained.name)


class RetentionSweeper:
    """Runs in every process; one at a time deletes. What one was killed at, the next goes on with."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def run(self) -> None:
        """Sweeps every ten minutes until it is cancelled, and not while the server comes up."""
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            await self.sweep()

    async def sweep(self) -> int:
        """Goes once through all that is kept for a time; returns how many rows it deleted.

        What fails keeps nothing else from going, and is raised in the end.
        """
        deleted, failure = 0, None
        for retained in all_retained(self._host):
            try:
                await self._announce(retained)
                deleted += await self._take_turn(retained)
            except Exception as error:
                failure = failure or error
        if failure is not None:
            raise failure
        return deleted

    async def _announce(self, retained: Retained) -> None:
        """Writes down a time that is another than before: from then on the notice runs.

        It runs anew where nobody has looked for long: the server was off, or the clock is far ahead.
        """
        now, days = self._host.clock.now_ms(), self._host.setting(retained.keep_days)
        async with self._host.data.write() as writer:
            row = await writer.one(sql.period, name=retained.name)
            jumped = row is not None and 0 < row["looked_at"] < now - JUMP_MS
            was_ahead = row is not None and row["since"] > now + TURN_MS
            if row is not None and row["days"] == days and not jumped and not was_ahead:
                return
            before = FOR_EVER if row is None or jumped else Period.of(row).days_at(now)
            await writer.run(sql.announce, name=retained.name, days=days, days_before=before, now=now)
        period = Period(days, before, now)
        fields = {"name": retained.name, "days": days, "from": rfc3339(period.holds_from_ms)}
        if row is not None and jumped and days != FOR_EVER:
            fields["last_look"] = rfc3339(row["looked_at"])
            _log.warning("retention.clock_jumped", extra={"fields": fields})
        else:
            _log.info("retention.changed", extra={"fields": fields})

    async def _take_turn(self, retained: Retained) -> int:
        """Deletes what is over, unless another process did within the hour; returns how many rows went."""
        now = self._host.clock.now_ms()
        async with self._host.data.write() as writer:
            row = await writer.one(
                sql.take_turn, name=retained.name, now=now, before=now - TURN_MS, ahead=now + TURN_MS
            )
        over_before = None if row is None else Period.of(row).over_before(now)
        return 0 if over_before is None else await self.delete_expired(retained, over_before)

    async def delete_expired(self, retained: Retained, over_before: int) -> int:
        """Deletes all that was over before then; returns how many rows went."""
        deleted = 0
        while await self._is_more(retained, over_before):
            many = await self._delete_portion(retained, over_before)
            deleted += many
            if not many and retained.seek is None:
                break
        if deleted:
            fields = {"name": retained.name, "rows": deleted, "over_before": rfc3339(over_before)}
            _log.info("retention.thrown_away", extra={"fields": fields})
        return deleted

    async def _is_more(self, retained: Retained, over_before: int) -> bool:
        if retained.seek is None:
            return True
        async with self._host.data.read() as reader:
            return await retained.seek(reader, over_before)

    async def _delete_portion(self, retained: Retained, over_before: int) -> int:
        """Deletes one portion, and rests for as long as that took."""
        began = time.monotonic()
        async with self._host.data.write() as writer:
            many = await retained.delete_expired(writer, over_before, PORTION)
            if many:
                now = self._host.clock.now_ms()
                await writer.run(sql.add_thrown_away, name=retained.name, many=many, now=now)
        await asyncio.sleep(time.monotonic() - began)
        return many


async def _count(reader: Reader, removed: RemovedPlugin) -> int:
    return int(await reader.value(sql.count_of_names, names=_names(removed)))


async def _remove(writer: Writer, removed: RemovedPlugin) -> None:
    await writer.run(sql.drop_names, names=_names(removed))


def _names(removed: RemovedPlugin) -> str:
    return json.dumps([*removed.names(Retained)])


PLUGIN_DATA = (PluginData(name="retention periods", count=_count, remove=_remove),)

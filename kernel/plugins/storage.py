"""What the server itself stores of plugins, installed or not: their tables, and what waits for them."""

from functools import partial
from pathlib import Path

from guildhall_sdk import Clock, Reader, Statement, Writer, load_queries
from guildhall_sdk.plugin import PluginData, RemovedPlugin
from kernel.db.owned_schema import drop_schema, objects_of, steps_by_owner
from kernel.features import SWITCH_DATA

sql = load_queries(Path(__file__).with_name("storage.sql"))


class StoredForPlugins:
    """Implements the SDK's `PluginStorage`."""

    migrations = staticmethod(steps_by_owner)
    objects = staticmethod(objects_of)
    drop = staticmethod(drop_schema)

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.data = (
            PluginData(
                name="waiting jobs", count=partial(_count, sql.waiting_jobs), remove=self._cancel_jobs
            ),
            PluginData(name="waiting events", count=partial(_count, sql.waiting_events), remove=_drop_events),
            SWITCH_DATA,
        )

    async def _cancel_jobs(self, writer: Writer, removed: RemovedPlugin) -> None:
        await writer.run(sql.cancel_waiting_jobs, owner=removed.id, now=self._clock.now_ms())


async def _count(statement: Statement, reader: Reader, removed: RemovedPlugin) -> int:
    return int(await reader.value(statement, owner=removed.id))


async def _drop_events(writer: Writer, removed: RemovedPlugin) -> None:
    await writer.run(sql.drop_waiting_events, owner=removed.id)

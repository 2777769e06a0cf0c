"""The plugins with what the last start of a server found of them, and what removed ones left."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from builtin_plugins.operations.plugin_records import (
    REMOVED,
    TABLE,
    PluginRecord,
    Records,
    Remains,
    find_remains,
    read_records,
    records_of,
    save_records,
)
from guildhall_sdk import Host, Reader
from guildhall_sdk.commands import CommandHost
from guildhall_sdk.engines.engine import DatabaseEngine, InstanceTables
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.plugin import Plugins, PluginStatus, PluginStorage
from guildhall_sdk.retention import AuditRetention
from guildhall_sdk.services.server import InstanceFacts, InstanceInspection

#: The youngest of the tables in which something is stored for plugins.
_YOUNGEST = "event_outbox"
_log = logging.getLogger("guildhall.boot")


class StoredRecords:
    """Implements the SDK's `PluginRecords`."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def record(self) -> None:
        """Records the plugins, and logs what removed ones have left.

        Writes nothing where nothing has changed: a start must not wait for the disk without need.
        """
        host, facts, plugins = self._host, self._host.service(InstanceFacts), self._host.service(Plugins)
        async with host.data.read() as reader:
            before = await read_records(reader, facts)
        remains = await find_remains(host.data, plugins, host.service(PluginStorage), before)
        for one in remains:
            fields = {"plugin": one.plugin.id, "detail": one.advise()}
            _log.warning("plugin.orphaned", extra={"fields": fields})
        now = records_of(plugins, before, [one.plugin.id for one in remains])
        if now != before:
            await save_records(host.data, facts, now)


async def plugin_states(host: CommandHost) -> tuple[Sequence[PluginStatus], Sequence[str]]:
    """Returns the state of every plugin, and remarks; raises `OperatorError` where no server would start."""
    inspection = host.service(InstanceInspection)
    statuses, found = inspection.plugins()
    remarks = [*found]
    loaded = [status.id for status in statuses if status.status == "loaded"]
    if not any(AuditRetention.__name__ in host.plugins.contents(one).get("service", ()) for one in loaded):
        remarks.append("no plugin proves the audit trail: it is written, without anchors and checkpoints")
    try:
        records, remains = await _recorded(host)
        served = await inspection.is_served()
    except OperatorError as error:
        remarks.append(f"What a server found when it started cannot be told: {error}")
    else:
        statuses = [_as_recorded(status, records.get(status.id)) for status in statuses]
        if served and records:
            statuses = [_as_running(status, records.get(status.id)) for status in statuses]
        remarks += [one.advise() for one in remains]
    return statuses, remarks


async def known_records(reader: Reader, engine: DatabaseEngine, facts: InstanceFacts) -> Records:
    """Reads the records; none in a database that no server of this version has started with."""
    if await reader.one(engine.schema.table_exists, name=TABLE) is None:
        return {}
    return await read_records(reader, facts)


async def _recorded(host: CommandHost) -> tuple[Records, list[Remains]]:
    tables, plugins = host.service(InstanceTables), host.service(Plugins)
    async with tables.opened() as data:
        async with data.read() as reader:
            records = await known_records(reader, tables.engine, host.service(InstanceFacts))
            if await reader.one(tables.engine.schema.table_exists, name=_YOUNGEST) is None:
                return records, []
        return records, await find_remains(data, plugins, host.service(PluginStorage), records)


def _as_recorded(status: PluginStatus, record: PluginRecord | None) -> PluginStatus:
    """Migrations, statements and `on_start` fail in a server only; another version was not tried there."""
    failed = record is not None and record.status == "quarantined" and record.version == status.version
    if record is None or not failed or status.status != "loaded":
        return status
    return replace(status, status="quarantined", reason=f"at the last start: {record.reason}")


def _as_running(status: PluginStatus, record: PluginRecord | None) -> PluginStatus:
    """Adds what a server that started before the last install runs in its place."""
    if status.status != "loaded":
        return status
    if record is None or record.status == REMOVED:
        return replace(status, reason=f"{status.version} is installed and not running: restart the server")
    if record.status == "loaded" and record.version != status.version:
        reason = f"{status.version} is installed, {record.version} is running: restart the server"
        return replace(status, reason=reason)
    return status

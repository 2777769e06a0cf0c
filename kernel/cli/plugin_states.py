"""The state of every plugin: what an import tells, and what the last start of a server found beyond that."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from guildhall_sdk.engines.engine import DatabaseUnreachable
from guildhall_sdk.plugin import PluginStatus
from guildhall_sdk.services.audit import AuditRetention
from kernel.cli.opened import opened_database
from kernel.config import Settings, SettingsError
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import discover
from kernel.plugins.engines import engine_in
from kernel.plugins.orphans import Orphan, find_orphans
from kernel.plugins.records import PluginRecord, read_records, server_runs
from kernel.registry import Registry


@dataclass(frozen=True, slots=True)
class PluginStates:
    """`remarks` are lines for the operator that belong to no plugin that is there."""

    statuses: Sequence[PluginStatus]
    remarks: Sequence[str]


async def plugin_states(settings: Settings) -> PluginStates:
    """Raises `BootRefused` where a server would not start at all."""
    admission = Admission()
    admission.admit_all(discover(settings.plugins, settings.blob_store), settings.plugins_blocked)
    statuses = admission.registry.statuses()
    remarks = [
        f"SERVICE_PLUGINS_BLOCKED: there is no plugin {unknown} to block"
        for unknown in admission.unknown_blocked
    ]
    if not any(AuditRetention in plugin.services for plugin in admission.registry.plugins):
        remarks.append("no plugin proves the audit trail: it is written, without anchors and checkpoints")
    try:
        records, orphans, served = await _recorded(settings, admission.registry)
    except (DatabaseUnreachable, SettingsError) as error:
        remarks.append(f"What a server found when it started cannot be told: {error}")
    else:
        known = {record.id: record for record in records}
        statuses = [_as_recorded(status, known.get(status.id)) for status in statuses]
        if served and records:
            statuses = [_as_running(status, known.get(status.id)) for status in statuses]
        remarks += [orphan.describe() for orphan in orphans]
    return PluginStates(statuses, remarks)


async def _recorded(
    settings: Settings, registry: Registry
) -> tuple[Sequence[PluginRecord], Sequence[Orphan], bool]:
    async with opened_database(settings, engine_in(registry, settings), made=False) as data:
        async with data.read() as reader:
            records = await read_records(reader)
            served = data.owned_by_server or await server_runs(reader)
        return records, await find_orphans(data, records, registry), served


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
    if record is None or record.status == "removed":
        return replace(status, reason=f"{status.version} is installed and not running: restart the server")
    if record.status == "loaded" and record.version != status.version:
        reason = f"{status.version} is installed, {record.version} is running: restart the server"
        return replace(status, reason=reason)
    return status

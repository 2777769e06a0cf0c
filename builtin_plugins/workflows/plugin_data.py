"""What workflows store for the plugins that ship some."""

from builtin_plugins.workflows.definitions import sql
from guildhall_sdk import Reader, Writer
from guildhall_sdk.plugin import PluginData, RemovedPlugin


async def _count(reader: Reader, removed: RemovedPlugin) -> int:
    return int(await reader.value(sql.count_of_source, source=removed.id))


async def _remove(writer: Writer, removed: RemovedPlugin) -> None:
    """Removes the versions, but for those that runs began with: they stay readable, and are nobody's."""
    await writer.run(sql.detach_used_versions, source=removed.id)
    await writer.run(sql.drop_versions_of_source, source=removed.id)


PLUGIN_DATA = (PluginData(name="workflow versions", count=_count, remove=_remove),)

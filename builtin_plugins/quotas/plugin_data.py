"""What quotas store for the plugins whose dimensions they count."""

import json

from builtin_plugins.quotas.store import sql
from guildhall_sdk import Reader, Writer
from guildhall_sdk.plugin import PluginData, RemovedPlugin
from guildhall_sdk.services.quotas import Dimension


async def _count(reader: Reader, removed: RemovedPlugin) -> int:
    return int(await reader.value(sql.count_of_dimensions, names=_dimensions(removed)))


async def _remove(writer: Writer, removed: RemovedPlugin) -> None:
    """Removes what was counted and reserved, and the limits that an operator set."""
    await writer.run(sql.drop_holds_of_dimensions, names=_dimensions(removed))
    await writer.run(sql.drop_counters_of_dimensions, names=_dimensions(removed))


def _dimensions(removed: RemovedPlugin) -> str:
    return json.dumps([*removed.names(Dimension)])


PLUGIN_DATA = (PluginData(name="quota counters", count=_count, remove=_remove),)

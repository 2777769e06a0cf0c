"""What retention stores for the plugins whose old rows it deletes."""

import json

from builtin_plugins.retention.throwing_away import sql
from guildhall_sdk import Reader, Writer
from guildhall_sdk.plugin import PluginData, RemovedPlugin
from guildhall_sdk.retention import Retained


async def _count(reader: Reader, removed: RemovedPlugin) -> int:
    return int(await reader.value(sql.count_of_names, names=_names(removed)))


async def _remove(writer: Writer, removed: RemovedPlugin) -> None:
    await writer.run(sql.drop_names, names=_names(removed))


def _names(removed: RemovedPlugin) -> str:
    return json.dumps([*removed.names(Retained)])


PLUGIN_DATA = (PluginData(name="retention periods", count=_count, remove=_remove),)

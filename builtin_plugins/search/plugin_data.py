"""What search stores for the plugins whose things it finds."""

import json

from builtin_plugins.search.indexing import sql
from guildhall_sdk import Reader, SearchSource, Writer
from guildhall_sdk.plugin import PluginData, RemovedPlugin


async def _count(reader: Reader, removed: RemovedPlugin) -> int:
    return int(await reader.value(sql.count_of_types, names=_types(removed)))


async def _remove(writer: Writer, removed: RemovedPlugin) -> None:
    """Removes the documents, and how far the index had come: the next install begins anew."""
    await writer.run(sql.drop_words_of_types, names=_types(removed))
    await writer.run(sql.drop_documents_of_types, names=_types(removed))
    await writer.run(sql.drop_progress_of_types, names=_types(removed))


def _types(removed: RemovedPlugin) -> str:
    return json.dumps([*removed.names(SearchSource)])


PLUGIN_DATA = (PluginData(name="search documents", count=_count, remove=_remove),)

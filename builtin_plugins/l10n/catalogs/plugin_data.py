"""What localization stores for the plugins that ship catalogs."""

from builtin_plugins.l10n.catalogs.revision import bump, sql
from guildhall_sdk import Reader, Writer
from guildhall_sdk.plugin import PluginData, RemovedPlugin
from guildhall_sdk.services.localization import MessageCatalogs


async def _count(reader: Reader, removed: RemovedPlugin) -> int:
    counted = [await reader.value(sql.count_of_namespace, ns=ns) for ns in removed.names(MessageCatalogs)]
    return sum(counted)


async def _remove(writer: Writer, removed: RemovedPlugin) -> None:
    """Removes the messages with their history and their drafts, in all languages."""
    for ns in removed.names(MessageCatalogs):
        await writer.all(sql.lock_messages_of_namespace, ns=ns)
    for ns in removed.names(MessageCatalogs):
        await writer.run(sql.drop_history_of_namespace, ns=ns)
        await writer.run(sql.drop_messages_of_namespace, ns=ns)
    await bump(writer)


PLUGIN_DATA = (PluginData(name="translated messages", count=_count, remove=_remove),)

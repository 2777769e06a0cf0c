"""What is stored about catalogs: the policy, the revision of what is served, texts of plugins."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from builtin_plugins.l10n.catalogs.tags import SOURCE, locale_name
from guildhall_sdk import Reader, Writer, load_queries
from guildhall_sdk.plugin import PluginData, RemovedPlugin
from guildhall_sdk.services.localization import LocalePolicy, MessageCatalogs

sql = load_queries(Path(__file__).with_name("queries.sql"))

# From this part of its texts approved on, a language that was opened here is offered to people.
OFFERED = 0.8
# People look for a language where it stood last time.
_FIRST = (SOURCE, "es", "nl", "is")


async def bump_revision(writer: Writer) -> None:
    """Says in this transaction that what is served has changed.

    Who commits it awaits `ServedCatalogs.settle()` before they answer, or lets the reply do it.
    """
    await writer.run(sql.bump_revision)


async def current_revision(reader: Reader) -> int:
    """Returns the revision as committed."""
    return int(await reader.value(sql.revision))


class StoredPolicy(NamedTuple):
    """The policy as stored, with the languages that were opened here and those that are translated enough."""

    default_locale: str
    switching: bool
    opened: Sequence[str] = ()
    translated: Sequence[str] = ()

    def over(self, locales: Iterable[str]) -> LocalePolicy:
        """Returns the policy as people see it; `locales` are those of the files.

        A language that is not translated enough is offered only where it is the default.
        """
        offered = {self.default_locale, *self.translated, *locales}
        ordered = [one for one in _FIRST if one in offered] + sorted(offered - {*_FIRST})
        return LocalePolicy(self.default_locale, list(map(locale_name, ordered)), self.switching)


async def stored_policy(reader: Reader) -> StoredPolicy:
    """Returns the policy as committed."""
    row = await reader.one(sql.policy)
    assert row is not None, "the migration makes the row"
    opened = await reader.all(sql.opened_locales)
    return StoredPolicy(
        row["default_locale"],
        bool(row["switching"]),
        tuple(one["code"] for one in opened),
        tuple(one["code"] for one in opened if one["approved"] and one["approved"] >= OFFERED * one["total"]),
    )


async def change_policy(writer: Writer, changes: Mapping[str, Any]) -> None:
    """Changes what is given; what is so already is no change."""
    # One after another: what the trail names as changed is what this changes.
    await writer.serialize("l10n:policy")
    row = await writer.one(sql.policy)
    assert row is not None, "the migration makes the row"
    before = {"default_locale": row["default_locale"], "switching": bool(row["switching"])}
    changed = {name: value for name, value in changes.items() if before[name] != value}
    if not changed:
        return
    after = {**before, **changed}
    await writer.run(
        sql.change_policy, default_locale=after["default_locale"], switching=int(after["switching"])
    )
    detail = {"from": {name: before[name] for name in changed}, "to": changed}
    writer.audit("localization.changed", ("localization", "policy"), detail=detail)


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
    await bump_revision(writer)


PLUGIN_DATA = (PluginData(name="translated messages", count=_count, remove=_remove),)

"""Import: what the files on disk say goes into the manager's table, a part at a time; drafts go."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from builtin_plugins.l10n.catalogs.files import OVERLAY, DiskCatalogs, FileFault
from builtin_plugins.l10n.catalogs.policy import bump_revision
from builtin_plugins.l10n.catalogs.served import ServedCatalogs
from builtin_plugins.l10n.catalogs.tags import SOURCE
from builtin_plugins.l10n.messages.comparison import Changes, Counts, compare, parts_of
from builtin_plugins.l10n.messages.message import MESSAGES, sql
from guildhall_sdk import Conflict, Host, Reader, Writer
from guildhall_sdk.services.pages import LiveLists
from libs.fair_slots import TEXTS

#: So many messages are changed in one transaction.
PART = 500
MAX_LOCALES = 200
_TRIES = 20
BULK_LOCK = "l10n.bulk"


class _Raced(Exception):
    """Somebody has changed a message since it was compared."""


@dataclass(frozen=True, slots=True, eq=False)
class Import:
    """One import; `read` and `write` open scopes for whoever asked for it, `holder` is their company."""

    host: Host
    holder: str
    read: Callable[[], AbstractAsyncContextManager[Reader]]
    write: Callable[[], AbstractAsyncContextManager[Writer]]

    async def run(self, locale: str | None) -> Counts:
        """Imports one language, which may be a new one, or all that there are files or messages for.

        Every part commits by itself: whoever stops it in between finds each message as it was or as it is to
        be, and another import goes on from there. A new language is listed once it is there in full.
        """
        disk = await self.host.service(ServedCatalogs).read_disk()
        _check_files(disk.faults, locale)
        async with self.read() as reader:
            opened = [str(row["code"]) for row in await reader.all(sql.locales)]
        wanted = sorted({*disk.locales, *opened} - {SOURCE}) if locale is None else [locale]
        if len({*opened, *wanted}) > MAX_LOCALES:
            raise Conflict(
                f"{MAX_LOCALES} languages are translated here already; that is the limit.",
                code="too_many_locales",
            )
        counts = Counts()
        for one in wanted:
            counts += await self._import_locale(one, disk, is_new=one not in opened)
        if counts == Counts():
            # The table may know already what the files of this host say only now.
            async with self.write() as writer:
                await bump_revision(writer)
        return counts

    async def _import_locale(self, locale: str, disk: DiskCatalogs, *, is_new: bool) -> Counts:
        texts, counts = disk.texts.get(locale, {}), Counts()
        for after, last, sources in parts_of(disk.source, PART):
            counts += await self._import_part(locale, after, last, sources, texts)
        if is_new:
            await self._open(locale)
        return counts

    async def _import_part(
        self, locale: str, after: str, last: str, sources: Sequence[tuple[str, str]], texts: Mapping[str, str]
    ) -> Counts:
        for _ in range(_TRIES):
            async with self.read() as reader:
                rows = await reader.all(sql.messages_between, locale=locale, after=after, last=last)
            now_ms = self.host.clock.now_ms()
            changes = await TEXTS.run(self.holder, partial(compare, locale, sources, texts, rows, now_ms))
            if not changes:
                return changes.counts
            try:
                await self._apply(locale, changes, now_ms)
            except _Raced:
                continue
            return changes.counts
        raise Conflict("Others change these messages all the time; try again.", code="busy")

    async def _apply(self, locale: str, changes: Changes, now_ms: int) -> None:
        async with self.write() as writer:
            # Who changes many messages at once waits for whoever else does, and not in the middle of it.
            await writer.serialize(BULK_LOCK)
            # First what others hold: who approves a message waits for the counts of its language meanwhile.
            if changes.revised:
                revised = await writer.all(sql.revise_messages, messages=changes.revisions, now=now_ms)
                if len(revised) != changes.revised:
                    raise _Raced
            if changes.inserted:
                new = await writer.all(
                    sql.insert_messages, locale=locale, messages=changes.inserts, now=now_ms
                )
                if len(new) != changes.inserted:
                    raise _Raced
            if changes.recorded:
                await writer.run(sql.record_changes, changes=changes.history, now=now_ms)
            await bump_revision(writer)
            writer.after_commit(partial(self.host.service(LiveLists).changed, MESSAGES))
            writer.audit("localization.imported", ("locale", locale), detail=changes.counts.public())

    async def _open(self, locale: str) -> None:
        async with self.write() as writer:
            if await writer.one(sql.open_locale, code=locale, now=self.host.clock.now_ms()) is None:
                return
            await bump_revision(writer)
            writer.audit("localization.opened", ("locale", locale))


def overlay_folder(host: Host) -> Path:
    """Returns where the exported copies lie, which overlay the shipped files."""
    return host.settings.data / OVERLAY


def _check_files(faults: Sequence[FileFault], locale: str | None) -> None:
    """Raises `Conflict` for a file that this import would read, and cannot.

    Of a whole folder nobody knows what is in it: its keys have not left the source.
    """
    needed = () if locale is None else (f"{locale}.json", f"{SOURCE}.json")
    found = [
        str(fault)
        for fault in faults
        if not needed or fault.file in needed or not fault.file.endswith(".json")
    ]
    if found:
        raise Conflict(
            f"Nothing was imported: {found[0]}. Mend or remove it, and import again.",
            code="catalog_unreadable",
            files=found[:20],
        )


async def discard_drafts(writer: Writer, locale: str, now_ms: int) -> int:
    """Removes the machine drafts of a language, and returns how many there were; nobody's own work goes."""
    await writer.serialize(BULK_LOCK)
    discarded = await writer.all(sql.discard_machine_work, locale=locale, now=now_ms)
    if discarded:
        changes = [(row["id"], row["version"], "discarded", None) for row in discarded]
        await writer.run(sql.record_changes, changes=json.dumps(changes), now=now_ms)
        writer.audit("localization.discarded", ("locale", locale), detail={"discarded": len(discarded)})
    return len(discarded)

"""What is served: for each chain of languages its messages, rendered once for each revision."""

import asyncio
import hashlib
import logging
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from builtin_plugins.l10n.catalogs.files import (
    OVERLAY,
    DiskCatalogs,
    Texts,
    files_mark,
    fits,
    namespace_of,
    read_catalogs,
)
from builtin_plugins.l10n.catalogs.policy import StoredPolicy, current_revision, sql, stored_policy
from builtin_plugins.l10n.catalogs.row_cache import RowCache
from builtin_plugins.l10n.catalogs.tags import SOURCE, chain_of
from guildhall_sdk import Host, Reply
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.localization import LocalePolicy, MessageCatalogs
from libs.fair_slots import TEXTS
from libs.strict_json import encode_json

_HEADERS = {"Cache-Control": "no-cache"}
_log = logging.getLogger("guildhall.l10n")


class Catalog(NamedTuple):
    """The messages of one chain of languages, also as JSON; the tag changes with any of them."""

    messages: Texts
    rendered: bytes
    etag: str


@dataclass(frozen=True, slots=True)
class Edition:
    """All that is served at one revision.

    `catalogs` and `replies` grow as they are asked for, by languages that have texts alone: a tag that
    nobody translates shares the catalog of those behind it.
    """

    stored: StoredPolicy
    disk: DiskCatalogs
    policy: LocalePolicy
    known: frozenset[str]
    approved: dict[str, Texts] = field(default_factory=dict)
    catalogs: dict[Sequence[str], Catalog] = field(default_factory=dict)
    replies: dict[str | None, Reply] = field(default_factory=dict)


class ServedCatalogs:
    """The policy and the catalogs as every process serves them: the service `Localization`, and more."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._remembered = RowCache(host.data, current_revision, stored_policy)
        self._lock = asyncio.Lock()
        self._edition: Edition | None = None
        self._mark: Hashable = None

    async def settle(self) -> None:
        """Waits, after a commit that bumped the revision, until no process serves what was there before."""
        await self._remembered.settle()

    async def policy(self) -> LocalePolicy:
        return (await self._current()).policy

    async def chain(self, locale: str | None) -> Sequence[str]:
        return chain_of(locale, (await self._current()).stored.default_locale)

    async def messages(self, locale: str | None, namespace: str | None = None) -> Mapping[str, str]:
        edition = await self._current()
        found = (await self._catalog(edition, chain_of(locale, edition.stored.default_locale))).messages
        if namespace is None:
            return found
        return {key: text for key, text in found.items() if namespace_of(key) == namespace}

    async def is_known(self, locale: str) -> bool:
        """Tells whether a language has a catalog here, or was opened for translation.

        One that only plugins have texts for is none that people could read all screens in.
        """
        edition = await self._current()
        return locale in {
            SOURCE,
            edition.stored.default_locale,
            *edition.disk.locales,
            *edition.stored.opened,
        }

    async def reply(self, locale: str | None) -> Reply:
        """Returns the catalog as the API answers it; a wish that was met before costs next to nothing."""
        edition = await self._current()
        reply = edition.replies.get(locale)
        if reply is None:
            reply = await self._made_reply(edition, locale)
            if locale is None or locale in edition.known:
                edition.replies[locale] = reply
        return reply

    async def _made_reply(self, edition: Edition, locale: str | None) -> Reply:
        chain = chain_of(locale, edition.stored.default_locale)
        catalog = await self._catalog(edition, chain)
        head = encode_json({"locale": chain[0], "chain": chain})
        content = b'%s,"messages":%s}' % (head.rstrip()[:-1], catalog.rendered)
        return Reply(content=content, headers=_HEADERS, etag=catalog.etag)

    async def read_disk(self) -> DiskCatalogs:
        """Reads the files of this host anew, on a thread."""
        return await TEXTS.run_steps("catalogs", read_catalogs(*self._places()))

    def _places(self) -> tuple[Sequence[tuple[str, MessageCatalogs]], Path]:
        contributed = self._host.service(Plugins).owned(MessageCatalogs)
        return contributed, self._host.settings.data / OVERLAY

    async def _changed_disk(self) -> DiskCatalogs:
        """Reads the files, unless they are those that were read last: most changes are of the database."""
        mark = await asyncio.to_thread(files_mark, *self._places())
        if self._edition is not None and mark is not None and mark == self._mark:
            return self._edition.disk
        disk = await self.read_disk()
        self._mark = mark
        return disk

    async def _current(self) -> Edition:
        stored = await self._remembered.get()
        if self._edition is not None and self._edition.stored is stored:
            return self._edition
        async with self._lock:
            # Whoever held the lock may have made it; what is remembered may have moved on since.
            stored = await self._remembered.get()
            if self._edition is None or self._edition.stored is not stored:
                self._edition = await self._new_edition(stored)
            return self._edition

    async def _new_edition(self, stored: StoredPolicy) -> Edition:
        disk = await self._changed_disk()
        if self._edition is None or self._edition.disk.faults != disk.faults:
            for fault in disk.faults:
                fields = {"file": fault.file, "problem": fault.problem}
                _log.warning("l10n.file_refused", extra={"fields": fields})
        known = frozenset({*disk.texts, *disk.locales, *stored.opened, stored.default_locale, SOURCE})
        return Edition(stored, disk, stored.over(disk.locales), known)

    async def _catalog(self, edition: Edition, chain: Sequence[str]) -> Catalog:
        met = tuple(locale for locale in chain if locale in edition.known)
        found = edition.catalogs.get(met)
        if found is not None:
            return found
        async with self._lock:
            if met not in edition.catalogs:
                layers = [await self._layer(edition, locale) for locale in met]
                edition.catalogs[met] = await asyncio.to_thread(_rendered, edition.disk.source, met, layers)
            return edition.catalogs[met]

    async def _layer(self, edition: Edition, locale: str) -> tuple[Texts, Texts]:
        """Returns the texts of one language: those approved in the database, and those of the files."""
        if locale != SOURCE and locale not in edition.approved:
            # Read later than the revision: what is newer is served early, and nothing late.
            async with self._host.data.read() as reader:
                rows = await reader.all(sql.approved_texts, locale=locale)
            edition.approved[locale] = {row["key"]: row["approved_text"] for row in rows}
        return edition.approved.get(locale, {}), edition.disk.texts.get(locale, {})


def _rendered(source: Texts, chain: Sequence[str], layers: Sequence[tuple[Texts, Texts]]) -> Catalog:
    messages = {key: _text_of(key, text, layers) for key, text in source.items()}
    rendered = encode_json(messages)
    digest = hashlib.sha256(encode_json(list(chain)) + rendered).hexdigest()[:32]
    return Catalog(messages, rendered, f'"{digest}"')


def _text_of(key: str, source: str, layers: Sequence[tuple[Texts, Texts]]) -> str:
    """Returns the first text on the way that a screen can show: one that fits the source as it is now."""
    for layer in layers:
        for texts in layer:
            text = texts.get(key)
            if text is not None and fits(source, text):
                return text
    return source

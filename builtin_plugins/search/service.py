"""The service `Search`: what a caller may read, by the words in it."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import get_args

from builtin_plugins.search.finding import Question, note_failure, present, readable_among
from builtin_plugins.search.meaning import MeaningSearch
from guildhall_sdk import Host, InvalidRequest, Permission, PermissionDenied, Principal, SearchSource
from guildhall_sdk.plugin import Features, Plugins
from guildhall_sdk.replies import decode_cursor
from guildhall_sdk.services.search import FoundPage, SearchMode

SEARCH = "search"

PERMISSIONS = (Permission(name=SEARCH, description="Search", roles=["viewer"]),)


# These are types whether or not the plugin that brings them is there.
KNOWN_TYPES = frozenset({"note", "object", "entity"})


class IndexSearch:
    """Implements the SDK's `Search`."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def find(
        self,
        principal: Principal,
        text: str,
        *,
        type: str | None = None,
        across_company: bool = False,
        cursor: str | None = None,
        limit: int = 50,
        mode: SearchMode | None = "words",
    ) -> FoundPage:
        for permission in (SEARCH, "org:read") if across_company else (SEARCH,):
            if not principal.may(permission):
                raise PermissionDenied(permission)
        sources = self._sources(principal, type)
        declared = self._host.service(Plugins).declared(SearchSource)
        if mode not in (None, *get_args(SearchMode)):
            raise InvalidRequest.at("?mode", "is words, meaning or hybrid")
        question = Question(text, sources, across_company, decode_cursor(cursor), limit + 1, declared)
        now_ms = self._host.clock.now_ms()
        failed = partial(note_failure, self._host.service(Plugins), now_ms)
        search = MeaningSearch(self._host, principal, question, now_ms, failed)
        found = await search.page(mode)
        items = await present(found, principal, question)
        await search.add_passages(found, items)
        return FoundPage(items=items, next_cursor=found.next_cursor, unavailable=found.unavailable)

    async def readable(
        self, principal: Principal, documents: Sequence[tuple[str, str]]
    ) -> Mapping[tuple[str, str], str]:
        if not principal.may(SEARCH) or not documents:
            return {}
        declared = self._host.service(Plugins).declared(SearchSource)
        question = Question("", self._sources(principal, None), False, None, 1, declared)
        now_ms = self._host.clock.now_ms()
        failed = partial(note_failure, self._host.service(Plugins), now_ms)
        async with self._host.data.read() as reader:
            rows = await readable_among(reader, principal, question, documents, now_ms, failed)
        return {document: row["title"] for document, row in rows.items()}

    def url(self, type: str, ref_id: str) -> str:
        for source in self._host.service(Plugins).declared(SearchSource):
            if source.type == type:
                return source.url.replace("{id}", ref_id)
        return ""

    def _sources(self, principal: Principal, wanted: str | None) -> Sequence[SearchSource]:
        sources = self._host.service(Plugins).owned(SearchSource)
        switches = self._host.service(Features).of(principal)
        if wanted not in (None, *KNOWN_TYPES, *(source.type for _, source in sources)):
            raise InvalidRequest.at("?type", "is no type of thing that can be found")
        return [
            source
            for plugin_id, source in sources
            if wanted in (None, source.type) and switches.switched_off(plugin_id, source.feature) is None
        ]

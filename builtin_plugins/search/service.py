"""The service `Search`: what a caller may read, by the words in it."""

from collections.abc import Sequence
from functools import partial

from builtin_plugins.search.finding import Question, find, note_failure, present
from guildhall_sdk import Host, InvalidRequest, Permission, PermissionDenied, Principal, SearchSource
from guildhall_sdk.plugin import Features, Plugins
from guildhall_sdk.replies import decode_cursor
from guildhall_sdk.services.search import FoundPage

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
    ) -> FoundPage:
        for permission in (SEARCH, "org:read") if across_company else (SEARCH,):
            if not principal.may(permission):
                raise PermissionDenied(permission)
        sources = self._sources(principal, type)
        declared = self._host.service(Plugins).declared(SearchSource)
        question = Question(text, sources, across_company, decode_cursor(cursor), limit + 1, declared)
        now_ms = self._host.clock.now_ms()
        failed = partial(note_failure, self._host.service(Plugins), now_ms)
        async with self._host.data.read() as reader:
            found = await find(reader, principal, question, now_ms, failed)
        items = await present(found, principal, question)
        return FoundPage(items=items, next_cursor=found.next_cursor, unavailable=found.unavailable)

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

"""HTTP in and out."""

from collections.abc import Sequence
from functools import partial

from builtin_plugins.search.faulty_sources import note_failure
from builtin_plugins.search.finding import Search, find, present
from guildhall_sdk import InvalidRequest, Reply, RequestContext, SearchSource, page, page_bounds
from guildhall_sdk.services import Features, Plugins

# These are types whether or not the plugin that brings them is there.
KNOWN_TYPES = frozenset({"note", "object", "entity"})


async def search(ctx: RequestContext) -> Reply:
    after, fetched = page_bounds(ctx.query)
    across_company = ctx.query["scope"] == "org"
    if across_company:
        ctx.require("org:read")
    wanted = Search(ctx.query["q"], _sources(ctx), across_company, after, fetched)
    failed = partial(note_failure, ctx.service(Plugins), ctx.now_ms)
    async with ctx.read() as reader:
        found = await find(reader, ctx.principal, wanted, ctx.now_ms, failed)
    items = await present(found, ctx.principal, wanted)
    return page(items, found.next_cursor, unavailable=list(found.unavailable))


def _sources(ctx: RequestContext) -> Sequence[SearchSource]:
    sources = ctx.service(Plugins).owned(SearchSource)
    switches = ctx.service(Features).of(ctx.principal)
    wanted = ctx.query.get("type")
    if wanted not in (None, *KNOWN_TYPES, *(source.type for _, source in sources)):
        raise InvalidRequest.at("?type", "is no type of thing that can be found")
    return [
        source
        for plugin_id, source in sources
        if wanted in (None, source.type) and switches.switched_off(plugin_id, source.feature) is None
    ]


HANDLERS = {"search": search}

"""Upkeep of the index: what was there before it, its segments, and what a removed plugin leaves in it.

What was there before is brought in by batches, each kept, the rest at the next start. Every commit adds a
segment to SQLite's index, which merges some as it writes, but leaves more of them the more documents there
are. PostgreSQL has none.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence

from builtin_plugins.search.finding import note_failure
from builtin_plugins.search.indexing import sql
from guildhall_sdk import Host, Problem, Reader, Row, SearchSource, Statement, Unavailable, Writer
from guildhall_sdk.context import BackgroundWork
from guildhall_sdk.data import Data
from guildhall_sdk.plugin import PluginData, Plugins, RemovedPlugin
from guildhall_sdk.services.search import Findable, PreparedText, SearchIndex

BATCH = 20
_PATIENCE_MS = 4_000
_PAUSE_SECONDS = 1.0


async def catch_up(
    host: Host, sources: Sequence[SearchSource], patience_ms: int = _PATIENCE_MS
) -> BackgroundWork | None:
    """Indexes what was there before; what takes longer than a start may goes on in the background."""
    until = host.clock.steady_ms() + patience_ms
    for source in sources:
        while not await _advance(host, source):
            if host.clock.steady_ms() >= until:
                return host.background("catching up", lambda: _catch_up_slowly(host, sources))
    return None


async def _catch_up_slowly(host: Host, sources: Sequence[SearchSource]) -> None:
    for source in sources:
        while not await _advance_in_time(host, source):
            pass


async def _advance_in_time(host: Host, source: SearchSource) -> bool:
    try:
        return await _advance(host, source)
    except Unavailable:
        await asyncio.sleep(_PAUSE_SECONDS)
        return False


async def _advance(host: Host, source: SearchSource) -> bool:
    """Indexes one batch of a source; returns whether that was all. What is done stays done."""
    if source.every is None:
        return True
    async with host.data.read() as reader:
        progress = await reader.one(sql.progress, type=source.type)
    if progress is not None and progress["done"]:
        return True
    try:
        return await index_batch(host, source.type, source.every)
    except (Problem, RuntimeError):
        raise
    except Exception as error:
        # Somebody else's statement: search starts without what it would have given.
        note_failure(host.service(Plugins), host.clock.now_ms(), source, error)
        return True


async def index_batch(host: Host, type: str, every: Statement) -> bool:
    """Indexes the next few, and records how far that is; returns True when there were no more."""
    prepared = await _prepared(host, type, every)
    async with host.data.write() as writer:
        await writer.serialize(f"search:{type}")
        after = await _after(writer, type)
        last = await _put_some(host, writer, type, prepared, await _batch(writer, every, after))
        await writer.run(sql.set_progress, type=type, after_id=last or after, done=int(last is None))
    return last is None


async def _prepared(host: Host, type: str, every: Statement) -> Mapping[str, PreparedText | None]:
    """Returns the prepared long texts by id, split while no transaction is open."""
    index = host.service(SearchIndex)
    async with host.data.write() as writer:  # the statement locks what it reads
        rows = await _batch(writer, every, await _after(writer, type))
    return {row["ref_id"]: await index.prepare(row["org_id"], row["text"]) for row in rows}


async def _after(writer: Writer, type: str) -> str:
    progress = await writer.one(sql.progress, type=type)
    return "" if progress is None else str(progress["after_id"])


async def _batch(writer: Writer, every: Statement, after: str) -> Sequence[Row]:
    return await writer.all(every, after=after, limit=BATCH)


async def _put_some(
    host: Host, writer: Writer, type: str, prepared: Mapping[str, PreparedText | None], rows: Sequence[Row]
) -> str | None:
    index = host.service(SearchIndex)
    for row in rows:
        await index.put(
            writer,
            Findable(
                type,
                row["ref_id"],
                row["org_id"],
                row["team_id"],
                row["title"],
                row["text"],
                prepared=prepared.get(row["ref_id"]),
            ),
        )
    return rows[-1]["ref_id"] if rows else None


MAX_SEGMENTS = 4
# A server that has just started has other work first.
_FIRST_SECONDS, _EVERY_SECONDS = 600.0, 24 * 3600.0
# So many pages of four kilobytes are written at once: others write in between.
_PAGES, _REST_SECONDS = 64, 0.01


async def merge_periodically(host: Host) -> None:
    """Merges the segments once a day, as long as the server runs."""
    await asyncio.sleep(_FIRST_SECONDS)
    while True:
        await merge_segments(host.data)
        await asyncio.sleep(_EVERY_SECONDS)


async def merge_segments(data: Data, pages: int = _PAGES) -> None:
    """Merges the segments into one where they are many; what is merged stays so if this ends early."""
    async with data.read() as reader:
        if int(await reader.value(sql.count_segments)) <= MAX_SEGMENTS:
            return
    # A negative number begins a merge of all segments, a positive one goes on with it.
    more = await _merge_some(data, -pages)
    while more:
        await asyncio.sleep(_REST_SECONDS)
        more = await _merge_some(data, pages)


async def _merge_some(data: Data, pages: int) -> bool:
    """Returns whether there was anything to merge."""
    async with data.write(durable=False) as writer:
        before = int(await writer.value(sql.count_changes))
        await writer.run(sql.merge, pages=pages)
        # The row of the command itself counts as one.
        return int(await writer.value(sql.count_changes)) - before > 1


async def _count_documents(reader: Reader, removed: RemovedPlugin) -> int:
    return int(await reader.value(sql.count_of_types, names=_types(removed)))


async def _remove_documents(writer: Writer, removed: RemovedPlugin) -> None:
    """Removes the documents, and how far the index had come: the next install begins anew."""
    await writer.run(sql.drop_words_of_types, names=_types(removed))
    await writer.run(sql.drop_documents_of_types, names=_types(removed))
    await writer.run(sql.drop_progress_of_types, names=_types(removed))


def _types(removed: RemovedPlugin) -> str:
    return json.dumps([*removed.names(SearchSource)])


PLUGIN_DATA = (PluginData(name="search documents", count=_count_documents, remove=_remove_documents),)

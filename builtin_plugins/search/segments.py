"""The segments of SQLite's full-text index: every commit adds one, and every look-up asks each of them.

SQLite merges some as it writes, but leaves more of them the more documents there are. PostgreSQL has none.
"""

import asyncio

from builtin_plugins.search.indexing import sql
from guildhall_sdk import Host
from guildhall_sdk.data import Data

MAX_SEGMENTS = 4
# A server that has just started has other work first.
_FIRST_SECONDS, _EVERY_SECONDS = 600.0, 24 * 3600.0
# So many pages of four kilobytes are written at once: others write in between.
_PAGES, _REST_SECONDS = 64, 0.01


async def keep_merged(host: Host) -> None:
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

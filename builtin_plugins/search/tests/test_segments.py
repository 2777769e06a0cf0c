"""Merging the segments of the index: fewer of them, and everything found as before."""

import asyncio

import pytest

from builtin_plugins.search.catching_up import MAX_SEGMENTS, merge_segments
from builtin_plugins.search.indexing import sql
from guildhall_sdk.services.search import SearchIndex

pytestmark = pytest.mark.shared_server


@pytest.fixture
def segments(shelved):
    async def counted():
        async with shelved.server.data.read() as reader:
            return await reader.value(sql.count_segments)

    return counted


async def put_many(put):
    """Each in a commit of its own, so that each adds a segment; more than SQLite merges by itself."""
    return [await put(f"Harbour {number}", f"ships of pier{number}") for number in range(30)]


@pytest.mark.hall_databases("sqlite")
async def test_many_segments_become_few(put, segments, shelved):
    await put_many(put)
    assert await segments() > MAX_SEGMENTS
    await merge_segments(shelved.server.data)
    assert await segments() == 1
    await put("Wages")
    await merge_segments(shelved.server.data)
    assert await segments() == 2  # these are few: nothing is written for them


async def test_what_was_found_is_found_and_what_was_removed_is_not(put, found, shelved):
    things = await put_many(put)
    async with shelved.server.data.write() as writer:
        await shelved.server.service(SearchIndex).remove(writer, "thing", things[7])
    await put("Wages", "mines", ref_id=things[8])
    before = await found("ships"), await found("pier7"), await found("pier8"), await found("wages")
    await merge_segments(shelved.server.data)
    assert before == (await found("ships"), await found("pier7"), await found("pier8"), await found("wages"))
    assert before == ([*reversed(things[9:]), *reversed(things[:7])], [], [], [things[8]])


async def test_others_write_while_it_merges_page_by_page(put, found, shelved):
    things = await put_many(put)

    async def write_more():
        return [await put(f"Wages {number}") for number in range(10)]

    _, more = await asyncio.gather(merge_segments(shelved.server.data, 1), write_more())
    assert await found("ships") == [*reversed(things)]
    assert await found("wages") == [*reversed(more)]


@pytest.mark.usefixtures("shelved")
async def test_a_server_merges_by_itself():
    assert "search: merging the index" in {task.get_name() for task in asyncio.all_tasks()}

"""The index follows what it tells of: put, replaced, removed, undone; and what was there before it."""

import pytest

from builtin_plugins.search import indexing
from builtin_plugins.search.catching_up import BATCH, catch_up, index_batch
from builtin_plugins.search.indexing import take_apart
from builtin_plugins.search.tests.shelf import OLD_THINGS, declare_search_sources
from guildhall_sdk import SearchSource, Statement
from guildhall_sdk.services.search import Findable, SearchIndex

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

_COUNT = "SELECT COUNT(*) FROM search_documents WHERE type = 'thing'"
_WORDS = Statement("words", "SELECT COUNT(*) FROM search_words", "SELECT COUNT(*) FROM search_documents")
_FORGET = "DELETE FROM search_progress"
_PROGRESS = "SELECT after_id, done FROM search_progress WHERE type = 'thing'"


def both(text):
    return Statement("test", text, text)


@pytest.mark.every_database
async def test_putting_again_replaces_the_words(put, found):
    thing = await put("Tariffs", "harbour")
    await put("Wages", "mines", ref_id=thing)
    assert await found("tariffs") == await found("harbour") == []
    assert await found("wages mines") == [thing]


@pytest.mark.every_database
@pytest.mark.own_server
async def test_what_is_removed_is_found_no_more(shelved, put, found):
    thing = await put("Tariffs")
    async with shelved.server.data.write() as writer:
        await shelved.server.service(SearchIndex).remove(writer, "thing", thing)
        await shelved.server.service(SearchIndex).remove(writer, "thing", "never there")
    assert await found("tariffs") == []
    async with shelved.server.data.read() as reader:
        assert await reader.value(_WORDS) == OLD_THINGS
    again = await put("Tariffs", ref_id=thing)
    assert await found("tariffs") == [again]


@pytest.mark.every_database
async def test_a_change_that_is_undone_leaves_no_words(shelved, put, found):
    thing = await put("Tariffs")
    with pytest.raises(ZeroDivisionError):
        async with shelved.server.data.write() as writer:
            index = shelved.server.service(SearchIndex)
            acme = shelved.acme
            await index.put(writer, Findable("thing", thing, acme.org_id, acme.team_id, "Wages", ""))
            await index.put(writer, Findable("thing", "open_new", acme.org_id, acme.team_id, "Wages", ""))
            raise ZeroDivisionError
    assert await found("wages") == []
    assert await found("tariffs") == [thing]


@pytest.mark.hall_databases("postgresql")
async def test_a_text_of_a_million_different_words_is_cut_and_not_refused(put, found):
    text = " ".join(f"{number:x}" for number in range(0x10000, 0x10000 + 160_000))
    thing = await put("Long", text)
    assert await found("10001") == [thing]
    assert await found("long") == [thing]


async def test_a_word_far_down_a_long_text_is_found(put, found):
    thing = await put("Long", "the same again " * 30_000 + "needle")
    assert await found("needle") == [thing]


@pytest.mark.every_database
@pytest.mark.hall_databases("postgresql")
async def test_a_text_in_a_script_without_spaces_may_be_long_too(put, found):
    text = "".join(chr(0x4E00 + (number * number) % 20_000) for number in range(400_000))
    thing = await put("長い", text)
    assert await found("長い") == [thing]


def test_a_text_past_the_bound_does_not_count():
    found = Findable("thing", "x", "org", "team", "t", "a " * 500_000 + "needle")
    assert "needle" not in take_apart(found).body_words


async def things_of(hall):
    async with hall.server.data.read() as reader:
        return await reader.value(both(_COUNT))


@pytest.mark.own_server
async def test_what_was_there_before_is_in_the_index_when_the_server_starts(shelved):
    assert await things_of(shelved) == OLD_THINGS


@pytest.mark.own_server
async def test_what_is_done_is_not_done_again(shelved):
    async with shelved.server.data.write() as writer:
        await shelved.server.service(SearchIndex).remove(writer, "thing", "open_old_1001")
    await catch_up(shelved.server.host, shelved.server.registry.declared(SearchSource))
    assert await things_of(shelved) == OLD_THINGS - 1


@pytest.mark.every_database
async def test_catching_up_goes_on_from_the_last_batch(shelved):
    (source,) = declare_search_sources()
    async with shelved.server.data.write() as writer:
        await writer.run(both(_FORGET))
        await writer.run(both("DELETE FROM search_documents"))
    assert not await index_batch(shelved.server.host, "thing", source.every)
    assert await things_of(shelved) == BATCH
    await catch_up(shelved.server.host, [source])
    assert await things_of(shelved) == OLD_THINGS
    async with shelved.server.data.read() as reader:
        progress = await reader.one(both(_PROGRESS))
    assert (progress["after_id"], progress["done"]) == (f"open_old_{1000 + OLD_THINGS}", 1)


async def test_a_start_does_not_wait_for_all_of_it(shelved):
    (source,) = declare_search_sources()
    async with shelved.server.data.write() as writer:
        await writer.run(both(_FORGET))
        await writer.run(both("DELETE FROM search_documents"))
    rest = await catch_up(shelved.server.host, [source], patience_ms=0)
    assert not rest.ended
    await rest.wait()
    assert await things_of(shelved) == OLD_THINGS


async def test_declare_services_offers_the_index_to_every_plugin(shelved):
    assert shelved.server.service(SearchIndex) is not None
    assert [source.type for source in shelved.registry.declared(SearchSource)].count("thing") == 1


@pytest.mark.own_server
async def test_the_number_of_documents_is_a_metric(shelved):
    metrics = (await shelved.operator.get("/api/metrics", headers={"Accept": "text/plain"})).text
    assert f'guildhall_search_documents{{type="thing"}} {OLD_THINGS}' in metrics


@pytest.mark.parametrize("length", [1, 5000], ids=["short", "long"])
async def test_what_comes_again_unchanged_is_not_taken_apart_again(put, found, monkeypatch, length):
    taken = []

    def counted(thing):
        taken.append(thing.title)
        return take_apart(thing)

    monkeypatch.setattr(indexing, "take_apart", counted)
    text = "gannet kestrel " * length
    ref_id = await put("Birds", text)
    await put("Birds", text, ref_id=ref_id)
    assert (taken, await found("kestrel")) == (["Birds"], [ref_id])
    await put("Fish", text, ref_id=ref_id)
    await put("Fish", f"{text} osprey", ref_id=ref_id)
    assert taken == ["Birds", "Fish", "Fish"]
    assert (await found("birds"), await found("fish"), await found("osprey")) == ([], [ref_id], [ref_id])

"""Pages: each hit once, whatever comes in between."""

import pytest

pytestmark = pytest.mark.shared_server


async def every_page(page, client, typed, limit, between=None):
    ids, cursor = [], None
    while True:
        got = await page(client, typed, limit=limit, **({"cursor": cursor} if cursor else {}))
        ids += [item["id"] for item in got["items"]]
        cursor = got["next_cursor"]
        if cursor is None:
            return ids
        if between:
            await between()


async def test_equal_hits_come_once_each_newest_first(shelved, put, page):
    things = [await put("Tariffs") for _ in range(23)]
    assert await every_page(page, shelved.acme.member, "tariffs", 5) == things[::-1]


async def test_pages_do_not_shift_while_things_are_added(shelved, put, page):
    things = [await put("Tariffs" if number % 2 else "Misc", "tariffs") for number in range(12)]

    async def add_more():
        await put("Tariffs", "tariffs " * 5)

    ids = await every_page(page, shelved.acme.member, "tariffs", 3, add_more)
    assert len(ids) == len(set(ids))
    assert set(things) <= set(ids)


async def test_a_change_keeps_a_things_place_among_its_equals(put, found):
    first, second = await put("Tariffs"), await put("Tariffs")
    await put("Tariffs", "revised", ref_id=first)
    assert await found("tariffs") == [second, first]


async def test_the_best_come_first_however_old_they_are(shelved, put, page):
    """More than are looked at one by one: none is left out or comes twice, and no better one comes late."""
    by_tier = [
        ("Tariffs and rates", ""),
        ("Misc", "tariffs and rates " * 3),
        ("Tariffs", "rates"),
        ("Misc", "tariffs rates"),
    ]
    others = [("Misc", "tariffs rates unwanted"), ("Misc", "tariffs")]
    texts = [text for text in by_tier for _ in range(10)] + [*by_tier, *others] * 36
    things = [(text, await put(*text)) for text in texts]
    expected = [thing for tier in by_tier for text, thing in reversed(things) if text == tier]
    for limit in (200, 23):
        assert await every_page(page, shelved.acme.member, "rates tariffs -unwanted", limit) == expected

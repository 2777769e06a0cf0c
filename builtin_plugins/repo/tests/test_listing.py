"""Lists by key: their order, their pages, and that they show what can be read and nothing else."""

import pytest

from builtin_plugins.repo import finding
from builtin_plugins.repo.listing import past_prefix
from guildhall_sdk import Statement
from guildhall_sdk.services.stored_objects import just_after

pytestmark = pytest.mark.shared_server

KEYS = ["B", "a", "a/1", "a/2", "a0", "b", "é", "\uffff", "🙂", "\x7f", "a\x01"]
_FORGET = "DELETE FROM object_versions WHERE number NOT IN (1, 12)"
FORGET_BUT_TWO = Statement("forget", _FORGET, _FORGET)
IN_ORDER = sorted(KEYS, key=lambda key: key.encode())


async def all_pages(client, **query):
    found, cursor = [], None
    while True:
        response = await client.get("/api/repo", params={**query, **({"cursor": cursor} if cursor else {})})
        assert response.status_code == 200, response.text
        found += [item["key"] for item in response.json()["items"]]
        cursor = response.json()["next_cursor"]
        if cursor is None:
            return found


async def test_keys_come_in_byte_order_whatever_the_size_of_the_page(hall, upload):
    for key in KEYS:
        await upload(hall.acme.member, key)
    for limit in (1, 2, 5, 11, 200):
        assert await all_pages(hall.acme.viewer, limit=limit) == IN_ORDER


PREFIXES = ["", "a", "a/", "é", "🙂", "zzz", "%", "_"]


async def test_a_prefix_is_taken_literally(hall, upload):
    for key in [*KEYS, "%x", "_x"]:
        await upload(hall.acme.member, key)
    for prefix in PREFIXES:
        expected = [key for key in sorted([*KEYS, "%x", "_x"], key=str.encode) if key.startswith(prefix)]
        assert await all_pages(hall.acme.member, prefix=prefix, limit=2) == expected


async def test_a_page_does_not_shift_under_inserts_and_deletes(hall, upload):
    author = hall.acme.member
    made = {key: await upload(author, key) for key in ("b", "d", "f")}
    first = (await author.get("/api/repo", params={"limit": 2})).json()
    await upload(author, "a")
    await upload(author, "e")
    await author.delete(f"/api/repo-obj/{made['d']['id']}")
    rest = await all_pages(author, limit=2, cursor=first["next_cursor"])
    assert rest == ["e", "f"]


async def test_the_same_key_in_two_teams_is_on_two_pages(hall, upload):
    for client in (hall.acme.member, hall.acme.second_team.member):
        for key in ("a", "b"):
            await upload(client, key)
    assert await all_pages(hall.acme.reader, scope="org", limit=1) == ["a", "a", "b", "b"]


async def test_pages_of_one_who_sees_little_are_full(hall, upload, share, listed):
    """Others' private objects in front neither show nor shorten a page."""
    author, colleague = hall.acme.member, hall.acme.colleague
    for number in range(30):
        await upload(author, f"hidden/{number:02}", visibility="private")
    given = await upload(author, "zz/given", visibility="private")
    await share(author, given, "view", user=colleague)
    await upload(colleague, "zz/own", visibility="private")
    await upload(author, "zz/team")
    assert await listed(colleague, limit=3) == ["zz/given", "zz/own", "zz/team"]
    assert (await colleague.get("/api/repo", params={"limit": 3})).json()["next_cursor"] is None


async def test_shared_lists_live_grants_that_are_not_ones_own(hall, upload, share, listed):
    author, colleague = hall.acme.member, hall.acme.colleague
    for key in ("a", "b"):
        await share(author, await upload(author, key), "view", user=colleague)
    await share(colleague, await upload(colleague, "c"), "view", user=author)
    assert await listed(colleague, shared="1") == ["a", "b"]
    assert await listed(colleague, shared="1", prefix="b") == ["b"]
    assert await listed(author, shared="1") == ["c"]


@pytest.mark.parametrize("cursor", ["!", "AAAA", "é", "b2JqXzE", "YQBvcmdfMQ"])
@pytest.mark.any_database
async def test_a_cursor_that_no_list_gave_is_refused(hall, cursor):
    response = await hall.acme.member.get("/api/repo", params={"cursor": cursor})
    assert response.status_code == 400
    assert response.json()["errors"][0]["pointer"] == "?cursor"


async def test_a_list_shows_the_newest_versions_only(hall, upload, monkeypatch):
    """However far they lie back: what stands between them may have been deleted."""
    monkeypatch.setattr(finding, "MAX_VERSIONS_IN_A_LIST", 3)
    for number in range(12):
        await upload(hall.acme.member, "a", bytes([number]))
    item = (await hall.acme.member.get("/api/repo")).json()["items"][0]
    assert [version["version"] for version in item["versions"]] == [12, 11, 10]
    whole = (await hall.acme.member.get(f"/api/repo-obj/{item['id']}")).json()
    assert [version["version"] for version in whole["versions"]] == list(range(12, 0, -1))
    async with hall.server.data.write() as writer:
        await writer.run(FORGET_BUT_TWO)
    item = (await hall.acme.member.get("/api/repo")).json()["items"][0]
    assert [version["version"] for version in item["versions"]] == [12, 1]


@pytest.mark.parametrize("key", ["a", "a/b", "é", "\ud7ff", "\U0010ffff", "a\U0010ffff"])
def test_what_follows_a_key_or_a_prefix_lies_right_behind_it(key):
    assert key.encode() < just_after(key).encode() <= (key + "\x01").encode()
    behind = past_prefix(key)
    if behind is None:
        assert set(key) == {"\U0010ffff"}
    else:
        assert (key + "\U0010ffff" * 9).encode() < behind.encode()
        assert not behind.startswith(key)

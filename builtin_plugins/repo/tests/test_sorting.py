"""Lists by name, size and last change: the same objects in each order, however many there are."""

import pytest

from builtin_plugins.repo import sorting

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

ORDERS = [(sort, order) for sort in ("name", "size", "updated") for order in ("asc", "desc")]


@pytest.fixture(params=[True, False], ids=["sorted", "walked"])
def few(request, monkeypatch):
    """Whether what is little is sorted, or everything is walked."""
    if not request.param:
        monkeypatch.setattr(sorting, "FEW", 1)
        monkeypatch.setattr(sorting, "_LOOKS", 100)


async def pages(client, limit=3, **query):
    items, folders, cursor = [], [], None
    while True:
        more = {"cursor": cursor} if cursor else {}
        response = await client.get("/api/repo", params={**query, **more, "limit": limit})
        assert response.status_code == 200, response.text
        answer = response.json()
        assert len(answer["items"]) <= limit
        items, folders, cursor = items + answer["items"], folders + answer["folders"], answer["next_cursor"]
        if cursor is None:
            return items, folders


def place(sort):
    field = {"name": "key", "size": "size", "updated": "updated_at"}[sort]
    return lambda item: (item[field].encode() if sort == "name" else item[field], item["id"])


@pytest.fixture
async def filled(hall, upload, share):
    """Of the team, their own, of others, given to them, in folders and deleted."""
    author, colleague = hall.acme.admin, hall.acme.colleague
    for number, key in enumerate(["b", "a", "x/1", "x/2", "x/y/1", "é", "x/0", "z/1", "c"]):
        await upload(author, key, b"." * (number * 7 % 5))
    await upload(author, "private", b"..", visibility="private")
    await upload(colleague, "hidden", b"...", visibility="private")
    await share(colleague, await upload(colleague, "given", b".", visibility="private"), user=author)
    for key in ("gone/1", "gone/2"):
        found = await upload(author, key, b"." * len(key))
        assert (await author.delete(f"/api/repo-obj/{found['id']}?keep=1")).status_code == 204
    await upload(author, "a", b"." * 9)
    await upload(hall.acme.second_team.member, "elsewhere", b"....")
    return author


@pytest.mark.every_database
async def test_each_order_has_the_same_objects(filled, few):
    gone = {"deleted": "1", "prefix": "gone/"}
    for query in ({}, {"prefix": "x/"}, {"shared": "1"}, {"deleted": "1"}, gone):
        plain, _ = await pages(filled, 200, **query)
        assert plain, query
        for sort, order in ORDERS:
            found, _ = await pages(filled, 2, sort=sort, order=order, **query)
            assert found == sorted(plain, key=place(sort), reverse=order == "desc"), (query, sort, order)


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_folders_come_first_in_the_order_of_their_names(filled, few):
    for prefix in ("", "x/", "x"):
        query = {"prefix": prefix, "delimiter": "/"}
        plain, folders = await pages(filled, 200, **query)
        for sort, order in ORDERS:
            case = (prefix, sort, order)
            found, first = await pages(filled, 200, sort=sort, order=order, **query)
            assert found == sorted(plain, key=place(sort), reverse=order == "desc"), case
            assert first == sorted(folders, reverse=(sort, order) == ("name", "desc")), case
            paged, once = await pages(filled, 1, sort=sort, order=order, **query)
            if (sort, order) != ("name", "asc"):
                assert (paged, once) == (found, first), case


async def test_the_company_is_listed_in_each_order(hall, filled, few):
    plain, _ = await pages(hall.acme.reader, 200, scope="org")
    assert "elsewhere" in {item["key"] for item in plain}
    for sort, order in ORDERS:
        found, _ = await pages(hall.acme.reader, 2, scope="org", sort=sort, order=order)
        assert found == sorted(plain, key=place(sort), reverse=order == "desc"), (sort, order)


async def test_a_page_does_not_shift_under_what_comes_and_goes(hall, upload, few):
    author = hall.acme.member
    made = {number: await upload(author, f"k{number}", b"." * number) for number in (2, 4, 6, 8)}
    first = (await author.get("/api/repo", params={"sort": "size", "order": "desc", "limit": 2})).json()
    assert [item["size"] for item in first["items"]] == [8, 6]
    await upload(author, "new", b"." * 7)
    await author.delete(f"/api/repo-obj/{made[6]['id']}")
    query = {"sort": "size", "order": "desc", "cursor": first["next_cursor"]}
    rest = (await author.get("/api/repo", params=query)).json()["items"]
    assert [item["size"] for item in rest] == [4, 2]


async def test_what_is_written_again_and_brought_back_has_its_size(hall, upload, few):
    admin = hall.acme.admin
    found = await upload(admin, "a", b"." * 5)
    await upload(admin, "a", b"." * 2)
    await upload(admin, "b", b"." * 3)
    by_size = {"sort": "size", "order": "asc"}
    assert [item["key"] for item in (await pages(admin, **by_size))[0]] == ["a", "b"]
    await admin.post(f"/api/repo-obj/{found['id']}/restore", {"version": 1})
    assert [item["key"] for item in (await pages(admin, **by_size))[0]] == ["b", "a"]


async def test_a_cursor_of_another_list_is_refused(hall, upload):
    author = hall.acme.member
    for key in "ab":
        await upload(author, key)
    other = (await author.get("/api/repo", params={"limit": 1, "sort": "size"})).json()["next_cursor"]
    for one in ("!", "AAAA", "", "é", other):
        answer = await author.get("/api/repo", params={"sort": "updated", "cursor": one})
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["pointer"] == "?cursor"

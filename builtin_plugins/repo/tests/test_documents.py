"""Text documents: every change a version, and what lies between two of them."""

import asyncio

import pytest

from builtin_plugins.repo.tests.reading_here import documents_are_read_here  # noqa: F401 - a fixture

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


@pytest.fixture
def write():
    async def write(client, **fields):
        response = await client.post("/api/documents", {"title": "Handbook", **fields})
        assert response.status_code == 201, response.text
        return response.json()

    return write


async def test_a_document_is_a_private_object_of_markdown(hall, write, listed, content):
    author = hall.acme.member
    made = await write(author, body="# Hello\n")
    assert made["visibility"] == "private"
    assert (made["content_type"], made["filename"]) == ("text/markdown", "Handbook.md")
    assert (made["title"], made["body"], made["version"]) == ("Handbook", "# Hello\n", 1)
    read = await author.get(f"/api/documents/{made['id']}")
    assert read.json() == made
    assert await content(author, made) == b"# Hello\n"
    assert await listed(author) == [made["key"]]
    assert (await hall.acme.owner.get(f"/api/documents/{made['id']}")).status_code == 404


async def test_every_change_is_a_version_and_leaves_the_rest_alone(hall, write, content):
    author = hall.acme.member
    made = await write(author, body="one")
    path = f"/api/documents/{made['id']}"
    second = (await author.put(path, {"body": "two"})).json()
    assert (second["version"], second["title"], second["body"]) == (2, "Handbook", "two")
    third = (await author.put(path, {"title": "Guide"})).json()
    assert (third["version"], third["title"], third["body"]) == (3, "Guide", "two")
    fourth = (await author.put(path, {"visibility": "team"})).json()
    assert (fourth["version"], fourth["visibility"], fourth["title"]) == (4, "team", "Guide")
    assert (await author.put(path, {})).json() == (await author.get(path)).json() == fourth
    assert [await content(author, made, version=number) for number in (1, 2, 3)] == [b"one", b"two", b"two"]
    assert fourth["text_status"] == "indexed"


async def test_a_stale_change_changes_nothing(hall, write):
    author = hall.acme.member
    made = await write(author, body="one")
    path = f"/api/documents/{made['id']}"
    tag = (await author.get(path)).headers["etag"]
    first = await author.put(path, {"body": "two"}, headers={"If-Match": tag})
    assert first.status_code == 200
    for body in ({"body": "three"}, {}):
        assert (await author.put(path, body, headers={"If-Match": tag})).status_code == 412
    again = await author.put(path, {"body": "three"}, headers={"If-Match": first.headers["etag"]})
    assert again.json()["version"] == 3
    assert (await author.delete(path, headers={"If-Match": tag})).status_code == 412


@pytest.mark.every_database
async def test_documents_are_listed_newest_first_without_bodies(hall, write, upload, share):
    author, colleague = hall.acme.member, hall.acme.colleague
    mine = await write(author, title="Mine")
    ours = await write(author, title="Ours", visibility="team")
    given = await write(author, title="Given")
    await share(author, given, "view", user=colleague)
    uploaded = await upload(author, "notes/readme.md", b"# Read me")
    await upload(author, "notes/data.csv", b"a,b")

    async def titles(client, **query):
        page = (await client.get("/api/documents", params=query)).json()
        assert all("body" not in item for item in page["items"])
        return [item["title"] for item in page["items"]]

    assert await titles(author) == ["readme", "Given", "Ours", "Mine"]
    assert await titles(colleague) == ["readme", "Given", "Ours"]
    assert await titles(author, limit=2) == ["readme", "Given"]
    cursor = (await author.get("/api/documents", params={"limit": 2})).json()["next_cursor"]
    assert await titles(author, limit=2, cursor=cursor) == ["Ours", "Mine"]
    assert (await colleague.get(f"/api/documents/{uploaded['id']}")).json()["body"] == "# Read me"
    assert (await colleague.get(f"/api/documents/{mine['id']}")).status_code == 404
    assert (await colleague.get(f"/api/documents/{ours['id']}")).status_code == 200


async def test_what_is_no_text_is_no_document(hall, upload):
    found = await upload(hall.acme.member, "a.png", b"\x89PNG")
    path = f"/api/documents/{found['id']}"
    for response in (
        await hall.acme.member.get(path),
        await hall.acme.member.put(path, {"body": "x"}),
        await hall.acme.member.delete(path),
    ):
        assert response.status_code == 404


async def test_a_text_too_large_for_one_piece_is_read_as_content(hall, upload):
    found = await upload(hall.acme.member, "a.md", b"x" * (8 * 1024 * 1024 + 1))
    response = await hall.acme.member.get(f"/api/documents/{found['id']}")
    assert (response.status_code, response.json()["code"]) == (413, "too_large")


async def test_a_viewer_reads_and_does_not_write(hall, write):
    made = await write(hall.acme.member, visibility="team")
    path = f"/api/documents/{made['id']}"
    viewer = hall.acme.viewer
    assert (await viewer.get(path)).status_code == 200
    assert (await viewer.put(path, {"body": "x"})).status_code == 403
    assert (await viewer.delete(path)).status_code == 403
    assert (await viewer.post("/api/documents", {"title": "x"})).status_code == 403
    assert (await hall.acme.admin.delete(path)).status_code == 204
    assert (await viewer.get(path)).status_code == 404


async def test_the_difference_is_between_the_last_two_unless_told(hall, write):
    author = hall.acme.member
    made = await write(author, body="a\nb\nc\n")
    for body in ("a\nB\nc\n", "a\nB\nc\nd\n"):
        await author.put(f"/api/documents/{made['id']}", {"body": body})
    path = f"/api/repo-obj/{made['id']}/diff"
    last = (await author.get(path)).json()
    assert (last["from"], last["to"], last["added"], last["removed"]) == (2, 3, 1, 0)
    assert last["diff"].splitlines()[2:] == ["@@ -1,3 +1,4 @@", " a", " B", " c", "+d"]
    whole = (await author.get(path, params={"from": 1, "to": 3})).json()
    assert (whole["added"], whole["removed"]) == (2, 1)
    back = (await author.get(path, params={"from": 3, "to": 1})).json()
    assert (back["added"], back["removed"]) == (1, 2)
    assert (await author.get(path, params={"from": 9})).status_code == 404
    assert (await hall.acme.owner.get(path)).status_code == 404


async def test_bytes_have_no_difference(hall, upload):
    found = await upload(hall.acme.member, "a.png", b"\x89PNG")
    response = await hall.acme.member.get(f"/api/repo-obj/{found['id']}/diff")
    assert (response.status_code, response.json()["code"]) == (400, "not_text")


@pytest.mark.every_database
async def test_a_team_that_asks_for_samples_has_documents_to_read_and_find(hall):
    """Once, whoever asks and how often; another company has none of them."""
    answers = await asyncio.gather(*(hall.acme.admin.post("/api/admin/seed") for _ in range(3)))
    counts = [answer.json()["documents"] for answer in answers]
    total = sum(count["created"] for count in counts)
    assert total > 0
    assert all(count["created"] + count["existing"] == total for count in counts)
    listed = (await hall.acme.member.get("/api/documents")).json()["items"]
    assert len(listed) == total
    document = (await hall.acme.member.get(f"/api/documents/{listed[0]['id']}")).json()
    assert document["body"].startswith(f"# {document['title']}")
    found = (await hall.acme.member.get("/api/search?q=handbook&type=object")).json()["items"]
    assert [hit["title"] for hit in found] == ["Team handbook"]
    assert (await hall.globex.member.get("/api/documents")).json()["items"] == []
    assert (await hall.acme.admin.delete(f"/api/documents/{listed[0]['id']}")).status_code == 204
    again = (await hall.acme.admin.post("/api/admin/seed")).json()["documents"]
    assert again == {"created": 1, "existing": total - 1}

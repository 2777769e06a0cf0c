"""The text in objects: read by a job, found by search, and again after an overwrite."""

import pytest

from builtin_plugins.repo.extraction import Extracted, Outcome
from guildhall_sdk import NotFound, PermissionDenied
from guildhall_sdk.errors import ToolDisabled
from guildhall_sdk.services.jobs import Jobs

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


@pytest.fixture
def found():
    """The keys or titles that a search gives."""

    async def found(client, words, **query):
        response = await client.get("/api/search", params={"q": words, **query})
        assert response.status_code == 200, response.text
        return [item["title"] for item in response.json()["items"]]

    return found


@pytest.fixture
def call(hall):
    async def call(client, name, **arguments):
        return await hall.tool(name, as_=client, **arguments)

    return call


async def status(client, made):
    return (await client.get(f"/api/repo-obj/{made['id']}")).json()["text_status"]


async def test_an_upload_is_read_and_found(hall, upload, found):
    author = hall.acme.member
    made = await upload(author, "plans/spring.txt", b"We plant rhubarb.")
    assert made["text_status"] == "pending"
    await hall.drain_jobs()
    assert await status(author, made) == "indexed"
    assert await found(author, "rhubarb") == ["spring.txt"]
    assert await found(author, "plans") == ["spring.txt"]
    assert await found(hall.globex.member, "rhubarb") == []


async def test_an_overwrite_makes_the_text_stale_until_it_is_read_again(
    hall, upload, found, repository, principal
):
    author, who = hall.acme.member, await principal(hall.acme.member)
    made = await upload(author, "a.txt", b"rhubarb")
    await hall.drain_jobs()
    again = await upload(author, "a.txt", b"parsnip")
    assert again["text_status"] == "stale"
    async with hall.server.data.read() as reader:
        assert await repository.text(reader, who, made["id"]) is None
    assert await found(author, "rhubarb") == []
    await hall.drain_jobs()
    assert (await found(author, "parsnip"), await status(author, made)) == (["a.txt"], "indexed")
    async with hall.server.data.read() as reader:
        assert await repository.text(reader, who, made["id"]) == "parsnip"


@pytest.mark.parametrize(
    ("key", "body", "before", "after"),
    [
        ("a.bin", b"\0\1\2", "unsupported", "unsupported"),
        ("empty.txt", b"", "none", "none"),
        ("broken.pdf", b"%PDF-1.4 nothing", "pending", "none"),
        ("a.json", b'{"word": "rhubarb"}', "pending", "indexed"),
    ],
)
async def test_the_status_says_what_became_of_the_text(hall, upload, key, body, before, after):
    made = await upload(hall.acme.member, key, body)
    assert made["text_status"] == before
    await hall.drain_jobs()
    assert await status(hall.acme.member, made) == after


async def test_a_document_is_found_at_once_and_by_its_title(hall, found):
    author = hall.acme.member
    made = (await author.post("/api/documents", {"title": "Handbook", "body": "rhubarb"})).json()
    assert await found(author, "rhubarb") == await found(author, "handbook") == ["Handbook"]
    assert await found(hall.acme.owner, "rhubarb") == []
    await author.put(f"/api/documents/{made['id']}", {"title": "Guide"})
    assert await found(author, "rhubarb") == ["Guide"]
    await author.delete(f"/api/documents/{made['id']}")
    assert await found(author, "rhubarb") == []


async def test_search_follows_grants_and_their_end(hall, upload, share, found):
    author, colleague = hall.acme.member, hall.acme.colleague
    made = await upload(author, "a.txt", b"rhubarb", visibility="private")
    await hall.drain_jobs()
    assert await found(colleague, "rhubarb") == []
    await share(author, made, "view", user=colleague)
    assert await found(colleague, "rhubarb") == ["a.txt"]
    await author.post(f"/api/repo-obj/{made['id']}/unshare", {"user_id": colleague.user_id})
    assert await found(colleague, "rhubarb") == []
    await share(author, made, "view", team=hall.acme.second_team.id)
    assert await found(hall.acme.second_team.viewer, "rhubarb") == ["a.txt"]
    await author.post(f"/api/repo-obj/{made['id']}/visibility", {"visibility": "private"})
    assert await found(hall.acme.second_team.viewer, "rhubarb") == []
    await author.post(f"/api/repo-obj/{made['id']}/visibility", {"visibility": "team"})
    assert await found(colleague, "rhubarb") == ["a.txt"]
    assert await found(hall.acme.reader, "rhubarb", scope="org") == ["a.txt"]


async def test_what_a_delete_marker_hides_is_not_found(hall, upload, found, repository, principal):
    author, who = hall.acme.member, await principal(hall.acme.member)
    await upload(author, "a.txt", b"rhubarb")
    await hall.drain_jobs()
    async with hall.server.data.write() as writer:
        marker = await repository.mark_deleted(writer, who, who.team_id, "a.txt")
    assert await found(author, "rhubarb") == await found(author, "a.txt") == []
    async with hall.server.data.write() as writer:
        await repository.delete_version(writer, who, who.team_id, "a.txt", marker.id)
    await hall.drain_jobs()
    assert await found(author, "rhubarb") == ["a.txt"]


async def test_the_tools_list_what_waits_and_read_it(hall, upload, call, monkeypatch, found):
    async def nothing(*_args):
        return None

    monkeypatch.setattr(hall.server.service(Jobs), "enqueue_many", nothing)
    author = hall.acme.member
    plain = await upload(author, "a.txt", b"rhubarb")
    private = await upload(author, "b.txt", b"parsnip", visibility="private")
    await upload(author, "c.bin", b"\0")
    assert await call(author, "repo_list_unindexed") == [plain["id"], private["id"]]
    assert await call(hall.acme.colleague, "repo_list_unindexed") == [plain["id"]]
    assert await call(hall.acme.second_team.owner, "repo_list_unindexed") == []
    answer = await call(hall.acme.viewer, "repo_extract_text", id=plain["id"])
    assert answer == {"id": plain["id"], "key": "a.txt", "version": 1, "text_status": "indexed"}
    assert await call(author, "repo_extract_text", id=plain["id"]) == answer
    assert await found(author, "rhubarb") == ["a.txt"]
    assert await call(author, "repo_list_unindexed") == [private["id"]]
    with pytest.raises(NotFound):
        await call(hall.acme.owner, "repo_extract_text", id=private["id"])
    await upload(author, "a.txt", b"changed")
    assert await call(author, "repo_list_unindexed") == [plain["id"], private["id"]]


async def test_at_most_forty_are_listed(hall, upload, call, monkeypatch):
    async def nothing(*_args):
        return None

    monkeypatch.setattr(hall.server.service(Jobs), "enqueue_many", nothing)
    for number in range(41):
        await upload(hall.acme.member, f"{number}.txt")
    assert len(await call(hall.acme.member, "repo_list_unindexed")) == 40


async def test_a_tool_asks_for_its_permission_and_can_be_turned_off(hall, call):
    worker = await hall.join(hall.acme, "worker")
    with pytest.raises(PermissionDenied):
        await call(worker, "repo_list_unindexed")
    await hall.acme.admin.post("/api/tools/repo_list_unindexed", {"enabled": False})
    with pytest.raises(ToolDisabled):
        await call(hall.acme.member, "repo_list_unindexed")


async def test_text_that_was_read_of_an_older_version_is_not_kept(hall, upload, repository, principal):
    author, who = hall.acme.member, await principal(hall.acme.member)
    made = await upload(author, "a.txt", b"old")
    async with hall.server.data.read() as reader:
        old = await repository.version(reader, who, made["id"], 1)
    await upload(author, "a.txt", b"new")
    async with hall.server.data.write() as writer:
        await repository.texts.store(writer, who, old, Extracted(Outcome.TEXT, "old"))
    async with hall.server.data.read() as reader:
        assert await repository.text(reader, who, made["id"]) != "old"

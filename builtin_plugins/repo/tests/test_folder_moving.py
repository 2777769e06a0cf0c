"""Another prefix for all below one: what moves, what stays and why, and that it goes on where it was."""

import asyncio

import pytest

from builtin_plugins.repo import folder_moving

pytestmark = pytest.mark.shared_server

PATH = "/api/repo-folders/move"


@pytest.fixture
def move_folder(hall):
    """Asks for it, has the job done, and gives the job as its caller sees it in the end."""

    async def move_folder(client, source, target):
        answer = await client.post(PATH, {"from": source, "to": target})
        assert answer.status_code == 202, answer.text
        await hall.drain_jobs()
        return (await client.get(answer.headers["location"])).json()

    return move_folder


async def test_all_below_a_prefix_goes_to_another(hall, upload, listed, content, move_folder, monkeypatch):
    monkeypatch.setattr(folder_moving, "_PAGE", 2)
    author = hall.acme.member
    found = [await upload(author, f"in/{name}", name.encode()) for name in ("a", "b/c", "b/d", "e", "é/ü")]
    await upload(author, "inside", b"beside it")
    job = await move_folder(author, "in/", "out/2026/")
    assert (job["kind"], job["state"], job["progress"]) == ("repo.move_folder", "succeeded", 1)
    assert job["result"] == {"from": "in/", "to": "out/2026/", "moved": 5, "left": 0, "skipped": []}
    assert await listed(author) == [
        "inside",
        *(f"out/2026/{name}" for name in ("a", "b/c", "b/d", "e", "é/ü")),
    ]
    assert await content(author, found[1]) == b"b/c"
    again = await move_folder(author, "in/", "out/2026/")
    assert (again["result"]["moved"], again["result"]["left"]) == (0, 0)


async def test_what_cannot_be_moved_stays_and_is_named(hall, upload, share, listed, move_folder):
    author, colleague = hall.acme.member, hall.acme.colleague
    await upload(author, "in/a", b"1")
    taken = await upload(author, "in/b", b"2")
    await upload(author, "out/b", b"3")
    given = await upload(author, "in/c", visibility="private")
    await share(author, given, "view", user=colleague)
    await upload(author, "in/hidden", visibility="private")
    long = await upload(author, "in/" + "l" * 1021)
    job = await move_folder(colleague, "in/", "out/")
    assert (job["state"], job["result"]["moved"], job["result"]["left"]) == ("succeeded", 1, 3)
    assert job["result"]["skipped"] == [
        {"id": taken["id"], "key": "in/b", "code": "key_taken"},
        {"id": given["id"], "key": "in/c", "code": "permission_denied"},
        {"id": long["id"], "key": long["key"], "code": "invalid_key"},
    ]
    assert await listed(author, prefix="out/") == ["out/a", "out/b"]
    assert await listed(author, prefix="in/") == ["in/b", "in/c", "in/hidden", long["key"]]


async def test_what_would_land_in_the_folder_again_stays(hall, upload, listed, move_folder):
    author = hall.acme.member
    for key in ("a/b/x", "a/b/b/x"):
        await upload(author, key)
    job = await move_folder(author, "a/b/", "a/")
    assert [one["code"] for one in job["result"]["skipped"]] == ["into_itself"]
    assert await listed(author) == ["a/b/b/x", "a/x"]


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("source", "target", "code", "pointer"),
    [
        ("in/", "in/", "invalid_request", "/to"),
        ("in/", "in/deeper/", "invalid_request", "/to"),
        ("in", "out/", "invalid_request", "/from"),
        ("in/", "out", "invalid_request", "/to"),
        ("in/../", "out/", "invalid_key", None),
        ("in/", "./", "invalid_key", None),
    ],
)
async def test_what_is_no_folder_or_would_go_into_itself_is_refused(hall, source, target, code, pointer):
    answer = await hall.acme.member.post(PATH, {"from": source, "to": target})
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert pointer is None or answer.json()["errors"][0]["pointer"] == pointer


async def test_a_reader_moves_no_folder_and_another_company_none_of_ours(hall, upload, listed, move_folder):
    await upload(hall.acme.member, "in/a")
    refused = await hall.acme.viewer.post(PATH, {"from": "in/", "to": "out/"})
    assert (refused.status_code, refused.json()["permission"]) == (403, "files:write")
    job = await move_folder(hall.globex.member, "in/", "out/")
    assert job["result"]["moved"] == 0
    assert await listed(hall.acme.member) == ["in/a"]


async def test_it_acts_as_whoever_asked_and_in_their_scope(hall, upload, move_folder):
    author = hall.acme.admin
    found = await upload(author, "in/a")
    await move_folder(author, "in/", "out/")
    trail = (await author.get("/api/audit")).json()["items"]
    moved = next(event for event in trail if event["action"] == "object.moved")
    assert (moved["target"]["id"], moved["actor"]["id"]) == (found["id"], author.user_id)
    assert "in/" not in str(trail)


async def test_asked_twice_while_it_waits_it_is_one_job(hall, monkeypatch):
    go_on, run = asyncio.Event(), folder_moving.FolderMover.run

    async def held(mover):
        await go_on.wait()
        return await run(mover)

    monkeypatch.setattr(folder_moving.FolderMover, "run", held)
    body = {"from": "in/", "to": "out/"}
    first, again = [(await hall.acme.member.post(PATH, body)).json()["id"] for _ in range(2)]
    assert first == again
    assert (await hall.acme.colleague.post(PATH, body)).json()["id"] != first
    go_on.set()
    await hall.drain_jobs()


async def test_an_attempt_that_was_lost_moves_nothing_more(hall, upload, listed, repository, monkeypatch):
    """Another attempt at the same job goes on from where the first one was; that one is refused."""
    author = hall.acme.member
    # However slow the machine is: all in one transaction.
    monkeypatch.setattr(folder_moving, "_HELD_SECONDS", 60)
    for name in "abcd":
        await upload(author, f"in/{name}")
    move, seen = repository.moving.move, []

    async def interrupted(writer, caller, object_id, key, *rest):
        seen.append(key)
        if len(seen) == 2:
            raise RuntimeError("the machine stumbles")
        return await move(writer, caller, object_id, key, *rest)

    monkeypatch.setattr(repository.moving, "move", interrupted)
    answer = await author.post(PATH, {"from": "in/", "to": "out/"})
    await hall.drain_jobs()
    hall.clock.advance(hours=1)
    await hall.drain_jobs()
    job = (await author.get(answer.headers["location"])).json()
    assert (job["state"], job["attempt"], job["result"]["moved"]) == ("succeeded", 2, 4)
    # What an attempt has not committed when it stumbles is undone, and moved by the next one.
    assert seen == ["out/a", "out/b", "out/a", "out/b", "out/c", "out/d"]
    assert await listed(author) == [f"out/{name}" for name in "abcd"]

"""Writing, reading, changing and deleting a note."""

import pytest

from libs import request_body

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

LONGEST = 1_000_000


async def test_a_new_note_is_private_and_empty_unless_told(hall):
    author = hall.acme.member
    response = await author.post("/api/notes", {"title": "Minutes"})
    note = response.json()
    assert response.status_code == 201
    assert response.headers["location"] == f"/api/notes/{note['id']}"
    assert note["id"].startswith("note_")
    assert note["created_at"] == note["updated_at"]
    assert {
        name: note[name] for name in ("title", "body", "visibility", "owner", "team_id", "shared_with")
    } == {
        "title": "Minutes",
        "body": "",
        "visibility": "private",
        "owner": {"id": author.user_id, "name": author.username},
        "team_id": hall.acme.team_id,
        "shared_with": [],
    }


async def test_a_note_reads_as_it_was_written(hall, write_note):
    text = "Línea 1\n<script>\t🙂 ﷺ \u2028 %s :bind 'quote' \\"
    note = await write_note(hall.acme.member, title=text[:300], body=text, visibility="team")
    response = await hall.acme.member.get(f"/api/notes/{note['id']}")
    assert response.status_code == 200
    assert response.json() == note
    assert (note["title"], note["body"]) == (text, text)


async def test_the_longest_note_is_kept_whole_in_any_script(hall, write_note):
    note = await write_note(hall.acme.member, title="🙂" * 300, body="🙂" * LONGEST)
    read = (await hall.acme.member.get(f"/api/notes/{note['id']}")).json()
    assert read["body"] == "🙂" * LONGEST


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/title"),
        ({"title": ""}, "/title"),
        ({"title": "x" * 301}, "/title"),
        ({"title": None}, "/title"),
        ({"title": "a", "body": 1}, "/body"),
        ({"title": "a", "body": "x" * (LONGEST + 1)}, "/body"),
        ({"title": "a", "visibility": "shared"}, "/visibility"),
        ({"title": "a", "owner_id": "usr_0"}, "/owner_id"),
        ({"title": "a", "org_id": "org_0"}, "/org_id"),
        ({"title": "a", "team_id": "team_0"}, "/team_id"),
    ],
)
async def test_a_wrong_field_is_named_and_nothing_is_written(module_hall, listed, body, pointer):
    response = await module_hall.acme.member.post("/api/notes", body)
    assert response.status_code == 400
    assert [error["pointer"] for error in response.json()["errors"]] == [pointer]
    assert "xxxx" not in response.text
    assert await listed(module_hall.acme.member) == []


async def test_a_body_beyond_eight_megabytes_is_refused_by_its_announced_length(hall, monkeypatch):
    monkeypatch.setattr(request_body, "SKIM_SECONDS", 0.05)
    head = (
        "POST /api/notes HTTP/1.1\r\nHost: hall\r\nConnection: close\r\n"
        f"Authorization: Bearer {hall.acme.member.token}\r\nContent-Length: {8 * 1024 * 1024 + 1}\r\n\r\n"
    )
    answer = await hall.raw(head.encode())
    assert answer.startswith(b"HTTP/1.1 413")
    assert b'"too_large"' in answer


async def test_a_change_leaves_absent_fields_alone(hall, write_note):
    author = hall.acme.member
    note = await write_note(author, title="Old", body="Text", visibility="team")
    changed = (await author.put(f"/api/notes/{note['id']}", {"title": "New"})).json()
    assert changed == {**note, "title": "New", "updated_at": changed["updated_at"]}
    assert changed["updated_at"] > note["updated_at"]
    emptied = (await author.put(f"/api/notes/{note['id']}", {"body": ""})).json()
    assert (emptied["title"], emptied["body"]) == ("New", "")


async def test_an_empty_change_changes_nothing(hall, write_note):
    note = await write_note(hall.acme.member)
    response = await hall.acme.member.put(f"/api/notes/{note['id']}", {})
    assert response.status_code == 200
    assert response.json() == note


@pytest.mark.parametrize(
    "body", [{"title": ""}, {"title": None}, {"owner": {"id": "usr_0"}}, {"revision": 9}, []]
)
async def test_a_wrong_change_changes_nothing(hall, write_note, body):
    note = await write_note(hall.acme.member)
    response = await hall.acme.member.put(f"/api/notes/{note['id']}", body)
    assert response.status_code == 400
    assert (await hall.acme.member.get(f"/api/notes/{note['id']}")).json() == note


async def test_a_deleted_note_is_gone_with_its_shares(hall, write_note, share, listed):
    author, colleague = hall.acme.member, hall.acme.colleague
    note = await write_note(author)
    await share(author, note, colleague)
    response = await author.delete(f"/api/notes/{note['id']}")
    assert (response.status_code, response.content) == (204, b"")
    for client in (author, colleague):
        assert (await client.get(f"/api/notes/{note['id']}")).status_code == 404
        assert await listed(client) == []
    assert (await author.delete(f"/api/notes/{note['id']}")).status_code == 404


@pytest.mark.parametrize("note_id", ["note_0", "x" * 500, "%F0%9F%99%82", "'%20OR%201=1", "%25"])
async def test_an_unknown_id_is_not_found(module_hall, note_id):
    member = module_hall.acme.owner
    path = f"/api/notes/{note_id}"
    target = {"user_id": module_hall.acme.viewer.user_id}
    assert (await member.get(path)).status_code == 404
    assert (await member.put(path, {"title": "a"})).status_code == 404
    assert (await member.delete(path)).status_code == 404
    assert (await member.post(f"{path}/share", {**target, "permission": "notes:read"})).status_code == 404
    assert (await member.delete(f"{path}/share", target)).status_code == 404


@pytest.mark.every_database
async def test_a_retried_creation_makes_one_note(hall, listed):
    author = hall.acme.member
    key = {"Idempotency-Key": "first-try"}
    first = await author.post("/api/notes", {"title": "Once"}, headers=key)
    again = await author.post("/api/notes", {"title": "Once"}, headers=key)
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert first.headers["etag"] == again.headers["etag"]
    assert await listed(author) == [first.json()["id"]]


async def test_the_trail_tells_of_every_change_and_never_the_text(hall, write_note, share):
    author, colleague = hall.acme.member, hall.acme.colleague
    note = await write_note(author, title="Canary title", body="canary body")
    await author.put(f"/api/notes/{note['id']}", {"body": "canary again"})
    await share(author, note, colleague, "notes:write")
    await author.delete(f"/api/notes/{note['id']}/share", {"user_id": colleague.user_id})
    await author.delete(f"/api/notes/{note['id']}")
    trail = (await hall.acme.admin.get("/api/audit")).json()
    about = [event for event in trail["items"] if event["target"] == {"type": "note", "id": note["id"]}]
    assert [event["action"] for event in reversed(about)] == [
        "note.created",
        "note.updated",
        "note.shared",
        "note.unshared",
        "note.deleted",
    ]
    assert "anary" not in str(trail)


async def test_a_suspended_company_reads_its_notes_and_writes_none(hall, write_note):
    author = hall.acme.member
    note = await write_note(author)
    await hall.suspend(hall.acme)
    assert (await author.get(f"/api/notes/{note['id']}")).status_code == 200
    assert (await author.post("/api/notes", {"title": "a"})).status_code == 402
    assert (await author.put(f"/api/notes/{note['id']}", {"title": "a"})).status_code == 402
    assert (await author.delete(f"/api/notes/{note['id']}")).status_code == 402

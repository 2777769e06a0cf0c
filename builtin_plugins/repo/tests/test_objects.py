"""Writing, reading and deleting objects."""

import hashlib

import pytest

from builtin_plugins.repo.tests.reading_here import documents_are_read_here  # noqa: F401 - a fixture
from libs import request_body

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


@pytest.mark.every_database
async def test_a_new_key_makes_an_object_for_the_team(hall, upload):
    author = hall.acme.member
    response = await author.put("/api/repo/plans/spring.txt", content=b"plant")
    found = response.json()
    assert response.status_code == 201
    assert response.headers["location"] == f"/api/repo-obj/{found['id']}"
    assert found["id"].startswith("obj_")
    sha256 = hashlib.sha256(b"plant").hexdigest()
    version = {
        "version": 1,
        "size": 5,
        "sha256": sha256,
        "content_type": "text/plain",
        "created_at": found["created_at"],
        "created_by": author.user_id,
    }
    assert found == {
        "id": found["id"],
        "key": "plans/spring.txt",
        "filename": "spring.txt",
        "content_type": "text/plain",
        "size": 5,
        "sha256": sha256,
        "visibility": "team",
        "owner": {"id": author.user_id, "name": author.username},
        "team_id": hall.acme.team_id,
        "version": 1,
        "versions": [version],
        "text_status": "pending",
        "created_at": found["created_at"],
        "updated_at": found["created_at"],
        "permissions": ["files:delete", "files:manage", "files:read", "files:write"],
    }
    read = await hall.acme.viewer.get(f"/api/repo-obj/{found['id']}")
    assert read.json()["key"] == "plans/spring.txt"
    assert read.headers["etag"] == response.headers["etag"]


async def test_a_key_that_is_there_gets_a_version_and_keeps_its_face(hall, upload, content):
    author = hall.acme.member
    first = await upload(author, "a.bin", b"one", visibility="private", filename="Report.bin")
    response = await author.put("/api/repo/a.bin", content=b"three")
    second = response.json()
    assert response.status_code == 200
    assert (second["id"], second["version"], second["size"]) == (first["id"], 2, 5)
    assert (second["visibility"], second["filename"]) == ("private", "Report.bin")
    assert [version["version"] for version in second["versions"]] == [2, 1]
    assert await content(author, second) == b"three"
    assert await content(author, second, version=1) == b"one"
    assert await content(author, second, version=2) == b"three"
    assert await content(author, second, version=3) == 404


async def test_a_deleted_object_is_gone_with_its_versions(hall, upload, content, listed, kept):
    author = hall.acme.member
    found = await upload(author, "a.txt", b"one")
    await upload(author, "a.txt", b"two")
    assert len(await kept(hall.acme)) == 2
    assert (await author.delete(f"/api/repo-obj/{found['id']}")).status_code == 204
    assert await content(author, found) == 404
    assert await listed(author) == []
    assert await kept(hall.acme) == set()
    assert (await author.delete(f"/api/repo-obj/{found['id']}")).status_code == 404
    again = await upload(author, "a.txt", b"three")
    assert (again["id"] != found["id"], again["version"]) == (True, 1)


async def test_bytes_that_another_version_has_too_stay(hall, upload, content, kept):
    author = hall.acme.member
    one, other = await upload(author, "one", b"same"), await upload(author, "other", b"same")
    await author.delete(f"/api/repo-obj/{one['id']}")
    assert await kept(hall.acme) == {other["sha256"]}
    assert await content(author, other) == b"same"


async def test_an_empty_object_is_one(hall, upload, content):
    found = await upload(hall.acme.member, "empty", b"")
    assert (found["size"], await content(hall.acme.member, found)) == (0, b"")


@pytest.mark.parametrize(
    "path",
    [
        *(".", "..", "a/..", "a/./b", "../b", "%2e%2e/b", "a%2f..%2fb", "x" * 1025, "%C3%A9" * 513),
        *("", "a%00b", "%FF%FE", "a/%ED%A0%80"),
    ],
)
async def test_a_key_that_is_none_or_that_a_path_could_escape_by_is_refused(hall, kept, path):
    # The client would clean the path up: sent as it stands.
    told = {f"Authorization: Bearer {hall.acme.member.token}": b"400", "X-Nobody: 1": b"401"}
    for header, status in told.items():
        head = f"PUT /api/repo/{path} HTTP/1.1\r\nHost: hall\r\nConnection: close\r\n{header}\r\n"
        answer = await hall.raw(f"{head}Content-Length: 1\r\n\r\nx".encode())
        assert answer.startswith(b"HTTP/1.1 " + status)
        assert (b'"invalid_key"' in answer) == (status == b"400")
    assert await kept(hall.acme) == set()


@pytest.mark.parametrize(
    "key",
    ["a b+c&d=e?f#g%h", "ünï/çødé.txt", "a//b", "trailing/", "...", "🙂" * 256, "x" * 1024, "tab\tline\n"],
)
async def test_any_other_key_is_kept_as_it_is(hall, upload, listed, content, key):
    found = await upload(hall.acme.member, key, b"here")
    assert found["key"] == key
    assert await listed(hall.acme.member, prefix=key) == [key]
    assert await content(hall.acme.member, found) == b"here"


async def test_the_content_type_is_what_was_said_or_what_the_name_says(hall, upload):
    author = hall.acme.member

    async def typed(key, **headers):
        return (await upload(author, key, headers={k.replace("_", "-"): v for k, v in headers.items()}))[
            "content_type"
        ]

    assert await typed("a.pdf") == "application/pdf"
    assert await typed("b.pdf", Content_Type="text/plain; charset=utf-8") == "text/plain; charset=utf-8"
    assert await typed("c.md", Content_Type="application/x-www-form-urlencoded") == "text/markdown"
    assert await typed("d.unheard-of") == "application/octet-stream"
    response = await author.put("/api/repo/e", content=b"x", headers={"Content-Type": b"text/plain\xff"})
    assert response.status_code == 400


async def test_a_stale_if_match_changes_nothing_and_both_tags_are_taken(hall, upload):
    author = hall.acme.member
    found = await upload(author, "a.txt", b"one")
    path = f"/api/repo-obj/{found['id']}"
    metadata_tag = (await author.get(path)).headers["etag"]
    content_tag = (await author.get(f"{path}/content")).headers["etag"]
    assert metadata_tag != content_tag

    async def write(tag, body):
        headers = {"If-Match": tag}
        return (await author.put("/api/repo/a.txt", content=body, headers=headers)).status_code

    assert await write('"nonsense"', b"no") == 412
    assert await write(content_tag, b"two") == 200
    assert await write(content_tag, b"no") == 412
    assert await write(metadata_tag, b"no") == 412
    assert await write((await author.get(path)).headers["etag"], b"three") == 200
    assert (await author.get(path)).json()["version"] == 3
    assert (await author.delete(path, headers={"If-Match": content_tag})).status_code == 412
    assert (await author.put("/api/repo/new", content=b"x", headers={"If-Match": '"x"'})).status_code == 412
    assert (
        await author.put("/api/repo/a.txt", content=b"x", headers={"If-None-Match": "*"})
    ).status_code == 412
    assert (
        await author.put("/api/repo/new", content=b"x", headers={"If-None-Match": "*"})
    ).status_code == 201


async def test_a_refused_upload_leaves_no_bytes(hall, upload, kept):
    author = hall.acme.member
    await upload(author, "a.txt", b"one")
    before = await kept(hall.acme)
    response = await author.put("/api/repo/a.txt", content=b"refused", headers={"If-Match": '"nonsense"'})
    assert response.status_code == 412
    assert await kept(hall.acme) == before


async def test_an_upload_that_breaks_off_leaves_nothing(hall, listed, kept):
    head = (
        "PUT /api/repo/half HTTP/1.1\r\nHost: hall\r\n"
        f"Authorization: Bearer {hall.acme.member.token}\r\nContent-Length: 100000\r\n\r\n"
    )
    await hall.raw(head.encode() + b"x" * 50_000, half_close=True)
    assert await listed(hall.acme.member) == []
    assert await kept(hall.acme) == set()


async def test_an_upload_beyond_the_largest_is_refused_by_its_announced_length(hall, monkeypatch):
    monkeypatch.setattr(request_body, "SKIM_SECONDS", 0.05)
    head = (
        "PUT /api/repo/vast HTTP/1.1\r\nHost: hall\r\nConnection: close\r\n"
        f"Authorization: Bearer {hall.acme.member.token}\r\nContent-Length: {5 * 1024**3 + 1}\r\n\r\n"
    )
    answer = await hall.raw(head.encode())
    assert answer.startswith(b"HTTP/1.1 413")

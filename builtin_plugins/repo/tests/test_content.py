"""Bytes over HTTP: ranges, tags, how a browser is told to take them, and how much memory they take."""

import asyncio
import logging
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.repo import small_blobs
from builtin_plugins.repo.handlers import content
from builtin_plugins.repo.tests.reading_here import documents_are_read_here  # noqa: F401 - a fixture
from guildhall_sdk.services.stored_objects import StoredVersion

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

BODY = bytes(range(256)) * 4


def version(*, filename="a.bin", content_type="text/plain", size=1024):
    return StoredVersion(
        id="ver_1",
        object_id="obj_1",
        org_id="org_1",
        team_id="team_1",
        key="a",
        number=1,
        marker=False,
        latest=True,
        sha256="0" * 64,
        size=size,
        etag="",
        content_type=content_type,
        filename=filename,
        attributes={},
        created_at=0,
        created_by="usr_1",
        owner_id="usr_1",
        owner_name="Ada",
    )


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=10-19", 10, 20),
        ("bytes=1000-", 1000, 1024),
        ("bytes=1000-9999", 1000, 1024),
        ("bytes=-24", 1000, 1024),
        ("bytes=-9999", 0, 1024),
        ("BYTES=0-1", 0, 2),
        ("Bytes=-24", 1000, 1024),
    ],
)
async def test_one_range_is_answered_with_that_part(hall, upload, asked, start, end):
    found = await upload(hall.acme.member, "a.bin", BODY)
    response = await hall.acme.member.get(f"/api/repo-obj/{found['id']}/content", headers={"Range": asked})
    assert response.status_code == 206
    assert response.content == BODY[start:end]
    assert response.headers["content-range"] == f"bytes {start}-{end - 1}/1024"
    assert response.headers["content-length"] == str(end - start)


@pytest.mark.parametrize("asked", ["bytes=1024-", "bytes=9999-10000", "bytes=-0"])
async def test_a_range_behind_the_end_is_416_with_the_size(hall, upload, asked):
    found = await upload(hall.acme.member, "a.bin", BODY)
    response = await hall.acme.member.get(f"/api/repo-obj/{found['id']}/content", headers={"Range": asked})
    assert (response.status_code, response.json()["code"]) == (416, "range_not_satisfiable")
    assert response.headers["content-range"] == "bytes */1024"


@pytest.mark.parametrize(
    "asked", ["bytes=5-2", "bytes=-", "lines=1-2", "bytes=0-1,5-6", "bytes=a-b", f"bytes={'9' * 30}-"]
)
async def test_a_range_that_is_not_understood_is_the_whole(hall, upload, asked):
    found = await upload(hall.acme.member, "a.bin", BODY)
    response = await hall.acme.member.get(f"/api/repo-obj/{found['id']}/content", headers={"Range": asked})
    assert (response.status_code, response.content) == (200, BODY)
    assert response.headers["accept-ranges"] == "bytes"


async def test_the_tag_is_the_contents_and_saves_sending_it_again(hall, upload):
    reader = hall.acme.member
    found = await upload(reader, "a.bin", BODY)
    path = f"/api/repo-obj/{found['id']}/content"
    tag = (await reader.get(path)).headers["etag"]
    for headers in ({"If-None-Match": tag}, {"If-None-Match": f'"x", W/{tag}', "Range": "bytes=0-1"}):
        again = await reader.get(path, headers=headers)
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    part = await reader.get(path, headers={"If-Range": tag, "Range": "bytes=0-1"})
    assert (part.status_code, part.content) == (206, BODY[:2])
    whole = await reader.get(path, headers={"If-Range": '"older"', "Range": "bytes=0-1"})
    assert (whole.status_code, whole.content) == (200, BODY)


async def test_head_tells_the_length_and_sends_nothing(hall, upload):
    found = await upload(hall.acme.member, "a.bin", BODY)
    response = await hall.acme.member.request("HEAD", f"/api/repo-obj/{found['id']}/content")
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-length"] == "1024"


SHOWN = [
    ("a.png", "image/png", "inline"),
    ("a.txt", "text/plain; charset=utf-8", "inline"),
    ("a.pdf", "application/pdf", "inline"),
    ("a.html", "text/html", "attachment"),
    ("a.svg", "image/svg+xml", "attachment"),
    ("a.md", "text/markdown", "attachment"),
    ("a", "application/octet-stream", "attachment"),
    ("a.png", "text/html; image/png", "attachment"),
]


async def test_only_what_cannot_run_is_shown_inline(hall, upload):
    for key, kind, shown in SHOWN:
        found = await upload(hall.acme.member, key, b"x", headers={"Content-Type": kind})
        response = await hall.acme.member.get(f"/api/repo-obj/{found['id']}/content")
        assert response.headers["content-disposition"].partition(";")[0] == shown
        assert response.headers["content-type"] == kind
        assert response.headers["x-content-type-options"] == "nosniff"


@given(st.text(min_size=1, max_size=255).filter(lambda text: "\0" not in text))
def test_no_filename_can_end_the_header_or_hide_its_end(filename):
    header = content.disposition(version(filename=filename))
    assert re.fullmatch(r"inline; filename=\"[ -!#-\[\]-~]+\"; filename\*=UTF-8''[A-Za-z0-9._~%-]+", header)
    assert "%0A" not in header and "%0D" not in header and "%E2%80%AE" not in header


async def test_a_name_in_any_script_reaches_the_browser(hall, upload):
    found = await upload(hall.acme.member, "a", b"x", filename='Ünï "code" 🙂.txt')
    response = await hall.acme.member.get(f"/api/repo-obj/{found['id']}/content")
    assert response.headers["content-disposition"] == (
        "inline; filename=\"_n_ _code_ _.txt\"; filename*=UTF-8''%C3%9Cn%C3%AF%20_code_%20%F0%9F%99%82.txt"
    )


async def test_a_slow_reader_is_not_read_ahead_for(hall, upload, repository, monkeypatch):
    """The socket's buffers fill up, and then nothing more is taken from the store."""
    taken = 0
    chunk, chunks = b"x" * 65536, 1024
    found = await upload(hall.acme.member, "large.bin", b"small")

    async def much(*_args):
        nonlocal taken
        for _ in range(chunks):
            taken += 1
            yield chunk

    monkeypatch.setattr(repository.blobs, "open", much)
    monkeypatch.setattr(
        "builtin_plugins.repo.handlers.content.wanted_part",
        lambda headers, found: content.Part(0, chunks * len(chunk)),
    )
    host, _, port = hall.base_url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=65536)
    writer.write(
        f"GET /api/repo-obj/{found['id']}/content HTTP/1.1\r\nHost: hall\r\n"
        f"Authorization: Bearer {hall.acme.member.token}\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    before = -1
    while taken != before:  # until it takes no more by itself
        before = taken
        for _ in range(2000):
            await asyncio.sleep(0)
    assert 0 < taken < chunks / 2
    left = chunks * len(chunk)
    while left:
        left -= len(await reader.read(1 << 20))
    assert taken == chunks
    writer.close()


@pytest.mark.hall_databases("sqlite")
async def test_memory_stays_flat_whatever_the_size(hall):
    size = 96 * 1024 * 1024
    author, piece = hall.acme.member, os.urandom(1 << 20)

    async def pieces():
        for _ in range(size // len(piece)):
            yield piece

    def resident():
        with open("/proc/self/statm") as statm:  # noqa: PTH123
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    await author.put("/api/repo/warm", content=piece)
    before = resident()
    response = await author._wire.http.put(
        "/api/repo/large.bin", content=pieces(), headers={"Authorization": f"Bearer {author.token}"}
    )
    assert (response.status_code, response.json()["size"]) == (201, size)
    peak, got = resident(), 0
    async with author._wire.http.stream(
        "GET",
        f"/api/repo-obj/{response.json()['id']}/content",
        headers={"Authorization": f"Bearer {author.token}"},
    ) as answer:
        async for chunk in answer.aiter_bytes():
            got += len(chunk)
            if got % (16 << 20) < len(chunk):
                peak = max(peak, resident())
    assert got == size
    assert peak - before < 32 * 1024 * 1024


@pytest.mark.parametrize("how", ["resets", "closes", "stops sending"])
async def test_nothing_more_is_read_for_who_hung_up(hall, upload, repository, monkeypatch, caplog, how):
    """It is no fault of the server either: nothing of it stands in the log."""
    taken, chunks, closed = 0, 4096, asyncio.Event()
    found = await upload(hall.acme.member, "large.bin", b"small")

    async def much(*_args):
        nonlocal taken
        try:
            for _ in range(chunks):
                taken += 1
                await asyncio.sleep(0)
                yield b"x" * 65536
        finally:
            closed.set()

    monkeypatch.setattr(repository.blobs, "open", much)
    monkeypatch.setattr(
        "builtin_plugins.repo.handlers.content.wanted_part",
        lambda headers, found: content.Part(0, chunks * 65536),
    )
    host, _, port = hall.base_url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=65536)
    writer.write(
        f"GET /api/repo-obj/{found['id']}/content HTTP/1.1\r\nHost: hall\r\n"
        f"Authorization: Bearer {hall.acme.member.token}\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    async with asyncio.timeout(60):
        if how == "resets":
            writer.transport.abort()
        elif how == "closes":
            writer.close()
        else:
            writer.write_eof()
            # Cut, and not ended as if this were all of it.
            assert len(await reader.read()) < chunks * 65536
        await closed.wait()
    writer.close()
    assert taken < chunks / 2
    assert (await hall.anonymous.get("/health")).status_code == 200
    assert [record.msg for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.mark.parametrize("size", [4, small_blobs.MAX_BYTES + 1])
@pytest.mark.every_database
async def test_bytes_that_are_lost_are_told_of_while_there_is_an_answer_to_give(hall, upload, lose, size):
    found = await upload(hall.acme.member, "a.txt", b"l" * size)
    await lose(hall.acme, found["sha256"])
    path = f"/api/repo-obj/{found['id']}/content"
    response = await hall.acme.member.get(path)
    assert (response.status_code, response.json()["code"]) == (500, "internal")
    assert (await hall.acme.member.request("HEAD", path)).status_code == 200


async def test_who_reads_a_file_by_its_key_hears_where_it_is_read(hall):
    refused = await hall.acme.member.get("/api/repo/minutes/monday.md")
    assert refused.status_code == 405
    assert "GET /api/repo-obj/ID/content" in refused.json()["detail"]
    assert "GET /api/repo?prefix=KEY" in refused.json()["detail"]


async def test_a_player_gets_sound_by_a_ticket_and_nothing_else_by_it(hall, upload):
    member = hall.acme.member
    sound = await upload(member, "song.mp3", b"0123456789")
    page = await upload(member, "page.html", b"<script>alert(1)</script>")
    begun = await member.post(f"/api/repo-obj/{sound['id']}/playback", {})
    assert begun.status_code == 200, begun.text
    path = begun.json()["path"]
    part = await hall.anonymous.get(path, headers={"Range": "bytes=2-4"})
    assert (part.status_code, part.content) == (206, b"234")
    assert part.headers["content-type"] == "audio/mpeg"
    # For this version of this object alone, and for nothing that a browser would run.
    assert (await member.post(f"/api/repo-obj/{page['id']}/playback", {})).json()["code"] == "not_playable"
    for other in (
        path.replace(sound["id"], page["id"]),
        path.replace("version=1", "version=2"),
        path.replace("?version=1", "x?version=1"),
    ):
        assert (await hall.anonymous.get(other)).status_code == 404
    stranger = await hall.globex.member.post(f"/api/repo-obj/{sound['id']}/playback", {})
    assert stranger.status_code == 404
    hall.clock.advance(milliseconds=10 * 60 * 1000)
    assert (await hall.anonymous.get(path)).status_code == 404

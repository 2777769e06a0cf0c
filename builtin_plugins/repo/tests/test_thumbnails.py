"""Small pictures: of what they are made, what they cost, and who sees them."""

import asyncio
import io
import struct
import sys
import zlib

import pypdf
import pytest
from PIL import Image

from builtin_plugins.repo import thumbnails
from guildhall_sdk import Statement

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

_COUNT = "SELECT COUNT(*) FROM thumbnails WHERE org_id = :org_id"
COUNT = Statement("count", _COUNT, _COUNT)


def picture(kind="PNG", size=(400, 200), mode="RGB", **more):
    content = io.BytesIO()
    Image.effect_noise(size, 64).convert(mode).save(content, kind, **more)
    return content.getvalue()


def pdf(width=595, height=842):
    writer, content = pypdf.PdfWriter(), io.BytesIO()
    writer.add_blank_page(width, height)
    writer.write(content)
    return content.getvalue()


def sides(answer):
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "image/webp"
    small = Image.open(io.BytesIO(answer.content))
    assert small.format == "WEBP"
    return small.size


@pytest.fixture
def ask():
    async def ask(client, found, size=256, headers=None, **query):
        path = f"/api/repo-obj/{found['id']}/thumbnail"
        return await client.get(path, params={"size": size, **query}, headers=headers or {})

    return ask


@pytest.fixture
def how_many(hall):
    async def how_many(company):
        async with hall.server.data.read() as reader:
            return await reader.value(COUNT, org_id=company.org_id)

    return how_many


@pytest.fixture
def started(monkeypatch):
    """How many children were started."""
    run, calls = thumbnails.run_child, []

    async def counted(*arguments):
        calls.append(arguments)
        return await run(*arguments)

    monkeypatch.setattr(thumbnails, "run_child", counted)
    return calls


async def test_the_longest_side_is_at_most_the_size_and_nothing_grows(hall, upload, ask):
    author = hall.acme.member
    wide = await upload(author, "wide.png", picture(size=(1500, 500)))
    for size, expected in ((64, (64, 21)), (256, (256, 85)), (1024, (1024, 341))):
        assert sides(await ask(author, wide, size)) == expected
    small = await upload(author, "small.png", picture(size=(20, 10)))
    assert sides(await ask(author, small, 1024)) == (20, 10)
    for size in ("63", "0", "512", "-64", "1e3", "x", ""):
        refused = await ask(author, wide, size)
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "?size")


KINDS = {
    "gif": lambda: picture("GIF", save_all=True, append_images=[Image.new("RGB", (400, 200))]),
    "palette": lambda: picture(mode="P"),
    "cmyk": lambda: picture("JPEG", mode="CMYK"),
    "pdf": lambda: pdf(400, 200),
}
FURTHER_KINDS = {
    "jpeg": lambda: picture("JPEG"),
    "webp": lambda: picture("WEBP"),
    "avif": lambda: picture("AVIF"),
    "bmp": lambda: picture("BMP"),
    "mpo": lambda: picture("MPO"),
    "two colours": lambda: picture(mode="1"),
    "clear": lambda: picture(mode="LA"),
}


@pytest.mark.parametrize(
    "made",
    [*KINDS.values(), *(pytest.param(one, marks=pytest.mark.long_form) for one in FURTHER_KINDS.values())],
    ids=[*KINDS, *FURTHER_KINDS],
)
async def test_of_every_kind_that_is_read(hall, upload, ask, made):
    content = made()
    key = "file.pdf" if content.startswith(b"%PDF") else "file.png"
    assert sides(await ask(hall.acme.member, await upload(hall.acme.member, key, content), 64)) == (64, 32)


async def test_a_photo_stands_the_right_way_up_and_keeps_no_place_where_it_was_taken(hall, upload, ask):
    known = Image.Exif()
    known[0x0112] = 6
    known[0x010F] = "The maker of the camera"
    photo = await upload(hall.acme.member, "photo.jpg", picture("JPEG", exif=known))
    answer = await ask(hall.acme.member, photo, 64)
    assert sides(answer) == (32, 64)
    assert b"The maker" not in answer.content


NO_PICTURES = {
    "broken.png": picture()[:900],
    "drawing.svg": b"<svg xmlns='http://www.w3.org/2000/svg'><rect width='9' height='9'/></svg>",
    "text.txt": b"text",
    "broken.pdf": b"%PDF-1.7\n1 0 obj << >>",
}
FURTHER_NO_PICTURES = {
    "not.png": b"plainly no picture",
    "empty.png": b"",
    "drawing.png": NO_PICTURES["drawing.svg"],
    "none.pdf": b"%PDF-1.7",
    "program.eps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage\n",
    "picture.png": picture("TIFF"),
}


@pytest.mark.parametrize(
    "contents", [NO_PICTURES, pytest.param(FURTHER_NO_PICTURES, marks=pytest.mark.long_form)]
)
async def test_where_there_is_no_picture_it_is_not_found(hall, upload, ask, contents):
    for key, content in contents.items():
        answer = await ask(hall.acme.member, await upload(hall.acme.member, key, content))
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), key


async def test_what_unfolds_without_end_is_no_picture_and_tried_once(hall, upload, ask, started):
    """Nine hundred million pixels in half a megabyte: it is refused by its head."""
    bomb = await upload(hall.acme.member, "bomb.png", picture_of_nothing())
    for _ in range(2):
        assert (await ask(hall.acme.member, bomb)).status_code == 404
    assert len(started) == 1


def picture_of_nothing(width=30_000, height=30_000, bits=1, colours=0):
    """A whole PNG, all of it black."""
    packer = zlib.compressobj(1)
    row = bytes(1 + (width * bits + 7) // 8)
    rows = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    content = b"\x89PNG\r\n\x1a\n"
    head = struct.pack(">IIBBBBB", width, height, min(bits, 8), colours, 0, 0, 0)
    for name, data in ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b"")):
        content += struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return content


async def test_what_takes_more_memory_than_it_may_is_no_picture(hall, upload, ask, monkeypatch):
    monkeypatch.setattr(thumbnails, "_LIMITS", thumbnails._LIMITS._replace(memory_bytes=160 << 20))
    large = await upload(hall.acme.member, "a.png", picture_of_nothing(7900, 7900, 24, 2))
    assert (await ask(hall.acme.member, large)).status_code == 404


@pytest.mark.parametrize(
    "ending",
    [
        "SIGSEGV",
        "SIGKILL",
        *(pytest.param(name, marks=pytest.mark.long_form) for name in ("SIGXCPU", "SIGALRM")),
    ],
)
async def test_what_ends_its_child_is_no_picture(hall, upload, ask, monkeypatch, how_many, ending):
    """What was ended from outside, as for want of memory, is tried again."""
    program = f"import os, signal; os.kill(os.getpid(), signal.{ending})"
    found = await upload(hall.acme.member, "a.png", picture())
    with monkeypatch.context() as patched:
        patched.setattr(thumbnails, "_COMMAND", (sys.executable, "-I", "-c", program))
        assert (await ask(hall.acme.member, found)).status_code == 404
    again = (await ask(hall.acme.member, found)).status_code
    assert (again, await how_many(hall.acme)) == ((200, 1) if ending == "SIGKILL" else (404, 1))


@pytest.mark.every_database
async def test_it_is_drawn_once_kept_and_goes_with_its_version(hall, upload, ask, started, how_many):
    author = hall.acme.admin
    found = await upload(author, "a.png", picture())
    answers = await asyncio.gather(*(ask(author, found) for _ in range(5)))
    assert {sides(answer) for answer in answers} == {(256, 128)}
    assert len(started) == await how_many(hall.acme) == 1
    await upload(author, "a.png", picture(size=(100, 200)))
    assert sides(await ask(author, found)) == (100, 200)
    assert (len(started), await how_many(hall.acme)) == (2, 1)
    await author.post(f"/api/repo-obj/{found['id']}/move", {"key": "b.png"})
    await ask(author, found)
    assert len(started) == 2
    assert (await author.delete(f"/api/repo-obj/{found['id']}")).status_code == 204
    assert await how_many(hall.acme) == 0


async def test_it_is_asked_for_again_by_its_tag(hall, upload, ask, started):
    author = hall.acme.member
    found = await upload(author, "a.png", picture())
    first = await ask(author, found)
    assert first.headers["cache-control"] == "private, no-cache"
    assert "Authorization" in first.headers["vary"]
    again = await ask(author, found, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert sides(await ask(author, found, 64, headers={"If-None-Match": first.headers["etag"]})) == (64, 32)


async def test_who_may_not_read_the_content_sees_no_picture_of_it(hall, upload, ask, share):
    author, colleague = hall.acme.member, hall.acme.colleague
    found = await upload(author, "a.png", picture(), visibility="private")
    tag = (await ask(author, found)).headers["etag"]
    for stranger in (colleague, hall.acme.owner, hall.globex.owner):
        assert (await ask(stranger, found)).status_code == 404
        assert (await ask(stranger, found, headers={"If-None-Match": tag})).status_code == 404
    await share(author, found, "view", user=colleague)
    assert sides(await ask(colleague, found)) == (256, 128)
    team = await upload(author, "team.png", picture())
    assert (await ask(hall.acme.reader, team, scope="org")).status_code == 200
    assert (await author.delete(f"/api/repo-obj/{found['id']}?keep=1")).status_code == 204
    assert (await ask(author, found)).status_code == 404


async def test_without_a_sandbox_there_are_none_and_none_is_kept(
    hall, upload, ask, repository, monkeypatch, how_many
):
    found = await upload(hall.acme.member, "a.png", picture())

    async def refused():
        return False

    with monkeypatch.context() as patched:
        patched.setattr(repository.texts, "may_read", refused)
        assert (await ask(hall.acme.member, found)).status_code == 404
    assert await how_many(hall.acme) == 0
    assert sides(await ask(hall.acme.member, found)) == (256, 128)

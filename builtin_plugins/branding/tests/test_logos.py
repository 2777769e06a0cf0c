"""Logos over HTTP: what is taken, and how it is served."""

import base64
import hashlib
import struct
import zlib

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

ORG = "/api/org/branding/logo"
LIMIT = 512 * 1024


def chunk(kind, body=b""):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(size=None):
    """A sound one, of exactly so many bytes if that is asked for."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    rest = chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND")
    bare = 8 + len(header) + len(rest)
    filling = b"" if size is None else chunk(b"teSt", bytes(size - bare - 12))
    return b"\x89PNG\r\n\x1a\n" + header + filling + rest


async def test_the_upload_answers_the_branding_and_the_logo_is_served(hall, upload_of):
    content = png()
    answer = await hall.acme.org_admin.post(ORG, upload_of(content, "image/png"))
    assert answer.status_code == 200
    assert set(answer.json()) == {"title", "tagline", "logo", "theme", "palette", "own"}
    assert answer.json()["own"] is True
    assert answer.json()["logo"] == f"/api/branding/logos/{hashlib.sha256(content).hexdigest()}"
    served = await hall.anonymous.get(answer.json()["logo"])
    assert (served.status_code, served.content) == (200, content)
    assert served.headers["content-type"] == "image/png"
    assert served.headers["content-disposition"] == 'inline; filename="logo.png"'


async def test_a_logo_is_served_for_ever_and_inert(hall, give_logo):
    served = await hall.anonymous.get(await give_logo(hall.acme.org_owner, "acme"))
    headers = served.headers
    assert headers["content-type"] == "image/svg+xml; charset=utf-8"
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-disposition"] == 'inline; filename="logo.svg"'
    policy = {rule.strip() for rule in headers["content-security-policy"].split(";")}
    assert policy == {"default-src 'none'", "style-src 'unsafe-inline'", "sandbox", "frame-ancestors 'none'"}


async def test_a_browser_that_holds_it_gets_304(hall, give_logo):
    logo = await give_logo(hall.acme.org_owner, "acme")
    tag = (await hall.anonymous.get(logo)).headers["etag"]
    again = await hall.anonymous.get(logo, headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    head = await hall.anonymous.request("HEAD", logo)
    assert (head.status_code, head.content) == (200, b"")


async def test_the_same_answer_for_everybody_and_no_word_of_whose_it_is(hall, give_logo):
    logo = await give_logo(hall.acme.org_owner, "mark")
    headers = {"X-Request-Id": "same"}
    answers = [
        await caller.get(logo, headers=headers)
        for caller in (hall.anonymous, hall.acme.viewer, hall.globex.viewer, hall.operator)
    ]
    for answer in answers:
        del answer.headers["date"]  # a second may pass between them
    told = {(answer.status_code, answer.content, str(sorted(answer.headers.items()))) for answer in answers}
    assert len(told) == 1
    for secret in (hall.acme.org_id, hall.acme.slug, hall.acme.org_owner.username, hall.acme.team_id):
        assert secret not in answers[0].text + str(answers[0].headers)


UNKNOWN = [
    "0" * 64,
    "0" * 63,
    "0" * 65,
    "x",
    "%00",
    "%ff",
    "..%2f..%2fetc",
    "%27%20OR%201=1",
    "é",
    "x" * 4000,
]


async def test_an_unknown_digest_is_404(hall, give_logo):
    await give_logo(hall.acme.org_owner, "acme")
    for digest in UNKNOWN:
        answer = await hall.anonymous.get(f"/api/branding/logos/{digest}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), digest


async def test_a_digest_is_matched_as_it_is_written(hall, give_logo):
    logo = await give_logo(hall.acme.org_owner, "acme")
    path, _, digest = logo.rpartition("/")
    assert (await hall.anonymous.get(f"{path}/{digest.upper()}")).status_code == 404


@pytest.mark.own_server
async def test_a_new_logo_replaces_the_old_one(hall, give_logo, rows_of):
    first = await give_logo(hall.acme.org_owner, "one")
    second = await give_logo(hall.acme.org_owner, "two")
    assert (await hall.anonymous.get(first)).status_code == 404
    assert (await hall.anonymous.get(second)).status_code == 200
    assert len(await rows_of("branding_logos")) == 1
    assert await give_logo(hall.acme.org_owner, "two") == second


async def test_a_logo_of_the_full_size_is_taken(hall, upload_of):
    content = png(LIMIT)
    assert len(content) == LIMIT
    answer = await hall.acme.org_owner.post(ORG, upload_of(content, "image/png"))
    assert answer.status_code == 200, answer.text
    assert (await hall.anonymous.get(answer.json()["logo"])).content == content


@pytest.mark.own_server
async def test_a_larger_one_is_413_and_changes_nothing(hall, upload_of, rows_of):
    for size in (LIMIT + 1, LIMIT + 2, LIMIT + 3, LIMIT + 100_000, 3 * 1024 * 1024):
        answer = await hall.acme.org_owner.post(ORG, upload_of(png(size), "image/png"))
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large"), size
    assert await rows_of("branding_logos") == []


async def test_the_length_is_judged_before_anything_is_decoded(hall):
    answer = await hall.acme.org_owner.post(ORG, {"content_type": "image/png", "data": "!" * 800_000})
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def spoiled(data):
    yield from (data[:-1], data + "=", data + "\n", " " + data, data[:40] + "\n" + data[40:], data + "====")
    yield from (data.replace("+", "-") + "_", "data:image/png;base64," + data, data[:-4] + "QQ=Q", "é" * 8)
    yield from ("====", "QR==", "QQ", "QQ=", "\u0665\u0665\u0665\u0665")


@pytest.mark.own_server
async def test_base64_is_taken_strictly(hall, rows_of):
    for data in spoiled(base64.b64encode(png()).decode()):
        answer = await hall.acme.org_owner.post(ORG, {"content_type": "image/png", "data": data})
        assert answer.status_code == 400, (data, answer.text)
        assert [error["pointer"] for error in answer.json()["errors"]] == ["/data"], data
        assert "must be base64" in answer.json()["detail"], data
    assert await rows_of("branding_logos") == []


async def test_only_the_five_types_are_taken(hall, upload_of):
    for content_type in (
        "text/html",
        "image/png; charset=x",
        "IMAGE/PNG",
        "image/*",
        "image/jpg",
        "",
        "image/bmp",
    ):
        answer = await hall.acme.org_owner.post(ORG, upload_of(png(), content_type))
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/content_type")


async def test_the_type_is_judged_by_content(hall, upload_of, svg):
    for content, claimed in ((png(), "image/gif"), (png(), "image/svg+xml"), (svg(), "image/png")):
        answer = await hall.acme.org_owner.post(ORG, upload_of(content, claimed))
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/content_type")


HOSTILE = [
    (b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', "image/svg+xml"),
    (b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', "image/svg+xml"),
    (b'<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x>&y;</x>', "image/svg+xml"),
    (b"GIF89a/*\0\0*/=1;alert(document.domain)", "image/gif"),
    (b"<html><script>alert(1)</script></html>", "image/svg+xml"),
]


@pytest.mark.own_server
async def test_what_could_run_is_refused_and_not_kept(hall, upload_of, rows_of):
    for content, claimed in HOSTILE:
        for path in ("/api/branding/logo", ORG):
            answer = await hall.operator.post(path, upload_of(content, claimed))
            assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/data"), content
    assert await rows_of("branding_logos") == []


@pytest.mark.every_database
@pytest.mark.own_server
async def test_an_upload_repeated_under_its_key_answers_the_same(hall, upload_of, svg, rows_of):
    body, key = upload_of(svg()), {"Idempotency-Key": "logo-1"}
    first = await hall.acme.org_owner.post(ORG, body, headers=key)
    second = await hall.acme.org_owner.post(ORG, body, headers=key)
    assert second.headers["idempotency-replayed"] == "true"
    assert first.json() == second.json()
    assert len(await rows_of("audit_events", "action = 'branding.logo_changed'")) == 1

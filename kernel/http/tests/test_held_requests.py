"""A request lasts as long as its caller likes: what they may do is asked again when it writes."""

import asyncio
import json
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest

from guildhall_testing.raw import RawAnswer, request_bytes

pytestmark = pytest.mark.any_database

NEW_PASSWORD = "another horse, another battery"


@pytest.fixture
def held(hall):
    """`async with held("POST", path, body, token) as finish`: past the gates, and its body still to come."""

    @asynccontextmanager
    async def held(method, path, body, token=None, **headers):
        address = urlsplit(hall.base_url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        told = {"Content-Length": str(len(body)), "Expect": "100-continue", **headers}
        writer.write(request_bytes(method, path, token=token, headers=told))
        assert b" 100 " in await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)

        async def finish():
            writer.write(body)
            return RawAnswer.parse(await asyncio.wait_for(reader.read(-1), 60))

        try:
            yield finish
        finally:
            writer.close()

    return held


async def removed(hall, admin):
    return await hall.acme.owner.delete(f"/api/members/{admin.user_id}")


async def demoted(hall, admin):
    return await hall.acme.owner.patch(f"/api/members/{admin.user_id}", {"role": "viewer"})


async def signed_out(hall, admin):
    return await admin.post("/api/logout", {})


async def with_a_new_password(hall, admin):
    other = await hall.with_token(admin, kind="session")
    return await other.post("/api/password", {"new_password": NEW_PASSWORD})


ENDS = [(removed, 401), (demoted, 403), (signed_out, 401), (with_a_new_password, 401)]
ACCOMPLICE = {"username": "accomplice", "role": "admin", "password": NEW_PASSWORD}


@pytest.mark.parametrize(("end", "status"), ENDS, ids=[end.__name__ for end, _ in ENDS])
async def test_who_lost_the_right_while_the_body_came_does_nothing_with_it(hall, held, end, status):
    admin = await hall.join(hall.acme, "admin")
    async with (
        held("POST", "/api/members", json.dumps(ACCOMPLICE).encode(), admin.token) as members,
        held("POST", "/api/tokens", b'{"ttl": "never"}', admin.token) as tokens,
        held("POST", "/api/notes", b'{"title": "late", "body": ""}', admin.token) as notes,
        held("PUT", "/api/repo/late", b"late", admin.token) as upload,
    ):
        assert (await end(hall, admin)).status_code in (200, 204)
        assert [(await finish()).status for finish in (members, tokens, notes, upload)] == [status] * 4
    names = {one["username"] for one in (await hall.acme.owner.get("/api/members")).json()["items"]}
    assert "accomplice" not in names


@pytest.mark.every_database
async def test_a_token_that_ends_while_the_body_comes_writes_nothing(hall, held):
    token = (await hall.acme.admin.post("/api/tokens", {"ttl": 60})).json()["token"]
    async with held("POST", "/api/notes", b'{"title": "late", "body": ""}', token) as finish:
        hall.clock.advance(seconds=61)
        assert (await finish()).status == 401


@pytest.mark.every_database
async def test_a_repeatable_request_is_judged_when_it_writes_too(hall, held):
    admin = await hall.join(hall.acme, "admin")
    body, key = b'{"title": "late", "body": ""}', {"Idempotency-Key": "once"}
    async with held("POST", "/api/notes", body, admin.token, **key) as finish:
        await signed_out(hall, admin)
        assert (await finish()).status == 401


async def test_an_ended_session_makes_no_link(hall, held):
    author = await hall.join(hall.acme, "member")
    found = (await author.put("/api/repo/a", content=b"a")).json()
    await author.post("/api/s3/credentials", {})
    async with held("POST", f"/api/repo-obj/{found['id']}/presign", b"{}", author.token) as finish:
        await signed_out(hall, author)
        assert (await finish()).status == 401


@pytest.mark.parametrize("what", ["key", "token"])
async def test_a_link_whose_key_or_token_is_revoked_while_the_bytes_come_writes_nothing(hall, held, what):
    admin = hall.acme.admin
    found = (await admin.put("/api/repo/a", content=b"a")).json()
    key = (await admin.post("/api/s3/credentials", {})).json()
    token = (await admin.post("/api/tokens", {})).json()
    path = f"/api/repo-obj/{found['id']}/presign"
    link = urlsplit((await hall.bearer(token["token"]).post(path, {"method": "PUT"})).json()["url"])
    async with held("PUT", f"{link.path}?{link.query}", b"late", Host=link.netloc) as finish:
        revoked = f"/api/s3/credentials/{key['id']}" if what == "key" else f"/api/tokens/{token['id']}"
        assert (await admin.delete(revoked)).status_code == 204
        answer = await finish()
    assert (answer.status, b"<Code>AccessDenied</Code>" in answer.body) == (403, True)
    assert (await admin.get(f"/api/repo-obj/{found['id']}/content")).content == b"a"

"""The body of a form: refused before the file comes wherever that can be, and taken as it comes."""

import asyncio
import hashlib
from xml.etree import ElementTree

import pytest

from builtin_plugins.s3.tests.forms import BOUNDARY, Forms, part, raw_form, refusal
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.repository import Repository
from guildhall_testing.raw import RawAnswer
from libs import request_body

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

KIB, MIB = 1024, 1024 * 1024


@pytest.fixture
def before_the_file(hall, forms, monkeypatch):
    """`await before_the_file(fields, size)`: the answer to a form of which no byte of the file comes."""
    monkeypatch.setattr(request_body, "SKIM_SECONDS", 0.05)

    async def before_the_file(fields, size, path=None, **headers):
        host = hall.addresses["s3"].removeprefix("http://")
        whole = raw_form(fields, b"|")
        length = len(whole) - 1 + size
        told = {
            "Host": host,
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
            "Content-Length": str(length),
            "Connection": "close",
            **headers,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        reader, writer = await asyncio.open_connection(*host.split(":"))
        try:
            path = path or forms.url.removeprefix(hall.addresses["s3"])
            writer.write(f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode() + whole.partition(b"|")[0])
            received = await asyncio.wait_for(reader.read(-1), 60)
        finally:
            writer.close()
        if received.startswith(b"HTTP/1.1 100"):
            received = received.partition(b"\r\n\r\n")[2]
        answer = RawAnswer.parse(received)
        return answer.status, ElementTree.fromstring(answer.body).findtext("Code")

    return before_the_file


@pytest.fixture
def limit(hall):
    async def limit(amount):
        async with hall.server.data.write() as writer:
            quotas = hall.server.service(Quotas)
            await quotas.set_limit(writer, "team", hall.acme.owner.team_id, "storage.bytes", "none", amount)

    return limit


async def test_what_is_refused_anyway_is_refused_before_a_byte_of_the_file(
    hall, http, forms, open_bucket, limit, before_the_file
):
    good, size = forms.signed("k"), 10 * MIB
    assert await before_the_file({**good, "x-amz-signature": "0" * 64}, size) == (
        403, "SignatureDoesNotMatch"
    )  # fmt: skip
    assert await before_the_file({"key": "k"}, size) == (403, "AccessDenied")
    assert await before_the_file({**good, "key": "other"}, size) == (403, "AccessDenied")
    assert await before_the_file(forms.signed("k", expires_in=-1), size) == (403, "AccessDenied")
    ranged = forms.signed("k", ["content-length-range", 0, MIB])
    assert await before_the_file(ranged, size) == (400, "EntityTooLarge")
    ranged = forms.signed("k", ["content-length-range", 20 * MIB, 30 * MIB])
    assert await before_the_file(ranged, size) == (400, "EntityTooSmall")
    assert await before_the_file(good, 6 * 1024 * MIB) == (400, "EntityTooLarge")
    narrowed = Forms(hall, await open_bucket(hall.acme.owner, prefix="in/"), http)
    assert await before_the_file(narrowed.signed("k"), size) == (403, "AccessDenied")
    viewer = Forms(hall, await open_bucket(await hall.join(hall.acme, "viewer")), http)
    assert await before_the_file(viewer.signed("k"), size) == (403, "AccessDenied")
    await limit(MIB)
    assert await before_the_file(good, size) == (403, "QuotaExceeded")
    assert await before_the_file(good, size, Expect="100-continue") == (403, "QuotaExceeded")


async def test_a_form_takes_what_fits_to_the_byte_and_no_more(hall, forms, limit):
    """Also where it cannot be told before the file how long that is."""
    await limit(200 * KIB)
    for size, status in ((150 * KIB, 204), (50 * KIB + 1, 403), (50 * KIB, 204), (1, 403)):
        answer = await forms.send(forms.signed("k"), b"x" * size)
        assert answer.status_code == status, (size, answer.text)
    items = (await hall.acme.owner.get("/api/usage")).json()["items"]
    used = [item["used"] for item in items if (item["dimension"], item["level"]) == ("storage.bytes", "team")]
    assert used == [200 * KIB]


async def test_a_long_file_in_chunks_arrives_as_it_is(bucket, forms):
    content = b"\r\n--" + bytes(range(256)) * 12 * KIB
    body = raw_form(forms.signed("long"), content, part("submit", "x"))

    async def pieces():
        for at in range(0, len(body), 70_001):
            yield body[at : at + 70_001]

    assert (await forms.send_raw(pieces())).status_code == 204
    found = await bucket.read("long")
    assert hashlib.sha256(found).digest() == hashlib.sha256(content).digest()


async def test_a_form_that_breaks_off_leaves_nothing(hall, bucket, forms):
    body = raw_form(forms.signed("k"), bytes(300 * KIB))
    answer = await forms.send_raw(body[: -len(BOUNDARY) - 8])
    assert refusal(answer)[:2] == (400, "MalformedPOSTRequest")
    host = hall.addresses["s3"].removeprefix("http://")
    _, writer = await asyncio.open_connection(*host.split(":"))
    head = (
        f"POST /{bucket.name} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n"
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n\r\n"
    )
    writer.write(head.encode() + body[: len(body) // 2])
    await writer.drain()
    writer.close()
    await writer.wait_closed()
    assert await bucket.keys() == []
    await hall.server.service(Repository).blobs.settled()
    items = (await hall.acme.owner.get("/api/usage")).json()["items"]
    assert {item["used"] for item in items if item["dimension"] == "storage.bytes"} == {0}


async def test_too_much_before_the_file_is_refused(forms):
    body = raw_form({**forms.signed("k"), "x-ignore-a": "x" * 20 * KIB}, b"x")
    assert refusal(await forms.send_raw(body))[:2] == (400, "MaxPostPreDataLengthExceeded")
    document = forms.policy({"key": "k"}, ["starts-with", "$tagging", ""])
    fields = forms.signed_over(document, key="k", tagging="${filename}" * KIB)
    answer = await forms.send(fields, filename="<a>" * 300)
    assert refusal(answer)[:2] == (400, "MaxPostPreDataLengthExceeded")
    assert refusal(await forms.send_raw(b""))[:2] == (400, "MalformedPOSTRequest")
    answer = await forms.send_raw(b"x", **{"Content-Type": "multipart/form-data"})
    assert refusal(answer)[:2] == (400, "MalformedPOSTRequest")


@pytest.mark.every_database
async def test_a_key_that_is_revoked_while_the_file_comes_stores_nothing(hall, bucket, forms):
    body = raw_form(forms.signed("k"), bytes(2 * MIB))

    async def pieces():
        yield body[:MIB]
        revoked = await hall.acme.owner.request("DELETE", f"/api/s3/credentials/{bucket.key['id']}")
        assert revoked.status_code == 204
        yield body[MIB:]

    assert refusal(await forms.send_raw(pieces()))[0] == 403
    assert (await hall.acme.owner.get("/api/repo")).json()["items"] == []


@pytest.mark.every_database
async def test_the_same_form_sent_many_times_at_once_makes_as_many_versions(bucket, forms):
    fields = forms.signed("k")
    answers = await asyncio.gather(*(forms.send(fields, b"%d" % number) for number in range(8)))
    assert {answer.status_code for answer in answers} == {204}
    assert await bucket.versions() == {("k", answer.headers["x-amz-version-id"]) for answer in answers}

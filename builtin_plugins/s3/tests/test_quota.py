"""Storage over S3: refused before the bytes are taken, and never passed."""

import asyncio
from xml.etree import ElementTree

import pytest

from builtin_plugins.s3.operations import assembling
from builtin_plugins.s3.uploads import Releases
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.repository import Repository
from guildhall_testing.raw import RawAnswer
from libs import request_body

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

KIB, MIB = 1024, 1024 * 1024
PART = 5 * MIB
OVER_QUOTA = (403, "QuotaExceeded")


@pytest.fixture(autouse=True)
def answered_at_once(monkeypatch):
    """A refused body that does not come is not waited for."""
    monkeypatch.setattr(request_body, "SKIM_SECONDS", 0.05)


@pytest.fixture
def limit(hall):
    async def limit(amount):
        async with hall.server.data.write() as writer:
            quotas = hall.server.service(Quotas)
            await quotas.set_limit(writer, "team", hall.acme.owner.team_id, "storage.bytes", "none", amount)

    return limit


@pytest.fixture
def used(hall):
    async def used():
        items = (await hall.acme.owner.get("/api/usage")).json()["items"]
        return next(
            item["used"] for item in items if (item["dimension"], item["level"]) == ("storage.bytes", "team")
        )

    return used


@pytest.fixture
def head_only(hall, bucket, signed):
    """The status and the code of the answer to a signed PUT of which no byte of the body comes."""

    async def head_only(path, length, **headers):
        told = {"x-amz-content-sha256": "UNSIGNED-PAYLOAD", **headers}
        _, sent = signed("PUT", path, **told)
        host = hall.addresses["s3"].removeprefix("http://")
        framing = {"Host": host, "Connection": "close"}
        framing |= {"Transfer-Encoding": "chunked"} if length is None else {"Content-Length": str(length)}
        lines = [f"{name}: {value}" for name, value in {**framing, **sent}.items()]
        reader, writer = await asyncio.open_connection(*host.split(":"))
        try:
            writer.write("\r\n".join([f"PUT /{bucket.name}{path} HTTP/1.1", *lines, "", ""]).encode())
            answer = RawAnswer.parse(await asyncio.wait_for(reader.read(-1), 60))
        finally:
            writer.close()
        return answer.status, ElementTree.fromstring(answer.body).findtext("Code")

    return head_only


@pytest.mark.parametrize("length", [MIB + 1, 5 * 1024 * MIB])
async def test_a_length_beyond_what_is_left_is_refused_before_a_byte_of_it_comes(
    bucket, limit, used, head_only, length
):
    await limit(MIB)
    assert await head_only("/k", length) == OVER_QUOTA
    assert await head_only("/k", length, Expect="100-continue") == OVER_QUOTA
    upload = (await bucket.create_multipart_upload(Key="k"))["UploadId"]
    assert await head_only(f"/k?partNumber=1&uploadId={upload}", length) == OVER_QUOTA
    assert await used() == 0


async def test_the_length_inside_of_chunks_counts(limit, used, head_only):
    await limit(MIB)
    told = {
        "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
        "x-amz-decoded-content-length": str(MIB + 1),
        "content-encoding": "aws-chunked",
    }
    assert await head_only("/k", None, **told) == OVER_QUOTA
    assert await head_only("/k", MIB + 100, **told) == OVER_QUOTA
    assert await used() == 0


async def test_beyond_the_largest_content_it_is_too_large(limit, head_only):
    await limit(MIB)
    assert await head_only("/k", 5 * 1024 * MIB + 1) == (400, "EntityTooLarge")


async def test_a_copied_part_counts_before_it_is_copied(bucket, limit, used, refused):
    await limit(MIB)
    await bucket.put_object(Key="source", Body=b"x" * 600 * KIB)
    upload = (await bucket.create_multipart_upload(Key="k"))["UploadId"]
    named = {"Key": "k", "UploadId": upload, "CopySource": f"{bucket.name}/source"}
    assert await refused(bucket.upload_part_copy(**named, PartNumber=1)) == ("QuotaExceeded", 403)
    ranged = {"CopySourceRange": f"bytes=0-{300 * KIB - 1}"}
    await bucket.upload_part_copy(**named, **ranged, PartNumber=1)
    assert await used() == 900 * KIB
    copy = bucket.copy_object(Key="copy", CopySource=f"{bucket.name}/source")
    assert await refused(copy) == ("QuotaExceeded", 403)
    await bucket.abort_multipart_upload(Key="k", UploadId=upload)
    assert await used() == 600 * KIB


@pytest.fixture
def uploaded(bucket):
    """An upload of two parts, and what completing it takes."""

    async def uploaded(key="big"):
        upload = (await bucket.create_multipart_upload(Key=key))["UploadId"]
        parts = []
        for number, content in ((1, b"x" * PART), (2, b"y")):
            sent = await bucket.upload_part(Key=key, UploadId=upload, PartNumber=number, Body=content)
            parts.append({"PartNumber": number, "ETag": sent["ETag"]})
        return {"Key": key, "UploadId": upload, "MultipartUpload": {"Parts": parts}}

    return uploaded


async def test_an_object_takes_the_place_of_its_parts(hall, bucket, limit, used, uploaded):
    """There is room for it once, not twice; and what is limited below what is used can still be completed."""
    await limit(PART + 1)
    named = await uploaded()
    assert await used() == PART + 1
    await limit(10)
    await bucket.complete_multipart_upload(**named)
    assert await used() == PART + 1
    await hall.server.service(Releases).settled()
    assert await bucket.read("big") == b"x" * PART + b"y"


@pytest.mark.every_database
async def test_a_part_that_is_sent_again_counts_once(bucket, used):
    upload = (await bucket.create_multipart_upload(Key="big"))["UploadId"]
    for content in (b"x" * PART, b"x" * PART, b"yy", b"yy"):
        await bucket.upload_part(Key="big", UploadId=upload, PartNumber=1, Body=content)
    assert await used() == PART + 2  # what another took the place of is held until the upload ends
    await bucket.abort_multipart_upload(Key="big", UploadId=upload)
    assert await used() == 0


@pytest.mark.every_database
async def test_a_completion_that_fails_leaves_its_parts_counted(bucket, limit, used, uploaded, refused):
    await limit(PART + 1 + 3)
    await bucket.put_object(Key="big", Body=b"old")
    named = await uploaded()
    call = bucket.complete_multipart_upload(**named, IfNoneMatch="*")
    assert (await refused(call))[0] == "PreconditionFailed"
    assert await used() == PART + 1 + 3
    await bucket.complete_multipart_upload(**named)
    assert await used() == PART + 1 + 3


@pytest.mark.every_database
async def test_parts_are_put_together_by_one_at_a_time(hall, bucket, uploaded, monkeypatch):
    monkeypatch.setattr(assembling, "_NEXT_LOOK_SECONDS", 0.01)
    repository, at_once, most, times = hall.server.service(Repository), 0, 0, 0
    stage = repository.stage

    async def watched(*arguments, **more):
        nonlocal at_once, most, times
        at_once, times = at_once + 1, times + 1
        most = max(most, at_once)
        try:
            return await stage(*arguments, **more)
        finally:
            at_once -= 1

    named = await uploaded()
    monkeypatch.setattr(repository, "stage", watched)
    answers = await asyncio.gather(*(bucket.complete_multipart_upload(**named) for _ in range(4)))
    assert len({answer["VersionId"] for answer in answers}) == 1
    assert (most, times) == (1, 1)


@pytest.mark.every_database
async def test_who_died_putting_parts_together_is_followed_by_the_next(hall, bucket, uploaded, monkeypatch):
    """Nobody gave its turn up; whoever asks again has it when that has lapsed."""
    repository = hall.server.service(Repository)
    stage = repository.stage

    async def dies_once(*_arguments, **_more):
        monkeypatch.setattr(repository, "stage", stage)
        hall.clock.advance(milliseconds=assembling.TURN_MS)
        raise RuntimeError("the power is gone")

    async def nothing(*_arguments):
        return None

    named = await uploaded()
    monkeypatch.setattr(repository, "stage", dies_once)
    monkeypatch.setattr(assembling, "end", nothing)
    await bucket.complete_multipart_upload(**named)
    assert await bucket.read("big") == b"x" * PART + b"y"

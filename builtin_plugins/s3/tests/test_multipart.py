"""Uploads in parts."""

import asyncio
import base64
import hashlib
import zlib

import pytest

from builtin_plugins.s3 import uploads
from builtin_plugins.s3.operations import completing
from builtin_plugins.s3.uploads import Releases
from guildhall_sdk import Statement
from guildhall_sdk.blobs import BlobStore
from guildhall_sdk.services.repository import Repository

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

PART = 5 * 1024 * 1024


@pytest.fixture
def begin(bucket):
    async def begin(key="big", **more):
        return (await bucket.create_multipart_upload(Key=key, **more))["UploadId"]

    return begin


@pytest.fixture
def send(bucket):
    """Sends a part and gives what naming it at the end takes."""

    async def send(upload, number, content, key="big", **more):
        sent = await bucket.upload_part(Key=key, UploadId=upload, PartNumber=number, Body=content, **more)
        named = {name: sent[name] for name in sent if name.startswith("Checksum") or name == "ETag"}
        return {"PartNumber": number, **named}

    return send


@pytest.fixture
def complete(bucket):
    async def complete(upload, parts, key="big", **more):
        return await bucket.complete_multipart_upload(
            Key=key, UploadId=upload, MultipartUpload={"Parts": parts}, **more
        )

    return complete


async def test_parts_become_one_object(bucket, begin, send, complete):
    upload = await begin(ContentType="text/plain", Metadata={"a": "b"})
    first, second = b"x" * PART, b"the end"
    parts = [await send(upload, 1, first), await send(upload, 5, second)]
    listed = await bucket.list_parts(Key="big", UploadId=upload)
    assert [(part["PartNumber"], part["Size"]) for part in listed["Parts"]] == [(1, PART), (5, 7)]
    done = await complete(upload, parts)
    digests = b"".join(hashlib.md5(content).digest() for content in (first, second))
    assert done["ETag"] == f'"{hashlib.md5(digests).hexdigest()}-2"'
    head = await bucket.head_object(Key="big")
    assert (head["ETag"], head["VersionId"]) == (done["ETag"], done["VersionId"])
    assert (head["ContentType"], head["Metadata"]) == ("text/plain", {"a": "b"})
    assert await bucket.read("big") == first + second
    assert await bucket.read("big", PartNumber=2) == second
    assert (await bucket.head_object(Key="big", PartNumber=1))["PartsCount"] == 2


async def test_nothing_of_an_ended_upload_is_left(hall, bucket, begin, send, complete, refused):
    async def used():
        items = (await hall.acme.owner.get("/api/usage")).json()["items"]
        return next(
            item["used"] for item in items if (item["dimension"], item["level"]) == ("storage.bytes", "team")
        )

    before = await used()
    upload = await begin()
    part = await send(upload, 1, b"bytes of a part")
    assert await used() > before
    assert [one["UploadId"] for one in (await bucket.list_multipart_uploads())["Uploads"]] == [upload]
    await bucket.abort_multipart_upload(Key="big", UploadId=upload)
    assert await used() == before
    assert await refused(complete(upload, [part])) == ("NoSuchUpload", 404)
    assert "Uploads" not in await bucket.list_multipart_uploads()
    upload = await begin()
    parts = [await send(upload, 1, b"x" * PART), await send(upload, 2, b"y")]
    await complete(upload, parts)
    await hall.server.service(Releases).settled()
    await hall.server.service(Repository).blobs.settled()
    store = hall.server.service(BlobStore)
    kept = [blob.size async for blob in store.list(hall.acme.owner.org_id)]
    assert kept == [PART + 1]
    assert await used() == before + PART + 1


@pytest.mark.every_database
@pytest.mark.own_server  # it counts the parts of all companies
async def test_what_is_known_of_parts_goes_with_their_version(hall, bucket, begin, send, complete):
    async def complete_one(key):
        upload = await begin(key)
        return await complete(upload, [await send(upload, 1, b"one part", key)], key)

    async def count_parts():
        text = "SELECT COUNT(*) FROM object_parts"
        async with hall.server.data.read() as reader:
            return await reader.value(Statement("parts", text, text))

    older = await complete_one("versioned")
    for key in ("versioned", "whole"):
        await complete_one(key)
    assert await count_parts() == 3
    await bucket.delete_object(Key="versioned", VersionId=older["VersionId"])
    assert await count_parts() == 2
    for listed in (await hall.acme.owner.get("/api/repo")).json()["items"]:
        assert (await hall.acme.owner.delete(f"/api/repo-obj/{listed['id']}")).status_code == 204
    assert await count_parts() == 0


@pytest.mark.every_database
async def test_a_completion_that_was_not_heard_can_be_asked_for_again(bucket, begin, send, complete):
    upload = await begin()
    part = await send(upload, 1, b"one")
    first, again = await asyncio.gather(complete(upload, [part]), complete(upload, [part]))
    later = await complete(upload, [part])
    assert first["ETag"] == again["ETag"] == later["ETag"]
    assert len((await bucket.list_object_versions())["Versions"]) == 1


async def test_parts_that_are_missing_too_small_or_out_of_order_are_refused(begin, send, complete, refused):
    upload = await begin()
    small, other = await send(upload, 1, b"small"), await send(upload, 2, b"other")
    assert await refused(complete(upload, [small, other])) == ("EntityTooSmall", 400)
    assert await refused(complete(upload, [other, small])) == ("InvalidPartOrder", 400)
    assert await refused(complete(upload, [{**small, "PartNumber": 3}])) == ("InvalidPart", 400)
    assert await refused(complete(upload, [{**small, "ETag": other["ETag"]}])) == ("InvalidPart", 400)
    await complete(upload, [other])


@pytest.mark.parametrize(
    "algorithm",
    [
        *("CRC32", "CRC64NVME"),
        *(pytest.param(name, marks=pytest.mark.long_form) for name in ("CRC32C", "SHA1", "SHA256")),
    ],
)
async def test_each_checksum_is_kept_for_parts_and_object(bucket, begin, send, complete, algorithm):
    upload = await begin(ChecksumAlgorithm=algorithm)
    contents = [b"x" * PART, b"rest"]
    parts = [
        await send(upload, number, content, ChecksumAlgorithm=algorithm)
        for number, content in enumerate(contents, 1)
    ]
    done = await complete(upload, parts)
    head = await bucket.head_object(Key="big", ChecksumMode="ENABLED")
    name = f"Checksum{algorithm}"
    assert head[name] == done[name]
    part = await bucket.get_object(Key="big", PartNumber=2)
    assert part[name] == parts[1][name]
    assert (await complete(upload, parts))[name] == done[name]
    assert head["ChecksumType"] == ("FULL_OBJECT" if algorithm == "CRC64NVME" else "COMPOSITE")
    told = await bucket.get_object_attributes(Key="big", ObjectAttributes=["ObjectParts", "Checksum"])
    assert told["ObjectParts"]["TotalPartsCount"] == 2
    assert [part[name] for part in told["ObjectParts"]["Parts"]] == [part[name] for part in parts]
    await bucket.copy_object(Key="copy", CopySource={"Bucket": bucket.name, "Key": "big"})
    copied = await bucket.head_object(Key="copy", ChecksumMode="ENABLED")
    assert copied["ChecksumType"] == "FULL_OBJECT"
    assert copied["ETag"] == f'"{hashlib.md5(b"".join(contents)).hexdigest()}"'
    if algorithm == "CRC32":
        whole = zlib.crc32(b"".join(contents)).to_bytes(4, "big")
        assert copied[name] == base64.b64encode(whole).decode()


async def test_a_part_can_be_copied_from_an_object(bucket, begin, complete):
    await bucket.put_object(Key="source", Body=b"0123456789")
    upload = await begin()
    copied = await bucket.upload_part_copy(
        Key="big",
        UploadId=upload,
        PartNumber=1,
        CopySource={"Bucket": bucket.name, "Key": "source"},
        CopySourceRange="bytes=2-5",
    )
    await complete(upload, [{"PartNumber": 1, "ETag": copied["CopyPartResult"]["ETag"]}])
    assert await bucket.read("big") == b"2345"


async def test_a_condition_on_completion_is_judged_when_it_lands(bucket, begin, send, complete, refused):
    upload = await begin()
    part = await send(upload, 1, b"late")
    await bucket.put_object(Key="big", Body=b"early")
    assert await refused(complete(upload, [part], IfNoneMatch="*")) == ("PreconditionFailed", 412)
    assert await bucket.read("big") == b"early"
    await complete(upload, [part])
    assert await bucket.read("big") == b"late"


async def test_a_long_completion_is_kept_alive_and_a_failure_comes_in_its_body(
    bucket, begin, send, complete, refused, monkeypatch
):
    monkeypatch.setattr(completing, "PATIENCE_SECONDS", 0.0)
    upload = await begin()
    part = await send(upload, 1, b"content")
    await complete(upload, [part])
    assert await bucket.read("big") == b"content"
    upload = await begin()
    part = await send(upload, 1, b"other")
    assert (await refused(complete(upload, [part], IfNoneMatch="*")))[0] == "PreconditionFailed"


async def test_a_narrower_key_does_not_end_uploads_elsewhere(hall, open_bucket, begin, refused):
    upload = await begin()
    for scope in ({"prefix": "inbox/"}, {"permissions": ["files:read"]}):
        narrow = await open_bucket(hall.acme.owner, **scope)
        call = narrow.abort_multipart_upload(Key="big", UploadId=upload)
        assert await refused(call) == ("AccessDenied", 403)
    call = (await open_bucket(hall.acme.owner, prefix="inbox/")).list_parts(Key="big", UploadId=upload)
    assert await refused(call) == ("AccessDenied", 403)


async def test_an_upload_is_its_beginners_alone(hall, bucket, open_bucket, begin, refused):
    upload = await begin()
    other = await open_bucket(await hall.join(hall.acme, "admin"))
    assert "Uploads" not in await other.list_multipart_uploads()
    assert await refused(other.list_parts(Key="big", UploadId=upload)) == ("NoSuchUpload", 404)
    call = other.upload_part(Key="big", UploadId=upload, PartNumber=1, Body=b"")
    assert await refused(call) == ("NoSuchUpload", 404)


async def test_an_upload_that_nobody_comes_back_for_is_ended_after_a_week(hall, bucket, begin, send, refused):
    upload = await begin()
    await send(upload, 1, b"left behind")
    hall.clock.advance(days=8)
    await hall.server.service(Releases).sweep()
    assert await refused(bucket.list_parts(Key="big", UploadId=upload)) == ("NoSuchUpload", 404)


@pytest.fixture
def often_swept(monkeypatch):
    monkeypatch.setattr(uploads, "SWEEP_SECONDS", 0.01)
    monkeypatch.setattr(uploads, "_BATCH", 2)


@pytest.mark.own_server
async def test_it_is_ended_though_nobody_begins_another(often_swept, hall, bucket, begin, send):
    for _ in range(5):
        await send(await begin(), 1, b"left behind")
    hall.clock.advance(days=8)
    async with asyncio.timeout(60):
        while "Uploads" in await bucket.list_multipart_uploads():
            pass

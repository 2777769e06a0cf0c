"""Objects around the size up to which they live in the database, by every way in and out of S3."""

import hashlib
import os

import pytest

from builtin_plugins.repo.small_blobs import MAX_BYTES
from builtin_plugins.s3.uploads import Releases
from guildhall_sdk import Statement
from guildhall_sdk.blobs import BlobStore
from guildhall_sdk.services.repository import Repository

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

SIZES = [0, 1, MAX_BYTES - 1, MAX_BYTES, MAX_BYTES + 1]
ROWS = Statement("of_a_test", *["SELECT sha256 FROM small_blobs WHERE org_id = :org_id"] * 2)


@pytest.fixture
def places(hall):
    """The digests in the database, and those in the blob store."""

    async def places():
        org_id = hall.acme.org_id
        await hall.server.service(Releases).settled()
        await hall.server.service(Repository).blobs.settled()
        async with hall.server.data.read() as reader:
            rows = {row["sha256"] for row in await reader.all(ROWS, org_id=org_id)}
        return rows, {blob.sha256 async for blob in hall.server.service(BlobStore).list(org_id)}

    return places


def in_its_place(*bodies):
    """Where these bodies belong."""
    digests = {hashlib.sha256(body).hexdigest(): len(body) for body in bodies}
    small = {digest for digest, size in digests.items() if size <= MAX_BYTES}
    return small, digests.keys() - small


@pytest.mark.parametrize("size", SIZES)
async def test_put_copied_read_in_part_and_deleted(bucket, places, size):
    body = os.urandom(size)
    put = await bucket.put_object(Key="a", Body=body, ChecksumAlgorithm="SHA256")
    copied = await bucket.copy_object(Key="b", CopySource={"Bucket": bucket.name, "Key": "a"})
    assert put["ETag"] == copied["CopyObjectResult"]["ETag"] == f'"{hashlib.md5(body).hexdigest()}"'
    assert await places() == in_its_place(body)
    assert (await bucket.head_object(Key="b"))["ContentLength"] == size
    if size:
        assert await bucket.read("b", Range="bytes=-3") == body[-3:]
        assert await bucket.read("b", Range=f"bytes={size - 1}-{size + 9}") == body[-1:]
    for key, version in (("a", put["VersionId"]), ("b", copied["VersionId"])):
        assert await bucket.read(key) == body
        await bucket.delete_object(Key=key, VersionId=version)
    assert await places() == (set(), set())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("told", ["UNSIGNED-PAYLOAD", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"])
async def test_a_body_of_unknown_length_finds_its_place(bucket, http, signed, places, size, told):
    body = os.urandom(size)
    framed = body
    headers = {"x-amz-content-sha256": told}
    if told.startswith("STREAMING"):
        framed = b"%x\r\n%s\r\n" % (size, body) if size else b""
        framed += b"0\r\n\r\n"
        headers |= {"x-amz-decoded-content-length": str(size)}

    async def in_pieces():
        for start in range(0, len(framed), 4000):
            yield framed[start : start + 4000]

    url, signed_headers = signed("PUT", "/k", **headers)
    answer = await http.put(url, content=in_pieces(), headers=signed_headers)
    assert (answer.status_code, answer.text) == (200, "")
    assert answer.request.headers["transfer-encoding"] == "chunked"
    assert await bucket.read("k") == body
    assert await places() == in_its_place(body)


@pytest.mark.parametrize("size", [4, MAX_BYTES + 1])
async def test_what_is_not_what_was_signed_or_announced_leaves_nothing(http, signed, places, size):
    url, headers = signed("PUT", "/k", **{"x-amz-content-sha256": hashlib.sha256(b"other").hexdigest()})
    answer = await http.put(url, content=os.urandom(size), headers=headers)
    assert (answer.status_code, "XAmzContentSHA256Mismatch" in answer.text) == (400, True)
    url, headers = signed(
        "PUT", "/k", **{"x-amz-content-sha256": "UNSIGNED-PAYLOAD", "content-md5": "A" * 22 + "=="}
    )
    answer = await http.put(url, content=os.urandom(size), headers=headers)
    assert (answer.status_code, "BadDigest" in answer.text) == (400, True)
    assert await places() == (set(), set())


@pytest.mark.parametrize("size", SIZES)
async def test_an_upload_of_one_small_part(bucket, places, size):
    body = os.urandom(size)
    upload = (await bucket.create_multipart_upload(Key="k"))["UploadId"]
    part = await bucket.upload_part(Key="k", UploadId=upload, PartNumber=1, Body=body)
    assert await places() == in_its_place(body)
    parts = {"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]}
    done = await bucket.complete_multipart_upload(Key="k", UploadId=upload, MultipartUpload=parts)
    assert await bucket.read("k") == body
    await bucket.delete_object(Key="k", VersionId=done["VersionId"])


async def test_a_small_last_part_goes_when_it_is_put_together(bucket, places):
    parts = [os.urandom(5 * 1024 * 1024), b"the rest"]
    upload = (await bucket.create_multipart_upload(Key="k"))["UploadId"]
    sent = [
        await bucket.upload_part(Key="k", UploadId=upload, PartNumber=number, Body=body)
        for number, body in enumerate(parts, 1)
    ]
    assert await places() == in_its_place(*parts)
    named = {"Parts": [{"PartNumber": n, "ETag": one["ETag"]} for n, one in enumerate(sent, 1)]}
    await bucket.complete_multipart_upload(Key="k", UploadId=upload, MultipartUpload=named)
    assert await bucket.read("k") == b"".join(parts)
    assert await places() == in_its_place(b"".join(parts))


@pytest.mark.every_database
async def test_an_aborted_upload_takes_its_small_parts_along(bucket, places):
    upload = (await bucket.create_multipart_upload(Key="k"))["UploadId"]
    await bucket.upload_part(Key="k", UploadId=upload, PartNumber=1, Body=b"few")
    await bucket.put_object(Key="other", Body=b"others")
    await bucket.abort_multipart_upload(Key="k", UploadId=upload)
    assert await places() == in_its_place(b"others")


async def test_another_company_has_the_same_bytes_for_itself(hall, open_bucket, bucket, places, refused):
    theirs = await open_bucket(hall.globex.owner)
    put = await bucket.put_object(Key="k", Body=b"same")
    await theirs.put_object(Key="k", Body=b"same")
    await bucket.delete_object(Key="k", VersionId=put["VersionId"])
    assert await places() == (set(), set())
    assert await theirs.read("k") == b"same"
    assert await refused(bucket.get_object(Key="k")) == ("NoSuchKey", 404)

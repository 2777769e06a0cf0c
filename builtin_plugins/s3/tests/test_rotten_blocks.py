"""A byte that changed on the disk is never part of an answer that looks whole."""

import hashlib
import os

import pytest
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

from libs.blob_layout import BLOCK
from libs.blob_layout.tests.earlier_release import stored_by_an_earlier_release

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

BLOCKS = 9
LAYOUTS = pytest.mark.parametrize(
    "earlier", [False, pytest.param(True, marks=pytest.mark.long_form)], ids=["now", "earlier"]
)
# The first block shows before the answer begins, the others while it is sent.
ROTTEN = [(0, False), (4, True), (BLOCKS - 1, False)]
FURTHER = [(0, True), (1, False), (1, True), (4, False), (BLOCKS - 1, True)]


@pytest.fixture
def content():
    return os.urandom((BLOCKS - 1) * BLOCK + 1000)


@pytest.fixture
def rot(hall):
    """`rot(content, block)`: one bit of a block changes on the disk; `earlier` is how it lay there before."""

    def rot(content, block, *, earlier):
        (path,) = (hall.server.settings.data / "blobs").rglob(hashlib.sha256(content).hexdigest())
        stored = bytearray(stored_by_an_earlier_release(content) if earlier else path.read_bytes())
        stored[block * BLOCK + 500] ^= 1
        path.write_bytes(stored)

    return rot


@pytest.fixture
def breaks(bucket):
    """`await breaks("key", Range=…)`: the answer is an error, or it is cut off."""

    async def breaks(key, **more):
        with pytest.raises((BotoCoreError, ClientError, HTTPClientError)):
            await bucket.read(key, **more)

    return breaks


@pytest.mark.parametrize(
    ("block", "earlier"),
    [*ROTTEN, *(pytest.param(*one, marks=pytest.mark.long_form) for one in FURTHER)],
)
async def test_a_download_breaks_off_at_a_rotten_block(bucket, breaks, rot, content, block, earlier):
    await bucket.put_object(Key="k", Body=content)
    rot(content, block, earlier=earlier)
    await breaks("k")
    await breaks("k", Range=f"bytes={block * BLOCK}-{block * BLOCK + 9}")
    elsewhere = BLOCK * (2 if block < 2 else block - 1)
    assert await bucket.read("k", Range=f"bytes={elsewhere}-{elsewhere + 9}") == content[elsewhere:][:10]


@LAYOUTS
async def test_a_copy_of_a_rotten_object_is_as_rotten_and_makes_no_part(
    bucket, breaks, refused, rot, content, earlier
):
    await bucket.put_object(Key="k", Body=content)
    source = {"Bucket": bucket.name, "Key": "k"}
    await bucket.copy_object(Key="copied before", CopySource=source)
    rot(content, 4, earlier=earlier)
    await bucket.copy_object(Key="copied after", CopySource=source)
    await breaks("copied before")
    await breaks("copied after")
    upload = (await bucket.create_multipart_upload(Key="parts"))["UploadId"]
    part = {"Key": "parts", "UploadId": upload, "PartNumber": 1, "CopySource": source}
    assert (await refused(bucket.upload_part_copy(**part)))[1] >= 500
    assert "Parts" not in await bucket.list_parts(Key="parts", UploadId=upload)


@LAYOUTS
async def test_an_object_of_parts_breaks_off_and_a_rotten_part_makes_no_object(
    bucket, breaks, refused, rot, earlier
):
    async def sent(key):
        contents = [os.urandom(5 * 1024 * 1024), os.urandom(2 * BLOCK)]
        upload = (await bucket.create_multipart_upload(Key=key))["UploadId"]
        named = {"Key": key, "UploadId": upload}
        parts = []
        for number, body in enumerate(contents, 1):
            part = await bucket.upload_part(**named, PartNumber=number, Body=body)
            parts.append({"PartNumber": number, "ETag": part["ETag"]})
        return {**named, "MultipartUpload": {"Parts": parts}}, contents

    order, contents = await sent("whole")
    await bucket.complete_multipart_upload(**order)
    rot(b"".join(contents), 7, earlier=earlier)
    await breaks("whole")
    await breaks("whole", PartNumber=1)
    assert await bucket.read("whole", PartNumber=2) == contents[1]
    order, contents = await sent("never")
    rot(contents[0], 7, earlier=earlier)
    assert (await refused(bucket.complete_multipart_upload(**order)))[1] >= 500
    assert "never" not in await bucket.keys()


@LAYOUTS
async def test_putting_the_content_again_heals_it(bucket, breaks, rot, content, earlier):
    await bucket.put_object(Key="k", Body=content)
    rot(content, 4, earlier=earlier)
    await breaks("k")
    await bucket.put_object(Key="again", Body=content)
    assert await bucket.read("k") == content

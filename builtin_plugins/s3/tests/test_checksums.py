"""Checksums that contradict themselves, are malformed or wrong, wherever a client puts them."""

import base64
import hashlib
import zlib
from xml.etree import ElementTree

import pytest
from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

# What goes over the wire is the same whatever keeps it.
pytestmark = [pytest.mark.hall_databases("sqlite"), pytest.mark.shared_server]

PART = 5 * 1024 * 1024
UNSIGNED = {"x-amz-content-sha256": "UNSIGNED-PAYLOAD"}
TRAILING = {"x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER"}


def crc32(content):
    return base64.b64encode(zlib.crc32(content).to_bytes(4, "big")).decode()


def sha256(content):
    return base64.b64encode(hashlib.sha256(content).digest()).decode()


def refusal(response):
    return response.status_code, ElementTree.fromstring(response.content).findtext("Code")


@pytest.fixture
def put(http, signed):
    async def put(content, **headers):
        url, signed_headers = signed("PUT", "/key", **{**UNSIGNED, **headers})
        return await http.put(url, headers=signed_headers, content=content)

    return put


NO_REQUESTS = [
    {"x-amz-sdk-checksum-algorithm": "SHA256", "x-amz-checksum-crc32": crc32(b"x")},
    {"x-amz-sdk-checksum-algorithm": "CRC33", "x-amz-checksum-crc32": crc32(b"x")},
    {"x-amz-sdk-checksum-algorithm": "", "x-amz-checksum-crc32": crc32(b"x")},
    {"x-amz-sdk-checksum-algorithm": "CRC32"},
    {"x-amz-checksum-crc32": "nothing like it"},
    {"x-amz-checksum-crc32": ""},
    {"x-amz-checksum-crc32": sha256(b"x")},
    {"x-amz-checksum-crc32": crc32(b"x") + "="},
    {"x-amz-checksum-crc32": crc32(b"x") + "-1"},
    {"x-amz-checksum-md4": crc32(b"x")},
]


async def test_a_checksum_that_contradicts_itself_or_is_none_is_no_request(put, bucket):
    for headers in NO_REQUESTS:
        assert refusal(await put(b"x", **headers)) == (400, "InvalidRequest")
        assert await bucket.keys() == []


async def test_a_checksum_that_agrees_with_its_algorithm_is_taken(put):
    headers = {"x-amz-sdk-checksum-algorithm": "crc32", "x-amz-checksum-crc32": crc32(b"x")}
    assert (await put(b"x", **headers)).headers["x-amz-checksum-crc32"] == crc32(b"x")


@pytest.mark.parametrize(
    ("trailer", "algorithm", "code"),
    [
        (crc32(b"hello"), "CRC32", None),
        (crc32(b"other"), "CRC32", "BadDigest"),
        ("nothing-like-it", "CRC32", "InvalidRequest"),
        (crc32(b"hello"), "SHA256", "InvalidRequest"),
    ],
)
async def test_a_trailer_is_judged_alike(put, bucket, trailer, algorithm, code):
    headers = {
        **TRAILING,
        "x-amz-trailer": "x-amz-checksum-crc32",
        "x-amz-sdk-checksum-algorithm": algorithm,
        "x-amz-decoded-content-length": "5",
    }
    response = await put(f"5\r\nhello\r\n0\r\nx-amz-checksum-crc32:{trailer}\r\n\r\n".encode(), **headers)
    if code is None:
        assert response.status_code == 200, response.text
        return
    assert refusal(response) == (400, code)
    assert await bucket.keys() == []


@pytest.mark.parametrize("value", [crc32(b""), "nothing like it"])
async def test_a_link_says_nothing_of_the_body_it_will_be_used_for(hall, http, bucket, value):
    """Some clients sign the checksum of no body at all into the query of a link."""
    query = f"x-amz-checksum-crc32={value.replace('=', '%3D').replace(' ', '%20')}"
    url = f"{hall.addresses['s3']}/{bucket.name}/key?{query}&x-amz-sdk-checksum-algorithm=CRC32"
    request = AWSRequest("PUT", url)
    key = Credentials(bucket.key["access_key_id"], bucket.key["secret_access_key"])
    S3SigV4QueryAuth(key, "s3", "local").add_auth(request)
    response = await http.put(request.url, content=b"by link")
    assert response.status_code == 200, response.text
    assert await bucket.read("key") == b"by link"
    headers = {"x-amz-checksum-crc32": crc32(b"other")}
    assert (await http.put(request.url, content=b"again", headers=headers)).status_code == 403


@pytest.fixture
def upload(bucket):
    """`await upload(content, …)`: parts of an upload begun without a checksum, and how it is completed."""

    async def upload(*contents):
        begun = (await bucket.create_multipart_upload(Key="big", ChecksumAlgorithm=""))["UploadId"]
        parts = []
        for number, content in enumerate(contents, 1):
            sent = await bucket.upload_part(Key="big", UploadId=begun, PartNumber=number, Body=content)
            parts.append({"PartNumber": number, "ETag": sent["ETag"]})

        async def complete(named=parts, **more):
            return await bucket.complete_multipart_upload(
                Key="big", UploadId=begun, MultipartUpload={"Parts": named}, **more
            )

        return parts, complete

    return upload


@pytest.mark.parametrize("contents", [(b"one",), (b"a" * PART, b"rest")])
async def test_a_wrong_checksum_of_the_whole_is_refused_at_the_end(bucket, upload, refused, contents):
    """Of an upload that was begun without any, too."""
    _, complete = await upload(*contents)
    whole = b"".join(contents)
    assert await refused(complete(ChecksumSHA256=sha256(b"other"))) == ("BadDigest", 400)
    for wrong in (crc32(b"other"), "nothing like it", "", sha256(whole), crc32(whole) + "-x"):
        assert await refused(complete(ChecksumCRC32=wrong)) == ("BadDigest", 400), wrong
    assert await bucket.keys() == []
    await complete(ChecksumSHA256=sha256(whole))
    assert await bucket.read("big") == whole


async def test_a_checksum_over_those_of_the_parts_is_judged_too(bucket, upload, refused):
    contents = (b"a" * PART, b"rest")
    _, complete = await upload(*contents)
    of_parts = sha256(b"".join(hashlib.sha256(content).digest() for content in contents))
    assert await refused(complete(ChecksumSHA256=f"{of_parts}-3")) == ("BadDigest", 400)
    await complete(ChecksumSHA256=f"{of_parts}-2")
    assert await bucket.read("big") == b"".join(contents)


async def test_a_wrong_checksum_of_a_part_is_refused_at_the_end(bucket, upload, refused):
    parts, complete = await upload(b"a" * PART, b"rest")
    wrong = [parts[0], {**parts[1], "ChecksumCRC32": crc32(b"other")}]
    assert await refused(complete(wrong)) == ("InvalidPart", 400)
    assert await bucket.keys() == []
    await complete([parts[0], {**parts[1], "ChecksumCRC32": crc32(b"rest")}])
    assert await bucket.read("big") == b"a" * PART + b"rest"


async def test_a_part_has_no_checksum_of_another_kind_than_its_upload(bucket, refused):
    begun = (await bucket.create_multipart_upload(Key="big", ChecksumAlgorithm="CRC32"))["UploadId"]
    sent = await bucket.upload_part(Key="big", UploadId=begun, PartNumber=1, Body=b"x")
    part = {"PartNumber": 1, "ETag": sent["ETag"], "ChecksumSHA256": sha256(b"x")}
    call = bucket.complete_multipart_upload(Key="big", UploadId=begun, MultipartUpload={"Parts": [part]})
    assert await refused(call) == ("InvalidPart", 400)

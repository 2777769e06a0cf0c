"""No body that S3 is sent, of whatever size and shape, keeps everybody else waiting."""

import asyncio
import base64
import gc
import hashlib
import re

import pytest
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from builtin_plugins.s3.tests.test_requests import Signer
from guildhall_testing.heartbeat import quietest

pytestmark = [pytest.mark.hall_databases("sqlite"), pytest.mark.shared_server]

# The aim is 50 ms; the client and a busy machine's cold caches are given as much again, and half of it.
MAX_MS = 125.0
SIZE = 8 * 2**20
UNSIGNED_CHUNKS = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"


@pytest.fixture(autouse=True, scope="module")
def frozen():
    """As `guildhall serve` does once it is up: what the tests brought along is not walked through again."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
    gc.collect()  # requests that hold themselves hold eight mebibytes each


@pytest.fixture
def call(hall, bucket):
    """`await call("POST", "?delete", body)`: the status and the code of the answer."""

    async def call(method, path, body, payload=None, content=None, **headers):
        digest = payload or hashlib.sha256(body).hexdigest()
        md5 = base64.b64encode(hashlib.md5(content or body).digest()).decode()
        headers = {"x-amz-content-sha256": digest, "Content-MD5": md5, **headers}
        request = AWSRequest(method, f"{hall.addresses['s3']}/{bucket.name}{path}", headers, body)
        key = Credentials(bucket.key["access_key_id"], bucket.key["secret_access_key"])
        Signer(digest, key, "local").add_auth(request)
        host, _, port = hall.addresses["s3"].removeprefix("http://").partition(":")
        lines = [f"{method} /{bucket.name}{path} HTTP/1.1", f"Host: {host}:{port}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in request.headers.items()]
        lines += [f"Content-Length: {len(body)}", "", ""]
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            writer.write("\r\n".join(lines).encode())
            writer.write(body)
            received = await reader.read(-1)
        finally:
            writer.close()
        code = re.search(rb"<Code>(\w+)</Code>", received)
        return int(received[9:12]), code and code[1].decode()

    return call


def filled(begin, piece, end):
    """Returns what makes the body: all of them at once are 160 MiB."""
    return lambda: begin + piece * ((SIZE - len(begin) - len(end)) // len(piece)) + end


def numbered(begin, piece, end, count):
    return lambda: begin + b"".join(piece % number for number in range(count)) + end


SHAPES = {
    "attributes": numbered(b"<Delete ", b'a%d="" ', b"/>", 700_000),
    "namespaces": numbered(b"<Delete ", b'xmlns:a%d="u" ', b"/>", 450_000),
    "attributes on many tags": filled(b"<Delete>", b'<Object a="" b="" c="" d="" e="" f=""/>', b"</Delete>"),
    "elements": filled(b"<Delete>", b"<a/>", b"</Delete>"),
    "objects": filled(b"<Delete>", b"<Object><Key>k</Key></Object>", b"</Delete>"),
    "parts": filled(b"<CompleteMultipartUpload>", b"<Part/>", b"</CompleteMultipartUpload>"),
    "one part of many": filled(
        b"<CompleteMultipartUpload><Part>", b"<ETag/>", b"</Part></CompleteMultipartUpload>"
    ),
    "a long text": filled(b"<Delete><Object><Key>", b"k", b"</Key></Object></Delete>"),
    "lines": filled(b"<Delete><Object><Key>", b"\n", b"</Key></Object></Delete>"),
    "entities": filled(b"<Delete><Object><Key>", b"&#107;", b"</Key></Object></Delete>"),
    "brackets in CDATA": filled(b"<Delete><Object><Key><![CDATA[", b"]", b"]]></Key></Object></Delete>"),
    "sections of CDATA": filled(b"<Delete><Object><Key>", b"<![CDATA[]]>", b"</Key></Object></Delete>"),
    "comments": filled(b"<Delete>", b"<!---->", b"</Delete>"),
    "a comment": filled(b"<Delete><!--", b"-a", b"--></Delete>"),
    "instructions": filled(b"<Delete>", b"<?a?>", b"</Delete>"),
    "a tower": filled(b"", b"<a>", b""),
    "open tags": filled(b"", b"<", b""),
    "a tag without an end": filled(b"<Delete ", b"a", b""),
    "a type with entities": filled(b"<!DOCTYPE a [", b'<!ENTITY a "b">', b"]><Delete/>"),
    "tags": filled(b"<Tagging><TagSet>", b"<Tag><Key>k</Key><Value>v</Value></Tag>", b"</TagSet></Tagging>"),
}
READERS = (("POST", "/key?uploadId=u"), ("PUT", "/key?tagging="), ("PUT", "?acl="), ("PUT", "?versioning="))
IN_SHORT = (
    "attributes",
    "elements",
    "objects",
    "lines",
    "entities",
    "comments",
    "a tower",
    "a type with entities",
)


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        *(
            pytest.param("POST", "?delete=", name, marks=() if name in IN_SHORT else pytest.mark.long_form)
            for name in SHAPES
        ),
        (*READERS[0], "parts"),
        *(
            pytest.param(*reader, name, marks=pytest.mark.long_form)
            for reader in READERS
            for name in ("attributes", "elements", "parts", "tags")
            if (reader, name) != (READERS[0], "parts")
        ),
    ],
)
async def test_no_document_holds_the_loop(call, method, path, name):
    body = SHAPES[name]()
    answer, held_ms = await quietest(lambda: call(method, path, body), MAX_MS)
    assert answer == (400, "MalformedXML")
    assert held_ms < MAX_MS


async def test_the_largest_honest_documents_are_taken(call):
    keys = "".join(f"<Object><Key>{'&#107;' * 1000}{n}</Key></Object>" for n in range(1000))
    body = f'<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{keys}</Delete>'.encode()
    assert await call("POST", "?delete=", body) == (200, None)
    parts = "".join(
        f"<Part><PartNumber>{n}</PartNumber><ETag>&quot;{'0' * 32}&quot;</ETag>"
        f"<ChecksumSHA256>{'0' * 43}=</ChecksumSHA256></Part>"
        for n in range(1, 10_001)
    )
    body = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode()
    answer, held_ms = await quietest(lambda: call("POST", "/key?uploadId=u", body), MAX_MS)
    assert answer == (404, "NoSuchUpload")
    assert held_ms < MAX_MS


async def test_a_body_in_crumbs_does_not_hold_the_loop(call):
    crumbs = b"1\r\nx\r\n" * 200_000 + b"0\r\n\r\n"
    content, length = b"x" * 200_000, {"x-amz-decoded-content-length": "200000"}
    answer, held_ms = await quietest(
        lambda: call("PUT", "/crumbs", crumbs, UNSIGNED_CHUNKS, content, **length), MAX_MS
    )
    assert answer == (200, None)
    assert held_ms < MAX_MS


@pytest.mark.parametrize(
    "path", ["?" + "a&" * 15_000, "?" + "a=%20&" * 5_000, "/" + "%20" * 5_000, "/k?tagging&" + "a&" * 14_000]
)
async def test_no_query_holds_the_loop(call, path):
    (status, _), held_ms = await quietest(lambda: call("PUT", path, b""), MAX_MS)
    assert 400 <= status < 500
    assert held_ms < MAX_MS


async def test_a_header_of_many_tags_does_not_hold_the_loop(call):
    tags = {"x-amz-tagging": "a=%20&" * 5_000}
    answer, held_ms = await quietest(lambda: call("PUT", "/key", b"", **tags), MAX_MS)
    assert answer == (400, "InvalidTag")
    assert held_ms < MAX_MS

"""Checksums: as S3 publishes them, over one upload and over parts."""

import base64
import hashlib

import pytest
from botocore.httpchecksum import (
    Crc32Checksum,
    CrtCrc32cChecksum,
    CrtCrc64NvmeChecksum,
    Sha1Checksum,
    Sha256Checksum,
)
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.s3.wire import errors
from builtin_plugins.s3.wire.checksums import (
    Algorithm,
    ChecksumType,
    ExpectedChecksum,
    combined,
    expected_checksum,
    multipart_etag,
    multipart_type,
    parse_content_md5,
)

THEIRS = {
    Algorithm.CRC32: Crc32Checksum,
    Algorithm.CRC32C: CrtCrc32cChecksum,
    Algorithm.CRC64NVME: CrtCrc64NvmeChecksum,
    Algorithm.SHA1: Sha1Checksum,
    Algorithm.SHA256: Sha256Checksum,
}
algorithms = st.sampled_from(list(Algorithm))
pieces = st.lists(st.binary(max_size=100), min_size=1, max_size=6)


def taken(algorithm, *content):
    running = algorithm.start()
    for piece in content:
        running.update(piece)
    return base64.b64encode(running.digest()).decode()


@given(algorithm=algorithms, content=pieces)
def test_pieces_add_up_to_what_botocore_takes(algorithm, content):
    theirs = THEIRS[algorithm]()
    theirs.update(b"".join(content))
    assert taken(algorithm, *content) == theirs.b64digest()


def test_the_check_values_of_the_catalogues():
    found = {
        name: base64.b64decode(taken(Algorithm(name), b"123456789")).hex()
        for name in ("CRC32", "CRC32C", "CRC64NVME")
    }
    assert found == {"CRC32": "cbf43926", "CRC32C": "e3069283", "CRC64NVME": "ae8b14860a799888"}


@given(algorithm=st.sampled_from([Algorithm.CRC32, Algorithm.CRC32C, Algorithm.CRC64NVME]), content=pieces)
def test_a_full_object_checksum_is_that_of_all_bytes(algorithm, content):
    parts = [(taken(algorithm, piece), len(piece)) for piece in content]
    assert combined(algorithm, ChecksumType.FULL_OBJECT, parts) == taken(algorithm, b"".join(content))


@given(algorithm=algorithms, content=pieces)
def test_a_composite_checksum_is_that_of_the_parts_checksums(algorithm, content):
    parts = [(taken(algorithm, piece), len(piece)) for piece in content]
    digests = b"".join(base64.b64decode(value) for value, _ in parts)
    assert combined(algorithm, ChecksumType.COMPOSITE, parts) == f"{taken(algorithm, digests)}-{len(parts)}"


def test_the_etag_of_a_multipart_object():
    first, second = (hashlib.md5(content).hexdigest() for content in (b"a", b"b"))
    whole = hashlib.md5(bytes.fromhex(first) + bytes.fromhex(second)).hexdigest()
    assert multipart_etag([first, second]) == f"{whole}-2"


@pytest.mark.parametrize(
    ("algorithm", "told", "kind"),
    [
        ("CRC64NVME", None, "FULL_OBJECT"),
        ("CRC32", None, "COMPOSITE"),
        ("CRC32", "FULL_OBJECT", "FULL_OBJECT"),
        ("CRC32C", "COMPOSITE", "COMPOSITE"),
        ("SHA256", None, "COMPOSITE"),
        ("SHA1", "FULL_OBJECT", None),
        ("CRC64NVME", "COMPOSITE", None),
        ("CRC32", "ELSE", None),
    ],
)
def test_each_algorithm_has_its_types(algorithm, told, kind):
    if kind is None:
        with pytest.raises(errors.InvalidRequest):
            multipart_type(Algorithm(algorithm), told)
    else:
        assert multipart_type(Algorithm(algorithm), told) == kind


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"x-amz-checksum-mode": "ENABLED", "x-amz-checksum-type": "COMPOSITE"}, None),
        ({"x-amz-checksum-crc32c": "AAAAAA=="}, ("CRC32C", "AAAAAA==")),
        ({"x-amz-trailer": "x-amz-checksum-crc64nvme"}, ("CRC64NVME", None)),
        (
            {"x-amz-trailer": "x-amz-checksum-crc32", "x-amz-checksum-crc32": "AAAAAA=="},
            ("CRC32", "AAAAAA=="),
        ),
        ({"x-amz-checksum-algorithm": "SHA1"}, ("SHA1", None)),
        (
            {"x-amz-sdk-checksum-algorithm": "crc32", "x-amz-checksum-crc32": "AAAAAA=="},
            ("CRC32", "AAAAAA=="),
        ),
        (
            {"x-amz-sdk-checksum-algorithm": "SHA256", "x-amz-trailer": "x-amz-checksum-sha256"},
            ("SHA256", None),
        ),
    ],
)
def test_a_client_announces_its_checksum(headers, expected):
    found = expected_checksum(headers)
    assert (found and (found.algorithm, found.value)) == expected


@pytest.mark.parametrize(
    "headers",
    [
        {"x-amz-checksum-sha1": "a", "x-amz-checksum-crc32": "b"},
        {"x-amz-checksum-sha1": "a", "x-amz-trailer": "x-amz-checksum-crc32"},
        {"x-amz-checksum-md4": "a"},
        {"x-amz-sdk-checksum-algorithm": "XXHASH3"},
    ],
)
def test_two_checksums_or_an_unknown_one_are_refused(headers):
    with pytest.raises(errors.InvalidRequest):
        expected_checksum(headers)


def test_a_checksum_in_header_or_trailer_must_be_right():
    digest = hashlib.sha256(b"a").digest()
    right = base64.b64encode(digest).decode()
    name = Algorithm.SHA256.header
    assert ExpectedChecksum(Algorithm.SHA256, None).check(digest, {}) == right
    assert ExpectedChecksum(Algorithm.SHA256, right).check(digest, {name: right}) == right
    wrong = base64.b64encode(bytes(32)).decode()
    for value, trailers in [(wrong, {}), (None, {name: wrong}), (right, {name: wrong})]:
        with pytest.raises(errors.BadDigest):
            ExpectedChecksum(Algorithm.SHA256, value).check(digest, trailers)
    for trailer in ("bad", "", "YQ==", f"{wrong}="):
        with pytest.raises(errors.InvalidRequest):
            ExpectedChecksum(Algorithm.SHA256, None).check(digest, {name: trailer})


def test_content_md5_is_an_md5_in_base64():
    digest = hashlib.md5(b"a")
    assert parse_content_md5(base64.b64encode(digest.digest()).decode()) == digest.hexdigest()
    assert parse_content_md5(None) is None
    for value in ("", "YWJyYWNhZGFicmE=", "not base64", "é"):
        with pytest.raises(errors.InvalidDigest):
            parse_content_md5(value)

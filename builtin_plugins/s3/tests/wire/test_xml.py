"""Answers as botocore reads them, and request bodies as it writes them."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import pytest
from botocore import parsers, serialize, session
from hypothesis import example, given
from hypothesis import strategies as st

from builtin_plugins.s3.wire import answers, bucket_answers, errors
from builtin_plugins.s3.wire.answers import (
    CanonicalUser,
    DeletedObject,
    PartsPage,
    StoredPart,
    UndeletedObject,
)
from builtin_plugins.s3.wire.bodies import (
    MAX_BODY_BYTES,
    NamedPart,
    checked_tags,
    escape,
    parse,
    parse_complete,
    parse_delete,
    parse_tagging,
    parse_tagging_header,
    parse_versioning,
)
from builtin_plugins.s3.wire.bucket_answers import ListedBucket, ListedUpload, ListedVersion
from builtin_plugins.s3.wire.checksums import Algorithm, ChecksumType
from builtin_plugins.s3.wire.listing import (
    ListingPage,
    Position,
    list_query_uploads,
    list_query_v1,
    list_query_v2,
)

S3 = session.get_session().get_service_model("s3")
OWNER = CanonicalUser("usr_1", "Ada <&> Söhne")
MOMENT = datetime(2024, 2, 29, 12, 0, 0, 123000, tzinfo=UTC)
MOMENT_MS = int(MOMENT.timestamp() * 1000)
OWNER_READ = {"ID": "usr_1", "DisplayName": "Ada <&> Söhne"}
NASTY = "a b+c/ä&<>\"'%\r\n\t€"


def read(operation, body):
    """What botocore makes of an answer."""
    shape = S3.operation_model(operation).output_shape
    found = parsers.RestXMLParser().parse({"status_code": 200, "headers": {}, "body": body}, shape)
    del found["ResponseMetadata"]
    return found


def written(operation, **parameters):
    """The body botocore writes for a call."""
    request = serialize.create_serializer("rest-xml").serialize_to_request(
        parameters, S3.operation_model(operation)
    )
    return request["body"]


def version(key, **fields):
    return ListedVersion(
        **{"key": key, "id": "", "etag": "abc", "size": 3, "modified_ms": MOMENT_MS, "owner": OWNER, **fields}
    )


def test_a_list_of_version_1():
    arguments = {"prefix": "p&", "delimiter": "/", "marker": NASTY, "max-keys": "2"}
    page = ListingPage(
        [version(NASTY, algorithm=Algorithm.CRC32, checksum_type=ChecksumType.FULL_OBJECT)],
        ["p&/"],
        Position("q"),
        "p&/",
    )
    body = bucket_answers.objects_v1("team", arguments, list_query_v1(arguments), page)
    assert read("ListObjects", body) == {
        "Name": "team",
        "Prefix": "p&",
        "Delimiter": "/",
        "Marker": NASTY,
        "NextMarker": "p&/",
        "MaxKeys": 2,
        "IsTruncated": True,
        "CommonPrefixes": [{"Prefix": "p&/"}],
        "Contents": [
            {
                "Key": NASTY,
                "LastModified": MOMENT,
                "ETag": '"abc"',
                "Size": 3,
                "StorageClass": "STANDARD",
                "Owner": OWNER_READ,
                "ChecksumAlgorithm": ["CRC32"],
                "ChecksumType": "FULL_OBJECT",
            }
        ],
    }  # fmt: skip


def test_the_next_marker_of_version_1_stands_only_beside_a_delimiter():
    page = ListingPage([version("a")], [], Position("b"), "a")
    assert "NextMarker" not in read(
        "ListObjects", bucket_answers.objects_v1("team", {}, list_query_v1({}), page)
    )


def test_a_list_of_version_2():
    arguments = {"start-after": "\n", "continuation-token": "", "encoding-type": "url", "fetch-owner": "true"}
    query = list_query_v2(arguments)
    found = read(
        "ListObjectsV2",
        bucket_answers.objects_v2("team", arguments, query, ListingPage([version("a b+\x01/")])),
    )
    assert found["Contents"][0]["Key"] == "a%20b%2B%01/"
    assert found["Contents"][0]["Owner"] == OWNER_READ
    assert (found["KeyCount"], found["StartAfter"], found["ContinuationToken"]) == (1, "%0A", "")
    assert (found["EncodingType"], found["MaxKeys"], found["IsTruncated"]) == ("url", 1000, False)
    assert "NextContinuationToken" not in found
    assert "Delimiter" not in found
    page = ListingPage([version("a")], [], Position("b"), "a")
    more = read("ListObjectsV2", bucket_answers.objects_v2("team", {}, query, page))
    assert list_query_v2({"continuation-token": more["NextContinuationToken"]}).start == Position("b")
    assert "Owner" not in more["Contents"][0]


def test_url_encoding_covers_keys_prefixes_delimiters_and_markers():
    arguments = {"prefix": "é", "delimiter": "+", "marker": " ", "encoding-type": "url"}
    page = ListingPage([version("é é")], ["é+"], Position("x"), "é+")
    found = read("ListObjects", bucket_answers.objects_v1("team", arguments, list_query_v1(arguments), page))
    assert [found[name] for name in ("Prefix", "Delimiter", "Marker", "NextMarker")] == [
        "%C3%A9",
        "%2B",
        "%20",
        "%C3%A9%2B",
    ]
    assert found["CommonPrefixes"] == [{"Prefix": "%C3%A9%2B"}]


def test_a_list_of_versions():
    arguments = {"key-marker": "a", "version-id-marker": "v0"}
    rows = [version("b", id="v2", etag=None), version("b", id="v1", latest=False)]
    page = ListingPage(rows, ["c/"], Position("b", "v1"), "b", "v1")
    found = read(
        "ListObjectVersions", bucket_answers.versions("team", arguments, list_query_v1(arguments), page)
    )
    assert found["DeleteMarkers"] == [
        {"Key": "b", "VersionId": "v2", "IsLatest": True, "LastModified": MOMENT, "Owner": OWNER_READ}
    ]
    assert (found["Versions"][0]["VersionId"], found["Versions"][0]["IsLatest"]) == ("v1", False)
    assert (found["KeyMarker"], found["VersionIdMarker"]) == ("a", "v0")
    assert (found["NextKeyMarker"], found["NextVersionIdMarker"]) == ("b", "v1")
    ended = read(
        "ListObjectVersions", bucket_answers.versions("team", {}, list_query_v1({}), ListingPage(rows))
    )
    assert not {"NextKeyMarker", "NextVersionIdMarker"} & ended.keys()


def test_a_list_of_uploads():
    arguments = {"prefix": "a", "max-uploads": "1"}
    page = ListingPage(
        [ListedUpload("a", "u1", MOMENT_MS, OWNER, Algorithm.SHA1, ChecksumType.COMPOSITE)],
        [],
        Position("a", "u1"),
        "a",
        "u1",
    )
    found = read(
        "ListMultipartUploads", bucket_answers.uploads("team", arguments, list_query_uploads(arguments), page)
    )
    assert (found["NextKeyMarker"], found["NextUploadIdMarker"], found["IsTruncated"]) == ("a", "u1", True)
    assert found["Uploads"] == [
        {
            "UploadId": "u1",
            "Key": "a",
            "Initiated": MOMENT,
            "StorageClass": "STANDARD",
            "Owner": OWNER_READ,
            "Initiator": OWNER_READ,
            "ChecksumAlgorithm": "SHA1",
            "ChecksumType": "COMPOSITE",
        }
    ]


def test_the_small_answers_about_buckets():
    assert read("ListBuckets", bucket_answers.buckets(OWNER, [ListedBucket("team", MOMENT_MS)])) == {
        "Buckets": [{"Name": "team", "CreationDate": MOMENT}],
        "Owner": OWNER_READ,
    }
    assert ET.fromstring(bucket_answers.location("local")).text == "local"
    assert read("GetBucketVersioning", bucket_answers.versioning()) == {"Status": "Enabled"}
    grants = read("GetBucketAcl", bucket_answers.access_control(OWNER))["Grants"]
    assert grants == [{"Grantee": {**OWNER_READ, "Type": "CanonicalUser"}, "Permission": "FULL_CONTROL"}]


def test_the_small_answers_about_objects():
    sums = {Algorithm.CRC32: "AAAA"}
    copied = {"ETag": '"abc"', "LastModified": MOMENT, "ChecksumCRC32": "AAAA"}
    whole = answers.copied_object("abc", MOMENT_MS, sums, ChecksumType.FULL_OBJECT)
    assert read("CopyObject", whole) == {"CopyObjectResult": {**copied, "ChecksumType": "FULL_OBJECT"}}
    assert read("UploadPartCopy", answers.copied_part("abc", MOMENT_MS, sums)) == {"CopyPartResult": copied}
    assert read("CreateMultipartUpload", answers.initiated_upload("team", NASTY, "u1")) == {
        "Bucket": "team",
        "Key": NASTY,
        "UploadId": "u1",
    }
    completed = answers.completed_upload("http://x/y", "team", NASTY, "abc-2", sums, ChecksumType.COMPOSITE)
    assert read("CompleteMultipartUpload", completed) == {
        "Location": "http://x/y",
        "Bucket": "team",
        "Key": NASTY,
        "ETag": '"abc-2"',
        "ChecksumCRC32": "AAAA",
        "ChecksumType": "COMPOSITE",
    }
    tags = [{"Key": "a&b", "Value": ""}, {"Key": "c", "Value": "<d>"}]
    assert read("GetObjectTagging", answers.tagging((("a&b", ""), ("c", "<d>")))) == {"TagSet": tags}


def parts_page():
    parts = [StoredPart(4, "abc", 5, MOMENT_MS, {Algorithm.SHA256: "AAAA"})]
    return PartsPage(parts, total=6, marker=3, max_parts=1, truncated=True)


def test_a_list_of_parts():
    body = answers.listed_parts(
        "team", "key", "u1", OWNER, parts_page(), Algorithm.SHA256, ChecksumType.COMPOSITE
    )
    found = read("ListParts", body)
    assert found["Parts"] == [
        {"PartNumber": 4, "LastModified": MOMENT, "ETag": '"abc"', "Size": 5, "ChecksumSHA256": "AAAA"}
    ]
    bounds = ("PartNumberMarker", "NextPartNumberMarker", "MaxParts", "IsTruncated")
    assert [found[name] for name in bounds] == [3, 4, 1, True]
    assert (found["ChecksumAlgorithm"], found["ChecksumType"]) == ("SHA256", "COMPOSITE")


def test_only_the_wanted_attributes_are_shown():
    everything = frozenset({"ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"})
    sums = {Algorithm.SHA256: "AAAA-6"}
    body = answers.object_attributes(everything, "abc-6", 30, sums, ChecksumType.COMPOSITE, parts_page())
    assert read("GetObjectAttributes", body) == {
        "ETag": "abc-6",
        "Checksum": {"ChecksumSHA256": "AAAA-6", "ChecksumType": "COMPOSITE"},
        "ObjectParts": {
            "TotalPartsCount": 6,
            "PartNumberMarker": 3,
            "NextPartNumberMarker": 4,
            "MaxParts": 1,
            "IsTruncated": True,
            "Parts": [{"PartNumber": 4, "Size": 5, "ChecksumSHA256": "AAAA"}],
        },
        "StorageClass": "STANDARD",
        "ObjectSize": 30,
    }
    bare = answers.object_attributes(everything - {"ETag"}, "abc", 3, {}, None, None)
    assert read("GetObjectAttributes", bare) == {"StorageClass": "STANDARD", "ObjectSize": 3}


def test_what_was_deleted_and_what_was_not():
    body = answers.deleted_objects(
        [DeletedObject("a", marker_id="m1"), DeletedObject("b", "v1")],
        [UndeletedObject("c", None, errors.AccessDenied())],
    )
    assert read("DeleteObjects", body) == {
        "Deleted": [
            {"Key": "a", "DeleteMarker": True, "DeleteMarkerVersionId": "m1"},
            {"Key": "b", "VersionId": "v1"},
        ],
        "Errors": [{"Key": "c", "Code": "AccessDenied", "Message": "Access Denied"}],
    }


def test_an_error_names_itself_and_the_request():
    error = errors.InvalidArgument("No <such> thing.", ArgumentName="max-keys")
    found = ET.fromstring(answers.error_answer(error, "/team/a&b", "req_1"))
    assert [(child.tag, child.text) for child in found] == [
        ("Code", "InvalidArgument"),
        ("Message", "No <such> thing."),
        ("ArgumentName", "max-keys"),
        ("Resource", "/team/a&b"),
        ("RequestId", "req_1"),
        ("HostId", "req_1"),
    ]
    assert errors.Unimplemented().code == "NotImplemented"


@given(st.text())
@example("\x00\x0b\x1f\r\n\ufffe\uffff\U0010ffff]]>")
def test_any_text_is_written_as_legal_xml(text):
    legal = "".join(c if c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff") else "\ufffd" for c in text)
    assert (ET.fromstring(f"<a>{escape(text)}</a>".encode()).text or "") == legal


def test_the_delete_that_botocore_writes_is_read():
    objects = [
        {"Key": NASTY.replace("\r", ""), "VersionId": "v1"},
        {"Key": " b ", "ETag": '"abc"', "LastModifiedTime": MOMENT, "Size": 5},
    ]
    order = parse_delete(written("DeleteObjects", Bucket="b", Delete={"Objects": objects, "Quiet": True}))
    assert order.quiet
    first, second = order.objects
    assert (first.key, first.version_id, first.conditions.if_match) == (NASTY.replace("\r", ""), "v1", None)
    assert (second.key, second.version_id) == (" b ", None)
    conditions = second.conditions
    assert (conditions.if_match, conditions.modified_s, conditions.size) == ('"abc"', MOMENT_MS // 1000, 5)


@pytest.mark.parametrize("count", [0, 1001])
def test_a_delete_names_one_to_a_thousand(count):
    with pytest.raises(errors.MalformedXML):
        parse_delete(b"<Delete>" + b"<Object><Key>a</Key></Object>" * count + b"</Delete>")


def test_the_completion_that_botocore_writes_is_read():
    parts = [{"PartNumber": 1, "ETag": '"abc"', "ChecksumSHA256": "AAAA"}, {"PartNumber": 3, "ETag": "def"}]
    body = written(
        "CompleteMultipartUpload", Bucket="b", Key="k", UploadId="u", MultipartUpload={"Parts": parts}
    )
    assert parse_complete(body) == [NamedPart(1, "abc", {Algorithm.SHA256: "AAAA"}), NamedPart(3, "def", {})]


@pytest.mark.parametrize(
    ("numbers", "refusal"),
    [
        ([], errors.MalformedXML),
        ([2, 1], errors.InvalidPartOrder),
        ([1, 1], errors.InvalidPartOrder),
        ([0], errors.InvalidArgument),
        (["x"], errors.InvalidArgument),
    ],
)
def test_parts_are_named_in_order(numbers, refusal):
    parts = "".join(f"<Part><PartNumber>{number}</PartNumber><ETag>a</ETag></Part>" for number in numbers)
    with pytest.raises(refusal):
        parse_complete(f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode())


def test_tags_in_body_and_header():
    tags = [{"Key": "a", "Value": "1"}, {"Key": "Ä b", "Value": ""}]
    assert parse_tagging(written("PutObjectTagging", Bucket="b", Key="k", Tagging={"TagSet": tags})) == (
        ("a", "1"),
        ("Ä b", ""),
    )
    assert parse_tagging_header("a=1&%C3%84+b=") == (("a", "1"), ("Ä b", ""))
    assert parse_tagging_header("") == ()
    assert checked_tags([(f"{number:0128}", "v" * 256) for number in range(10)])


@pytest.mark.parametrize(
    "tags",
    [
        [(str(number), "") for number in range(11)],
        [("a", "1"), ("a", "2")],
        [("", "a")],
        [("a" * 129, "")],
        [("a", "b" * 257)],
        [("a\n", "")],
        [("a", "<b>")],
    ],
)
def test_bad_tags_are_refused(tags):
    with pytest.raises(errors.InvalidTag):
        checked_tags(tags)


def test_a_tagging_header_that_is_no_query_is_refused():
    with pytest.raises(errors.InvalidTag):
        parse_tagging_header("a=%zz")


def test_the_versioning_that_is_asked_for():
    body = written("PutBucketVersioning", Bucket="b", VersioningConfiguration={"Status": "Suspended"})
    assert parse_versioning(body) == "Suspended"


ONE = b"<Object><Key>a</Key></Object>"


def test_a_body_that_is_taken_whatever_its_namespace_and_spaces():
    plain = b"<Delete>" + ONE + b"</Delete>"
    spaced = b"<?xml version='1.0'?>\n<d:Delete xmlns:d='urn:x'>\n" + ONE.replace(b"<", b"<d:").replace(
        b"<d:/", b"</d:"
    )
    for body in (plain, spaced + b"\n</d:Delete>", plain.replace(b">a<", b">&#97;<!-- no --><")):
        assert [one.key for one in parse_delete(body).objects] == ["a"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nonsense",
        b"<Delete>" + ONE,
        b"<Other>" + ONE + b"</Other>",
        b"<Delete>" + ONE + b"</Delete><Delete/>",
        b"<!DOCTYPE Delete><Delete>" + ONE + b"</Delete>",
        b'<!DOCTYPE a [<!ENTITY b "b"><!ENTITY c "&b;&b;">]><Delete>&c;' + ONE + b"</Delete>",
        b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><Delete>' + ONE + b"</Delete>",
        b"<Delete>&undefined;" + ONE + b"</Delete>",
        b"<Delete>\xff" + ONE + b"</Delete>",
        b"<Delete>\0" + ONE + b"</Delete>",
        b'<?xml version="1.0" encoding="rot13"?><Delete>' + ONE + b"</Delete>",
        b"<Delete>" + ONE + b"<a>" * 17 + b"</a>" * 17 + b"</Delete>",
        b"<Delete>" + ONE + b"<a/>" * 100_001 + b"</Delete>",
        b"<Delete><Object/></Delete>",
        b"<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>",
    ],
    ids=range(16),
)
def test_xml_that_is_not_taken_is_refused(body):
    with pytest.raises(errors.MalformedXML):
        parse_delete(body)


def test_a_body_beyond_all_measure_is_refused():
    with pytest.raises(errors.MaxMessageLengthExceeded):
        parse(b" " * (MAX_BODY_BYTES + 1), "Delete")


@given(
    st.binary(max_size=60)
    | st.text(max_size=60).map(lambda text: f"<Delete>{text}</Delete>".encode("utf-8", "replace"))
)
def test_no_body_breaks_the_reader(body):
    with pytest.raises(errors.S3Error):
        parse_delete(body)

"""What the protocol asks of every request: signatures, framing, listeners, errors."""

import asyncio
from xml.etree import ElementTree

import pytest
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from builtin_plugins.s3.tests.clients import NOTHING, Signer

# What goes over the wire is the same whatever keeps it.
pytestmark = [pytest.mark.hall_databases("sqlite"), pytest.mark.shared_server]


@pytest.fixture
def raw(hall):
    """What the server answers to a request that no client would send; nothing more than it is sent."""

    async def raw(line, headers, body):
        host, _, port = hall.addresses["s3"].removeprefix("http://").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        lines = [f"{line} HTTP/1.1", f"Host: {host}:{port}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        writer.write_eof()
        try:
            return await reader.read(-1)
        finally:
            writer.close()

    return raw


def code_of(response):
    return ElementTree.fromstring(response.content).findtext("Code")


async def test_any_region_will_do(http, signed):
    url, headers = signed(region="eu-north-1")
    assert (await http.get(url, headers=headers)).status_code == 200


async def test_an_unsigned_request_is_refused(http, hall, bucket):
    for path in ("", f"/{bucket.name}", f"/{bucket.name}/key"):
        response = await http.get(hall.addresses["s3"] + path)
        assert (response.status_code, code_of(response)) == (403, "AccessDenied")


async def test_a_request_that_was_tampered_with_is_refused(http, signed):
    url, headers = signed(path="/key")
    signature, last = headers["Authorization"][:-1], headers["Authorization"][-1]
    for changed_url, changed in (
        (f"{url}2", {}),
        (f"{url}?versionId=x", {}),
        (url, {"x-amz-date": "20300101T090001Z"}),
        (url, {"x-amz-content-sha256": "0" * 64}),
        (url, {"authorization": f"{signature}{'0' if last != '0' else '1'}"}),
    ):
        sent = {name.lower(): value for name, value in headers.items()} | changed
        response = await http.get(changed_url, headers=sent)
        assert response.status_code == 403, changed
    assert (await http.put(url, headers=headers)).status_code == 403


async def test_a_header_that_was_not_signed_is_refused(http, signed):
    url, headers = signed("PUT", "/key")
    response = await http.put(url, headers={**headers, "x-amz-meta-added": "later"})
    assert (response.status_code, code_of(response)) == (403, "AccessDenied")


async def test_a_signature_does_not_outlast_its_quarter_of_an_hour(http, hall, signed):
    url, headers = signed()
    hall.clock.advance(minutes=14)
    assert (await http.get(url, headers=headers)).status_code == 200
    hall.clock.advance(minutes=2)
    assert code_of(await http.get(url, headers=headers)) == "RequestTimeTooSkewed"


async def test_signature_version_2_is_refused_by_name(http, hall, bucket):
    response = await http.get(
        f"{hall.addresses['s3']}/{bucket.name}", headers={"Authorization": "AWS key:signature"}
    )
    assert response.status_code == 400
    assert "Signature Version 2" in response.text


async def test_content_that_is_not_what_was_signed_is_not_kept(http, bucket, signed, refused):
    url, headers = signed("PUT", "/key")
    response = await http.put(url, headers=headers, content=b"something")
    assert code_of(response) == "XAmzContentSHA256Mismatch"
    wrong = {"x-amz-content-sha256": "UNSIGNED-PAYLOAD", "Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg=="}
    headers = signed("PUT", "/key", **wrong)[1]
    assert code_of(await http.put(url, headers=headers, content=b"x")) == "BadDigest"
    wrong = {"x-amz-content-sha256": "UNSIGNED-PAYLOAD", "x-amz-checksum-crc32": "AAAAAA=="}
    headers = signed("PUT", "/key", **wrong)[1]
    assert code_of(await http.put(url, headers=headers, content=b"x")) == "BadDigest"
    assert await refused(bucket.get_object(Key="key")) == ("NoSuchKey", 404)


async def test_an_upload_that_breaks_off_leaves_nothing(bucket, signed, raw):
    _, headers = signed("PUT", "/key", **{"x-amz-content-sha256": "UNSIGNED-PAYLOAD"})
    await raw(f"PUT /{bucket.name}/key", {**headers, "Content-Length": "100000"}, b"only some of it")
    assert await bucket.keys() == []


async def test_an_unknown_framing_is_refused(http, signed):
    url, headers = signed("PUT", "/key", **{"x-amz-content-sha256": "STREAMING-SOMETHING-NEW"})
    response = await http.put(url, headers=headers, content=b"5\r\nhello\r\n0\r\n\r\n")
    assert code_of(response) == "InvalidArgument"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "?policy"),
        ("PUT", "?replication"),
        ("GET", "?website"),
        ("DELETE", ""),
        ("GET", "/key?torrent"),
        ("POST", "/key?restore"),
        ("PUT", "/key?legal-hold"),
    ],
)
async def test_what_is_not_offered_says_so(http, signed, method, path):
    url, headers = signed(method, path)
    response = await http.request(method, url, headers=headers)
    assert (response.status_code, code_of(response)) == (501, "NotImplemented")


@pytest.mark.parametrize(
    "header",
    [
        {"x-amz-server-side-encryption": "AES256"},
        {"x-amz-storage-class": "GLACIER"},
        {"x-amz-object-lock-legal-hold": "ON"},
        {"x-amz-website-redirect-location": "/"},
    ],
)
async def test_a_header_that_asks_for_what_is_not_offered_is_refused(http, bucket, signed, header):
    url, headers = signed("PUT", "/key", **header)
    assert (await http.put(url, headers=headers)).status_code == 501
    assert await bucket.keys() == []


async def test_an_error_names_its_request_and_a_head_has_no_body(http, signed):
    url, headers = signed("GET", "/none")
    response = await http.get(url, headers=headers)
    assert response.status_code == 404
    request_id = ElementTree.fromstring(response.content).findtext("RequestId")
    assert request_id == response.headers["x-amz-request-id"]
    url, headers = signed("HEAD", "/none")
    response = await http.head(url, headers=headers)
    assert (response.status_code, response.content) == (404, b"")


async def test_what_people_store_runs_nowhere(bucket, http):
    await bucket.put_object(Key="page.html", Body=b"<script>1</script>", ContentType="text/html")
    link = bucket.client.generate_presigned_url(
        "get_object", Params={"Bucket": bucket.name, "Key": "page.html"}
    )
    response = await http.get(link)
    assert response.headers["content-type"] == "text/html"
    assert "sandbox" in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("unit", ["bytes", "BYTES", "Bytes"])
async def test_the_unit_of_a_range_is_taken_in_any_case(bucket, http, signed, unit):
    await bucket.put_object(Key="key", Body=b"0123456789")
    url, headers = signed("GET", "/key")
    response = await http.get(url, headers={**headers, "Range": f"{unit}=2-4"})
    assert (response.status_code, response.content) == (206, b"234")
    assert response.headers["content-range"] == "bytes 2-4/10"


ACTIVE = [
    "TEXT/JavaScript; charset=utf-8",
    "text/html",
    "image/svg+xml",
    "text/plain;a=b,text/html",
    "nonsense",
]
FURTHER_ACTIVE = [
    "text/javascript",
    "application/x-javascript",
    "text/javascript1.5",
    "text/ecmascript",
    "application/xhtml+xml",
    "text/xml",
    "application/rss+xml",
    "text/css",
    "application/wasm",
    "multipart/x-mixed-replace",
    "image/png, text/javascript",
]


@pytest.mark.parametrize(
    "active", [ACTIVE, pytest.param(FURTHER_ACTIVE, marks=pytest.mark.long_form)], ids=["some", "further"]
)
async def test_a_link_to_the_main_listener_is_no_script_and_no_page(hall, open_bucket, http, active):
    bucket = await open_bucket(hall.acme.owner, endpoint=f"{hall.base_url}/s3")
    disposition = 'inline; filename="x.js"'
    for content_type in active:
        await bucket.put_object(
            Key="stored.js", Body=b"alert(1)", ContentType=content_type, ContentDisposition=disposition
        )
        await bucket.put_object(Key="overridden.js", Body=b"alert(1)", ContentType="text/plain")
        for key, named in (("stored.js", {}), ("overridden.js", {"ResponseContentType": content_type})):
            for operation, send in (("get_object", http.get), ("head_object", http.head)):
                link = bucket.client.generate_presigned_url(
                    operation, Params={"Bucket": bucket.name, "Key": key, **named}
                )
                response = await send(link)
                assert (response.status_code, response.headers["content-type"]) == (
                    200,
                    "application/octet-stream",
                )
                assert response.headers["content-disposition"].startswith("attachment")
                assert "sandbox" in response.headers["content-security-policy"]
                assert response.headers["x-content-type-options"] == "nosniff"
        link = bucket.client.generate_presigned_url(
            "get_object", Params={"Bucket": bucket.name, "Key": "stored.js"}
        )
        assert (await http.get(link)).headers["content-disposition"] == 'attachment; filename="x.js"'
        # Who signs the headers of a request is no page that a browser loads.
        assert (await bucket.get_object(Key="stored.js"))["ContentType"] == content_type


@pytest.mark.parametrize("content_type", ["text/plain", "image/png", "application/pdf", "text/csv; a=b"])
async def test_a_link_to_the_main_listener_keeps_a_type_that_does_nothing(
    hall, open_bucket, http, content_type
):
    bucket = await open_bucket(hall.acme.owner, endpoint=f"{hall.base_url}/s3")
    await bucket.put_object(Key="key", Body=b"1", ContentType=content_type)
    link = bucket.client.generate_presigned_url("get_object", Params={"Bucket": bucket.name, "Key": "key"})
    response = await http.get(link)
    assert response.headers["content-type"] == content_type
    assert "content-disposition" not in response.headers


async def test_the_main_listener_answers_below_its_prefix(hall, open_bucket):
    bucket = await open_bucket(hall.acme.owner, endpoint=f"{hall.base_url}/s3")
    await bucket.put_object(Key="a//b/%2F ü", Body=b"x")
    assert await bucket.read("a//b/%2F ü") == b"x"
    assert await bucket.keys() == ["a//b/%2F ü"]


@pytest.mark.parametrize("path", ["//key", "///key"])
async def test_a_path_without_a_bucket_reaches_no_bucket(hall, bucket, http, path):
    await bucket.put_object(Key="key", Body=b"mine")
    key = Credentials(bucket.key["access_key_id"], bucket.key["secret_access_key"])
    for base in (hall.addresses["s3"], f"{hall.base_url}/s3"):
        for method in ("PUT", "GET", "HEAD", "DELETE"):
            request = AWSRequest(method, base + path, {"x-amz-content-sha256": NOTHING})
            Signer(NOTHING, key, "local").add_auth(request)
            response = await http.request(method, base + path, headers=dict(request.headers))
            assert response.status_code == 400, (method, response.text)
    assert await bucket.read("key") == b"mine"
    assert len((await bucket.list_object_versions())["Versions"]) == 1


@pytest.mark.own_server  # it signs by the clock of a second one
async def test_the_host_can_name_the_bucket(hall, open_hall, http, issue):
    async with open_hall(SERVICE_S3_DOMAIN="s3.example.org") as named:
        key = await issue(named.acme.owner)
        assert key["endpoint"] == "http://s3.example.org"
        host = f"{key['bucket']}.s3.example.org"
        request = AWSRequest("PUT", f"http://{host}/key", {"x-amz-content-sha256": NOTHING})
        credentials = Credentials(key["access_key_id"], key["secret_access_key"])
        Signer(NOTHING, credentials, "local").add_auth(request)
        url = f"{named.addresses['s3']}/key"
        response = await http.put(url, headers={**dict(request.headers), "Host": host})
        assert response.status_code == 200, response.text


@pytest.mark.parametrize(
    "key",
    ["a/b", "//", "/a", "a/", "ü", "a b", "a+b", "a%2Fb", "a&b=c?d#e", "漢字", "x" * 1024, "🙂", "a\tb", "~"],
)
async def test_any_key_comes_back_as_it_went(bucket, key):
    await bucket.put_object(Key=key, Body=key.encode())
    assert await bucket.read(key) == key.encode()
    assert await bucket.keys() == [key]


@pytest.mark.parametrize("key", ["..", "a/../b", "./a", "x" * 1025])
async def test_a_key_that_leads_out_of_its_place_is_refused(signed, bucket, raw, key):
    _, headers = signed("PUT", f"/{key}")
    answer = await raw(f"PUT /{bucket.name}/{key}", headers, b"")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert await bucket.keys() == []


async def test_a_bucket_can_be_expected_to_be_the_teams(hall, bucket, refused):
    await bucket.head_bucket(ExpectedBucketOwner=hall.acme.owner.team_id)
    call = bucket.list_objects_v2(ExpectedBucketOwner="111122223333")
    assert await refused(call) == ("AccessDenied", 403)


async def test_the_log_says_what_was_done_and_nothing_that_was_signed(hall, bucket, http):
    await bucket.put_object(Key="a-telling-name", Body=b"x")
    link = bucket.client.generate_presigned_url(
        "get_object", Params={"Bucket": bucket.name, "Key": "a-telling-name"}
    )
    await http.get(link)
    line = hall.watch.lines("guildhall.s3")[-1]
    assert (line["action"], line["operation"], line["status"]) == ("request.done", "GetObject", 200)
    told = str(line)
    assert "Signature" not in told
    assert "a-telling-name" not in told


@pytest.mark.parametrize(("asked", "kept"), [("my-own.id_1", True), ("not sane", False), ("x" * 129, False)])
async def test_an_answer_carries_the_id_of_its_request(http, signed, asked, kept):
    url, headers = signed(path="/absent")
    for sent in ({**headers, "x-request-id": asked}, {"x-request-id": asked}):
        response = await http.get(url, headers=sent)
        told = response.headers["x-request-id"]
        assert told == response.headers["x-amz-request-id"]
        assert (told == asked) == kept

"""Uploads by a form on a page of somebody else's, signed by whoever holds a key."""

import base64
import hashlib
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest

from builtin_plugins.s3.tests.clients import Bucket, boto_client
from builtin_plugins.s3.tests.forms import Forms, part, raw_form, refusal
from guildhall_sdk.services.tenancy import Directory

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

sqlite_only = pytest.mark.hall_databases("sqlite")


async def test_a_signed_form_uploads_a_file(bucket, forms):
    fields = forms.signed(
        "in/${filename}",
        Content_Type="text/x-page",
        x_amz_meta_from="a page",
        Cache_Control="max-age=5",
        acl="private",
        tagging="<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>",
    )
    answer = await forms.send(fields, b"what a visitor sends", filename="C:\\here\\there.txt")
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["etag"] == f'"{hashlib.md5(b"what a visitor sends").hexdigest()}"'
    assert answer.headers["location"] == f"{forms.url}/in/there.txt"
    found = await bucket.get_object(Key="in/there.txt", VersionId=answer.headers["x-amz-version-id"])
    assert found["Body"].read() == b"what a visitor sends"
    assert (found["ContentType"], found["Metadata"]) == ("text/x-page", {"from": "a page"})
    assert (found["CacheControl"], found["TagCount"]) == ("max-age=5", 1)


@sqlite_only
async def test_a_form_is_taken_wherever_s3_is(hall, http, open_bucket, open_hall, issue):
    """Below the main address too, and where the name of the host is the bucket's."""
    forms = Forms(hall, await open_bucket(hall.acme.owner, endpoint=f"{hall.base_url}/s3"), http)
    answer = await forms.send(forms.signed("a/b c"))
    assert (answer.status_code, answer.headers["location"]) == (
        204,
        f"{hall.base_url}/s3/{forms.url.rpartition('/')[2]}/a/b%20c",
    )
    async with open_hall(SERVICE_S3_DOMAIN="s3.example.org") as other:
        other.clock.advance(milliseconds=hall.clock.now_ms() - other.clock.now_ms())
        key = await issue(other.acme.owner)
        bucket = Bucket(
            boto_client(other.addresses["s3"], key["access_key_id"], key["secret_access_key"]),
            key["bucket"],
            key,
        )
        forms = Forms(other, bucket, http)
        fields, forms.url = forms.signed("k"), other.addresses["s3"]
        answer = await forms.send(fields, headers={"Host": f"{key['bucket']}.s3.example.org"})
        assert (answer.status_code, answer.headers["location"]) == (
            204,
            f"http://{key['bucket']}.s3.example.org/k",
        )


async def test_what_a_form_writes_is_an_object_like_any_other(hall, bucket, forms):
    """A version, found by search, in the trail."""
    await bucket.put_object(Key="in/page.txt", Body=b"before")
    assert (await forms.send(forms.signed("in/page.txt"), b"quixotic words")).status_code == 204
    assert len(await bucket.versions()) == 2
    await hall.drain_jobs()
    (hit,) = (await hall.acme.owner.get("/api/search?q=quixotic")).json()["items"]
    audit = (await hall.acme.owner.get("/api/audit")).json()["items"]
    assert ("object.written", hit["id"]) in {(event["action"], event["target"]["id"]) for event in audit}


@sqlite_only
@pytest.mark.parametrize(
    ("asked", "status"), [("200", 200), ("201", 201), ("204", 204), ("404", 204), ("", 204)]
)
async def test_a_form_says_how_it_is_answered(forms, bucket, asked, status):
    fields = forms.signed_over(
        forms.policy({"key": "k<&", "success_action_status": asked}),
        key="k<&",
        success_action_status=asked,
    )
    answer = await forms.send(fields, b"x")
    assert answer.status_code == status
    if status != 201:
        assert answer.content == b""
        return
    told = {child.tag: child.text for child in ElementTree.fromstring(answer.content)}
    etag = answer.headers["etag"]
    assert told == {
        "Location": f"{forms.url}/k%3C%26", "Bucket": bucket.name, "Key": "k<&", "ETag": etag
    }  # fmt: skip


@sqlite_only
async def test_a_form_sends_the_browser_on(forms, bucket):
    for name in ("success_action_redirect", "redirect"):
        to = "https://page.example/thanks?a=b#there"
        fields = forms.signed_over(forms.policy({"key": "k ö", name: to}), **{"key": "k ö", name: to})
        answer = await forms.send(fields, b"x")
        assert answer.status_code == 303
        target = urlsplit(answer.headers["location"])
        assert (target.netloc, target.path, target.fragment) == ("page.example", "/thanks", "there")
        assert parse_qs(target.query) == {
            "a": ["b"], "bucket": [bucket.name], "key": ["k ö"], "etag": [answer.headers["etag"]]
        }  # fmt: skip


@sqlite_only
@pytest.mark.parametrize("to", ["javascript:alert(1)", "//elsewhere", "http://[", "https://a\r\nX: y", "no"])
async def test_what_is_no_address_of_a_page_sends_nobody_on(forms, to):
    named = {"key": "k", "success_action_redirect": to}
    answer = await forms.send_raw(raw_form(forms.signed_over(forms.policy(named), **named), b"x"))
    assert (answer.status_code, urlsplit(answer.headers["location"]).path[-2:]) == (204, "/k")


async def test_what_follows_the_file_is_ignored(forms, bucket):
    """Such as the button of the page, whatever it says; and it counts for no limit."""
    document = forms.policy({"key": "k"}, ["content-length-range", 3, 3])
    fields = forms.signed_over(document, key="k")
    after = (part("key", "another"), part("submit", "Upload" * 100), part("file", b"other", "other"))
    answer = await forms.send_raw(raw_form(fields, b"abc", *after))
    assert answer.status_code == 204
    assert await bucket.read("k") == b"abc"
    assert await bucket.keys() == ["k"]


@sqlite_only
@pytest.mark.parametrize("algorithm", ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"])
async def test_a_checksum_in_a_form_is_verified_and_kept(forms, bucket, algorithm):
    put = await bucket.put_object(Key="other", Body=b"content", ChecksumAlgorithm=algorithm)
    value, name = put[f"Checksum{algorithm}"], f"x-amz-checksum-{algorithm.lower()}"
    document = forms.policy({"key": "k"}, ["starts-with", f"${name}", ""])
    answer = await forms.send(forms.signed_over(document, **{"key": "k", name: value}), b"content")
    assert (answer.status_code, answer.headers[name]) == (204, value)
    answer = await forms.send(forms.signed_over(document, **{"key": "k", name: value}), b"spoilt")
    assert refusal(answer)[:2] == (400, "BadDigest")
    assert len(await bucket.versions()) == 2


@sqlite_only
async def test_an_md5_in_a_form_is_verified(forms, bucket):
    md5 = base64.b64encode(hashlib.md5(b"content").digest()).decode()
    named = {"key": "k", "Content-MD5": md5}
    fields = forms.signed_over(forms.policy(named), **named)
    assert refusal(await forms.send(fields, b"spoilt"))[:2] == (400, "BadDigest")
    assert (await forms.send(fields, b"content")).status_code == 204


async def test_a_form_can_forbid_to_overwrite(forms, bucket):
    named = {"key": "k", "If-None-Match": "*"}
    fields = forms.signed_over(forms.policy(named), **named)
    assert (await forms.send(fields, b"first")).status_code == 204
    assert refusal(await forms.send(fields, b"second"))[:2] == (412, "PreconditionFailed")
    assert await bucket.read("k") == b"first"


@sqlite_only
@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"acl": "public-read"}, (400, "AccessControlListNotSupported")),
        ({"x-amz-storage-class": "GLACIER"}, (501, "NotImplemented")),
        ({"x-amz-server-side-encryption": "AES256"}, (501, "NotImplemented")),
        ({"x-amz-website-redirect-location": "/"}, (501, "NotImplemented")),
        ({"x-amz-copy-source": "a/b"}, (501, "NotImplemented")),
        ({"x-amz-content-sha256": "0"}, (501, "NotImplemented")),
        ({"x-amz-meta-a": "b\r\nX-Evil: c"}, (400, "InvalidArgument")),
        ({"content-type": "a/b\r\nX-Evil: c"}, (400, "InvalidArgument")),
        ({"x-amz-meta-a": "b" * 3000}, (400, "MetadataTooLarge")),
        ({"tagging": "a=b"}, (400, "MalformedXML")),
        ({"key": ""}, (400, "InvalidArgument")),
        ({"key": "../k"}, (400, "InvalidArgument")),
        ({"key": "a\0b"}, (400, "InvalidArgument")),
        ({"key": "k" * 1025}, (400, "KeyTooLongError")),
    ],
)
async def test_what_a_put_may_not_say_a_form_may_not_either(forms, bucket, more, expected):
    named = {"key": "k", **more}
    fields = forms.signed_over(forms.policy(named), **named)
    assert refusal(await forms.send_raw(raw_form(fields, b"x")))[:2] == expected
    assert await bucket.keys() == []


async def test_a_form_does_no_more_than_its_key(hall, http, open_bucket):
    """Another prefix, a missing permission, a viewer, another team, a revoked key, one who left."""
    narrowed = Forms(hall, await open_bucket(hall.acme.owner, prefix="in/"), http)
    assert (await narrowed.send(narrowed.signed("in/k"))).status_code == 204
    assert refusal(await narrowed.send(narrowed.signed("out")))[:2] == (403, "AccessDenied")
    reader = Forms(hall, await open_bucket(hall.acme.owner, permissions=["files:read"]), http)
    assert refusal(await reader.send(reader.signed("k")))[:2] == (403, "AccessDenied")
    viewer = Forms(hall, await open_bucket(await hall.join(hall.acme, "viewer")), http)
    assert refusal(await viewer.send(viewer.signed("k")))[:2] == (403, "AccessDenied")
    assert refusal(await viewer.send(viewer.signed("k"), bytes(2**20)))[:2] == (403, "AccessDenied")
    other = await open_bucket(hall.globex.owner)
    foreign = Forms(hall, other, http)
    foreign.url = narrowed.url
    fields = foreign.signed_over(foreign.policy({"key": "in/k"}), key="in/k")
    assert refusal(await foreign.send(fields))[:2] == (403, "AccessDenied")
    member = await hall.join(hall.acme)
    bucket = await open_bucket(member)
    leaving = Forms(hall, bucket, http)
    fields = leaving.signed("k")
    assert (await leaving.send(fields)).status_code == 204
    await hall.acme.owner.request("DELETE", f"/api/members/{member.user_id}")
    assert refusal(await leaving.send(fields))[:2] == (403, "InvalidAccessKeyId")


@pytest.mark.own_server  # it suspends the whole instance too
async def test_a_suspended_company_takes_no_form(hall, forms, bucket):
    fields = forms.signed("k")
    await hall.suspend(hall.acme)
    assert refusal(await forms.send(fields))[:2] == (403, "AccessDenied")
    async with hall.server.data.write() as writer:
        await hall.server.service(Directory).set_tenant_suspended(writer, hall.clock.now_ms())
    assert refusal(await forms.send(fields))[:2] == (403, "AccessDenied")
    assert await bucket.keys() == []


async def test_a_form_opens_nothing_but_an_upload(hall, forms, bucket, http):
    """Its signature is no way into other calls, and theirs is none into a form."""
    await bucket.put_object(Key="k", Body=b"x")
    body = raw_form(forms.signed("k"), b"<Delete><Object><Key>k</Key></Object></Delete>")
    told = {"Content-Type": "multipart/form-data; boundary=----a-page-of-somebody-else"}
    for path in ("?delete", "/k?uploads", "/k", "?acl", "?x"):
        answer = await http.post(forms.url + path, content=body, headers=told)
        assert answer.status_code in (400, 403), path
    for method in ("PUT", "GET", "DELETE"):
        answer = await http.request(method, forms.url, content=body, headers=told)
        assert answer.status_code == 403
    assert await bucket.keys() == ["k"]


@sqlite_only
async def test_a_signed_post_that_is_no_form_says_what_is_needed(signed, http):
    url, headers = signed("POST")
    answer = await http.post(url, headers=headers)
    assert refusal(answer)[:2] == (412, "PreconditionFailed")


@sqlite_only
async def test_fields_that_stand_twice_or_are_no_text_are_refused(forms, bucket):
    fields = forms.signed("k")
    twice = part("key", "another") + raw_form(fields, b"x")
    assert refusal(await forms.send_raw(twice))[:2] == (400, "InvalidArgument")
    latin = part("x-ignore-a", b"\xff") + raw_form(fields, b"x")
    assert refusal(await forms.send_raw(latin))[:2] == (400, "InvalidArgument")
    assert await bucket.keys() == []


@sqlite_only
async def test_the_log_names_a_form_and_nothing_that_was_signed(hall, forms):
    fields = forms.signed("a-telling-name")
    await forms.send(fields)
    line = hall.watch.lines("guildhall.s3")[-1]
    assert (line["operation"], line["status"]) == ("PostObject", 204)
    assert not [value for value in fields.values() if value in str(line)]

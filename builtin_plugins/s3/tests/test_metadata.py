"""Metadata of one's own: it goes back in headers, so it must be fit for them."""

from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from guildhall_sdk import Statement

# What goes over the wire is the same whatever keeps it.
pytestmark = [pytest.mark.hall_databases("sqlite"), pytest.mark.shared_server]

SPOIL = Statement(
    "spoil", *["UPDATE object_versions SET attributes = REPLACE(attributes, 'harmless', :spoilt)"] * 2
)


@pytest.fixture
def link(hall, bucket):
    """A link whose query holds headers, as clients that presign an upload may put them there."""

    def link(path, method="PUT", **hoisted):
        query = "&".join(f"{quote(name)}={quote(value)}" for name, value in hoisted.items())
        request = AWSRequest(method, f"{hall.addresses['s3']}/{bucket.name}/{path}?{query}")
        key = Credentials(bucket.key["access_key_id"], bucket.key["secret_access_key"])
        S3SigV4QueryAuth(key, "s3", "local", expires=900).add_auth(request)
        return request.url

    return link


async def test_metadata_in_the_query_of_a_link_is_kept(bucket, http, link):
    response = await http.put(link("k", **{"x-amz-meta-note": " plain  text "}), content=b"x")
    assert response.status_code == 200, response.text
    assert (await bucket.head_object(Key="k"))["Metadata"] == {"note": "plain  text"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("note", "a\r\nSet-Cookie: stolen=1"),
        ("note", "a\nb"),
        ("note", "a\0b"),
        ("note", "a\x0bb"),
        ("note", "a\x7fb"),
        ("no te", "a"),
        ("no\r\nte", "a"),
        ("n\u00f6te", "a"),
    ],
)
async def test_metadata_that_fits_in_no_header_is_refused_and_nothing_is_stored(
    bucket, http, link, name, value
):
    hoisted = {f"x-amz-meta-{name}": value}
    for url, method in ((link("k", **hoisted), "PUT"), (link("k", "POST", uploads="", **hoisted), "POST")):
        response = await http.request(method, url, content=b"x" if method == "PUT" else b"")
        assert (response.status_code, ElementTree.fromstring(response.content).findtext("Code")) == (
            400,
            "InvalidArgument",
        )
        assert "set-cookie" not in response.headers
    assert await bucket.keys() == []


@pytest.mark.parametrize("spoilt", ["a\\r\\nSet-Cookie: x=1", "\\u0000 a \\u000b\\u007f"])
async def test_what_was_stored_before_is_read_without_harm(hall, bucket, http, spoilt):
    await bucket.put_object(Key="k", Body=b"content", Metadata={"note": "harmless", "other": "kept"})
    async with hall.server.data.write() as writer:
        await writer.run(SPOIL, spoilt=spoilt)
    assert await bucket.read("k") == b"content"
    head = await bucket.head_object(Key="k")
    assert head["Metadata"]["other"] == "kept"
    assert "set-cookie" not in head["ResponseMetadata"]["HTTPHeaders"]
    await bucket.copy_object(Key="copy", CopySource={"Bucket": bucket.name, "Key": "k"})
    assert await bucket.read("copy") == b"content"

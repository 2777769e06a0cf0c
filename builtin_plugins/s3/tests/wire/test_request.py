"""A request is taken as it was sent: nothing decoded twice, nothing folded together."""

import pytest

from builtin_plugins.s3.wire.errors import InvalidRequest, InvalidURI, KeyTooLongError
from builtin_plugins.s3.wire.request import Headers, bucket_of_host, parse_request
from builtin_plugins.s3.wire.sigv4 import canonical_path


def request(path="/", query="", headers=(), root_path="", domain=None):
    scope = {
        "method": "GET",
        "scheme": "http",
        "raw_path": path.encode("latin-1"),
        "query_string": query.encode("latin-1"),
        "root_path": root_path,
        "headers": [(b"host", b"localhost:8081"), *headers],
    }
    return parse_request(scope, domain)


@pytest.mark.parametrize(
    ("path", "bucket", "key"),
    [
        ("/", "", ""),
        ("/team", "team", ""),
        ("/team/", "team", ""),
        ("/team/a/b", "team", "a/b"),
        ("/team//a", "team", "/a"),
        ("/team/a//b/", "team", "a//b/"),
        ("/team/../a", "team", "../a"),
        ("/team/a%2Fb", "team", "a/b"),
        ("/team/a+b%20c", "team", "a+b c"),
        ("/team/100%25", "team", "100%"),
        ("/team/%E2%82%AC", "team", "€"),
    ],
)
def test_the_path_names_bucket_and_key(path, bucket, key):
    parsed = request(path)
    assert (parsed.bucket, parsed.key) == (bucket, key)
    assert parsed.raw_path == path.encode()


@pytest.mark.parametrize("path", ["/team/%", "/team/%2", "/team/%zz", "/team/%FF", "/%C0%AF/a"])
def test_a_broken_path_is_refused(path):
    with pytest.raises(InvalidURI):
        request(path)


def test_a_key_has_at_most_1024_bytes():
    assert len(request("/team/" + "%C3%A9" * 512).key) == 512
    with pytest.raises(KeyTooLongError):
        request("/team/" + "%C3%A9" * 512 + "a")


def test_the_prefix_of_a_mount_is_not_the_bucket_but_was_signed():
    parsed = request("/s3/team/key", root_path="/s3")
    assert (parsed.bucket, parsed.key, parsed.raw_path) == ("team", "key", b"/s3/team/key")
    assert request("/s3", root_path="/s3").bucket == ""
    with pytest.raises(InvalidURI):
        request("/s3team/key", root_path="/s3")


@pytest.mark.parametrize(
    ("host", "bucket"),
    [
        ("team.s3.example.org", "team"),
        ("Team.S3.example.org:8081", "team"),
        ("a.b.s3.example.org", "a.b"),
        ("s3.example.org", None),
        (".s3.example.org", None),
        ("teams3.example.org", None),
        ("team.s3.example.org.evil.org", None),
        ("[::1]:8081", None),
    ],
)
def test_a_host_below_the_domain_names_the_bucket(host, bucket):
    assert bucket_of_host(host, "s3.example.org") == bucket


def test_virtual_hosts_leave_the_whole_path_to_the_key():
    headers = [(b"host", b"team.s3.example.org")]
    scope = {"method": "GET", "raw_path": b"/a/b", "query_string": b"", "headers": headers}
    parsed = parse_request(scope, "s3.example.org")
    assert (parsed.bucket, parsed.key) == ("team", "a/b")


def test_the_query_keeps_order_and_repeats():
    parsed = request(query="b=2&a=1&uploads&a=%2B+&&=x")
    assert parsed.query == (("b", "2"), ("a", "1"), ("uploads", ""), ("a", "+ "), ("", "x"))
    assert parsed.arguments["a"] == "1"
    with pytest.raises(InvalidURI):
        request(query="prefix=%ff")


def test_headers_of_one_name_are_one_list():
    parsed = request(headers=[(b"x-amz-meta-a", b"1"), (b"X-Amz-Meta-A", b"2")])
    assert parsed.headers["x-amz-meta-a"] == "1,2"
    assert parsed.headers.lines["x-amz-meta-a"] == ["1", "2"]
    assert parsed.extensions == {"x-amz-meta-a": "1,2"}


def test_header_bytes_are_utf_8_or_else_latin_1():
    headers = Headers([(b"utf-8", "é".encode()), (b"latin-1", b"\xe9")])
    assert headers == {"utf-8": "é", "latin-1": "é"}


def test_only_a_presigned_link_may_carry_headers_in_its_query():
    assert request(query="x-amz-acl=private").extensions == {}
    hoisted = request(query="X-Amz-Acl=private&X-Amz-Signature=0", headers=[(b"x-amz-date", b"now")])
    assert hoisted.extensions["x-amz-acl"] == "private"
    assert hoisted.extensions["x-amz-date"] == "now"


def test_a_length_that_is_no_number_is_refused():
    assert request(headers=[(b"content-length", b"12")]).content_length == 12
    assert request().content_length is None
    for told in (b"-1", b"", b"1_0", "١".encode()):
        with pytest.raises(InvalidRequest):
            _ = request(headers=[(b"content-length", told)]).content_length


@pytest.mark.parametrize(
    ("raw", "canonical"),
    [
        (b"/a%2fb", "/a%2Fb"),
        (b"/a//b/../c", "/a//b/../c"),
        (b"/a(b)*'", "/a%28b%29%2A%27"),
        (b"/%7e%41-", "/~A-"),
        (b"/%e2%82%ac", "/%E2%82%AC"),
        (b"/a+b@c=d", "/a%2Bb%40c%3Dd"),
        (b"/100%25", "/100%25"),
    ],
)
def test_a_path_is_signed_encoded_once(raw, canonical):
    assert canonical_path(raw) == canonical

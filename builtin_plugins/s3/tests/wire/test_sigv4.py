"""Signatures: what botocore signs is accepted, and anything touched afterwards is not."""

from collections.abc import Callable
from urllib.parse import quote, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builtin_plugins.s3.tests.wire.conftest import (
    ACCESS_KEY,
    SECRET,
    request_of,
    scope_of,
    sha256,
    signed_by_botocore,
)
from builtin_plugins.s3.wire import errors
from builtin_plugins.s3.wire.request import parse_request
from builtin_plugins.s3.wire.sigv4 import (
    MAX_SKEW_MS,
    SigningCredentials,
    moment_ms,
    presign,
    read_claim,
    sign,
    signing_key,
    verify,
)

ENDPOINT = "http://localhost:8081"
NASTY = [
    "a b",
    "a+b",
    "ä€𝄞",
    "//",
    "a//b",
    "../..",
    "./a",
    "100%",
    "%2F",
    "a%20b",
    "~-_.",
    "!*'();:@&=$,?#[]",
    '\\"<>|^`{}',
]

keys = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=40),
)
values = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20)


def url_of(key, query=()):
    pairs = "&".join(f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}" for name, value in query)
    return f"{ENDPOINT}/team/{quote(key, safe='/~')}" + (f"?{pairs}" if pairs else "")


def accepted(method, url, headers, now_ms, **where):
    return verified(request_of(method, url, headers, **where), now_ms)


def verified(request, now_ms):
    """What holds of a request that was signed with the one key there is; None of an unsigned one."""
    claim = read_claim(request, now_ms)
    return claim and verify(request, claim, SECRET)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    method=st.sampled_from(["GET", "PUT", "POST", "HEAD", "DELETE"]),
    key=keys,
    query=st.lists(st.tuples(keys, keys), max_size=4, unique_by=lambda pair: pair[0]),
    meta=values,
    body=st.binary(max_size=30),
    region=st.sampled_from(["local", "us-east-1", "eu-west-1"]),
)
def test_what_botocore_signs_is_accepted(method, key, query, meta, body, region):
    url, headers, now = signed_by_botocore(
        method, url_of(key, query), [("x-amz-meta-note", meta), ("Content-Type", "text/plain")], body, region
    )
    signature = accepted(method, url, headers, now)
    assert (signature.access_key_id, signature.payload) == (ACCESS_KEY, sha256(body))
    assert request_of(method, url, headers).key == key


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(method=st.sampled_from(["GET", "PUT"]), key=keys, query=st.dictionaries(keys, keys, max_size=3))
def test_what_botocore_presigns_is_accepted_until_it_lapses(method, key, query):
    url, _, now = signed_by_botocore(method, url_of(key, query.items()), presign=60)
    signature = accepted(method, url, [], now)
    assert (signature.payload, signature.presigned) == ("UNSIGNED-PAYLOAD", True)
    assert accepted(method, url, [], now + 59_999)
    with pytest.raises(errors.AccessDenied, match="expired"):
        accepted(method, url, [], now + 60_000)
    other = "PUT" if method == "GET" else "GET"
    with pytest.raises(errors.SignatureDoesNotMatch):
        accepted(other, url, [], now)


@given(
    method=st.sampled_from(["GET", "PUT"]),
    key=keys,
    version_id=st.none() | st.just("ver_01+/="),
    endpoint=st.sampled_from([ENDPOINT, "https://hall.example.org/s3", "https://hall.example.org:443/s3/"]),
)
def test_our_links_are_those_of_botocore(method, key, version_id, endpoint):
    base = endpoint.replace(":443", "").rstrip("/")
    query = f"?versionId={quote(version_id, safe='-_.~')}" if version_id else ""
    theirs, _, now = signed_by_botocore(method, f"{base}/team/{quote(key, safe='/~')}{query}", presign=900)
    credentials = SigningCredentials(ACCESS_KEY, SECRET, "local")
    ours = presign(
        method, endpoint, "team", key, credentials, now_ms=now, expires_s=900, version_id=version_id
    )
    assert urlsplit(ours)[:3] == urlsplit(theirs)[:3]
    assert sorted(urlsplit(ours).query.split("&")) == sorted(urlsplit(theirs).query.split("&"))


def test_a_link_below_a_prefix_opens_there():
    credentials = SigningCredentials(ACCESS_KEY, SECRET, "local")
    now = moment_ms("20240229T235959Z")
    endpoint = "https://hall.example.org/s3"
    url = presign("GET", endpoint, "team", "a b/ä", credentials, now_ms=now, expires_s=1)
    request = request_of("GET", url, root_path="/s3")
    assert (request.bucket, request.key) == ("team", "a b/ä")
    assert verified(request, now)
    assert SECRET not in repr(credentials)
    for lifetime in (0, 604801):
        with pytest.raises(ValueError, match="604800"):
            presign("GET", endpoint, "team", "a", credentials, now_ms=now, expires_s=lifetime)


def test_the_published_example_is_accepted():
    headers = [
        ("Host", "examplebucket.s3.amazonaws.com"),
        ("Range", "bytes=0-9"),
        ("x-amz-content-sha256", sha256(b"")),
        ("x-amz-date", "20130524T000000Z"),
        (
            "Authorization",
            f"AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/20130524/us-east-1/s3/aws4_request,"
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
    ]
    now = moment_ms("20130524T000000Z")
    signature = accepted("GET", f"{ENDPOINT}/test.txt", headers, now, domain="s3.amazonaws.com")
    assert str(signature.scope) == "20130524/us-east-1/s3/aws4_request"
    assert signature.key.hex() not in repr(signature)


def tampered_requests():
    url, headers, now = signed_by_botocore(
        "PUT", url_of("a/b", [("partNumber", "1")]), [("x-amz-meta-a", "1")], b"body"
    )
    named = dict(headers)
    yield "method", "POST", url, headers, now
    for name, changed in {
        "key": url.replace("a/b", "a/c"),
        "slash": url.replace("a/b", "a%2Fb"),
        "double slash": url.replace("a/b", "a//b"),
        "dots": url.replace("a/b", "x/../a/b"),
        "query": url.replace("partNumber=1", "partNumber=2"),
        "added query": url + "&versionId=1",
        "no query": url.split("?")[0],
    }.items():
        yield name, "PUT", changed, headers, now
    for name, value in {
        "x-amz-meta-a": "2",
        "X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD",
        "Host": "elsewhere:8081",
        "Authorization": named["Authorization"][:-1] + ("0" if named["Authorization"][-1] != "0" else "1"),
    }.items():
        yield name, "PUT", url, list({**named, name: value}.items()), now


@pytest.mark.parametrize("case", list(tampered_requests()), ids=lambda case: case[0])
def test_a_request_that_was_touched_is_refused(case):
    _, method, url, headers, now = case
    with pytest.raises(errors.SignatureDoesNotMatch):
        accepted(method, url, headers, now)


@pytest.mark.parametrize(
    "part", ["X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "versionId", "path"]
)
def test_a_link_that_was_touched_is_refused(part):
    url, _, now = signed_by_botocore("GET", url_of("key", [("versionId", "1")]), presign=60)
    changed = {
        "X-Amz-Credential": url.replace("%2Flocal%2F", "%2Fother%2F"),
        "X-Amz-Date": url.replace("Z&", "0Z&"),
        "X-Amz-Expires": url.replace("X-Amz-Expires=60", "X-Amz-Expires=600"),
        "X-Amz-SignedHeaders": url.replace("SignedHeaders=host", "SignedHeaders=host%3Brange"),
        "versionId": url.replace("versionId=1", "versionId=2"),
        "path": url.replace("/key", "/other"),
    }[part]
    assert changed != url
    with pytest.raises((errors.SignatureDoesNotMatch, errors.AuthorizationQueryParametersError)):
        accepted("GET", changed, [], now)


def test_every_amazon_header_must_be_signed():
    url, headers, now = signed_by_botocore("PUT", url_of("key"))
    with pytest.raises(errors.AccessDenied) as refusal:
        accepted("PUT", url, [*headers, ("x-amz-meta-late", "1")], now)
    assert refusal.value.fields == {"HeadersNotSigned": "x-amz-meta-late"}
    url, _, now = signed_by_botocore("PUT", url_of("key"), presign=60)
    with pytest.raises(errors.AccessDenied, match="not signed"):
        accepted("PUT", url, [("x-amz-acl", "public-read")], now)
    assert accepted("PUT", url, [("content-type", "text/plain")], now)


def test_header_space_is_folded_and_repeats_are_joined():
    url, headers, now = signed_by_botocore("PUT", url_of("key"), [("x-amz-meta-a", "1  2,3")])
    sent = [(name, value) for name, value in headers if name != "x-amz-meta-a"]
    assert accepted("PUT", url, [*sent, ("x-amz-meta-a", " 1 2 "), ("x-amz-meta-a", "3")], now)


@pytest.mark.parametrize("wire", ["é".encode(), b"\xe9"])
def test_a_header_in_latin_1_was_signed_as_utf_8(wire):
    url, headers, now = signed_by_botocore("PUT", url_of("key"), [("x-amz-meta-a", "é")])
    scope = scope_of("PUT", url, [(name, value) for name, value in headers if name != "x-amz-meta-a"])
    scope["headers"].append((b"x-amz-meta-a", wire))
    assert verified(parse_request(scope), now)


def test_clocks_may_differ_by_15_minutes():
    url, headers, now = signed_by_botocore("GET", url_of("key"))
    for drift in (-MAX_SKEW_MS, MAX_SKEW_MS):
        assert accepted("GET", url, headers, now + drift)
    for drift in (-MAX_SKEW_MS - 1, MAX_SKEW_MS + 1):
        with pytest.raises(errors.RequestTimeTooSkewed):
            accepted("GET", url, headers, now + drift)
    url, _, now = signed_by_botocore("GET", url_of("key"), presign=60)
    assert accepted("GET", url, [], now - MAX_SKEW_MS)
    with pytest.raises(errors.AccessDenied, match="not valid yet"):
        accepted("GET", url, [], now - MAX_SKEW_MS - 1)


@pytest.mark.parametrize("expires", [0, -7, 604801, 10**12, "060", "00000000060480000", "1.5", "", "٣"])
def test_a_link_lasts_between_a_second_and_a_week(expires):
    url, _, now = signed_by_botocore("GET", url_of("key"), presign=expires)
    with pytest.raises(errors.AccessDenied, match="604800"):
        accepted("GET", url, [], now)


def test_a_week_is_allowed():
    url, _, now = signed_by_botocore("GET", url_of("key"), presign=604800)
    assert accepted("GET", url, [], now + 604_799_999)


def test_a_link_may_sign_the_digest_of_what_it_takes():
    digest = [("x-amz-content-sha256", sha256(b"x"))]
    url, _, now = signed_by_botocore("PUT", url_of("key"), digest, presign=60)
    assert (accepted("PUT", url, digest, now)).payload == sha256(b"x")
    with pytest.raises(errors.SignatureDoesNotMatch):
        accepted("PUT", url, [], now)


def test_nobody_is_nobody():
    assert accepted("GET", url_of("key"), [], 0) is None
    assert accepted("GET", url_of("key"), [("Authorization", "")], 0) is None


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        (url_of("key"), [("Authorization", f"AWS {ACCESS_KEY}:c2lnbmF0dXJl")]),
        (url_of("key") + f"?AWSAccessKeyId={ACCESS_KEY}&Signature=x&Expires=1", []),
    ],
)
def test_version_2_is_refused_by_name(url, headers):
    with pytest.raises(errors.InvalidRequest, match="Signature Version 2 is not supported"):
        accepted("GET", url, headers, 0)


def replaced(old: str, new: str) -> Callable[[dict[str, str]], dict[str, str | None]]:
    return lambda signed: {"Authorization": signed["Authorization"].replace(old, new)}


def instead(name: str, value: str | None) -> Callable[[dict[str, str]], dict[str, str | None]]:
    return lambda signed: {name: value}


@pytest.mark.parametrize(
    ("refusal", "change"),
    [
        (errors.InvalidArgument, instead("Authorization", "Bearer token")),
        (errors.InvalidArgument, replaced("HMAC", "ECDSA")),
        (errors.AuthorizationHeaderMalformed, instead("Authorization", "AWS4-HMAC-SHA256")),
        (errors.AuthorizationHeaderMalformed, replaced("Signature=", "Signatur=")),
        (errors.AuthorizationHeaderMalformed, replaced("/s3/", "/sts/")),
        (errors.AuthorizationHeaderMalformed, replaced("/aws4_request", "/aws4")),
        (errors.AuthorizationHeaderMalformed, replaced(f"{ACCESS_KEY}/2", f"{ACCESS_KEY}/1")),
        (errors.AuthorizationHeaderMalformed, replaced(ACCESS_KEY, "")),
        (errors.AuthorizationHeaderMalformed, replaced(ACCESS_KEY, "A" * 600)),
        (errors.AuthorizationHeaderMalformed, replaced("=host;", "=")),
        (errors.AuthorizationHeaderMalformed, replaced("=host;", "=Host;")),
        (errors.AuthorizationHeaderMalformed, lambda signed: {"Authorization": signed["Authorization"][:-1]}),
        (
            errors.AuthorizationHeaderMalformed,
            lambda signed: {"Authorization": signed["Authorization"][:-1] + "é"},
        ),
        (errors.AccessDenied, instead("X-Amz-Date", "yesterday")),
        (errors.AccessDenied, instead("X-Amz-Date", "")),
        (errors.InvalidRequest, instead("X-Amz-Content-SHA256", None)),
    ],
)
def test_a_malformed_authorization_is_refused(refusal, change):
    _, signed, now = signed_by_botocore("GET", url_of("key"))
    changed = {**dict(signed), **change(dict(signed))}
    headers = [(name, value) for name, value in changed.items() if value is not None]
    with pytest.raises(refusal):
        accepted("GET", url_of("key"), headers, now)


@pytest.mark.parametrize("name", ["Algorithm", "Credential", "Date", "Expires", "SignedHeaders"])
def test_a_link_that_lacks_a_part_is_refused(name):
    url, _, now = signed_by_botocore("GET", url_of("key"), presign=60)
    with pytest.raises(errors.AuthorizationQueryParametersError, match=f"X-Amz-{name} is missing"):
        accepted("GET", url.replace(f"X-Amz-{name}", "X-Amz-Nothing"), [], now)


def test_a_request_is_signed_in_one_place():
    url, _, now = signed_by_botocore("GET", url_of("key"), presign=60)
    _, headers, _ = signed_by_botocore("GET", url_of("key"))
    with pytest.raises(errors.InvalidArgument, match="not in both"):
        accepted("GET", url, headers, now)


def test_a_date_header_serves_as_well():
    url, headers, now = signed_by_botocore("GET", url_of("key"), [("Date", "x")])
    assert "X-Amz-Date" not in dict(headers)
    assert accepted("GET", url, headers, now)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    authorization=st.text(max_size=60),
    date=st.text(max_size=20),
    query=st.dictionaries(keys, keys, max_size=2),
)
def test_nonsense_is_refused_not_failed(authorization, date, query):
    scheme = "AWS4-HMAC-SHA256 Credential=" + authorization
    headers = [("Authorization", scheme), ("X-Amz-Date", date)]
    safe = [(name, value.encode("utf-8", "replace").decode()) for name, value in headers]
    with pytest.raises(errors.S3Error):
        accepted("GET", url_of("key", query.items()), safe, 0)


def test_a_signing_key_follows_the_secret():
    first = signing_key("secret", "20130524", "local")
    assert signing_key("secret", "20130524", "local") is first
    assert (
        len(
            {
                first,
                *(
                    signing_key(*other)
                    for other in [
                        ("other", "20130524", "local"),
                        ("secret", "20130525", "local"),
                        ("secret", "20130524", "eu"),
                    ]
                ),
            }
        )
        == 4
    )
    assert sign(first, "text") != sign(signing_key("other", "20130524", "local"), "text")

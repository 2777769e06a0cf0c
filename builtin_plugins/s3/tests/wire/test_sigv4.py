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
from builtin_plugins.s3.wire.presign import SigningCredentials, presign
from builtin_plugins.s3.wire.request import parse_request
from builtin_plugins.s3.wire.sigv4 import MOST_SKEW_MS, moment_ms, read_claim, sign, signing_key, verify

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


async def authenticate(request, lookup, now_ms):
    """As the server does it: a claim is read, its key looked up, and then held against the request."""
    claim = read_claim(request, now_ms)
    if claim is None:
        return None
    secret = await lookup(claim.access_key_id)
    if secret is None:
        raise errors.InvalidAccessKeyId(AWSAccessKeyId=claim.access_key_id)
    return verify(request, claim, secret)


async def accepted(method, url, headers, now_ms, lookup, **where):
    return await authenticate(request_of(method, url, headers, **where), lookup, now_ms)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    method=st.sampled_from(["GET", "PUT", "POST", "HEAD", "DELETE"]),
    key=keys,
    query=st.lists(st.tuples(keys, keys), max_size=4, unique_by=lambda pair: pair[0]),
    meta=values,
    body=st.binary(max_size=30),
    region=st.sampled_from(["local", "us-east-1", "eu-west-1"]),
)
async def test_what_botocore_signs_is_accepted(lookup, method, key, query, meta, body, region):
    url, headers, now = signed_by_botocore(
        method, url_of(key, query), [("x-amz-meta-note", meta), ("Content-Type", "text/plain")], body, region
    )
    signature = await accepted(method, url, headers, now, lookup)
    assert (signature.access_key_id, signature.payload) == (ACCESS_KEY, sha256(body))
    assert request_of(method, url, headers).key == key


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(method=st.sampled_from(["GET", "PUT"]), key=keys, query=st.dictionaries(keys, keys, max_size=3))
async def test_what_botocore_presigns_is_accepted_until_it_lapses(lookup, method, key, query):
    url, _, now = signed_by_botocore(method, url_of(key, query.items()), presign=60)
    signature = await accepted(method, url, [], now, lookup)
    assert (signature.payload, signature.presigned) == ("UNSIGNED-PAYLOAD", True)
    assert await accepted(method, url, [], now + 59_999, lookup)
    with pytest.raises(errors.AccessDenied, match="expired"):
        await accepted(method, url, [], now + 60_000, lookup)
    other = "PUT" if method == "GET" else "GET"
    with pytest.raises(errors.SignatureDoesNotMatch):
        await accepted(other, url, [], now, lookup)


@settings(max_examples=100)
@given(
    method=st.sampled_from(["GET", "PUT"]),
    key=keys,
    version_id=st.none() | st.just("ver_01+/="),
    endpoint=st.sampled_from([ENDPOINT, "https://hall.example.org/s3", "https://hall.example.org:443/s3/"]),
)
async def test_our_links_are_those_of_botocore(method, key, version_id, endpoint):
    base = endpoint.replace(":443", "").rstrip("/")
    query = f"?versionId={quote(version_id, safe='-_.~')}" if version_id else ""
    theirs, _, now = signed_by_botocore(method, f"{base}/team/{quote(key, safe='/~')}{query}", presign=900)
    credentials = SigningCredentials(ACCESS_KEY, SECRET, "local")
    ours = presign(
        method, endpoint, "team", key, credentials, now_ms=now, expires_s=900, version_id=version_id
    )
    assert urlsplit(ours)[:3] == urlsplit(theirs)[:3]
    assert sorted(urlsplit(ours).query.split("&")) == sorted(urlsplit(theirs).query.split("&"))


async def test_a_link_below_a_prefix_opens_there(lookup):
    credentials = SigningCredentials(ACCESS_KEY, SECRET, "local")
    now = moment_ms("20240229T235959Z")
    endpoint = "https://hall.example.org/s3"
    url = presign("GET", endpoint, "team", "a b/ä", credentials, now_ms=now, expires_s=1)
    request = request_of("GET", url, root_path="/s3")
    assert (request.bucket, request.key) == ("team", "a b/ä")
    assert await authenticate(request, lookup, now)
    assert SECRET not in repr(credentials)
    for lifetime in (0, 604801):
        with pytest.raises(ValueError, match="604800"):
            presign("GET", endpoint, "team", "a", credentials, now_ms=now, expires_s=lifetime)


async def test_the_published_example_is_accepted(lookup):
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
    signature = await accepted("GET", f"{ENDPOINT}/test.txt", headers, now, lookup, domain="s3.amazonaws.com")
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
async def test_a_request_that_was_touched_is_refused(lookup, case):
    _, method, url, headers, now = case
    with pytest.raises(errors.SignatureDoesNotMatch):
        await accepted(method, url, headers, now, lookup)


@pytest.mark.parametrize(
    "part", ["X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "versionId", "path"]
)
async def test_a_link_that_was_touched_is_refused(lookup, part):
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
        await accepted("GET", changed, [], now, lookup)


async def test_every_amazon_header_must_be_signed(lookup):
    url, headers, now = signed_by_botocore("PUT", url_of("key"))
    with pytest.raises(errors.AccessDenied) as refusal:
        await accepted("PUT", url, [*headers, ("x-amz-meta-late", "1")], now, lookup)
    assert refusal.value.fields == {"HeadersNotSigned": "x-amz-meta-late"}
    url, _, now = signed_by_botocore("PUT", url_of("key"), presign=60)
    with pytest.raises(errors.AccessDenied, match="not signed"):
        await accepted("PUT", url, [("x-amz-acl", "public-read")], now, lookup)
    assert await accepted("PUT", url, [("content-type", "text/plain")], now, lookup)


async def test_header_space_is_folded_and_repeats_are_joined(lookup):
    url, headers, now = signed_by_botocore("PUT", url_of("key"), [("x-amz-meta-a", "1  2,3")])
    sent = [(name, value) for name, value in headers if name != "x-amz-meta-a"]
    assert await accepted("PUT", url, [*sent, ("x-amz-meta-a", " 1 2 "), ("x-amz-meta-a", "3")], now, lookup)


@pytest.mark.parametrize("wire", ["é".encode(), b"\xe9"])
async def test_a_header_in_latin_1_was_signed_as_utf_8(lookup, wire):
    url, headers, now = signed_by_botocore("PUT", url_of("key"), [("x-amz-meta-a", "é")])
    scope = scope_of("PUT", url, [(name, value) for name, value in headers if name != "x-amz-meta-a"])
    scope["headers"].append((b"x-amz-meta-a", wire))
    assert await authenticate(parse_request(scope), lookup, now)


async def test_clocks_may_differ_by_15_minutes(lookup):
    url, headers, now = signed_by_botocore("GET", url_of("key"))
    for drift in (-MOST_SKEW_MS, MOST_SKEW_MS):
        assert await accepted("GET", url, headers, now + drift, lookup)
    for drift in (-MOST_SKEW_MS - 1, MOST_SKEW_MS + 1):
        with pytest.raises(errors.RequestTimeTooSkewed):
            await accepted("GET", url, headers, now + drift, lookup)
    url, _, now = signed_by_botocore("GET", url_of("key"), presign=60)
    assert await accepted("GET", url, [], now - MOST_SKEW_MS, lookup)
    with pytest.raises(errors.AccessDenied, match="not valid yet"):
        await accepted("GET", url, [], now - MOST_SKEW_MS - 1, lookup)


@pytest.mark.parametrize("expires", [0, -7, 604801, 10**12, "060", "00000000060480000", "1.5", "", "٣"])
async def test_a_link_lasts_between_a_second_and_a_week(lookup, expires):
    url, _, now = signed_by_botocore("GET", url_of("key"), presign=expires)
    with pytest.raises(errors.AccessDenied, match="604800"):
        await accepted("GET", url, [], now, lookup)


async def test_a_week_is_allowed(lookup):
    url, _, now = signed_by_botocore("GET", url_of("key"), presign=604800)
    assert await accepted("GET", url, [], now + 604_799_999, lookup)


async def test_a_link_may_sign_the_digest_of_what_it_takes(lookup):
    digest = [("x-amz-content-sha256", sha256(b"x"))]
    url, _, now = signed_by_botocore("PUT", url_of("key"), digest, presign=60)
    assert (await accepted("PUT", url, digest, now, lookup)).payload == sha256(b"x")
    with pytest.raises(errors.SignatureDoesNotMatch):
        await accepted("PUT", url, [], now, lookup)


async def test_an_unknown_key_is_named_and_nobody_is_nobody(lookup):
    async def nothing(_):
        return None

    url, headers, now = signed_by_botocore("GET", url_of("key"))
    with pytest.raises(errors.InvalidAccessKeyId):
        await accepted("GET", url, headers, now, nothing)
    assert await accepted("GET", url_of("key"), [], now, lookup) is None
    assert await accepted("GET", url_of("key"), [("Authorization", "")], now, lookup) is None


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        (url_of("key"), [("Authorization", f"AWS {ACCESS_KEY}:c2lnbmF0dXJl")]),
        (url_of("key") + f"?AWSAccessKeyId={ACCESS_KEY}&Signature=x&Expires=1", []),
    ],
)
async def test_version_2_is_refused_by_name(lookup, url, headers):
    with pytest.raises(errors.InvalidRequest, match="Signature Version 2 is not supported"):
        await accepted("GET", url, headers, 0, lookup)


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
async def test_a_malformed_authorization_is_refused(lookup, refusal, change):
    _, signed, now = signed_by_botocore("GET", url_of("key"))
    changed = {**dict(signed), **change(dict(signed))}
    headers = [(name, value) for name, value in changed.items() if value is not None]
    with pytest.raises(refusal):
        await accepted("GET", url_of("key"), headers, now, lookup)


@pytest.mark.parametrize("name", ["Algorithm", "Credential", "Date", "Expires", "SignedHeaders"])
async def test_a_link_that_lacks_a_part_is_refused(lookup, name):
    url, _, now = signed_by_botocore("GET", url_of("key"), presign=60)
    with pytest.raises(errors.AuthorizationQueryParametersError, match=f"X-Amz-{name} is missing"):
        await accepted("GET", url.replace(f"X-Amz-{name}", "X-Amz-Nothing"), [], now, lookup)


async def test_a_request_is_signed_in_one_place(lookup):
    url, _, now = signed_by_botocore("GET", url_of("key"), presign=60)
    _, headers, _ = signed_by_botocore("GET", url_of("key"))
    with pytest.raises(errors.InvalidArgument, match="not in both"):
        await accepted("GET", url, headers, now, lookup)


async def test_a_date_header_serves_as_well(lookup):
    url, headers, now = signed_by_botocore("GET", url_of("key"), [("Date", "x")])
    assert "X-Amz-Date" not in dict(headers)
    assert await accepted("GET", url, headers, now, lookup)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    authorization=st.text(max_size=60),
    date=st.text(max_size=20),
    query=st.dictionaries(keys, keys, max_size=2),
)
async def test_nonsense_is_refused_not_failed(lookup, authorization, date, query):
    scheme = "AWS4-HMAC-SHA256 Credential=" + authorization
    headers = [("Authorization", scheme), ("X-Amz-Date", date)]
    safe = [(name, value.encode("utf-8", "replace").decode()) for name, value in headers]
    with pytest.raises(errors.S3Error):
        await accepted("GET", url_of("key", query.items()), safe, 0, lookup)


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

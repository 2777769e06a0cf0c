"""Bodies: unwrapped whatever the pieces they come in, and refused wherever they were touched or cut."""

import io
from itertools import pairwise

import pytest
from botocore.httpchecksum import AwsChunkedWrapper, Crc32Checksum
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.s3.description import stored_encoding
from builtin_plugins.s3.tests.wire.conftest import request_of, sha256, signature_of
from builtin_plugins.s3.wire import errors
from builtin_plugins.s3.wire.payload import ChunkSignatures, open_payload

URL = "http://localhost/team/key"
SIGNED = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
SIGNED_TRAILER = SIGNED + "-TRAILER"
UNSIGNED_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"


def payload_of(told, headers=(), seed="0" * 64, **how):
    return open_payload(request_of("PUT", URL, headers), signature_of(told, seed=seed), **how)


def unwrap(payload, body, cuts=()):
    """Content and trailers of a body that comes cut into pieces."""
    content, bounds = [], [0, *sorted(cuts), len(body)]
    for start, end in pairwise(bounds):
        content += payload.feed(body[start:end])
    return b"".join(content), payload.finish()


def signed_chunks(chunks, seed="0" * 64, trailer=None, newline="\r\n"):
    """A body as a client that signs its chunks sends it."""
    chain, body = ChunkSignatures(signature_of(SIGNED, seed=seed)), b""
    for chunk in (*chunks, b""):
        signature = chain.after_chunk(sha256(chunk))
        chain.accept(signature, signature)
        body += b"%x;chunk-signature=%s\r\n%s" % (len(chunk), signature.encode(), chunk)
        body += b"\r\n" if chunk else b""
    if trailer is None:
        return body + b"\r\n"
    lines = "".join(f"{name}:{value}\n" for name, value in trailer.items())
    signature = chain.after_trailer(lines.encode())
    return body + f"{lines.replace(chr(10), newline)}x-amz-trailer-signature:{signature}\r\n\r\n".encode()


def unsigned_chunks(chunks, trailer=b""):
    return b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n" + trailer + b"\r\n"


chunk_lists = st.lists(st.binary(min_size=1, max_size=300), max_size=5)
cut_lists = st.lists(st.integers(0, 2500), max_size=12)


@given(
    chunks=chunk_lists, cuts=cut_lists, framing=st.sampled_from([SIGNED, SIGNED_TRAILER, UNSIGNED_TRAILER])
)
def test_pieces_of_any_size_give_the_content(chunks, cuts, framing):
    content = b"".join(chunks)
    trailer = {"x-amz-checksum-crc32": "AAAAAA=="}
    body, trailers = {
        SIGNED: (signed_chunks(chunks), {}),
        SIGNED_TRAILER: (signed_chunks(chunks, trailer=trailer), trailer),
        UNSIGNED_TRAILER: (unsigned_chunks(chunks, b"x-amz-checksum-crc32:AAAAAA==\r\n"), trailer),
    }[framing]
    headers = [("x-amz-decoded-content-length", str(len(content))), ("x-amz-trailer", ",".join(trailers))]
    cuts = [min(cut, len(body)) for cut in cuts]
    assert unwrap(payload_of(framing, headers), body, cuts) == (content, trailers)


def test_byte_by_byte():
    body = signed_chunks([b"hello ", b"world"], trailer={"x-amz-checksum-sha1": "x"}, newline="\n\r\n")
    assert unwrap(payload_of(SIGNED_TRAILER), body, range(len(body))) == (
        b"hello world",
        {"x-amz-checksum-sha1": "x"},
    )


@given(content=st.binary(max_size=500), size=st.integers(1, 200), cuts=cut_lists)
def test_what_botocore_frames_is_unwrapped(content, size, cuts):
    wrapper = AwsChunkedWrapper(
        io.BytesIO(content), checksum_cls=Crc32Checksum, checksum_name="x-amz-checksum-crc32", chunk_size=size
    )
    body = wrapper.read()
    checksum = Crc32Checksum()
    checksum.update(content)
    assert unwrap(payload_of(UNSIGNED_TRAILER), body, [min(cut, len(body)) for cut in cuts]) == (
        content,
        {"x-amz-checksum-crc32": checksum.b64digest()},
    )


def test_the_published_chunks_are_accepted():
    seed = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9"
    body = (
        b"10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n"
        + b"a" * 65536
        + b"\r\n400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n"
        + b"a" * 1024
        + b"\r\n0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n"
    )
    headers = [("x-amz-decoded-content-length", "66560")]
    assert unwrap(payload_of(SIGNED, headers, seed), body) == (b"a" * 66560, {})


def test_the_published_trailer_is_accepted():
    seed = "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e"
    body = (
        b"10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2\r\n"
        + b"a" * 65536
        + b"\r\n400;chunk-signature=1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7\r\n"
        + b"a" * 1024
        + b"\r\n0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n"
        + b"x-amz-checksum-crc32c:sOO8/Q==\r\n"
        + b"x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n"
    )
    headers = [("x-amz-trailer", "x-amz-checksum-crc32c")]
    assert unwrap(payload_of(SIGNED_TRAILER, headers, seed), body) == (
        b"a" * 66560,
        {"x-amz-checksum-crc32c": "sOO8/Q=="},
    )


@pytest.mark.parametrize("trailer", [None, {"x-amz-checksum-crc32": "AAAAAA=="}])
def test_a_signed_body_touched_anywhere_is_refused(trailer):
    body = signed_chunks([b"hello", b"world"], trailer=trailer)
    headers = [("x-amz-trailer", "x-amz-checksum-crc32")] if trailer else []
    framing = SIGNED_TRAILER if trailer else SIGNED
    assert unwrap(payload_of(framing, headers), body)[0] == b"helloworld"
    for at in range(len(body)):
        touched = body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]
        with pytest.raises(errors.S3Error):
            unwrap(payload_of(framing, headers), touched)


@pytest.mark.parametrize("framing", [SIGNED_TRAILER, UNSIGNED_TRAILER])
def test_a_body_cut_anywhere_is_refused(framing):
    body = {
        SIGNED_TRAILER: signed_chunks([b"hello", b"world"], trailer={"x-amz-checksum-crc32": "AAAAAA=="}),
        UNSIGNED_TRAILER: unsigned_chunks([b"hello", b"world"], b"x-amz-checksum-crc32:AAAAAA==\r\n"),
    }[framing]
    assert unwrap(payload_of(framing), body)[0] == b"helloworld"
    for length in range(len(body)):
        with pytest.raises(errors.S3Error):
            unwrap(payload_of(framing), body[:length])


def test_signed_chunks_are_complete_with_their_last_line():
    body = signed_chunks([b"hello"])
    for length in range(len(body) - 2):
        with pytest.raises(errors.S3Error):
            unwrap(payload_of(SIGNED), body[:length])
    assert unwrap(payload_of(SIGNED), body[:-2]) == (b"hello", {})
    with pytest.raises(errors.InvalidRequest):
        unwrap(payload_of(SIGNED), body + b"more")


def test_chunks_cannot_be_reordered_dropped_or_taken_from_another_body():
    first, second = signed_chunks([b"hello", b"world"]), signed_chunks([b"hello", b"world"], seed="1" * 64)
    size = len(b"5;chunk-signature=") + 64 + len(b"\r\nhello\r\n")
    swapped = first[size : 2 * size] + first[:size] + first[2 * size :]
    for body in (swapped, first[size:], first[:size] + first[2 * size :], first[:size] + second[size:]):
        with pytest.raises(errors.SignatureDoesNotMatch):
            unwrap(payload_of(SIGNED), body)


def test_chunks_must_be_signed_where_the_request_says_so():
    for framing in (SIGNED, SIGNED_TRAILER):
        with pytest.raises(errors.InvalidRequest):
            unwrap(payload_of(framing), unsigned_chunks([b"hello"]))


def test_a_missing_trailer_is_legal_unless_signed_headers_promise_one():
    announced = [("x-amz-trailer", "x-amz-checksum-crc32")]
    for headers in ([], announced):
        assert unwrap(payload_of(UNSIGNED_TRAILER, headers), unsigned_chunks([b"a"])) == (b"a", {})
    assert unwrap(payload_of(SIGNED_TRAILER), signed_chunks([b"a"])) == (b"a", {})
    with pytest.raises(errors.MalformedTrailerError):
        unwrap(payload_of(SIGNED_TRAILER, announced), signed_chunks([b"a"]))


def test_a_trailer_must_be_signed_as_the_chunks_are():
    body = signed_chunks([b"a"], trailer={"x-amz-checksum-crc32": "AAAAAA=="})
    stripped = body[: body.index(b"x-amz-trailer-signature")] + b"\r\n"
    with pytest.raises(errors.SignatureDoesNotMatch):
        unwrap(payload_of(SIGNED_TRAILER), stripped)


@pytest.mark.parametrize(
    "trailer",
    [b"nonsense\r\n", b"a:1\r\nA:2\r\n", b"a b:1\r\n", b"a:\xff\r\n", b"a:" + b"1" * 17000 + b"\r\n"],
)
def test_a_malformed_trailer_is_refused(trailer):
    with pytest.raises(errors.MalformedTrailerError):
        unwrap(payload_of(UNSIGNED_TRAILER), unsigned_chunks([b"a"], trailer))


@pytest.mark.parametrize(
    "body",
    [
        b"5\nhello\r\n0\r\n\r\n",
        b"-1\r\n\r\n",
        b"0x5\r\nhello\r\n0\r\n\r\n",
        b"5_0\r\nhello\r\n0\r\n\r\n",
        b"\r\n0\r\n\r\n",
        b"4\r\nhello\r\n0\r\n\r\n",
        b"5;\r\nhello\r\n0\r\n\r\n",
        b"f" * 16 + b"\r\n",
        b"0" * 600 + b"\r\n\r\n",
        b"0" * 100_000,
    ],
)
def test_a_malformed_chunk_is_refused(body):
    for cuts in ([], range(0, len(body), 7)):
        with pytest.raises(errors.InvalidRequest):
            unwrap(payload_of(UNSIGNED_TRAILER), body, cuts)


@pytest.mark.parametrize("length", ["4", "6", "0"])
def test_the_decoded_length_must_hold(length):
    headers = [("x-amz-decoded-content-length", length)]
    with pytest.raises(errors.IncompleteBody):
        unwrap(payload_of(UNSIGNED_TRAILER, headers), unsigned_chunks([b"hello"]))


def test_a_chunk_beyond_the_decoded_length_is_refused_before_it_comes():
    payload = payload_of(UNSIGNED_TRAILER, [("x-amz-decoded-content-length", "5")])
    assert payload.length == 5
    with pytest.raises(errors.IncompleteBody):
        payload.feed(b"6\r\n")


@pytest.mark.parametrize("told", ["", "-1", "1e3", "²", "1" * 16])
def test_a_decoded_length_that_is_none_is_refused(told):
    with pytest.raises(errors.InvalidRequest):
        payload_of(UNSIGNED_TRAILER, [("x-amz-decoded-content-length", told)])


@pytest.mark.parametrize(
    "told",
    ["STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "STREAMING-NEW", "", "abc", "unsigned-payload", "g" * 64],
)
def test_an_unknown_framing_is_refused(told):
    with pytest.raises(errors.InvalidArgument, match="x-amz-content-sha256"):
        payload_of(told)


@given(content=st.binary(max_size=200), cuts=st.lists(st.integers(0, 200), max_size=5))
def test_plain_content_is_passed_on_and_checked(content, cuts):
    cuts = [min(cut, len(content)) for cut in cuts]
    for told in (sha256(content), sha256(content).upper(), "UNSIGNED-PAYLOAD"):
        assert unwrap(payload_of(told), content, cuts) == (content, {})
    with pytest.raises(errors.XAmzContentSHA256Mismatch):
        unwrap(payload_of(sha256(content)), content + b"x")


def test_plain_content_has_the_announced_length():
    headers = [("content-length", "5")]
    for content in (b"hell", b"hello!"):
        with pytest.raises(errors.IncompleteBody):
            unwrap(payload_of("UNSIGNED-PAYLOAD", headers), content)
    assert unwrap(payload_of("UNSIGNED-PAYLOAD", headers), b"hello")[0] == b"hello"


def test_a_caller_who_hashes_must_say_what_came_out():
    for given_digest, refusal in [(None, ValueError), (sha256(b"other"), errors.XAmzContentSHA256Mismatch)]:
        payload = payload_of(sha256(b"hello"), caller_hashes=True)
        payload.feed(b"hello")
        with pytest.raises(refusal):
            payload.finish(given_digest)
    payload = payload_of(sha256(b"hello"), caller_hashes=True)
    payload.feed(b"hello")
    assert payload.finish(sha256(b"hello")) == {}


def test_a_piece_that_is_all_content_is_not_copied():
    piece = b"a" * 1000
    payload = payload_of(UNSIGNED_TRAILER)
    payload.feed(b"%x\r\n" % 2001)
    assert payload.feed(piece)[0] is piece
    assert payload.feed(piece)[0] is piece
    plain = payload_of("UNSIGNED-PAYLOAD")
    assert plain.feed(piece)[0] is piece


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("", None),
        ("gzip", "gzip"),
        ("deflate, gzip", "deflate, gzip"),
        ("gzip, aws-chunked", "gzip"),
        ("aws-chunked,gzip", "gzip"),
        ("AWS-chunked", None),
        ("aws-chunked, aws-chunked", None),
    ],
)
def test_aws_chunked_is_no_encoding_of_what_is_stored(sent, stored):
    assert stored_encoding(sent) == stored

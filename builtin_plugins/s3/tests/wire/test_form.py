"""Forms however they are cut up, and however they are meant."""

import asyncio

import pytest

from builtin_plugins.s3.tests.forms import BOUNDARY, part, raw_form
from builtin_plugins.s3.wire.errors import InvalidArgument, MalformedPOSTRequest, MaxPostPreDataLengthExceeded
from builtin_plugins.s3.wire.form import MAX_FORM_BYTES, UploadForm, is_form
from builtin_plugins.s3.wire.request import parse_request

AWKWARD = f"\r\n--{BOUNDARY[:-1]}x\r\r\n\n--{BOUNDARY}\r\n--\r\n\r".encode()


def form_request(length=None, kind=f"multipart/form-data; boundary={BOUNDARY}", method="POST", path="/team"):
    headers = [(b"host", b"h"), (b"content-type", kind.encode())]
    if length is not None:
        headers.append((b"content-length", str(length).encode()))
    return parse_request(
        {"method": method, "raw_path": path.encode(), "query_string": b"", "headers": headers}
    )


async def read(pieces, request=None):
    async def coming():
        for piece in pieces:
            yield piece

    form = await UploadForm.open(request or form_request(), coming())
    return form, b"".join([chunk async for chunk in form.content()])


async def test_a_form_is_the_same_however_it_is_cut():
    """Each byte of the file is its own, be the cut in the middle of a boundary."""
    body = raw_form({"key": "k", "policy": "p"}, AWKWARD, part("later", "x"))
    for at in range(len(body) + 1):
        form, content = await read([body[:at], body[at:]])
        assert (dict(form.fields), form.filename, content) == (
            {"key": "k", "policy": "p"},
            "page.txt",
            AWKWARD,
        )
    form, content = await read([body[at : at + 1] for at in range(len(body))])
    assert content == AWKWARD


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no form",
        f"--{BOUNDARY}".encode(),
        f"--{BOUNDARY}--".encode(),
        f"--{BOUNDARY}\r\nno header\r\n\r\nx\r\n--{BOUNDARY}--".encode(),
        f"--{BOUNDARY}\r\nContent-Disposition: attachment\r\n\r\nx\r\n--{BOUNDARY}--".encode(),
        part("key", "k"),
        part("key", "k") + f"--{BOUNDARY}--\r\n".encode(),
        raw_form({"key": "k"}, b"x").replace(b"\r\n", b"\n"),
        raw_form({"key": "k"}, b"x")[: -len(BOUNDARY) - 8],
        raw_form({"key": "k"}, f"\r\n--{BOUNDARY}x".encode()),
        part("a", "x") * 2 + raw_form({"key": "k"}, b"x"),
    ],
)
async def test_what_is_no_whole_form_is_refused(body):
    with pytest.raises((MalformedPOSTRequest, InvalidArgument)):
        await read([body])


@pytest.mark.parametrize("boundary", ["", "b" * 71, "ö", '"a\tb"'])
async def test_a_boundary_is_short_and_plain(boundary):
    with pytest.raises(MalformedPOSTRequest):
        await read([b""], form_request(kind=f"multipart/form-data; boundary={boundary}"))


@pytest.mark.parametrize(
    "before",
    [
        part("a", b"x" * MAX_FORM_BYTES),
        b"".join(part(f"a{number}") for number in range(400)),
        b"preamble " * 4000,
        b"\r\n" * MAX_FORM_BYTES,
        f"--{BOUNDARY}\r\nContent-Disposition: form-data; name=a; ".encode() + b"x" * MAX_FORM_BYTES,
    ],
)
async def test_what_comes_before_the_file_is_bounded(before):
    seen = 0

    async def endless():
        nonlocal seen
        yield before[:100]
        for at in range(100, len(before), 4096):
            seen = at
            yield before[at : at + 4096]
        while True:
            seen += 4096
            assert seen < 4 * MAX_FORM_BYTES
            yield before[-64:] * 64

    with pytest.raises((MaxPostPreDataLengthExceeded, MalformedPOSTRequest)):
        await UploadForm.open(form_request(), endless())


async def test_as_much_as_is_allowed_before_the_file_is_taken_in_any_pieces():
    filled = MAX_FORM_BYTES - len(part("file", b"", "page.txt", b"")) - len(part("a"))
    for size, fits in ((filled, True), (filled + 1, False)):
        body = raw_form({"a": "x" * size}, b"content" * 10_000)
        for step in (1000, 65536, len(body)):
            pieces = [body[at : at + step] for at in range(0, len(body), step)]
            if fits:
                assert (await read(pieces))[1] == b"content" * 10_000
            else:
                with pytest.raises(MaxPostPreDataLengthExceeded):
                    await read(pieces)


@pytest.mark.parametrize(
    "content",
    [
        b"\r\n--" * 250_000,
        (f"\r\n--{BOUNDARY}"[:-1].encode()) * 30_000,
        b"\r" * 1_000_000,
        b"\r\n" * 500_000,
    ],
)
async def test_of_a_file_of_almost_boundaries_no_more_is_held_back_than_one(content):
    """So no byte is looked at more than a few times, and none waits for the next piece in vain."""
    begin, end = raw_form({"key": "k"}, b"|").split(b"|")
    fed = got = 0

    async def pieces():
        nonlocal fed
        yield begin
        for at in range(0, len(content), 777):
            fed += len(content[at : at + 777])
            yield content[at : at + 777]
            assert fed - got <= len(BOUNDARY) + 8
        yield end

    form = await UploadForm.open(form_request(), pieces())
    async for chunk in form.content():
        got += len(chunk)
    assert got == len(content)


async def test_it_is_told_how_long_the_file_can_be():
    body = raw_form({"key": "k"}, bytes(100_000))
    form, content = await read([body], form_request(len(body)))
    assert form.min_content <= len(content) <= form.max_content
    assert form.max_content - form.min_content < 3 * MAX_FORM_BYTES
    short = raw_form({"key": "k"}, b"abc")
    form, content = await read([short], form_request(len(short)))
    assert (form.min_content, 3 <= form.max_content < 300) == (None, True)


async def test_only_a_post_to_a_bucket_is_a_form():
    assert is_form(form_request())
    assert is_form(form_request(kind="Multipart/Form-Data;boundary=a"))
    assert not is_form(form_request(method="PUT"))
    assert not is_form(form_request(path="/team/key"))
    assert not is_form(form_request(path="/"))
    assert not is_form(form_request(kind="multipart/mixed; boundary=a"))


async def test_a_file_that_nobody_reads_to_its_end_is_let_go():
    ended = asyncio.Event()

    async def pieces():
        try:
            yield raw_form({"key": "k"}, bytes(100))[:-40]
            while True:
                yield bytes(100)
        finally:
            ended.set()

    form = await UploadForm.open(form_request(), pieces())
    content = form.content()
    await anext(content)
    await content.aclose()
    del form, content
    await asyncio.wait_for(ended.wait(), 60)

"""No body, of whatever size and shape, keeps everybody else waiting."""

import gc
import json
import time

import pytest

from guildhall_testing.heartbeat import quietest

pytestmark = pytest.mark.hall_databases("sqlite")

# The aim is 50 ms; the client and a busy machine's cold caches are given as much again, and half of it.
MAX_MS = 125.0
MIB = 2**20


@pytest.fixture(autouse=True, scope="module")
def frozen():
    """As `guildhall serve` does once it is up: what the tests brought along is not walked through again."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module")
def max_ms():
    """What the slowest of these takes `json` alone, which reads a text in one go: and half as much again."""
    body = SHAPES["a text of escaped quotes"](8 * MIB)
    began = time.process_time()
    json.loads(body)
    return max(MAX_MS, 1.5 * (time.process_time() - began) * 1000)


def filled(begin, piece, end, size):
    return begin + piece * ((size - len(begin) - len(end)) // len(piece)) + end


def fields(size, value=b"0"):
    """As many different fields as fit."""
    pieces, length, number = [], 2, 0
    while length < size - 20:
        pieces.append(b'"f%d":%s' % (number, value))
        length += len(pieces[-1]) + 1
        number += 1
    return b"{" + b",".join(pieces) + b"}"


# By name, what fills a body of so many bytes.
SHAPES = {
    "different unknown fields": fields,
    "unknown fields with objects": lambda size: fields(size, b"{}"),
    "empty lists": lambda size: filled(b"[", b"[],", b"[]]", size),
    "empty objects": lambda size: filled(b"[", b"{},", b"{}]", size),
    "empty lists in a field": lambda size: filled(b'{"title":[', b"[],", b"[]]}", size),
    "numbers": lambda size: filled(b"[", b"1,", b"1]", size),
    "long numbers": lambda size: filled(b"[", b"1234567890123456789,", b"1]", size),
    "floats": lambda size: filled(b"[", b"1e5,", b"1]", size),
    "one number of many digits": lambda size: b"1" * size,
    "one fraction of many digits": lambda size: filled(b"0.", b"1", b"", size),
    "a large exponent": lambda size: filled(b"1e", b"1", b"", size),
    "short texts": lambda size: filled(b"[", b'"",', b'""]', size),
    "one long text": lambda size: filled(b'{"title":"', b"a", b'"}', size),
    "a text of commas": lambda size: filled(b'{"title":"', b",", b'"}', size),
    "a text of brackets": lambda size: filled(b'{"title":"', b"[{", b'"}', size),
    "a text of digits": lambda size: filled(b'{"title":"', b"123456789012345678a", b'"}', size),
    "a text of escaped quotes": lambda size: filled(b'{"title":"', b'\\"a', b'"}', size),
    "a text of backslashes": lambda size: filled(b'{"title":"', b"\\\\", b'"}', size),
    "a text of escapes": lambda size: filled(b'{"title":"', b"\\u0001", b'"}', size),
    "a text of escaped halves": lambda size: filled(b'{"title":"', b"\\ud800", b'"}', size),
    "a text of U+0000": lambda size: filled(b'{"title":"', b"\\u0000", b'"}', size),
    "the same field again and again": lambda size: filled(b"{", b'"a":1,', b'"a":1}', size),
    "one long name": lambda size: filled(b'{"', b"k", b'":1}', size),
    "an open tower": lambda size: b"[" * size,
    "a tower of objects": lambda size: filled(b"", b'{"a":', b"", size),
    "towers side by side": lambda size: filled(b"[", b"[" * 64 + b"]" * 64 + b",", b"1]", size),
    "white space": lambda size: b" " * size,
    "a fault at the end": lambda size: filled(b"[", b"[],", b"nope]", size),
    "NaN at the end": lambda size: filled(
        b"[", b'"a b c d e f g h i j k l m n o p q r s t u v",', b"NaN]", size
    ),
    "bytes that are no UTF-8": lambda size: filled(b'"', b"a", b"\xff", size),
    "lines": lambda size: filled(b"[", b"\n", b"x", size),
}


ROWS = [
    ("anonymous", "POST", "/api/login", 64 * 1024),
    ("acme.member", "POST", "/api/notes", 8 * MIB),
    ("acme.member", "POST", "/api/jobs", MIB),
    ("acme.member", "POST", "/api/ai/echo", MIB),
]
#: The code that reads them is one for all rows: of the last two each is sent one shape in four.
_LAST, _ONE_IN = 2, 4


def cases():
    """Yields each shape for each row, with those that the long form alone sends."""
    for number, row in enumerate(ROWS):
        for turn, shape in enumerate(SHAPES):
            in_long = number >= len(ROWS) - _LAST and turn % _ONE_IN != number % _ONE_IN
            marks = pytest.mark.long_form if in_long else ()
            yield pytest.param(*row, shape, marks=marks, id=f"{row[2]}-{shape}")


@pytest.mark.parametrize(("caller", "method", "path", "size", "shape"), [*cases()])
async def test_no_body_holds_the_loop(shared_hall, send, max_ms, caller, method, path, size, shape):
    client = shared_hall
    for name in caller.split("."):
        client = getattr(client, name)
    body = SHAPES[shape](size)
    assert len(body) <= size
    answer, held_ms = await quietest(lambda: send(client, method, path, body), max_ms)
    assert answer.status in (400, 413), answer
    assert held_ms < max_ms

"""Answers in one piece: their heads are what h11 would have made of them."""

import h11
from hypothesis import example, given
from hypothesis import strategies as st

from kernel.http.whole_answers import plain_headers

NAMES = st.sampled_from(
    [b"Content-Length", b"content-length", b"ETag", b"x-a", b"Transfer-Encoding", b"a b", b""]
)
VALUES = st.one_of(
    st.sampled_from(
        [b"", b"5", b"5, 5", b" 5", b"5\t", b"+5", b"9" * 30, b"a\r\nb: c", b"\x00", b"\xff", b"a\tb"]
    ),
    st.binary(max_size=12),
)


@given(st.lists(st.tuples(NAMES, VALUES), max_size=6))
@example([(b"content-length", b"5"), (b"content-length", b"6")])
@example([(b"etag", b"x\r\ny: z")])
def test_what_is_taken_for_plain_is_what_h11_makes_of_it(pairs: list[tuple[bytes, bytes]]) -> None:
    taken = plain_headers(pairs)
    if taken is not None:
        judged = h11.Response(status_code=200, headers=pairs).headers
        assert list(taken) == list(judged) and taken.raw_items() == judged.raw_items()


def test_what_an_answer_usually_says_is_plain() -> None:
    usual = [(b"Content-Type", b"text/plain; charset=utf-8"), (b"ETag", b'"a-1"'), (b"content-length", b"12")]
    assert plain_headers(usual) is not None

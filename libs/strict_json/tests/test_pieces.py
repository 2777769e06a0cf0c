"""JSON that is written piece by piece is what the encoder would have made of the whole."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.strict_json import capacity_after, pieces, written

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12)
VALUES = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=6) | st.dictionaries(st.text(max_size=3), below, max_size=6),
    max_leaves=30,
)
ENCODERS = (
    json.JSONEncoder().encode,
    json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode,
)


@given(VALUES, st.sampled_from(ENCODERS), st.integers(1, 60))
def test_the_pieces_make_the_whole(value, encode, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "_PIECE", size)
        patch.setattr(pieces, "_MEMBERS", 3)
        assert written(value, encode) == encode(value)


def test_no_piece_is_long():
    sizes = []

    def encode(value):
        text = json.dumps(value)
        sizes.append(len(text))
        return text

    value = {"a": [[1] * 100_000, {"b": [{"c": "d" * 10}] * 20_000}], "e": [["f"] * 50] * 500}
    assert written(value, encode) == json.dumps(value)
    assert max(sizes) < 64 * 1024


def test_a_text_that_stands_in_a_value_often_counts_as_often():
    text = "x" * 1000
    assert capacity_after([text] * 50, 60_000) < 10_000
    assert capacity_after([text] * 50, 40_000) <= 0


def test_what_is_no_json_is_refused_in_pieces_too():
    with pytest.raises(TypeError):
        written([[1] * 50_000, object()], json.dumps)

"""How long values are."""

import json

import pytest

from libs.strict_json import has_longer_texts, utf8_size


@pytest.mark.parametrize("value", ["x" * 11, ["x" * 6, {"a": "x" * 5}], ({"a": ["x" * 11]},)])
def test_texts_that_are_longer_together_are_found_wherever_they_stand(value):
    assert has_longer_texts(value, 10)
    assert not has_longer_texts(value, 11)


def test_what_is_no_text_counts_nothing():
    assert not has_longer_texts({"a": [1, 2.5, None, True]}, 0)


@pytest.mark.parametrize("value", ["é界\U0001f600", {"a": [1, "x"]}, "\ud800", None])
def test_the_size_is_that_of_compact_utf8(value):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert utf8_size(value) == len(text.encode("utf-8", "surrogatepass"))
    assert utf8_size({"a": [1, 2]}, (", ", ": ")) == len('{"a": [1, 2]}')

"""How strictly a line of a plugin is read."""

import pytest

from builtin_plugins.oop.messages import ProtocolAbuse, decode


def result_of(text):
    return decode(b'{"jsonrpc": "2.0", "id": 1, "result": ' + text + b"}\n")["result"]


def test_what_nobody_can_store_or_show_is_replaced():
    assert result_of(rb'"a\u0000b"') == "a\ufffdb"
    assert result_of(rb'{"\ud800": ["\uDC00 \ud83d\ude00"]}') == {"?": ["? \U0001f600"]}


def test_a_text_about_such_characters_stays_as_it_is():
    assert result_of(rb'"the letters \\u0000 and \\ud800"') == r"the letters \u0000 and \ud800"
    assert result_of(rb'{"\\u0000": "\u0000"}') == {r"\u0000": "\ufffd"}


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc": "2.0", "id": 1, "result": "\xed\xa0\x80"}',
        b'{"jsonrpc": "2.0", "id": 1, "result": "\xff"}',
        '{"jsonrpc": "2.0", "id": 1, "result": 1}'.encode("utf-16-le"),
    ],
    ids=["half of a pair", "no UTF-8", "UTF-16"],
)
def test_a_line_that_is_not_utf_8_is_refused(line):
    with pytest.raises(ProtocolAbuse, match="not JSON"):
        decode(line)

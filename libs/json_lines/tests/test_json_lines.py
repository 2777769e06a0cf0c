"""JSON lines by a handler of their own, with what an owner knows of secrets."""

import io
import json
import logging

import pytest

from libs.json_lines import MAX_TEXT, LineHandler, Log, Secrets, write_all_to

SECRETS = Secrets(
    redact=lambda text: text.replace("hush", "…"),
    hints=("hush", "pin"),
    named=lambda name: name == "pin",
    replacement="[hidden]",
)


@pytest.fixture
def stream():
    """What is written meanwhile; the loggers are put back afterwards."""
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    stream = io.StringIO()
    write_all_to(LineHandler(stream, SECRETS, lambda: {"request": "r1"}), "info")
    yield stream
    root.handlers[:], level = before
    root.setLevel(level)
    logging.captureWarnings(False)


def lines(stream):
    return [json.loads(line) for line in stream.getvalue().splitlines()]


log = Log(logging.getLogger("shop"))


def test_a_line_has_its_action_its_fields_and_the_context(stream):
    log.info("order.placed", items=3, level="gold")
    (line,) = lines(stream)
    assert line.pop("at").endswith("Z")
    assert line == {
        "level": "info",
        "logger": "shop",
        "action": "order.placed",
        "request": "r1",
        "items": 3,
        "level_": "gold",
    }


def test_what_the_owner_takes_for_a_secret_is_not_written(stream):
    log.warning("sign_in", pin=1234, note=["say hush"])
    log.info_plain("request.done", path="/hush")
    assert [line.get("pin") for line in lines(stream)] == ["[hidden]", None]
    assert "1234" not in stream.getvalue()
    assert "hush" not in stream.getvalue()


def test_a_text_is_cut_and_no_text_makes_a_second_line(stream):
    log.info("long", text="x" * (3 * MAX_TEXT), odd="a\nb\u2028")
    (line,) = lines(stream)
    assert len(line["text"]) < MAX_TEXT + 50
    assert line["odd"] == "a\nb\u2028"


def test_the_next_line_says_how_many_were_lost(stream, monkeypatch):
    monkeypatch.setattr(stream, "write", lambda text: 1 / 0)
    log.info("lost")
    monkeypatch.undo()
    log.info("written")
    (line,) = lines(stream)
    assert (line["action"], line["lines_lost"]) == ("written", 1)

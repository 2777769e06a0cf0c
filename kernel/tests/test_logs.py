"""Log lines: one JSON object each, bounded, and never a secret in one."""

import io
import json
import logging
import warnings
from dataclasses import replace

import pytest

from guildhall_sdk.blobs import Blob
from guildhall_sdk.services.localization import LocaleName
from kernel.logs import LineHandler, configure_logging, get_logger
from kernel.scope import Scope, current_scope
from libs.json_lines import MAX_TEXT, MAX_TRACEBACK

pytestmark = pytest.mark.any_database

CANARY = "c4n4ry-s3cr3t"
TOKENS = [f"gh{kind}_{'Ab0-_' * 8}" for kind in "saw"]


@pytest.fixture
def lines():
    """Everything logged meanwhile, decoded; the loggers are put back afterwards."""
    root, own = logging.getLogger(), logging.getLogger("guildhall")
    before = (list(root.handlers), root.level, own.level)
    own.setLevel(logging.NOTSET)
    stream = io.StringIO()
    configure_logging("debug", stream)
    yield Lines(stream)
    handlers, root_level, own_level = before
    root.handlers[:] = handlers
    root.setLevel(root_level)
    own.setLevel(own_level)
    logging.captureWarnings(False)


class Lines:
    def __init__(self, stream):
        self.stream = stream

    @property
    def text(self):
        return self.stream.getvalue()

    @property
    def all(self):
        return [json.loads(line) for line in self.text.split("\n")[:-1]]

    @property
    def one(self):
        (line,) = self.all
        return line


log = get_logger("test")


def test_a_line_has_its_time_level_logger_action_and_fields(lines):
    log.info("request.done", status=200, ms=1.5, user=None, ok=True, path="/api/notes")
    line = lines.one
    assert line.pop("at").endswith("Z")
    assert line == {
        "level": "info",
        "logger": "guildhall.test",
        "action": "request.done",
        "status": 200,
        "ms": 1.5,
        "user": None,
        "ok": True,
        "path": "/api/notes",
    }


def test_the_time_is_that_of_the_event(lines):
    record = logging.LogRecord("x", logging.INFO, "", 0, "m", None, None)
    record.created = 1893488400.0427
    assert json.loads(LineHandler(io.StringIO()).format(record))["at"] == "2030-01-01T09:00:00.042Z"


def test_fields_cannot_take_the_place_of_what_every_line_has(lines):
    log.info("true.action", action="forged", level="forged", at="forged", logger="forged")
    line = lines.one
    assert (line["action"], line["level"], line["logger"]) == ("true.action", "info", "guildhall.test")
    assert line["action_"] == line["at_"] == "forged"


def test_what_is_below_the_level_is_not_written(lines):
    configure_logging("warning", lines.stream)
    log.info("quiet")
    log.warning("loud")
    assert [line["action"] for line in lines.all] == ["loud"]


def test_configuring_twice_writes_once(lines):
    configure_logging("info", lines.stream)
    log.info("once")
    assert len(lines.all) == 1


def test_lines_carry_the_request_they_belong_to(lines):
    token = current_scope.set(Scope(request_id="req_7"))
    try:
        log.info("ours")
        logging.getLogger("asyncio").warning("theirs")
    finally:
        current_scope.reset(token)
    log.info("after")
    assert [line.get("request_id") for line in lines.all] == ["req_7", "req_7", None]


@pytest.mark.parametrize(
    "text", ["a\nb", 'x"}\n{"action": "forged"}', "\r\n", "\x1b[2J", "\u2028\u2029\x85", "\x00\x7f"]
)
def test_no_text_can_forge_a_line(lines, text):
    log.info("safe", value=text, nested={text: [text]})
    logging.getLogger("hypercorn.error").warning("%s", text)
    assert lines.text.isascii()
    assert all(character >= " " or character == "\n" for character in lines.text)
    assert [line["action"] for line in lines.all] == ["safe", "message"]
    assert lines.all[0]["value"] == text


SECRETS = [
    {"password": CANARY},
    {"new_password": CANARY},
    {"secret": CANARY},
    {"client_secret": CANARY},
    {"token": CANARY},
    {"access_token": CANARY},
    {"key": CANARY},
    {"api_key": CANARY},
    {"secret_access_key": CANARY},
    {"authorization": CANARY},
    {"Authorization": f"Basic {CANARY}"},
    {"cookie": CANARY},
    {"set_cookie": f"session={CANARY}"},
    {"totp": CANARY},
    {"recovery_codes": [CANARY]},
    {"password": [CANARY]},
    {"password": {"deep": CANARY}},
    {"password": CANARY.encode()},
    {"headers": {"Authorization": f"Bearer {CANARY}", "Cookie": CANARY}},
    {"headers": [("authorization", f"Bearer {CANARY}")]},
    {"headers": [(b"authorization", f"Bearer {CANARY}".encode())]},
    {"body": {"user": {"password": CANARY}}},
    {"text": f"Bearer {CANARY}"},
    {"text": f"bearer  {CANARY}"},
    {"text": f"Authorization: Basic {CANARY}"},
    {"text": f"Cookie: a=b; session={CANARY}"},
    {"text": f"password={CANARY}&user=ada"},
    {"text": f"PASSWORD : {CANARY}"},
    {"text": f"{{'password': '{CANARY} and more {CANARY}', 'user': 'ada'}}"},
    {"text": f'{{"token":"{CANARY}"}}'},
    {"text": json.dumps(json.dumps({"password": f"{CANARY} {CANARY}"}))},
    {"text": f'"secret": "quoted \\" {CANARY}"'},
    {"text": f"('token', '{CANARY}')"},
    {"text": f"api_key={CANARY}"},
    {"text": f"postgresql://guildhall:{CANARY}@db/guildhall"},
    {"text": f"?X-Amz-Signature={CANARY}"},
    {"text": f"password='{CANARY}" + "x" * 5000},
    *({"text": f"see {token}, please"} for token in TOKENS),
    *({"path": f"/x/{token}/y"} for token in TOKENS),
    *({"value": [{"a": (token,)}]} for token in TOKENS),
    *({"raw": token.encode()} for token in TOKENS),
]


@pytest.mark.parametrize("fields", SECRETS, ids=str)
def test_no_secret_reaches_a_line(lines, fields):
    def fail():
        raise ValueError(str(fields))

    log.info("direct", **fields)
    logging.getLogger("hypercorn.error").error("got %r", fields)
    logging.getLogger("asyncio").error("got " + str(fields).replace("%", "%%"))
    try:
        fail()
    except ValueError as error:
        log.error("raised", exc=error)
        logging.getLogger("quart.app").exception("raised")
    try:
        try:
            fail()
        except ValueError as cause:
            raise RuntimeError("outer") from cause
    except RuntimeError as error:
        log.warning("chained", exc=error)
    assert len(lines.all) == 6
    assert CANARY not in lines.text
    for token in TOKENS:
        assert token[8:] not in lines.text
    assert "[redacted]" in lines.text


def test_what_is_no_secret_is_left_readable(lines):
    fields = {
        "token_id": "tok_1",
        "credential_kind": "api",
        "total_tokens": 7,
        "keys": 3,
        "keyboard": "qwerty",
        "password": None,
        "two_factor_secret_set": True,
        "text": "the high token, which expired; passed basics",
        "url": "https://example.org/a:b@c",
    }
    log.info("plain", **fields)
    line = lines.one
    assert {name: line[name] for name in fields} == fields


def test_values_are_bounded(lines):
    log.info(
        "large",
        text="x" * 1_000_000,
        items=list(range(10_000)),
        fields={str(number): number for number in range(10_000)},
        deep=[[[[[[[["bottom"]]]]]]]],
        number=10**5000,
        raw=b"y" * 1_000_000,
    )
    line = lines.one
    assert len(lines.text) < 4 * MAX_TEXT
    assert line["text"].startswith("x" * MAX_TEXT)
    assert "1000000 characters" in line["text"]
    assert len(line["items"]) == len(line["fields"]) == 50
    assert "bottom" not in lines.text


def test_what_json_cannot_say_is_said_in_words(lines):
    class Broken:
        def __str__(self):
            raise RuntimeError(CANARY)

    log.info("odd", nan=float("nan"), infinite=float("-inf"), broken=Broken(), lone="\ud800", group={1, 2})
    line = lines.one
    assert (line["nan"], line["infinite"]) == ("nan", "-inf")
    assert line["broken"] == "[unprintable Broken: RuntimeError]"
    assert sorted(line["group"]) == [1, 2]
    assert CANARY not in lines.text


def test_a_circle_ends(lines):
    circle = {}
    circle["self"] = circle
    log.info("circle", value=circle)
    assert "nested too deep" in lines.text


def test_an_error_is_told_with_its_traceback(lines):
    try:
        raise KeyError("missing")
    except KeyError as error:
        log.error("it.failed", exc=error, plugin="notes")
    line = lines.one
    assert line["level"] == "error"
    assert line["error"] == "KeyError: 'missing'"
    assert "test_an_error_is_told_with_its_traceback" in line["traceback"]


def test_a_long_traceback_keeps_its_end(lines):
    try:
        raise ValueError("\n".join(["start", *["x" * 100] * 1000, "the end"]))
    except ValueError as error:
        log.error("it.failed", exc=error)
    line = lines.one
    assert len(line["traceback"]) <= MAX_TRACEBACK + 100
    assert line["traceback"].endswith("the end\n")


def test_a_message_that_cannot_be_formatted_is_no_leak_and_no_crash(capsys):
    stream = io.StringIO()
    record = logging.LogRecord("hypercorn.error", logging.INFO, "", 0, "%d of %s", (CANARY,), None)
    LineHandler(stream).handle(record)
    assert json.loads(stream.getvalue())["message"] == "[unprintable message: TypeError]"
    assert CANARY not in stream.getvalue() + capsys.readouterr().err


def test_a_stream_that_fails_is_told_of_by_the_next_line(capsys):
    class Flaky(io.StringIO):
        broken = True

        def write(self, text):
            if self.broken:
                raise OSError("no space left")
            return super().write(text)

    stream = Flaky()
    handler = LineHandler(stream)
    for number in range(4):
        stream.broken = number < 3
        handler.handle(logging.LogRecord("x", logging.INFO, "", 0, CANARY, None, None))
    assert json.loads(stream.getvalue())["lines_lost"] == 3
    assert CANARY not in capsys.readouterr().err


def test_warnings_become_lines(lines):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("old ways", DeprecationWarning, stacklevel=1)
    assert lines.one["logger"] == "py.warnings"


def test_an_error_by_a_word_that_is_gone_says_what_took_its_place(lines):
    """What stands in a handler alone is found by no import."""
    for use in (lambda: LocaleName("nl", "Nederlands", "ltr").public(), lambda: replace(Blob("", 0), size=1)):
        try:
            use()
        except Exception as error:
            log.error("request.failed", exc=error)
    (attribute,), (named_tuple,) = (line["notes"] for line in lines.all)
    assert attribute == "LocaleName.public is gone: take dataclasses.asdict"
    assert named_tuple.startswith("NamedTuple.replace is gone: write it._replace(…)")

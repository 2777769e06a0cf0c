"""Logs as JSON lines: one event per line, named by its action, and never a secret in it."""

import json
import logging
import sys
import time
import traceback
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from math import isfinite
from typing import Any, TextIO

from guildhall_sdk import rfc3339
from kernel.scope import current_scope
from libs.redaction import REDACTED, is_secret_name, may_hold_secret, redact

MAX_TEXT = 2_000
MAX_TRACEBACK = 16_000
_MAX_ITEMS = 50
_MAX_NESTING = 4
_INT64 = range(-(2**63), 2**63)
_OWN = "guildhall."
_FIXED = ("at", "level", "logger", "action")
_THIRD_PARTY = ("hypercorn.access", "hypercorn.error", "quart.app", "quart.serving", "asyncio", "py.warnings")

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class Log:
    """`log.info("request.done", status=200)`: an action and its fields, nothing formatted."""

    __slots__ = ("_logger",)

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger

    def debug(self, action: str, /, **fields: Any) -> None:
        self._emit(logging.DEBUG, action, fields, None)

    def info(self, action: str, /, **fields: Any) -> None:
        self._emit(logging.INFO, action, fields, None)

    def info_plain(self, action: str, /, **fields: str | float | None) -> None:
        """Writes the line of a request: short texts and numbers, at once and without a record."""
        if not self._logger.isEnabledFor(logging.INFO):
            return
        line = _encode(
            {"at": _now(), "level": "info", "logger": self._logger.name, "action": action, **fields}
        )
        if may_hold_secret(line):
            self._emit(logging.INFO, action, fields, None)
            return
        for handler in logging.getLogger().handlers:
            if isinstance(handler, LineHandler):
                handler.write(line)

    def warning(self, action: str, /, *, exc: BaseException | None = None, **fields: Any) -> None:
        self._emit(logging.WARNING, action, fields, exc)

    def error(self, action: str, /, *, exc: BaseException | None = None, **fields: Any) -> None:
        """Logs an error; with `exc`, its message and traceback, redacted."""
        self._emit(logging.ERROR, action, fields, exc)

    def _emit(self, level: int, action: str, fields: dict[str, Any], exc: BaseException | None) -> None:
        if self._logger.isEnabledFor(level):
            info = None if exc is None else (type(exc), exc, exc.__traceback__)
            record = logging.LogRecord(
                self._logger.name, level, pathname="", lineno=0, msg=action, args=None, exc_info=info
            )
            record.fields = fields
            self._logger.handle(record)


def get_logger(name: str) -> Log:
    return Log(logging.getLogger(_OWN + name))


class JsonLines(logging.Formatter):
    """Our records and everybody else's as one JSON object each, in ASCII: no text can forge a line."""

    def format(self, record: logging.LogRecord) -> str:
        line = _encode(_line_of(record, _as_it_is))
        return _encode(_line_of(record, redact)) if may_hold_secret(line) else line


Clean = Callable[[str], str]


def _as_it_is(text: str) -> str:
    return text


def _line_of(record: logging.LogRecord, clean: Clean) -> dict[str, Any]:
    fields: dict[str, Any] | None = getattr(record, "fields", None)
    line: dict[str, Any] = {
        "at": _at(record.created),
        "level": record.levelname.lower(),
        "logger": record.name,
        "action": record.msg if fields is not None else "message",
    }
    if (request_id := current_scope.get().request_id) is not None:
        line["request_id"] = bounded(request_id, clean)
    if fields is None:
        line["message"] = bounded(_text_of(record), clean)
    else:
        for name, value in fields.items():
            line[f"{name}_" if name in _FIXED else name] = _field(name, value, clean, 0)
    if record.exc_info and (error := record.exc_info[1]) is not None:
        line["error"] = bounded(f"{type(error).__name__}: {_text(error)}", clean)
        line["traceback"] = _traceback(error, clean)
    return line


def _now() -> str:
    return _at(time.time())


def _at(seconds: float) -> str:
    return f"{_second(int(seconds))}.{int(seconds * 1000) % 1000:03d}Z"


@lru_cache(maxsize=2)
def _second(at: int) -> str:
    return rfc3339(at * 1000)[:19]


class LineHandler(logging.Handler):
    """Writes lines. One that fails is counted and told of by the next, never printed as it was."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.setFormatter(JsonLines())
        self._stream = stream
        self._lost = 0

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record)
        except Exception:
            self._lost += 1
        else:
            self.write(line)

    def write(self, line: str) -> None:
        try:
            if self._lost:
                line = f'{line[:-1]},"lines_lost":{self._lost}}}'
            self._stream.write(line + "\n")
            self._stream.flush()
            self._lost = 0
        except Exception:
            self._lost += 1


def configure_logging(level: str | int = "INFO", stream: TextIO | None = None) -> LineHandler:
    """Routes every logger of the process, third parties' too, through one redacting handler."""
    handler = LineHandler(stream or sys.stderr)
    root = logging.getLogger()
    for old in [each for each in root.handlers if type(each) is LineHandler]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level.upper() if isinstance(level, str) else level)
    logging.captureWarnings(True)
    # Nobody prints these, nor the place in the code that a line comes from.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging._srcfile = None
    for name in _THIRD_PARTY:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    return handler


def bounded(value: Any, clean: Clean = redact, nesting: int = 0) -> Any:
    """Returns a JSON value of bounded size, cleaned of secrets."""
    kind = type(value)
    if kind is str:
        return _cut(value, clean)
    if value is None or kind is bool or (kind is int and value in _INT64):
        return value
    if kind is float and isfinite(value):
        return value
    if isinstance(value, int):
        return "[integer beyond 64 bits]"
    if isinstance(value, dict | list | tuple | set | frozenset):
        return _bounded_container(value, clean, nesting + 1)
    return _cut(_text(value), clean)


def _bounded_container(value: Any, clean: Clean, nesting: int) -> Any:
    if nesting > _MAX_NESTING:
        return "[nested too deep]"
    if not isinstance(value, dict):
        return [bounded(item, clean, nesting) for item in islice(value, _MAX_ITEMS)]
    named = ((_text(key), item) for key, item in islice(value.items(), _MAX_ITEMS))
    return {_cut(name, clean): _field(name, item, clean, nesting) for name, item in named}


def _field(name: str, value: Any, clean: Clean, nesting: int) -> Any:
    if clean is redact and value is not None and not isinstance(value, bool) and is_secret_name(name):
        return REDACTED
    return bounded(value, clean, nesting)


def _cut(text: str, clean: Clean) -> str:
    """Cuts a text after cleaning it: a secret that the cut would split is gone by then."""
    cleaned = clean(text[: 2 * MAX_TEXT])
    if len(text) <= MAX_TEXT and len(cleaned) <= MAX_TEXT:
        return cleaned
    return f"{cleaned[:MAX_TEXT]}… [cut, {len(text)} characters]"


def _text(value: Any) -> str:
    if isinstance(value, bytes | bytearray):
        return bytes(value[: 2 * MAX_TEXT]).decode("utf-8", "replace")
    try:
        return str(value)
    except Exception as error:
        return f"[unprintable {type(value).__name__}: {type(error).__name__}]"


def _text_of(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception as error:
        return f"[unprintable message: {type(error).__name__}]"


def _traceback(error: BaseException, clean: Clean) -> str:
    """Returns the end of a traceback, which says most: the last frames and the reason, in whole lines."""
    try:
        text = "".join(traceback.format_exception(error, limit=-30))
    except Exception as failure:
        return f"[unprintable traceback: {type(failure).__name__}]"
    if len(text) > MAX_TRACEBACK:
        text = "… [cut]\n" + text[-MAX_TRACEBACK:].partition("\n")[2]
    return clean(text)

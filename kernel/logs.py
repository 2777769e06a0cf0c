"""Logs as JSON lines: one event per line, named by its action, and never a secret in it."""

import json
import logging
import sys
import traceback
from contextvars import ContextVar
from math import isfinite
from typing import Any, TextIO

from guildhall_sdk import rfc3339
from kernel.redaction import REDACTED, is_secret_name, redact

MAX_TEXT = 2_000
MAX_TRACEBACK = 16_000
_MAX_ITEMS = 50
_MAX_NESTING = 4
_INT64 = range(-(2**63), 2**63)
_OWN = "guildhall."
_FIXED = ("at", "level", "logger", "action")
_THIRD_PARTY = ("hypercorn.access", "hypercorn.error", "quart.app", "quart.serving", "asyncio", "py.warnings")

current_request_id: ContextVar[str | None] = ContextVar("current_request_id", default=None)
"""Set by the dispatcher; every line logged meanwhile carries it, third parties' included."""

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

    def warning(self, action: str, /, *, exc: BaseException | None = None, **fields: Any) -> None:
        self._emit(logging.WARNING, action, fields, exc)

    def error(self, action: str, /, *, exc: BaseException | None = None, **fields: Any) -> None:
        """With `exc`, its message and traceback, redacted."""
        self._emit(logging.ERROR, action, fields, exc)

    def _emit(self, level: int, action: str, fields: dict[str, Any], exc: BaseException | None) -> None:
        if self._logger.isEnabledFor(level):
            info = None if exc is None else (type(exc), exc, exc.__traceback__)
            record = logging.LogRecord(self._logger.name, level, "", 0, action, None, info)
            record.fields = fields
            self._logger.handle(record)


def get_logger(name: str) -> Log:
    return Log(logging.getLogger(_OWN + name))


class JsonLines(logging.Formatter):
    """Our records and everybody else's as one JSON object each, in ASCII: no text can forge a line."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] | None = getattr(record, "fields", None)
        line: dict[str, Any] = {
            "at": rfc3339(int(record.created * 1000)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "action": record.msg if fields is not None else "message",
        }
        request_id = current_request_id.get()
        if request_id is not None:
            line["request_id"] = bounded(request_id)
        if fields is None:
            line["message"] = bounded(_text_of(record))
        else:
            for name, value in fields.items():
                safe = REDACTED if is_secret_name(name) and _could_be_secret(value) else bounded(value)
                line[f"{name}_" if name in _FIXED else name] = safe
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = bounded(_described(record.exc_info[1]))
            line["traceback"] = _traceback(record.exc_info[1])
        return _encode(line)


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
    for old in [each for each in root.handlers if isinstance(each, LineHandler)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level.upper() if isinstance(level, str) else level)
    logging.captureWarnings(True)
    for name in _THIRD_PARTY:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    return handler


def bounded(value: Any, nesting: int = 0) -> Any:
    """A JSON value of bounded size, redacted."""
    kind = type(value)
    if kind is str:
        return value if len(value) < 4 else _cut(redact(value[: 2 * MAX_TEXT]))
    if value is None or kind is bool or (kind is int and value in _INT64):
        return value
    if kind is float:
        return value if isfinite(value) else str(value)
    if kind is int:
        return "[integer beyond 64 bits]"
    if nesting >= _MAX_NESTING:
        return "[nested too deep]"
    if isinstance(value, dict):
        return _bounded_dict(value, nesting)
    if isinstance(value, list | tuple | set | frozenset):
        return [bounded(item, nesting + 1) for item in list(value)[:_MAX_ITEMS]]
    return _cut(redact(_said(value)[: 2 * MAX_TEXT]))


def _bounded_dict(value: dict[Any, Any], nesting: int) -> dict[str, Any]:
    safe: dict[str, Any] = {}
    for key, item in list(value.items())[:_MAX_ITEMS]:
        name = _cut(redact(_said(key)[:MAX_TEXT]))
        secret = is_secret_name(name) and _could_be_secret(item)
        safe[name] = REDACTED if secret else bounded(item, nesting + 1)
    return safe


def _could_be_secret(value: Any) -> bool:
    return value is not None and not isinstance(value, bool)


def _said(value: Any) -> str:
    if isinstance(value, bytes | bytearray):
        return bytes(value[: 2 * MAX_TEXT]).decode("utf-8", "replace")
    try:
        return str(value)
    except Exception as error:
        return f"[unprintable {type(value).__name__}: {type(error).__name__}]"


def _cut(text: str, limit: int = MAX_TEXT) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… [{len(text) - limit} more]"


def _text_of(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception as error:
        return f"[unprintable message: {type(error).__name__}]"


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {_said(error)}"


def _traceback(error: BaseException) -> str:
    """Redacted whole, then cut in the middle: the place and the reason stand at the ends."""
    try:
        text = redact("".join(traceback.format_exception(error, limit=-30)))
    except Exception as failure:
        return f"[unprintable traceback: {type(failure).__name__}]"
    if len(text) <= MAX_TRACEBACK:
        return text
    half = MAX_TRACEBACK // 2
    return f"{text[:half]}\n… [{len(text) - 2 * half} more] …\n{text[-half:]}"

"""Logs as JSON lines: one event per line, named by its action, bounded, and without secrets."""

import json
import logging
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import isfinite
from typing import Any, TextIO

__all__ = ["MAX_TEXT", "MAX_TRACEBACK", "LineHandler", "Log", "Secrets", "write_all_to"]

MAX_TEXT = 2_000
MAX_TRACEBACK = 16_000
_MAX_ITEMS = 50
_MAX_NESTING = 4
_INT64 = range(-(2**63), 2**63)
_FIXED = ("at", "level", "logger", "action")

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode

Clean = Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """What the owner knows of secrets: a line without any of the `hints`, in lower case, holds none.

    `named` tells whether a field of a name holds a secret altogether, in whose place stands `replacement`.
    """

    redact: Clean
    hints: Sequence[str]
    named: Callable[[str], bool]
    replacement: str


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
            {"at": _at(time.time()), "level": "info", "logger": self._logger.name, "action": action, **fields}
        )
        for handler in logging.getLogger().handlers:
            if isinstance(handler, LineHandler):
                if handler.is_suspect(line):
                    self._emit(logging.INFO, action, fields, None)
                    return
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


def _at(seconds: float) -> str:
    return f"{_second(int(seconds))}.{int(seconds * 1000) % 1000:03d}Z"


@lru_cache(maxsize=2)
def _second(at: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at))


class LineHandler(logging.Handler):
    """Writes every record as one JSON object, in ASCII: no text can forge a line.

    What `context` gives stands in each line. A line that fails is counted and told of by the next, never
    printed as it was.
    """

    def __init__(
        self,
        stream: TextIO,
        secrets: Secrets,
        context: Callable[[], Mapping[str, Any]],
        notes: Callable[[BaseException], Sequence[str]] = lambda error: (),
    ) -> None:
        """Takes what each line has besides, and what is said of an error behind its traceback."""
        super().__init__()
        self.secrets = secrets
        self._stream = stream
        self._context = context
        self._notes = notes
        self._lost = 0

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record)
        except Exception:
            self._lost += 1
        else:
            self.write(line)

    def is_suspect(self, line: str) -> bool:
        return any(map(line.lower().__contains__, self.secrets.hints))

    def write(self, line: str) -> None:
        try:
            if self._lost:
                line = f'{line[:-1]},"lines_lost":{self._lost}}}'
            self._stream.write(line + "\n")
            self._stream.flush()
            self._lost = 0
        except Exception:
            self._lost += 1

    def format(self, record: logging.LogRecord) -> str:
        line = _encode(self._line_of(record, None))
        return _encode(self._line_of(record, self.secrets)) if self.is_suspect(line) else line

    def _line_of(self, record: logging.LogRecord, secrets: Secrets | None) -> dict[str, Any]:
        fields: dict[str, Any] | None = getattr(record, "fields", None)
        line: dict[str, Any] = {
            "at": _at(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "action": record.msg if fields is not None else "message",
        }
        line |= {name: _bounded(value, secrets) for name, value in self._context().items()}
        if fields is None:
            line["message"] = _bounded(_text_of(record), secrets)
        else:
            for name, value in fields.items():
                line[f"{name}_" if name in _FIXED else name] = _field(name, value, secrets, 0)
        if record.exc_info and (error := record.exc_info[1]) is not None:
            line["error"] = _bounded(f"{type(error).__name__}: {_text(error)}", secrets)
            line["traceback"] = _traceback(error, secrets)
            if notes := self._notes(error):
                line["notes"] = [_bounded(note, secrets) for note in notes]
        return line


def write_all_to(handler: LineHandler, level: str | int, others: Iterable[str] = ()) -> None:
    """Routes every logger of the process through one handler, in the place of the one before.

    `others` are loggers with handlers of their own.
    """
    root = logging.getLogger()
    for old in [each for each in root.handlers if type(each) is type(handler)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level.upper() if isinstance(level, str) else level)
    logging.captureWarnings(True)
    # Nobody prints these, nor the place in the code that a line comes from.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging._srcfile = None
    for name in others:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True


def _bounded(value: Any, secrets: Secrets | None, nesting: int = 0) -> Any:
    """Returns a JSON value of bounded size, cleaned of secrets."""
    kind = type(value)
    if kind is str:
        return _cut(value, secrets)
    if value is None or kind is bool or (kind is int and value in _INT64):
        return value
    if kind is float and isfinite(value):
        return value
    if isinstance(value, int):
        return "[integer beyond 64 bits]"
    if isinstance(value, dict | list | tuple | set | frozenset):
        return _bounded_container(value, secrets, nesting + 1)
    return _cut(_text(value), secrets)


def _bounded_container(value: Any, secrets: Secrets | None, nesting: int) -> Any:
    if nesting > _MAX_NESTING:
        return "[nested too deep]"
    if not isinstance(value, dict):
        return [_bounded(item, secrets, nesting) for item in islice(value, _MAX_ITEMS)]
    named = ((_text(key), item) for key, item in islice(value.items(), _MAX_ITEMS))
    return {_cut(name, secrets): _field(name, item, secrets, nesting) for name, item in named}


def _field(name: str, value: Any, secrets: Secrets | None, nesting: int) -> Any:
    if secrets is not None and value is not None and not isinstance(value, bool) and secrets.named(name):
        return secrets.replacement
    return _bounded(value, secrets, nesting)


def _cut(text: str, secrets: Secrets | None) -> str:
    """Cuts a text after cleaning it: a secret that the cut would split is gone by then."""
    cleaned = _cleaned(text[: 2 * MAX_TEXT], secrets)
    if len(text) <= MAX_TEXT and len(cleaned) <= MAX_TEXT:
        return cleaned
    return f"{cleaned[:MAX_TEXT]}… [cut, {len(text)} characters]"


def _cleaned(text: str, secrets: Secrets | None) -> str:
    return text if secrets is None else secrets.redact(text)


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


def _traceback(error: BaseException, secrets: Secrets | None) -> str:
    """Returns the end of a traceback, which says most: the last frames and the reason, in whole lines."""
    try:
        text = "".join(traceback.format_exception(error, limit=-30))
    except Exception as failure:
        return f"[unprintable traceback: {type(failure).__name__}]"
    if len(text) > MAX_TRACEBACK:
        text = "… [cut]\n" + text[-MAX_TRACEBACK:].partition("\n")[2]
    return _cleaned(text, secrets)

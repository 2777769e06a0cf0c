"""What endpoints answer: the client's interface, JSON, lines of event streams, failures, limits on waits."""

import asyncio
import json
import logging
import math
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Protocol, TypeVar

from guildhall_sdk.services.models import ModelBusy, ModelUnavailable
from libs.redaction import REDACTED, redact

# Reading JSON holds the event loop, on a thread as well, and as long as it has values.
MAX_VALUES = 100_000
_SHORT = 64 * 1024
_decode = json.JSONDecoder().raw_decode
MAX_LINE_BYTES = 1024 * 1024
MAX_STREAM_BYTES = 16 * 1024 * 1024
# A byte order mark, which may stand before the first line.
_MARK = b"\xef\xbb\xbf"
TOO_MANY, UNAVAILABLE = 429, 503
#: How long an endpoint is left alone that is asked too much and does not say how long.
UNSAID_BUSY_SECONDS = 30
_MAX_REASON = 300
# What is wrong with the request itself: its caller can mend it, and needs the words for that.
_ABOUT_REQUEST = frozenset({400, 413, 422})
_TRY_AGAIN = frozenset({408, 425})
# No word of a sentence is so long, with digits among its letters; a key may look like anything.
_LIKE_A_KEY = re.compile(r"(?<!\w)(?=[A-Za-z_]{0,300}\d)(?=\d{0,300}[A-Za-z_])\w{20,}")
_log = logging.getLogger("guildhall.executors")
Result = TypeVar("Result")


class HttpAnswer(Protocol):
    """An answer whose head is there; it has to be closed."""

    @property
    def status(self) -> int: ...

    def header(self, name: str) -> str:
        """Returns the value of a header, by its name in lower case; empty where it is missing."""
        ...

    def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yields the body as it comes, and as it was sent. Raises `HttpFault`."""
        ...

    async def aclose(self) -> None: ...


class HttpClient(Protocol):
    """Sends a request as it is: it follows no redirect and keeps no cookie."""

    async def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> HttpAnswer:
        """Returns the answer once its head is there. Raises `HttpFault`."""
        ...


def json_of(body: bytes) -> Any:
    """Returns the value of an answer; None for what is no JSON, or holds more values than any answer does."""
    if _has_too_many_values(body):
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def chunk_of(data: bytes) -> Any:
    """Returns the value of one event of a stream, as `json_of` reads an answer; faster for short ones."""
    if _has_too_many_values(data):
        return None
    try:
        text = data.decode()
        value, end = _decode(text)
    except (ValueError, RecursionError):
        return None
    return value if end == len(text) else None


def _has_too_many_values(body: bytes) -> bool:
    if len(body) <= _SHORT:
        return False
    return sum(map(body.count, (b",", b"[", b"{"))) > MAX_VALUES


class StreamTooLarge(Exception):
    """A line, or all of them together, are larger than anybody would write."""


class EventLines:
    """Takes bytes in, and gives what stands behind each `data:`; comments and empty ones are skipped."""

    __slots__ = ("_rest", "_size")

    def __init__(self) -> None:
        self._rest = bytearray()
        self._size = 0

    def add(self, received: bytes) -> list[bytes]:
        """Returns the data that these bytes complete."""
        if self._size == 0:
            received = received.removeprefix(_MARK)
        self._size += len(received)
        if self._size > MAX_STREAM_BYTES:
            raise StreamTooLarge
        if not self._rest and received.endswith(b"\n\n") and received.find(b"\n") == len(received) - 2:
            # One whole event, as nearly all come.
            return [data] if (data := _data(received)) else []
        first, *lines = received.split(b"\n")
        self._rest += first
        if lines:
            lines.insert(0, bytes(self._rest))
            self._rest = bytearray(lines.pop())
        if len(self._rest) > MAX_LINE_BYTES:
            raise StreamTooLarge
        return [data for line in lines if (data := _data(line))]

    def finish(self) -> list[bytes]:
        """Returns the data of a last line that nobody ended."""
        rest, self._rest = bytes(self._rest), bytearray()
        return [data] if (data := _data(rest)) else []


def _data(line: bytes) -> bytes:
    return line[5:].strip() if line.startswith(b"data:") else b""


def is_error(answer: Mapping[str, Any]) -> bool:
    """Returns whether a server says here that it failed, though it answered 200."""
    return answer.get("error") is not None or answer.get("object") == "error"


def refused(executor: str, got: HttpAnswer, body: bytes, key: str | None) -> ModelUnavailable | ModelBusy:
    """Returns what a caller is told of an answer with this status; the endpoint's own words are logged."""
    status = got.status
    if 300 <= status < 400:
        return ModelUnavailable(
            f"The model's endpoint answered {status}; redirects are not followed.", upstream_status=status
        )
    reason = reason_of(json_of(body), key)
    _log.warning(
        "model.refused", extra={"fields": {"executor": executor, "status": status, "reason": reason}}
    )
    if (seconds := busy_seconds(got)) is not None:
        return ModelBusy(seconds)
    shown = f": {_LIKE_A_KEY.sub(REDACTED, reason)}" if reason and status in _ABOUT_REQUEST else ""
    return ModelUnavailable(
        f"The model's endpoint answered {status}{shown}.",
        upstream_status=status,
        retry=status >= 500 or status in _TRY_AGAIN,
        reason=reason,
    )


def failed(executor: str, answer: Mapping[str, Any], key: str | None) -> ModelUnavailable:
    """Returns what a caller is told of an error that came in place of an answer, or in its midst."""
    reason = reason_of(answer, key)
    _log.warning("model.failed", extra={"fields": {"executor": executor, "reason": reason}})
    return ModelUnavailable("The model failed.", reason=reason)


def reason_of(answer: Any, key: str | None) -> str | None:
    """Returns the endpoint's own words: short, on one line, without the key or what looks like one."""
    error = answer.get("error", answer) if isinstance(answer, Mapping) else None
    text = error.get("message") if isinstance(error, Mapping) else error
    if not isinstance(text, str) or not text.strip():
        return None
    if key:
        text = text.replace(key, REDACTED)
    plain = "".join(char if char.isprintable() else " " for char in redact(text[: 2 * _MAX_REASON]))
    return plain[:_MAX_REASON].strip().rstrip(".")


def busy_seconds(got: HttpAnswer) -> int | None:
    """Returns after how many seconds a busy endpoint can be asked again; None for one that is not busy."""
    if got.status not in (TOO_MANY, UNAVAILABLE):
        return None
    seconds = _seconds_said(got.header("retry-after").strip(), got.header("date"))
    return UNSAID_BUSY_SECONDS if seconds is None and got.status == TOO_MANY else seconds


def _seconds_said(after: str, now: str) -> int | None:
    """Reads seconds, or a time, which the endpoint's own clock is compared with."""
    if re.fullmatch(r"[0-9]{1,300}(\.[0-9]{1,300})?", after):  # longer is no number of seconds
        return math.ceil(float(after))
    try:
        until = parsedate_to_datetime(after).timestamp()
    except (ValueError, OverflowError):
        return None
    try:
        return math.ceil(until - parsedate_to_datetime(now).timestamp())
    except (ValueError, OverflowError):
        return math.ceil(until - time.time())


class WaitLimit:
    """Ends a wait that lasts too long, as `asyncio.timeout` does.

    That sets a timer and takes it back for every wait, which costs more than a piece of a stream does.
    """

    __slots__ = ("_expired", "_loop", "_task", "_timer", "_until")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[object] | None = None
        self._until: float | None = None
        self._expired = False

    async def wait(self, awaited: Awaitable[Result], seconds: float) -> Result:
        """Returns the result of what is awaited. Raises `TimeoutError`."""
        task = asyncio.current_task()
        assert task is not None
        cancelling = task.cancelling()
        until = self._loop.time() + seconds
        self._task, self._until, self._expired = task, until, False
        if self._timer is None or self._timer.when() > until:
            self._arm(until)
        try:
            return await awaited
        except asyncio.CancelledError:
            if self._expired and task.uncancel() <= cancelling:
                raise TimeoutError from None
            raise
        finally:
            self._until = None

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self, until: float) -> None:
        self.close()
        self._timer = self._loop.call_at(until, self._check)

    def _check(self) -> None:
        self._timer = None
        if self._until is None or self._task is None:
            return  # nobody waits; the next one who does sets the timer again
        if self._loop.time() < self._until:
            self._arm(self._until)
        else:
            self._expired = True
            self._task.cancel()

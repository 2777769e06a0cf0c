"""What a call raises.

GuildhallError
├── Unreachable            no answer came, after as many attempts as are allowed
├── Malformed              the answer is not one of Guildhall's
├── Changed                the content changed while it was read
└── Problem                the server refused (RFC 9457)
    ├── InvalidRequest         400, 422: `errors` says which field
    ├── Unauthenticated        401: the token is wrong, lapsed or revoked
    ├── Suspended              402
    ├── Forbidden              403
    ├── NotFound               404
    ├── Conflict               409, 412
    ├── TooLarge               413
    ├── TooManyRequests        429: `retry_after` says when
    └── ServerError            500 and above
        └── Unavailable            503
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx


class GuildhallError(Exception):
    """Anything that a client raises on purpose."""


class Unreachable(GuildhallError):
    """No answer came: the server is away, or takes too long."""


class Malformed(GuildhallError):
    """The answer is not one of Guildhall's: something else answers at this address."""


class Changed(GuildhallError):
    """The content has changed since its first bytes were read; read it anew."""


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field; `pointer` is a JSON pointer into the body."""

    pointer: str
    message: str


class Problem(GuildhallError):
    """A refusal of the server. `code` is stable and made for programs, `detail` for people."""

    def __init__(self, problem: Mapping[str, Any], status: int, retry_after: float | None) -> None:
        #: Everything that the server said, for members that have no attribute here.
        self.problem = problem
        self.status = status
        self.retry_after = retry_after
        self.type = str(problem.get("type", "about:blank"))
        self.title = str(problem.get("title", ""))
        self.detail = str(problem.get("detail", "") or self.title)
        self.code = str(problem.get("code", f"http_{status}"))
        self.request_id: str | None = problem.get("request_id")
        self.errors: Sequence[FieldError] = tuple(_field_errors(problem))
        super().__init__(self._line())

    #: Which gate refused: `rate`, `suspension`, `feature`, `permission`, `scope` or `quota`.
    @property
    def gate(self) -> str | None:
        return self.problem.get("gate")

    def _line(self) -> str:
        faults = "; ".join(f"{one.pointer} {one.message}" for one in self.errors)
        return f"{self.status} {self.code}: {self.detail}{f' ({faults})' if faults else ''}"


class InvalidRequest(Problem):
    """What was sent is not what the row takes."""


class Unauthenticated(Problem):
    """The token is wrong, lapsed or revoked."""


class Suspended(Problem):
    """The company is suspended."""


class Forbidden(Problem):
    """A permission or a feature is missing."""


class NotFound(Problem):
    """There is no such thing, or the caller may not see it."""


class Conflict(Problem):
    """Things are not as the request supposes."""


class TooLarge(Problem):
    """The body is larger than the row takes."""


class TooManyRequests(Problem):
    """A rate or a quota is used up."""


class ServerError(Problem):
    """The server failed."""


class Unavailable(ServerError):
    """The server, or what it needs, is away for a while."""


_BY_STATUS: Mapping[int, type[Problem]] = {
    400: InvalidRequest,
    401: Unauthenticated,
    402: Suspended,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Conflict,
    413: TooLarge,
    422: InvalidRequest,
    429: TooManyRequests,
    503: Unavailable,
}


def problem_of(response: httpx.Response) -> Problem:
    """Returns the refusal of a response that was read."""
    status = response.status_code
    try:
        told = response.json()
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        # Something between us and the server answers instead of it.
        told = {"title": response.reason_phrase, "detail": f"{response.url.host} answers {status}"}
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else Problem)
    return kind(told, status, retry_after_of(response))


def retry_after_of(response: httpx.Response) -> float | None:
    """Returns the seconds of `Retry-After`, where it tells some."""
    text = response.headers.get("retry-after", "").strip()
    return float(text) if text.isascii() and text.isdigit() and len(text) < 8 else None


def _field_errors(problem: Mapping[str, Any]) -> list[FieldError]:
    told = problem.get("errors")
    if not isinstance(told, list):
        return []
    return [
        FieldError(str(one.get("pointer", "")), str(one.get("message", "")))
        for one in told
        if isinstance(one, dict)
    ]


__all__ = [
    "Changed",
    "Conflict",
    "FieldError",
    "Forbidden",
    "GuildhallError",
    "InvalidRequest",
    "Malformed",
    "NotFound",
    "Problem",
    "ServerError",
    "Suspended",
    "TooLarge",
    "TooManyRequests",
    "Unauthenticated",
    "Unavailable",
    "Unreachable",
    "problem_of",
    "retry_after_of",
]

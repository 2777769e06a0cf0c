"""The server's four worker routes, as the worker uses them: the jobs it holds, and what can go wrong.

    ApiFault
    ├── Unavailable      later it may work: no connection, 429, 5xx, an answer that makes no sense
    ├── TokenRefused     401: the token is revoked or was never one
    ├── Refused          another answer that waiting does not mend
    │   ├── ResultRefused    of a result: what the kind's validator, or the server, has against it
    │   └── KindsUnknown     of a claim: which of its kinds no plugin of the server brings
    └── ClaimLost        the job is somebody else's now, or nobody's
WorkerStuck              no slot is left: every handler was told to stop and none did
"""

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from builtin_plugins.jobs.worker.clock import WorkerClock, within

if TYPE_CHECKING:
    import httpx

#: How long an answer may take to come, beside what a claim waits for.
ANSWER_SECONDS = 15
_MAX_MESSAGE = 2_000
_PASSING = {402, 408, 425, 429}
_NOT_TAKEN = {400, 413, 422}


class ApiFault(Exception):
    """One line, in words for whoever runs the worker."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Unavailable(ApiFault):
    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class TokenRefused(ApiFault):
    pass


class Refused(ApiFault):
    pass


class ResultRefused(Refused):
    pass


class KindsUnknown(Refused):
    def __init__(self, message: str, kinds: frozenset[str]) -> None:
        super().__init__(message)
        self.kinds = kinds


class ClaimLost(ApiFault):
    pass


class WorkerStuck(Exception):
    """Only a new process helps, which is for a supervisor to start."""


@dataclass(frozen=True, slots=True)
class Lease:
    """Counted by our own steady clock: the server's and ours need not agree on the time of day."""

    seconds: float
    over_at: int

    @classmethod
    def starting(cls, at_ms: int, seconds: float) -> "Lease":
        return cls(seconds, at_ms + int(seconds * 1000))


@dataclass(frozen=True, slots=True)
class HeldJob:
    """What a claim brought. The claim token is what every later word about the job is believed by."""

    id: str
    kind: str
    payload: Any
    attempt: int
    lease: Lease
    claim_token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Done:
    """A result, as the JSON text that it is sent as."""

    result: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Why an attempt came to nothing, in words for whoever asked for the job.

    With `retry_after`, in seconds, it is put off for so long, and the attempt does not count.
    """

    code: str
    message: str
    retry: bool
    retry_after: int | None = None


Verdict = Done | Failed


class ApiClient:
    """Speaks for one token; `client` carries it, and the server's address."""

    def __init__(self, client: "httpx.AsyncClient", clock: WorkerClock) -> None:
        self._client = client
        self._clock = clock

    async def claim(self, kinds: list[str], models: list[str], max_wait: float) -> HeldJob | None:
        """Returns the next job; the server keeps us waiting for one for `max_wait`.

        Raises `KindsUnknown` with those that it does not know.
        """
        body: dict[str, Any] = {"kinds": kinds, "max_wait": max_wait}
        if models:
            body["models"] = models
        sent_at = self._clock.steady_ms()
        answer = await self._within(max_wait + ANSWER_SECONDS, "claim", json.dumps(body))
        if answer.status_code == 204:
            return None
        # It was given within `max_wait`. An answer that lay unread while we stood still is no fresher.
        given_at = min(self._clock.steady_ms(), sent_at + int(max_wait * 1000))
        return _held(_json(answer), given_at)

    async def heartbeat(self, held: HeldJob, progress: float | None, seconds: float) -> Lease:
        body: dict[str, Any] = {"claim_token": held.claim_token}
        if progress is not None:
            body["progress"] = progress
        sent_at = self._clock.steady_ms()
        answer = await self._within(seconds, f"{_path(held)}/heartbeat", json.dumps(body))
        return _lease(_json(answer), sent_at)

    async def complete(self, held: HeldJob, result: str, seconds: float) -> None:
        """Raises `ResultRefused` with what is wrong with the result; the job is still ours then."""
        body = f'{{"claim_token": {json.dumps(held.claim_token)}, "result": {result}}}'
        await self._within(seconds, f"{_path(held)}/complete", body, refusable=True)

    async def fail(self, held: HeldJob, failed: Failed, seconds: float) -> None:
        error = {
            "code": _sayable(failed.code, 64) or "failed",
            "message": _sayable(failed.message, _MAX_MESSAGE),
        }
        body = {"claim_token": held.claim_token, "error": error, "retry": failed.retry}
        if failed.retry_after is not None:
            body["retry_after"] = failed.retry_after
        await self._within(seconds, f"{_path(held)}/fail", json.dumps(body))

    async def _within(
        self, seconds: float, path: str, body: str, *, refusable: bool = False
    ) -> "httpx.Response":
        try:
            return await within(self._clock, seconds, self._post(path, body, refusable))
        except TimeoutError:
            raise Unavailable(f"{self._client.base_url.host} takes too long to answer") from None

    async def _post(self, path: str, body: str, refusable: bool) -> "httpx.Response":
        import httpx

        headers = {"Content-Type": "application/json"}
        try:
            answer = await self._client.post(f"api/workers/{path}", content=body.encode(), headers=headers)
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise Unavailable(f"{self._client.base_url.host} cannot be reached: {reason}") from None
        if not answer.is_success:
            raise _fault(answer, of_a_job=path != "claim", refusable=refusable)
        return answer


def _sayable(text: str, limit: int) -> str:
    """Drops what the server takes in no text, so that every failure can be reported."""
    return text[:limit].replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _path(held: HeldJob) -> str:
    return f"jobs/{quote(held.id, safe='')}"


def _fault(answer: "httpx.Response", *, of_a_job: bool, refusable: bool) -> Exception:
    status, words = answer.status_code, _words(answer)
    if status == 401:
        return TokenRefused(f"the server does not take this worker's token ({words})")
    if status >= 500 or status in _PASSING:
        return Unavailable(words, _retry_after(answer))
    if of_a_job and status in {404, 409}:
        return ClaimLost(words)
    if refusable and status in _NOT_TAKEN:
        return ResultRefused(words)
    if not of_a_job and (unknown := _unknown_kinds(answer)):
        return KindsUnknown(words, unknown)
    return Refused(words)


def _unknown_kinds(answer: "httpx.Response") -> frozenset[str]:
    try:
        problem = answer.json()
        named = problem["kinds"] if problem["code"] == "unknown_kind" else ()
        return frozenset(name for name in named if isinstance(name, str))
    except (ValueError, TypeError, KeyError, RecursionError):
        return frozenset()


def _words(answer: "httpx.Response") -> str:
    """Returns what a problem says, of single fields too; of something else the bare status."""
    try:
        problem = answer.json()
        detail = problem.get("detail") or problem.get("title")
        errors = [f"{one['pointer']} {one['message']}" for one in problem.get("errors") or ()]
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        detail, errors = None, []
    if not isinstance(detail, str):
        return f"{answer.url.host} answers {answer.status_code}, and not as Guildhall does"
    return ": ".join([detail, *(["; ".join(errors)] if errors else [])])


def _retry_after(answer: "httpx.Response") -> float | None:
    text = answer.headers.get("Retry-After", "")
    return float(text) if text.isascii() and text.isdigit() and len(text) < 8 else None


def _json(answer: "httpx.Response") -> Any:
    try:
        return answer.json()
    except (ValueError, RecursionError):
        raise Unavailable(f"{answer.url.host} answers with something that is not JSON") from None


def _held(job: Any, given_at: int) -> HeldJob:
    try:
        return HeldJob(
            id=_text(job["id"]),
            kind=_text(job["kind"]),
            payload=job["payload"],
            attempt=int(job["attempt"]),
            lease=_lease(job, given_at),
            claim_token=_text(job["claim_token"]),
        )
    except (KeyError, TypeError, ValueError):
        raise Unavailable("the server answers a claim with something that is not a job") from None


def _lease(answer: Any, given_at: int) -> Lease:
    try:
        seconds = float(answer["lease"]["seconds"])
        return Lease.starting(given_at, seconds)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise Unavailable("the server answers without a lease") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value

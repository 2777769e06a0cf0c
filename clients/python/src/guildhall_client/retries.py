"""When a request is sent again, and after how long."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from guildhall_client.errors import Problem, Unreachable, retry_after_of

_ALWAYS_SAFE = frozenset({"GET", "HEAD", "PUT"})
_PASSING = frozenset({429, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a request is sent again, and how long at most is waited for a server that says when."""

    #: After the first time.
    attempts: int = 3
    #: A `Retry-After` beyond this is for the caller to wait out: the refusal is raised.
    longest_wait: float = 60.0
    first_wait: float = 0.5

    def after_answer(
        self, response: httpx.Response, attempt: int, *, method: str, headers: Mapping[str, str]
    ) -> float | None:
        """Returns for how long to wait before the request is sent again; None where it is not."""
        if attempt >= self.attempts or response.status_code not in _PASSING:
            return None
        told = retry_after_of(response)
        if told is not None:
            return told if told <= self.longest_wait else None
        # Without a time to come back at, something between us and the server may have let it through.
        return self._backoff(attempt) if _is_safe(method, headers) else None

    def after_failure(
        self, error: httpx.TransportError, attempt: int, *, method: str, headers: Mapping[str, str]
    ) -> float | None:
        """Returns for how long to wait before the request is sent again; None where it is not."""
        if attempt >= self.attempts or isinstance(error, httpx.UnsupportedProtocol):
            return None
        never_arrived = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
        return self._backoff(attempt) if never_arrived or _is_safe(method, headers) else None

    def after_break(self, error: Exception, failures: int) -> float:
        """Returns for how long to wait before a stream is taken up again; else raises what broke it.

        `failures` counts those since something came.
        """
        passing = isinstance(error, Unreachable) or (isinstance(error, Problem) and error.status in _PASSING)
        if not passing or failures > self.attempts:
            raise error
        if isinstance(error, Problem) and error.retry_after is not None:
            return min(error.retry_after, self.longest_wait)
        return self._backoff(failures)

    def _backoff(self, attempt: int) -> float:
        longest = self.first_wait * 2.0**attempt
        return longest * random.uniform(0.5, 1.0)  # noqa: S311


def _is_safe(method: str, headers: Mapping[str, str]) -> bool:
    """Tells whether a request may arrive twice."""
    return method in _ALWAYS_SAFE or "Idempotency-Key" in headers

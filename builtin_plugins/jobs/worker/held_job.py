"""A job in this worker's hands."""

from dataclasses import dataclass, field
from typing import Any


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

"""What can stand between a worker and its server.

    ApiFault
    ├── Unavailable      later it may work: no connection, 429, 5xx, an answer that makes no sense
    ├── TokenRefused     401: the token is revoked or was never one
    ├── Refused          another answer that waiting does not mend
    │   ├── ResultRefused    of a result: what the kind's validator, or the server, has against it
    │   └── KindsUnknown     of a claim: which of its kinds no plugin of the server brings
    └── ClaimLost        the job is somebody else's now, or nobody's
WorkerStuck              no slot is left: every handler was told to stop and none did
"""


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

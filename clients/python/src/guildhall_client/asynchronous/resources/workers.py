"""The rows of workers."""

from collections.abc import Sequence
from typing import Any

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.workers import (
    FailWorkerError,
    WorkerClaimReply,
    WorkerCompleteReply,
    WorkerHeartbeatReply,
)


class AsyncWorkers:
    """Calls of workers."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def claim(
        self,
        *,
        kinds: Sequence[str],
        max_wait: float | Omitted = OMITTED,
        models: Sequence[str] | Omitted | None = OMITTED,
    ) -> WorkerClaimReply | None:
        """The next job of these kinds under a lease, or 204; max_wait waits for one.

        `max_wait`: Seconds to wait for a job
        Needs jobs:execute.
        """
        reply: WorkerClaimReply | None = await self._api.call(
            "POST",
            "/api/workers/claim",
            fields={"kinds": kinds, "max_wait": max_wait, "models": models},
            keyed=False,
        )
        return reply

    async def complete(
        self, id: str, *, result: Any, claim_token: str | Omitted | None = OMITTED
    ) -> WorkerCompleteReply:
        """End a held job with its result.

        Needs jobs:execute.
        """
        reply: WorkerCompleteReply = await self._api.call(
            "POST",
            f"/api/workers/jobs/{segment(id)}/complete",
            fields={"claim_token": claim_token, "result": result},
            keyed=False,
        )
        return reply

    async def fail(
        self,
        id: str,
        *,
        error: str | FailWorkerError,
        claim_token: str | Omitted | None = OMITTED,
        retry: bool | Omitted = OMITTED,
        retry_after: int | Omitted = OMITTED,
    ) -> WorkerCompleteReply:
        """End a held job without a result; retry gives it to another attempt while some remain.

        `retry`: Try again, while attempts remain
        `retry_after`: Put it off for so many seconds, and use up no attempt
        Needs jobs:execute.
        """
        reply: WorkerCompleteReply = await self._api.call(
            "POST",
            f"/api/workers/jobs/{segment(id)}/fail",
            fields={"claim_token": claim_token, "error": error, "retry": retry, "retry_after": retry_after},
            keyed=False,
        )
        return reply

    async def heartbeat(
        self, id: str, *, claim_token: str | Omitted | None = OMITTED, progress: float | Omitted = OMITTED
    ) -> WorkerHeartbeatReply:
        """Extend the lease of a held job, and say how far it is.

        Needs jobs:execute.
        """
        reply: WorkerHeartbeatReply = await self._api.call(
            "POST",
            f"/api/workers/jobs/{segment(id)}/heartbeat",
            fields={"claim_token": claim_token, "progress": progress},
            keyed=False,
        )
        return reply

"""The rows of jobs."""

from typing import Any, Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.events import AsyncEvents
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.jobs import Job, JobPage


class AsyncJobs:
    """Calls of jobs."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def cancel(self, id: str) -> Job:
        """Cancel a queued job; a running one finishes, and is not tried again."""
        reply: Job = await self._api.call("POST", f"/api/jobs/{segment(id)}/cancel")
        return reply

    async def create(
        self,
        *,
        kind: str,
        payload: Any = OMITTED,
        priority: int | Omitted = OMITTED,
        run_at: str | Omitted = OMITTED,
    ) -> Job:
        """Queue a job of a registered kind.

        `kind`: A registered kind; GET /api/plugins lists them
        `payload`: What the kind works on
        `priority`: Of the team's waiting jobs, higher goes first
        `run_at`: Not before this time
        Needs chat:use.
        """
        reply: Job = await self._api.call(
            "POST",
            "/api/jobs",
            fields={"kind": kind, "payload": payload, "priority": priority, "run_at": run_at},
        )
        return reply

    def events(self, id: str) -> AsyncEvents:
        """One's own job as server-sent events, from Last-Event-ID on, until it ends; 204 behind the
        last.
        """
        return AsyncEvents(self._api, "GET", f"/api/jobs/{segment(id)}/events")

    async def get(self, id: str, *, wait: float | None = None) -> Job:
        """One job with its result or error; wait= answers when it ends.

        `wait`: Seconds to wait for the job to end
        """
        reply: Job = await self._api.call("GET", f"/api/jobs/{segment(id)}", query={"wait": wait})
        return reply

    async def stop(self, id: str) -> Job:
        """Stop a running job whose kind can be stopped; it ends as cancelled, with what it has
        produced.
        """
        reply: Job = await self._api.call("POST", f"/api/jobs/{segment(id)}/stop")
        return reply

    def list(
        self,
        *,
        page_size: int | None = None,
        state: Literal["queued", "running", "succeeded", "failed", "cancelled"] | None = None,
        kind: str | None = None,
    ) -> AsyncPages[Job, JobPage]:
        """The team's jobs, newest first; what goes in and comes out is shown to a job's own user.

        `kind`: A registered kind; GET /api/plugins lists them
        """
        return AsyncPages(self._api, "/api/jobs", query={"limit": page_size, "state": state, "kind": kind})

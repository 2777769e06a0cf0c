"""The rows of executors."""

from collections.abc import Sequence
from typing import Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.executors import CreatedExecutor, Executor, ExecutorPage, ExecutorProbeReply


class AsyncExecutors:
    """Calls of executors."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def create(
        self,
        *,
        mode: Literal["pull", "push"],
        name: str,
        capabilities: Sequence[str] | Omitted = OMITTED,
        key: str | Omitted = OMITTED,
        model: str | Omitted = OMITTED,
        org_id: str | Omitted = OMITTED,
        url: str | Omitted = OMITTED,
    ) -> CreatedExecutor:
        """Create an executor, for everybody or bound to a company. The token of one that pulls is
        shown once.

        `key`: Sent to url as a bearer token; never shown
        `mode`: pull: a worker claims jobs; push: work is sent to url
        `org_id`: Offers it to the teams of this company alone
        `url`: Of an OpenAI-compatible endpoint, with its /v1; /chat/completions is put behind it
        Needs instance:manage.
        """
        reply: CreatedExecutor = await self._api.call(
            "POST",
            "/api/executors",
            fields={
                "capabilities": capabilities,
                "key": key,
                "mode": mode,
                "model": model,
                "name": name,
                "org_id": org_id,
                "url": url,
            },
        )
        return reply

    async def delete(self, id: str) -> None:
        """Retire an executor: its token ends, and the jobs that it holds return to the queue.

        Needs instance:manage.
        """
        await self._api.call("DELETE", f"/api/executors/{segment(id)}")

    async def probe(self, id: str) -> ExecutorProbeReply:
        """Ask an executor's endpoint for a short turn: how it is, and what it does not take. One
        that is not the company's own wants instance:manage.

        Needs org:manage.
        """
        reply: ExecutorProbeReply = await self._api.call("POST", f"/api/executors/{segment(id)}/probe")
        return reply

    def list(self, *, page_size: int | None = None) -> AsyncPages[Executor, ExecutorPage]:
        """The executors that the caller's company may use, the local one first; for operators, all
        of them.
        """
        return AsyncPages(self._api, "/api/executors", query={"limit": page_size})

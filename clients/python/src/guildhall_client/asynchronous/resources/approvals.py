"""The rows of approvals."""

from typing import Any, Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.approvals import Approval, ApprovalPage, ApprovalSetReply


class AsyncApprovals:
    """Calls of approvals."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def set(
        self,
        id: str,
        *,
        decision: Literal["approve", "reject"],
        comment: str | Omitted = OMITTED,
        form: Any = OMITTED,
    ) -> ApprovalSetReply:
        """Decide; the run goes on at once, and nobody can decide again.

        `form`: What the form asks for
        Needs workflows:run.
        """
        reply: ApprovalSetReply = await self._api.call(
            "POST",
            f"/api/approvals/{segment(id)}",
            fields={"comment": comment, "decision": decision, "form": form},
        )
        return reply

    def list(
        self, *, page_size: int | None = None, mine: Literal["1"] | None = None
    ) -> AsyncPages[Approval, ApprovalPage]:
        """What waits for the caller's decision, and what the caller's own runs wait for; newest
        first.

        `mine`: What waits for the caller alone
        Needs workflows:read.
        """
        return AsyncPages(self._api, "/api/approvals", query={"limit": page_size, "mine": mine})

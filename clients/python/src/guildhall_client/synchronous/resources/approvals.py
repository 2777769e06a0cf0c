"""The rows of approvals."""

from typing import Any, Literal

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.approvals import Approval, ApprovalPage, ApprovalSetReply


class Approvals:
    """Calls of approvals."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def set(
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
        reply: ApprovalSetReply = self._api.call(
            "POST",
            f"/api/approvals/{segment(id)}",
            fields={"comment": comment, "decision": decision, "form": form},
        )
        return reply

    def list(
        self, *, page_size: int | None = None, mine: Literal["1"] | None = None
    ) -> Pages[Approval, ApprovalPage]:
        """What waits for the caller's decision, and what the caller's own runs wait for; newest
        first.

        `mine`: What waits for the caller alone
        Needs workflows:read.
        """
        return Pages(self._api, "/api/approvals", query={"limit": page_size, "mine": mine})

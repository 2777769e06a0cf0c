"""The rows of tenant."""

from typing import Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.types.companies import CompanyQuota
from guildhall_client.types.tenant import TenantResumeReply


class AsyncTenant:
    """Calls of tenant."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def resume(self) -> TenantResumeReply:
        """Let the tenant write again."""
        reply: TenantResumeReply = await self._api.call("POST", "/api/instance/resume")
        return reply

    async def set_quota(
        self, *, dimension: str, limit: int | None, window: Literal["minute", "hour", "day", "month", "none"]
    ) -> CompanyQuota:
        """Limit what the tenant's team may use; a limit of null lifts it.

        `limit`: null lifts the limit
        """
        reply: CompanyQuota = await self._api.call(
            "POST", "/api/instance/quota", fields={"dimension": dimension, "limit": limit, "window": window}
        )
        return reply

    async def suspend(self) -> TenantResumeReply:
        """Suspend the tenant: it can be read, not written."""
        reply: TenantResumeReply = await self._api.call("POST", "/api/instance/suspend")
        return reply

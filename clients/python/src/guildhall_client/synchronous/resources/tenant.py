"""The rows of tenant."""

from typing import Literal

from guildhall_client.synchronous.api import Api
from guildhall_client.types.companies import CompanyQuota
from guildhall_client.types.tenant import TenantResumeReply


class Tenant:
    """Calls of tenant."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def resume(self) -> TenantResumeReply:
        """Let the tenant write again."""
        reply: TenantResumeReply = self._api.call("POST", "/api/instance/resume")
        return reply

    def set_quota(
        self, *, dimension: str, limit: int | None, window: Literal["minute", "hour", "day", "month", "none"]
    ) -> CompanyQuota:
        """Limit what the tenant's team may use; a limit of null lifts it.

        `limit`: null lifts the limit
        """
        reply: CompanyQuota = self._api.call(
            "POST", "/api/instance/quota", fields={"dimension": dimension, "limit": limit, "window": window}
        )
        return reply

    def suspend(self) -> TenantResumeReply:
        """Suspend the tenant: it can be read, not written."""
        reply: TenantResumeReply = self._api.call("POST", "/api/instance/suspend")
        return reply

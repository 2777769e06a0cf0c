"""The rows of quotas."""

from typing import Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.types.companies import CompanyQuota
from guildhall_client.types.quotas import QuotaUsage, QuotaUsagePage


class AsyncQuotas:
    """Calls of quotas."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def set(
        self, *, dimension: str, limit: int | None, window: Literal["minute", "hour", "day", "month", "none"]
    ) -> CompanyQuota:
        """Set or lift a limit of the caller's team.

        `window`: Calendar windows in UTC; none for what has no window
        Needs instance:manage.
        """
        reply: CompanyQuota = await self._api.call(
            "POST", "/api/quota", fields={"dimension": dimension, "limit": limit, "window": window}
        )
        return reply

    def usage(
        self,
        *,
        by: Literal["user", "model", "token", "day"] | None = None,
        user: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        page_size: int | None = None,
    ) -> AsyncPages[CompanyQuota | QuotaUsage, QuotaUsagePage]:
        """What the team and its company have used of each quota dimension; with by, who used how
        much.

        `by`: Who used it, instead of the dimensions
        `user`: With by: what this person used alone, by id
        `from_`: With by: what was used from this time on, RFC 3339
        `to`: With by: what was used before this time, RFC 3339
        """
        return AsyncPages(
            self._api,
            "/api/usage",
            query={"by": by, "user": user, "from": from_, "to": to, "limit": page_size},
        )

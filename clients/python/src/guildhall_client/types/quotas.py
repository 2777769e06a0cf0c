"""What the API says about quotas."""

from typing import Literal, TypedDict

from guildhall_client.types.companies import CompanyQuota


class QuotaUsage(TypedDict):
    #: Who used it, instead of the dimensions
    by: Literal["user", "model", "token", "day"]
    id: str
    name: str
    requests: int
    tokens: int


class QuotaUsagePage(TypedDict):
    items: list[CompanyQuota | QuotaUsage]
    next_cursor: str | None


__all__ = ["QuotaUsage", "QuotaUsagePage"]

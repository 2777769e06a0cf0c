"""What the API says about tenant."""

from typing import TypedDict


class TenantResumeReply(TypedDict):
    suspended: bool
    suspended_at: str | None


__all__ = ["TenantResumeReply"]

"""What the API says about company."""

from typing import Any, Literal, NotRequired, TypedDict

from guildhall_client.types.companies import CompanyQuota
from guildhall_client.types.executors import ExecutorQuirks


class CompanyTeam2(TypedDict):
    created_at: str
    id: str
    name: str
    slug: str


class Company3(TypedDict):
    created_at: str
    domain: str | None
    id: str
    name: str
    plan: str
    quotas: list[CompanyQuota]
    slug: str
    suspended: bool
    suspended_at: str | None
    teams: list[CompanyTeam2]


class CompanyAuditDaysItem(TypedDict):
    #: In UTC
    day: str
    events: int
    #: There are more than are counted
    more: bool


class CompanyAuditDays(TypedDict):
    items: list[CompanyAuditDaysItem]
    next_cursor: str | None


class CompanyCreateExecutorReplyHealth(TypedDict):
    checked_at: str | None
    detail: str | None
    status: Literal["ok", "down", "unknown"]


class CompanyCreateExecutorReply(TypedDict):
    capabilities: list[str]
    health: CompanyCreateExecutorReplyHealth
    id: str
    mode: Literal["local", "push", "pull"]
    model: str | None
    name: str
    org_id: str | None
    #: What its endpoint was found not to take; who may see url sees this
    quirks: NotRequired[ExecutorQuirks]
    source: Literal["local", "env", "api"]
    #: For operators, and for who manages the company that it is bound to
    url: NotRequired[str]
    #: Of one that pulls; shown here and never again
    worker_token: NotRequired[str]
    #: Of one that was made with an API token that ends
    worker_token_expires_at: NotRequired[str]


class CompanyCreateMemberReplyMemberTeam(TypedDict):
    id: str
    name: str
    slug: str


class CompanyCreateMemberReplyMember(TypedDict):
    display_name: str
    org_role: str | None
    role: str
    team: CompanyCreateMemberReplyMemberTeam
    user_id: str
    username: str


class CompanyCreateMemberReply(TypedDict):
    member: CompanyCreateMemberReplyMember
    token: str | None


class CompanyExportReplyJob(TypedDict):
    id: str


class CompanyExportReply(TypedDict):
    job: CompanyExportReplyJob


class CompanyResumeMemberReplyTeam(TypedDict):
    id: str
    name: str
    role: str
    slug: str


class CompanyResumeMemberReply(TypedDict):
    created_at: str
    display_name: str
    last_seen_at: str | None
    org_role: str | None
    status: Literal["active", "invited", "suspended"]
    teams: list[CompanyResumeMemberReplyTeam]
    user_id: str
    username: str


class CompanyAuditEventActor(TypedDict):
    id: str | None
    name: str


class CompanyAuditEventTarget(TypedDict):
    id: str | None
    type: str | None


class CompanyAuditEvent(TypedDict):
    #: noun.verb, such as login.succeeded
    action: str
    actor: CompanyAuditEventActor
    at: str
    #: from and to, where something was changed
    detail: dict[str, Any]
    id: str
    request_id: str | None
    target: CompanyAuditEventTarget


class CompanyAuditEventPage(TypedDict):
    items: list[CompanyAuditEvent]
    next_cursor: str | None


class CompanyEmailDomain(TypedDict):
    claimed_at: str
    confirmed_at: str | None
    #: Whether another company's people had addresses there before
    contested: bool
    domain: str
    released_at: str | None
    #: The label of the way that claims it
    way: str
    way_id: str


class CompanyEmailDomainPage(TypedDict):
    items: list[CompanyEmailDomain]
    next_cursor: str | None


class CompanyResumeMemberReplyPage(TypedDict):
    items: list[CompanyResumeMemberReply]
    next_cursor: str | None


class CompanyScimTokenUser(TypedDict):
    id: str
    username: str


class CompanyScimToken(TypedDict):
    created_at: str
    expires_at: str | None
    id: str
    last_used_at: str | None
    name: str | None
    prefix: str | None
    user: CompanyScimTokenUser


class CompanyScimTokenPage(TypedDict):
    items: list[CompanyScimToken]
    next_cursor: str | None


class CompanyTeam2Page(TypedDict):
    items: list[CompanyTeam2]
    next_cursor: str | None


class CompanyUsage(TypedDict):
    by: Literal["team"]
    id: str
    name: str
    requests: int
    tokens: int


class CompanyUsagePage(TypedDict):
    items: list[CompanyUsage]
    next_cursor: str | None


__all__ = [
    "Company3",
    "CompanyAuditDays",
    "CompanyAuditDaysItem",
    "CompanyAuditEvent",
    "CompanyAuditEventActor",
    "CompanyAuditEventPage",
    "CompanyAuditEventTarget",
    "CompanyCreateExecutorReply",
    "CompanyCreateExecutorReplyHealth",
    "CompanyCreateMemberReply",
    "CompanyCreateMemberReplyMember",
    "CompanyCreateMemberReplyMemberTeam",
    "CompanyEmailDomain",
    "CompanyEmailDomainPage",
    "CompanyExportReply",
    "CompanyExportReplyJob",
    "CompanyResumeMemberReply",
    "CompanyResumeMemberReplyPage",
    "CompanyResumeMemberReplyTeam",
    "CompanyScimToken",
    "CompanyScimTokenPage",
    "CompanyScimTokenUser",
    "CompanyTeam2",
    "CompanyTeam2Page",
    "CompanyUsage",
    "CompanyUsagePage",
]

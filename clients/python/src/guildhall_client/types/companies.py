"""What the API says about companies."""

from typing import Literal, NotRequired, TypedDict


class CompanyQuota(TypedDict):
    dimension: str
    level: Literal["team", "org"]
    limit: int | None
    remaining: int | None
    resets_at: str | None
    used: int
    window: Literal["minute", "hour", "day", "month", "none"]


class CompanyTeam(TypedDict):
    created_at: str
    id: str
    name: str
    slug: str


class Company2(TypedDict):
    created_at: str
    domain: str | None
    id: str
    name: str
    plan: str
    quotas: list[CompanyQuota]
    slug: str
    suspended: bool
    suspended_at: str | None
    teams: list[CompanyTeam]


class ListedCompany(TypedDict):
    created_at: str
    domain: str | None
    id: str
    name: str
    plan: str
    slug: str
    suspended: bool
    suspended_at: str | None


class ListedCompanyPage(TypedDict):
    items: list[ListedCompany]
    next_cursor: str | None


class CreatedCompanyOwner(TypedDict):
    display_name: str
    id: str
    locale: str
    two_factor: bool
    username: str


class CreatedCompanyTeam(TypedDict):
    id: str
    name: str
    role: str
    slug: str


class CreatedCompany(TypedDict):
    expires_at: str
    org: ListedCompany
    owner: CreatedCompanyOwner
    team: CreatedCompanyTeam
    token: str


class CreateCompanyOwner(TypedDict):
    display_name: NotRequired[str]
    password: NotRequired[str]
    #: Unique on the instance, without case
    username: str


class CompanyProvisionReplyActivation(TypedDict):
    expires_at: str
    token: str
    url: str


class CompanyProvisionReply(TypedDict):
    activation: CompanyProvisionReplyActivation
    org: ListedCompany
    team: CreatedCompanyTeam
    user: CreatedCompanyOwner


__all__ = [
    "Company2",
    "CompanyProvisionReply",
    "CompanyProvisionReplyActivation",
    "CompanyQuota",
    "CompanyTeam",
    "CreateCompanyOwner",
    "CreatedCompany",
    "CreatedCompanyOwner",
    "CreatedCompanyTeam",
    "ListedCompany",
    "ListedCompanyPage",
]

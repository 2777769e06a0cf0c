"""What the API says about account."""

from typing import NotRequired, TypedDict

from guildhall_client.types.companies import CreatedCompanyOwner


class Account2(TypedDict):
    display_name: str
    email: NotRequired[str | None]
    email_pending: NotRequired[str | None]
    #: A mailed link came back from it, or who manages gave it
    email_proven: NotRequired[bool]
    id: str
    locale: str
    two_factor: bool
    username: str


class AccountActivateReply(TypedDict):
    expires_at: str | None
    token: str | None
    user: CreatedCompanyOwner


class AccountBootstrapReplyOrg(TypedDict):
    id: str
    name: str
    slug: str


class AccountBootstrapReplyTeam(TypedDict):
    id: str
    name: str
    role: str


class AccountBootstrapReply(TypedDict):
    expires_at: str
    org: AccountBootstrapReplyOrg
    team: AccountBootstrapReplyTeam
    token: str
    user: CreatedCompanyOwner


class AccountChangeTeamReply(TypedDict):
    expires_at: str
    team: AccountBootstrapReplyTeam
    token: str
    user: CreatedCompanyOwner


class ConfirmAccountPasskey(TypedDict):
    pass


class AccountForgotReply(TypedDict):
    pass


class AccountWhoamiCredential(TypedDict):
    kind: str
    scope: list[str] | None


class AccountWhoamiOrg(TypedDict):
    id: str
    name: str
    slug: str
    suspended: bool


class AccountWhoami(TypedDict):
    credential: AccountWhoamiCredential
    locale: str
    operator: bool
    org: AccountWhoamiOrg
    org_role: str | None
    permissions: list[str]
    team: AccountBootstrapReplyTeam
    teams: list[AccountBootstrapReplyTeam]
    user: CreatedCompanyOwner


__all__ = [
    "Account2",
    "AccountActivateReply",
    "AccountBootstrapReply",
    "AccountBootstrapReplyOrg",
    "AccountBootstrapReplyTeam",
    "AccountChangeTeamReply",
    "AccountForgotReply",
    "AccountWhoami",
    "AccountWhoamiCredential",
    "AccountWhoamiOrg",
    "ConfirmAccountPasskey",
]

"""What the API says about sign in ways."""

from typing import Any, Literal, NotRequired, TypedDict


class SignInWayAddresses(TypedDict):
    pass


class SignInWay(TypedDict):
    #: What the other side wants to know of this server
    addresses: SignInWayAddresses
    break_glass: list[str]
    create_people: bool
    created_at: str
    default_role: str | None
    domains: list[str]
    id: str
    kind: str
    label: str
    required: bool
    rules: list[Any]
    #: Secrets that are there; none is ever shown
    secrets_set: list[str]
    team: str | None


class SignInWayPageKind(TypedDict):
    fields: Any
    name: str


class SignInWayPage(TypedDict):
    items: list[SignInWay]
    kinds: list[SignInWayPageKind]
    next_cursor: str | None


class CreateSignInWayRule(TypedDict):
    #: A name, or names with dots between them
    claim: str
    #: The value, whole, or one of several
    contains: str
    role: Literal["viewer", "member", "admin", "owner", "translator", "reviewer", "localizer"]
    team: NotRequired[str | None]


class SignInWayPreviewReplyTeam(TypedDict):
    role: str
    rule: int | None
    team: Any


class SignInWayPreviewReply(TypedDict):
    because: str | None
    code: str | None
    email: str | None
    outcome: Literal["sign_in", "create", "link", "refuse"]
    teams: list[SignInWayPreviewReplyTeam]
    user: Any
    username: str | None


class PreviewSignInWayClaims(TypedDict):
    pass


class SignInWayTestReplyStep(TypedDict):
    detail: str
    name: str
    ok: bool


class SignInWayTestReply(TypedDict):
    ok: bool
    steps: list[SignInWayTestReplyStep]


__all__ = [
    "CreateSignInWayRule",
    "PreviewSignInWayClaims",
    "SignInWay",
    "SignInWayAddresses",
    "SignInWayPage",
    "SignInWayPageKind",
    "SignInWayPreviewReply",
    "SignInWayPreviewReplyTeam",
    "SignInWayTestReply",
    "SignInWayTestReplyStep",
]

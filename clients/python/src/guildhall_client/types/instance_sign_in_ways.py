"""What the API says about instance sign in ways."""

from typing import Any, Literal, NotRequired, TypedDict


class InstanceSignInWayAddresses(TypedDict):
    pass


class InstanceSignInWay(TypedDict):
    #: What the other side wants to know of this server
    addresses: InstanceSignInWayAddresses
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


class InstanceSignInWayPageKind(TypedDict):
    fields: Any
    name: str


class InstanceSignInWayPage(TypedDict):
    items: list[InstanceSignInWay]
    kinds: list[InstanceSignInWayPageKind]
    next_cursor: str | None


class CreateInstanceSignInWayRule(TypedDict):
    #: A name, or names with dots between them
    claim: str
    #: The value, whole, or one of several
    contains: str
    role: Literal["viewer", "member", "admin", "owner", "translator", "reviewer", "localizer"]
    team: NotRequired[str | None]


class InstanceSignInWayPreviewReplyTeam(TypedDict):
    role: str
    rule: int | None
    team: Any


class InstanceSignInWayPreviewReply(TypedDict):
    because: str | None
    code: str | None
    email: str | None
    outcome: Literal["sign_in", "create", "link", "refuse"]
    teams: list[InstanceSignInWayPreviewReplyTeam]
    user: Any
    username: str | None


class PreviewInstanceSignInWayClaims(TypedDict):
    pass


class InstanceSignInWayTestReplyStep(TypedDict):
    detail: str
    name: str
    ok: bool


class InstanceSignInWayTestReply(TypedDict):
    ok: bool
    steps: list[InstanceSignInWayTestReplyStep]


__all__ = [
    "CreateInstanceSignInWayRule",
    "InstanceSignInWay",
    "InstanceSignInWayAddresses",
    "InstanceSignInWayPage",
    "InstanceSignInWayPageKind",
    "InstanceSignInWayPreviewReply",
    "InstanceSignInWayPreviewReplyTeam",
    "InstanceSignInWayTestReply",
    "InstanceSignInWayTestReplyStep",
    "PreviewInstanceSignInWayClaims",
]

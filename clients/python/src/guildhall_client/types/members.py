"""What the API says about members."""

from typing import Literal, TypedDict


class Member(TypedDict):
    display_name: str
    last_seen_at: str | None
    role: str
    #: invited: they have no password yet
    status: Literal["active", "invited", "suspended"]
    user_id: str
    username: str


class MemberPage(TypedDict):
    items: list[Member]
    next_cursor: str | None


class CreatedMemberMember(TypedDict):
    display_name: str
    role: str
    user_id: str
    username: str


class CreatedMember(TypedDict):
    member: CreatedMemberMember
    token: str | None


class MemberInviteReply(TypedDict):
    expires_at: str
    #: Whether it goes to their address too
    mailed: bool
    url: str


__all__ = ["CreatedMember", "CreatedMemberMember", "Member", "MemberInviteReply", "MemberPage"]

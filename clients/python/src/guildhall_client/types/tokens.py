"""What the API says about tokens."""

from typing import TypedDict


class TokenUser(TypedDict):
    id: str
    username: str


class Token(TypedDict):
    created_at: str
    expires_at: str | None
    id: str
    #: `api`, or a kind that a plugin gives out, such as `scim`
    kind: str
    name: str | None
    scope: list[str] | None
    user: TokenUser


class TokenPage(TypedDict):
    items: list[Token]
    next_cursor: str | None


class CreatedToken(TypedDict):
    expires_at: str | None
    id: str
    scope: list[str] | None
    token: str


__all__ = ["CreatedToken", "Token", "TokenPage", "TokenUser"]

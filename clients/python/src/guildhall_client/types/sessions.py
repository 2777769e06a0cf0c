"""What the API says about sessions."""

from typing import TypedDict


class Session(TypedDict):
    address: str | None
    agent: str | None
    created_at: str
    current: bool
    expires_at: str | None
    id: str
    last_used_at: str | None
    team_id: str


class SessionPage(TypedDict):
    items: list[Session]
    next_cursor: str | None


__all__ = ["Session", "SessionPage"]

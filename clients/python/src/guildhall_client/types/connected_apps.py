"""What the API says about connected apps."""

from typing import TypedDict


class ConnectedAppTeam(TypedDict):
    id: str
    name: str


class ConnectedAppUser(TypedDict):
    id: str
    username: str


class ConnectedApp(TypedDict):
    created_at: str
    id: str
    last_used_at: str | None
    name: str
    scope: list[str]
    team: ConnectedAppTeam
    user: ConnectedAppUser


class ConnectedAppPage(TypedDict):
    items: list[ConnectedApp]
    next_cursor: str | None


__all__ = ["ConnectedApp", "ConnectedAppPage", "ConnectedAppTeam", "ConnectedAppUser"]

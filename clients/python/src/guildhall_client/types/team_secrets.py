"""What the API says about team secrets."""

from typing import TypedDict


class TeamSecretItem(TypedDict):
    name: str
    #: When it was set last
    updated_at: str


class TeamSecret(TypedDict):
    items: list[TeamSecretItem]
    next_cursor: str | None


__all__ = ["TeamSecret", "TeamSecretItem"]

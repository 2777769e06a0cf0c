"""What the API says about email."""

from typing import TypedDict


class EmailConfirmReply(TypedDict):
    email: str | None


__all__ = ["EmailConfirmReply"]

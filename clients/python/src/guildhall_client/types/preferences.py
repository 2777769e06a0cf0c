"""What the API says about preferences."""

from typing import Any, Literal, TypedDict


class Preference(TypedDict):
    default: Any
    help: str
    #: Whose it is
    holder: Literal["team", "company"]
    #: Whether the caller may change it
    may_write: bool
    name: str
    plugin: str
    #: What a value must be
    schema: dict[str, Any]
    title: str | None
    updated_at: str | None
    #: The value that holds
    value: Any
    #: How often it was changed; also its ETag
    version: int


class PreferencesList(TypedDict):
    items: list[Preference]
    next_cursor: str | None


__all__ = ["Preference", "PreferencesList"]

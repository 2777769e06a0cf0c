"""What the API says about glossary."""

from typing import TypedDict


class GlossaryBy(TypedDict):
    id: str
    name: str


class Glossary(TypedDict):
    by: GlossaryBy
    created_at: str
    id: str
    note: str | None
    target: str
    term: str
    translation: str
    updated_at: str


class GlossaryPage(TypedDict):
    items: list[Glossary]
    next_cursor: str | None


__all__ = ["Glossary", "GlossaryBy", "GlossaryPage"]

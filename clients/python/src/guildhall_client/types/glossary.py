"""What the API says about glossary."""

from typing import TypedDict


class GlossaryTermBy(TypedDict):
    id: str
    name: str


class GlossaryTerm(TypedDict):
    by: GlossaryTermBy
    created_at: str
    id: str
    note: str | None
    target: str
    term: str
    translation: str
    updated_at: str


class GlossaryTermPage(TypedDict):
    items: list[GlossaryTerm]
    next_cursor: str | None


__all__ = ["GlossaryTerm", "GlossaryTermBy", "GlossaryTermPage"]

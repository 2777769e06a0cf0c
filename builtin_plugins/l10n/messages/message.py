"""A message of a language: its text, where it stands in its life, and what it translates."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from guildhall_sdk import Row, rfc3339

MISSING, MACHINE, SUBMITTED = "missing", "machine", "submitted"
RETURNED, APPROVED, STALE = "returned", "approved", "stale"
STATUSES = (MISSING, MACHINE, SUBMITTED, RETURNED, APPROVED, STALE)
#: Of a key that the source has no more: neither listed nor counted.
GONE = "gone"
BY_FILE, BY_MACHINE, BY_HUMAN = "file", "machine", "human"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A row of the manager's table."""

    id: str
    locale: str
    key: str
    ns: str
    status: str
    origin: str | None
    version: int
    submitted_by: str | None
    reviewed_by: str | None
    updated_at: int
    source: str
    previous_source: str | None
    text: str | None
    approved_text: str | None
    comment: str | None
    problem: str | None

    @classmethod
    def from_row(cls, row: Row) -> "Message":
        return cls(**{name: row[name] for name in cls.__slots__})

    @property
    def etag(self) -> str:
        return etag_of(self.version)

    def public(self) -> dict[str, Any]:
        """Returns the message as the API shows it."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {**fields, "updated_at": rfc3339(self.updated_at)}

    def standing(self) -> Mapping[str, Any]:
        """Returns what somebody needs to know whose own text came too late."""
        names = ("text", "status", "submitted_by", "reviewed_by", "comment", "version")
        return {**{name: getattr(self, name) for name in names}, "updated_at": rfc3339(self.updated_at)}


def etag_of(version: int) -> str:
    """Returns the tag that `If-Match` names a version by."""
    return f'"{version}"'

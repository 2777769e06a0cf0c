"""A conversation: who may do what with it, how it is stored, and how the API shows it."""

import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from guildhall_sdk import (
    NotFound,
    PermissionDenied,
    Principal,
    Reader,
    Row,
    Writer,
    load_queries,
    rfc3339,
)

sql = load_queries(Path(__file__).with_name("queries.sql"))

ID_PREFIX, FOLDER_PREFIX = "conv", "cfold"
USE, FEATURE = "chat:use", "chat"
MAX_TITLE, MAX_SYSTEM, MAX_NAME = 200, 20_000, 64
_TITLE_OF_PROMPT = 80

Capability = Literal["view", "edit"]
RIGHTS = {"view": ("view",), "edit": ("edit", "view")}
_OWNER = ("edit", "manage", "view")


def search_words(text: str) -> str:
    """Returns a text as search compares it: without case and width, on one line."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.encode("utf-8", "replace").decode().replace("\0", " ").split())


def title_of(prompt: str) -> str:
    """Returns the title of a conversation that nobody named, of its first words."""
    words = " ".join(prompt[:2_000].split())
    if len(words) <= _TITLE_OF_PROMPT:
        return words
    return words[:_TITLE_OF_PROMPT].rsplit(" ", 1)[0].rstrip(",.;:") + "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation as stored, with what was given to the caller and to their team.

    Times are milliseconds since the epoch. `event_number` is that of the last event that was announced.
    """

    id: str
    org_id: str
    team_id: str
    owner_id: str
    owner_name: str
    folder_id: str | None
    pinned: bool
    named: bool
    title: str
    model: str | None
    system: str | None
    current_id: str | None
    many: int
    event_number: int
    created_at: int
    updated_at: int
    mine: Capability | None
    mine_until: int | None
    ours: Capability | None
    ours_until: int | None

    @classmethod
    def of(cls, row: Row) -> "Conversation":
        fields = {name: row[name] for name in cls.__dataclass_fields__}
        return cls(**{**fields, "pinned": bool(row["pinned"]), "named": bool(row["named"])})

    def is_own(self, caller: Principal) -> bool:
        """Whether it is the caller's own, in the team that they act in."""
        return self.owner_id == caller.user_id and self.team_id == caller.team_id

    def rights_of(self, caller: Principal, now_ms: int) -> tuple[str, ...]:
        """Returns what the caller may do: `view`, `edit`, `manage`, sorted."""
        if self.is_own(caller):
            return _OWNER
        live = [
            capability
            for capability, until in ((self.mine, self.mine_until), (self.ours, self.ours_until))
            if capability is not None and (until is None or until > now_ms)
        ]
        return RIGHTS[max(live, key=lambda capability: len(RIGHTS[capability]))] if live else ()

    def require(self, right: str, caller: Principal, now_ms: int) -> None:
        """Raises unless the caller has the right; who may not read it is told that there is none."""
        rights = self.rights_of(caller, now_ms)
        if right in rights:
            return
        if not rights:
            raise NotFound()
        raise PermissionDenied(right, f"You may read this conversation; to {_DOING[right]}, ask its owner.")

    def public(self, caller: Principal, now_ms: int) -> dict[str, Any]:
        """Returns the conversation as the API shows it to who may read it."""
        own = self.is_own(caller)
        return {
            "id": self.id,
            "title": self.title,
            "folder_id": self.folder_id if own else None,
            "pinned": self.pinned and own,
            "model": self.model,
            "system": self.system,
            "owner": {"id": self.owner_id, "name": self.owner_name},
            "team_id": self.team_id,
            "permissions": list(self.rights_of(caller, now_ms)),
            "current_id": self.current_id,
            "message_count": self.many,
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.updated_at),
        }


_DOING = {"edit": "write in it", "manage": "share, file or delete it"}


async def find(
    reader: Reader, caller: Principal, conversation_id: str, now_ms: int, right: str = "view"
) -> Conversation:
    """Returns a conversation that the caller has this right on; raises `NotFound` or `PermissionDenied`."""
    row = await reader.one(
        sql.conversation,
        id=conversation_id,
        org_id=caller.org_id,
        user_id=caller.user_id,
        my_team=caller.team_id,
    )
    if row is None:
        raise NotFound()
    conversation = Conversation.of(row)
    conversation.require(right, caller, now_ms)
    return conversation


async def hold(
    writer: Writer, caller: Principal, conversation_id: str, now_ms: int, right: str = "view"
) -> Conversation:
    """Returns it like `find`; nobody else changes it or a message of it until the transaction ends."""
    await writer.one(sql.hold, id=conversation_id, org_id=caller.org_id)
    return await find(writer, caller, conversation_id, now_ms, right)

"""A note: who may do what with it, how search finds it, how it is made, and the statements about it."""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from guildhall_sdk import (
    Host,
    InvalidRequest,
    NotFound,
    Origin,
    PermissionDenied,
    Principal,
    Row,
    SearchSource,
    Writer,
    load_queries,
    new_id,
    rfc3339,
)
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.notifications import NotificationKind
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.services.search import Findable, PreparedText, SearchIndex
from guildhall_sdk.subscriptions import NOTE_CHANGED, Events, NoteChanged

sql = load_queries(Path(__file__).with_name("queries.sql"))

READ, WRITE, DELETE, MANAGE = "notes:read", "notes:write", "notes:delete", "notes:manage"
ALL = frozenset({READ, WRITE, DELETE, MANAGE})
STORAGE = "storage.bytes"
_EXCERPT = 240
# Marks of headings, lists and quotes begin a line, those of code and emphasis stand anywhere; on one line
# none says a thing. `file_name`, `2 * 3` and `~5` have none.
_LINE_MARKS = re.compile(r"^[ \t]*(?:#{1,6}|>|[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?", re.MULTILINE)
# The look ahead passes over all other signs at once.
_INLINE_MARKS = re.compile(
    r"(?=[`~*_])"
    r"(?:`{1,3}|~~|\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w))"
)
# They join signs to one, in scripts and among emojis, and are seen in nothing else.
_JOINERS = str.maketrans("", "", "\u200c\u200d")
_TITLE_KEY = 60
#: In characters.
MAX_TITLE, MAX_CHARACTERS = 300, 1_000_000
# Of a text that fills a page of the database or two.
_SHORT = 4_000
_insert_short = replace(sql.insert_note, quick=True)

JsonAndEtag = tuple[dict[str, Any], str]


def title_key(title: str) -> str:
    """Returns the title as it is sorted: without case and width, and fit for a cursor."""
    folded = unicodedata.normalize("NFKC", title).casefold()[:_TITLE_KEY]
    if folded.isprintable():
        return folded
    return "".join(sign if sign.isprintable() else " " for sign in folded)


def tag_key(tag: str) -> str:
    """Returns a tag as tags are compared."""
    return unicodedata.normalize("NFKC", tag.strip()).casefold()


def given_tags(fields: Mapping[str, Any]) -> list[str] | None:
    """Returns the tags of a body, each once, or None where it has none; raises `InvalidRequest`."""
    if "tags" not in fields:
        return None
    tags: dict[str, str] = {}
    for place, tag in enumerate(fields["tags"]):
        key, visible = tag_key(tag), tag.translate(_JOINERS)
        if not visible.strip() or not visible.isprintable():
            raise InvalidRequest.at(f"/tags/{place}", "takes a few letters that can be read")
        tags.setdefault(key, tag.strip())
    return list(tags.values())


def tags_as_stored(tags: Sequence[str]) -> str:
    return json.dumps(list(tags), ensure_ascii=False)


def excerpt(body: str) -> str:
    """Returns the beginning of a text on one line, without the marks of Markdown."""
    text = body[: 8 * _EXCERPT]
    if "|" in text:
        text = "\n".join(
            # Of a table its words, and not the line below its heading.
            (line.replace("|", " ") if line.strip("|-: \t") else "") if line.lstrip()[:1] == "|" else line
            for line in text.splitlines()
        )
    unmarked = _INLINE_MARKS.sub("", _LINE_MARKS.sub("", text))
    words = " ".join(unmarked.split())
    return words if len(words) <= _EXCERPT else words[:_EXCERPT].rstrip() + "…"


class Note(NamedTuple):
    """A note as stored, with what the caller was given on it by name."""

    id: str
    org_id: str
    team_id: str
    owner_id: str
    owner_name: str
    visibility: str
    revision: int
    created_at: int
    updated_at: int
    title: str
    body: str
    tags: str
    version: int
    version_at: int
    version_by: str | None
    deleted_at: int | None
    shared_permission: str | None

    @classmethod
    def from_row(cls, row: Row) -> "Note":
        return cls(**{name: row[name] for name in cls._fields})

    @classmethod
    def new(cls, owner: Principal, fields: Mapping[str, Any], now_ms: int) -> "Note":
        """Returns a note as it is stored when somebody writes it."""
        return cls(
            id=new_id("note", now_ms),
            org_id=owner.org_id,
            team_id=owner.team_id,
            owner_id=owner.user_id,
            owner_name=owner.display_name,
            visibility=fields.get("visibility", "private"),
            revision=1,
            created_at=now_ms,
            updated_at=now_ms,
            title=fields["title"],
            body=fields.get("body", ""),
            tags=json.dumps(fields.get("tags", []), ensure_ascii=False),
            version=1,
            version_at=now_ms,
            version_by=owner.user_id,
            deleted_at=None,
            shared_permission=None,
        )

    @property
    def etag(self) -> str:
        return f'"{self.id}.{self.revision}"'

    @property
    def stored_bytes(self) -> int:
        """The bytes that the note takes of the team's storage: its texts in UTF-8."""
        return len(self.title.encode()) + len(self.body.encode())

    def rights_of(self, caller: Principal, *, across_company: bool = False) -> frozenset[str]:
        """Returns the caller's rights by ownership, by a share and by their role.

        They never pass the credential.
        """
        here = self.team_id == caller.team_id
        rights: set[str] = set()
        if here and self.owner_id == caller.user_id:
            rights |= ALL
        if self.shared_permission is not None:
            rights |= {READ, self.shared_permission}
        if here and self.visibility == "team":
            rights |= ALL & caller.permissions
        if across_company and self.visibility == "team" and caller.may("org:read"):
            rights.add(READ)
        scope = caller.credential.scope
        return frozenset(rights if scope is None else rights & scope)

    def require(self, right: str, rights: frozenset[str]) -> None:
        """Raises unless the right is held; a caller who cannot see the note is told that there is none."""
        if right in rights:
            return
        raise PermissionDenied(right) if READ in rights else NotFound()

    def to_json(self, rights: frozenset[str], shares: Sequence[Row] | None) -> dict[str, Any]:
        """Returns the note as the API shows it to a caller with these rights.

        `shares` is None for those who may not see them.
        """
        fields: dict[str, Any] = {
            "id": self.id,
            "title": self.title,
            "body": self.body,
            "excerpt": excerpt(self.body),
            "tags": json.loads(self.tags),
            "visibility": self.visibility,
            "owner": {"id": self.owner_id, "name": self.owner_name},
            "team_id": self.team_id,
            "permissions": sorted(rights),
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.updated_at),
        }
        if self.deleted_at is not None:
            fields["deleted_at"] = rfc3339(self.deleted_at)
        if shares is not None:
            fields["shared_with"] = list(map(_share_to_json, shares))
        return fields


def _share_to_json(row: Row) -> dict[str, Any]:
    return {"user_id": row["user_id"], "name": row["name"], "permission": row["permission"]}


TYPE = "note"

SHARED = NotificationKind(name="notes.shared", title="notes.notice_shared", text="notes.notice_shared_text")

SOURCES = (
    SearchSource(
        TYPE,
        READ,
        "/api/notes/{id}",
        sql.findable,
        sql.findable_in_org,
        every=sql.every_note,
        few=sql.few_notes,
    ),
)


def findable(note: Note, prepared: PreparedText | None = None, *, new: bool = False) -> Findable:
    return Findable(
        TYPE, note.id, note.org_id, note.team_id, note.title, note.body, prepared=prepared, new=new
    )


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The services that hear of every change of a note."""

    index: SearchIndex
    events: Events
    quotas: Quotas
    lists: LiveLists
    host: Host

    @classmethod
    def of(cls, host: Host) -> "Neighbours":
        return cls(
            host.service(SearchIndex),
            host.service(Events),
            host.service(Quotas),
            host.service(LiveLists),
            host,
        )


async def create(
    writer: Writer,
    neighbours: Neighbours,
    caller: Principal,
    fields: Mapping[str, Any],
    now_ms: int,
    prepared: PreparedText | None = None,
) -> Note:
    """Creates a note, private unless its fields say otherwise."""
    tags = given_tags(fields) or []
    note = Note.new(caller, {**fields, "tags": tags}, now_ms)
    body_size = len(note.body.encode())
    size, sorted_as = len(note.title.encode()) + body_size, title_key(note.title)
    found = findable(note, prepared, new=True)
    writer.audit("note.created", ("note", note.id), detail={"visibility": note.visibility})
    await writer.run(
        _insert_short if size <= _SHORT else sql.insert_note,
        id=note.id,
        org_id=note.org_id,
        team_id=note.team_id,
        owner_id=note.owner_id,
        visibility=note.visibility,
        title=note.title,
        title_key=sorted_as,
        body=note.body,
        tags=note.tags,
        size=body_size,
        now=now_ms,
    )
    if tags:
        await store_tags(writer, note.org_id, note.id, tags)
    await neighbours.index.put(writer, found)
    await publish(writer, neighbours, caller, note, "created")
    await neighbours.quotas.adjust(writer, caller.org_id, note.team_id, STORAGE, size)
    return note


async def publish(
    writer: Writer,
    neighbours: Neighbours,
    caller: Principal,
    note: Note,
    change: Literal["created", "updated", "deleted", "restored", "shared", "unshared"],
    *,
    also: str | None = None,
) -> None:
    """Tells of a change who sees the note, `note` being as it was before; `also` is one more person."""
    seen_by = {note.owner_id}
    payload, origin = NoteChanged(note_id=note.id, change=change), Origin.of(caller, note.team_id)
    await neighbours.events.emit(writer, NOTE_CHANGED, payload, origin)
    if change != "created":
        rows = await writer.all(sql.holders, id=note.id, org_id=note.org_id)
        seen_by |= {row["user_id"] for row in rows}
    if also is not None:
        seen_by.add(also)
    if note.visibility == "team":
        seen_by.add(note.team_id)
    writer.after_commit(partial(neighbours.lists.changed, "/api/notes", *seen_by))


async def store_tags(writer: Writer, org_id: str, note_id: str, tags: Sequence[str]) -> None:
    """Makes a note findable by these tags, and by no other."""
    await writer.run(sql.drop_tags, id=note_id)
    for tag in sorted({tag_key(tag) for tag in tags}):
        await writer.run(sql.insert_tag, id=note_id, tag=tag, org_id=org_id)

"""A team's draft, and what was published: the newest version of a company is the one that visitors see."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from builtin_plugins.beta.assets.service import check_assets
from builtin_plugins.beta.experiences.current import Experiences, sql
from builtin_plugins.beta.experiences.document import Document
from builtin_plugins.beta.experiences.seeds import MINIMAL
from builtin_plugins.beta.experiences.validation import stored_document, validated_document
from guildhall_sdk import (
    Call,
    Conflict,
    NotFound,
    Principal,
    Reader,
    Row,
    Writer,
    new_id,
    rfc3339,
    rfc3339_or_none,
)
from guildhall_sdk.dimensions import Quotas
from libs.fair_slots import BODIES

CheckIfMatch = Callable[[str], None]
_ATTEMPTS = 5


class Draft(NamedTuple):
    """A draft; version 0 is one that nobody has saved yet, made of what is shown without it."""

    document: Document
    version: int = 0
    saved_by: str | None = None
    saved_at: int | None = None

    @property
    def etag(self) -> str:
        return f'"{self.version}"'

    def to_json(self, offers: Sequence[str]) -> dict[str, Any]:
        return {
            "template": None,
            "assets": {},
            **self.document.raw,
            "offers": list(offers),
            "version": self.version,
            "saved_by": self.saved_by,
            "saved_at": rfc3339_or_none(self.saved_at),
        }


async def draft_of(reader: Reader, team_id: str, seed: Document) -> Draft:
    row = await reader.one(sql.draft_of, team_id=team_id)
    if row is None:
        return Draft(seed)
    return Draft(stored_document(row["document"]), row["version"], row["saved_by"], row["saved_at"])


async def save(call: Call, changes: Mapping[str, Any]) -> Draft:
    """Saves a draft in which absent fields stay as they are; validated before anything is written."""
    named = {kind: place for kind, place in changes.get("assets", {}).items() if place is not None}
    return await _store(call, lambda draft: {**draft.document.raw, **changes}, named)


async def restore(call: Call, document: Document, plugin: str | None = None) -> Draft:
    """Saves what was published before or a plugin offers as the draft, though an asset of it be gone."""
    return await _store(call, lambda draft: document.raw, {}, plugin)


async def _store(
    call: Call,
    change: Callable[[Draft], Mapping[str, Any]],
    named: Mapping[str, str],
    plugin: str | None = None,
) -> Draft:
    """Judges outside the transaction, and begins again where somebody else has saved meanwhile.

    Of the assets only those that the caller named are looked for: one that was deleted stops nobody.
    """
    seed, team_id = call.service(Experiences).seed(), call.principal.team_id
    for _ in range(_ATTEMPTS):
        async with call.read() as reader:
            before = await draft_of(reader, team_id, seed)
        call.check_if_match(before.etag)
        document = await BODIES.run(call.principal.org_id, validated_document, change(before))
        async with call.write() as writer:
            await check_assets(writer, team_id, named)
            saved = await _write(call, writer, before.version, document, plugin)
        if saved is not None:
            return saved
    raise Conflict("Others save this draft all the time; read it again, then save.", code="draft_changed")


async def _write(
    call: Call, writer: Writer, version: int, document: Document, plugin: str | None
) -> Draft | None:
    caller = call.principal
    saved = await writer.value(
        sql.save_draft,
        team_id=caller.team_id,
        org_id=caller.org_id,
        version=version,
        saved_by=caller.user_id,
        now=call.now_ms,
        document=document.text,
    )
    if saved is None:
        return None
    detail = {"version": saved} if plugin is None else {"version": saved, "plugin": plugin}
    writer.audit("experience.saved", ("experience", caller.team_id), detail=detail)
    return Draft(document, saved, caller.user_id, call.now_ms)


_STORAGE = "storage.bytes"


async def publish(
    writer: Writer, quotas: Quotas, caller: Principal, check_if_match: CheckIfMatch, now_ms: int
) -> dict[str, Any]:
    """Publishes the draft as it is saved now; what is published already is not published again.

    With `If-Match` only the draft that the caller has read. A version counts as storage of its team.
    """
    await writer.serialize(f"beta:published:{caller.org_id}")
    draft = await draft_of(writer, caller.team_id, MINIMAL)
    if draft.version == 0:
        raise Conflict("There is no saved draft to publish; save one first.", code="no_draft")
    check_if_match(draft.etag)
    newest = await writer.one(sql.newest_of_company, org_id=caller.org_id)
    text = draft.document.text
    if newest is not None and (newest["team_id"], newest["document"]) == (caller.team_id, text):
        return version_json(newest, draft.document)
    experience_id = new_id("exp", now_ms)
    row = {
        "id": experience_id,
        "team_id": caller.team_id,
        "version": 1 + (0 if newest is None else newest["version"]),
        "published_by": caller.user_id,
    }
    await writer.run(sql.publish, org_id=caller.org_id, now=now_ms, document=text, **row)
    detail = {"version": row["version"], "draft": draft.version}
    writer.audit("experience.published", ("experience", experience_id), detail=detail)
    await quotas.adjust(writer, caller.org_id, caller.team_id, _STORAGE, len(text.encode()))
    return version_json({**row, "published_at": now_ms}, draft.document)


async def list_page(reader: Reader, caller: Principal, before: int, limit: int) -> Sequence[Row]:
    return await reader.all(
        sql.versions_of_team, org_id=caller.org_id, team_id=caller.team_id, before=before, limit=limit
    )


async def document_of(reader: Reader, caller: Principal, version: int) -> Document:
    """Returns a version of the caller's team; raises `NotFound`."""
    text = await reader.value(
        sql.version_of_team, org_id=caller.org_id, team_id=caller.team_id, version=version
    )
    if text is None:
        raise NotFound()
    return stored_document(text)


def version_json(row: Mapping[str, Any], document: Document | None = None) -> dict[str, Any]:
    content = {
        "id": row["id"],
        "version": row["version"],
        "published_by": row["published_by"],
        "published_at": rfc3339(row["published_at"]),
    }
    if document is None:
        return {**content, "current": bool(row["is_current"])}
    return {"template": None, "assets": {}, **document.raw, **content, "current": True}

"""What was published: each version stays, and the newest of a company is the one that visitors see."""

from collections.abc import Mapping, Sequence
from typing import Any

from builtin_plugins.beta.experiences.current import sql
from builtin_plugins.beta.experiences.document import Document
from builtin_plugins.beta.experiences.drafts import CheckIfMatch, draft_of
from builtin_plugins.beta.experiences.judging import stored_document
from builtin_plugins.beta.experiences.seeds import MINIMAL
from guildhall_sdk import Conflict, NotFound, Principal, Reader, Row, Writer, new_id, rfc3339
from guildhall_sdk.services.quotas import Quotas

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

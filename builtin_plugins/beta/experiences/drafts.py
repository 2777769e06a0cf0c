"""A team's draft: what it will publish next."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.beta.assets.service import check_assets
from builtin_plugins.beta.experiences.current import Experiences, sql
from builtin_plugins.beta.experiences.document import Document
from builtin_plugins.beta.experiences.judging import judge_document, stored_document
from guildhall_sdk import Call, Conflict, Reader, Writer, rfc3339_or_none
from libs.fair_slots import BODIES

CheckIfMatch = Callable[[str], None]
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Draft:
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
    """Saves a draft in which absent fields stay as they are; judged before anything is written."""
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
        document = await BODIES.run(call.principal.org_id, judge_document, change(before))
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

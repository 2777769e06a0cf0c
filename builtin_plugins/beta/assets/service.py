"""The work on assets, without HTTP."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from builtin_plugins.beta.assets.fonts import read_font
from guildhall_sdk import (
    InvalidRequest,
    NotFound,
    Principal,
    Reader,
    Row,
    Writer,
    load_queries,
    new_id,
    rfc3339,
)
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.pages import Pictures
from libs.fair_slots import BODIES

MAX_BYTES = 2 * 1024 * 1024
PATH = "/api/beta/asset/"
ID = "ast"
_STORAGE = "storage.bytes"
_AFTER_ALL = "~"

sql = load_queries(Path(__file__).with_name("queries.sql"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """What somebody brought, checked."""

    kind: str
    content_type: str
    filename: str | None
    digest: str
    size: int
    content: bytes = field(repr=False)


async def check_upload(pictures: Pictures, org_id: str, body: Mapping[str, Any]) -> Upload:
    """Judges by content, off the event loop; raises `TooLarge` or `InvalidRequest`."""
    kind, content_type = body["kind"], body["content_type"]
    is_font = content_type.startswith("font/")
    if is_font != (kind == "font"):
        raise InvalidRequest.at("/content_type", f"is none of a {kind}")
    checked = (
        await BODIES.run(org_id, read_font, content_type, body["data"], MAX_BYTES)
        if is_font
        else await pictures.check(org_id, content_type, body["data"], max_bytes=MAX_BYTES)
    )
    return Upload(
        kind=kind,
        content_type=checked.content_type,
        filename=body.get("filename"),
        digest=checked.digest,
        size=checked.size,
        content=checked.content,
    )


async def add(
    writer: Writer, quotas: Quotas, caller: Principal, upload: Upload, now_ms: int
) -> dict[str, Any]:
    """Stores an asset, which counts as storage of the caller's team."""
    asset_id = new_id(ID, now_ms)
    fields = {
        "kind": upload.kind,
        "content_type": upload.content_type,
        "filename": upload.filename,
        "sha256": upload.digest,
        "size": upload.size,
        "created_by": caller.user_id,
    }
    await writer.run(
        sql.insert_asset,
        id=asset_id,
        org_id=caller.org_id,
        team_id=caller.team_id,
        now=now_ms,
        content=upload.content,
        **fields,
    )
    detail = {"kind": upload.kind, "content_type": upload.content_type, "size": upload.size}
    writer.audit("asset.added", ("asset", asset_id), detail=detail)
    await quotas.adjust(writer, caller.org_id, caller.team_id, _STORAGE, upload.size)
    return asset_json({"id": asset_id, "created_at": now_ms, **fields})


async def list_page(reader: Reader, team_id: str, before: str | None, limit: int) -> Sequence[Row]:
    return await reader.all(sql.list_assets, team_id=team_id, before=before or _AFTER_ALL, limit=limit)


async def remove(writer: Writer, quotas: Quotas, caller: Principal, asset_id: str) -> None:
    """Removes an asset of the caller's team; a page that shows it goes on without it."""
    gone = await writer.one(sql.delete_asset, id=asset_id, team_id=caller.team_id)
    if gone is None:
        raise NotFound()
    writer.audit("asset.deleted", ("asset", asset_id), detail={"kind": gone["kind"]})
    await quotas.adjust(writer, caller.org_id, caller.team_id, _STORAGE, -gone["size"])


async def content_of(reader: Reader, asset_id: str) -> Row:
    row = await reader.one(sql.asset_content, id=asset_id)
    if row is None:
        raise NotFound()
    return row


async def places_of(reader: Reader, team_id: str | None, assets: Mapping[str, str]) -> dict[str, str]:
    """Returns the addresses of those that are there, by kind; a deleted one is as if it were not named."""
    found = await _kinds(reader, team_id, assets)
    places = {kind: place for kind, place in assets.items() if place.startswith("/")}
    return places | {
        kind: PATH + place
        for kind, place in assets.items()
        if place not in places and found.get(place) == kind
    }


async def check_assets(reader: Reader, team_id: str, assets: Mapping[str, str]) -> None:
    """Raises `InvalidRequest` for one that is not this team's own, or of another kind."""
    found = await _kinds(reader, team_id, assets)
    for kind, place in assets.items():
        if not place.startswith("/") and found.get(place) != kind:
            raise InvalidRequest.at(f"/assets/{kind}", f"is no {kind} of your team; upload one first")


async def _kinds(reader: Reader, team_id: str | None, assets: Mapping[str, str]) -> dict[str, str]:
    if team_id is None or all(place.startswith("/") for place in assets.values()):
        return {}
    named = {kind: assets.get(kind, "") for kind in ("logo", "hero", "font")}
    return {row["id"]: row["kind"] for row in await reader.all(sql.assets_named, team_id=team_id, **named)}


def asset_json(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": row["id"],
        "kind": row["kind"],
        "url": PATH + row["id"],
        "content_type": row["content_type"],
        "filename": row["filename"],
        "sha256": row["sha256"],
        "size": row["size"],
        "created_by": row["created_by"],
        "created_at": rfc3339(row["created_at"]),
    }

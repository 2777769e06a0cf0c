"""The work on brandings and logos, without HTTP, and the services `Pictures`, `Themes` and `Brandings`."""

import base64
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from builtin_plugins.branding.branding import (
    INSTANCE,
    Branding,
    BrandingOwner,
    branding_json,
    check_theme,
    digest_in,
    tagline_fault,
    title_fault,
)
from builtin_plugins.branding.svg import SVG
from builtin_plugins.branding.upload import EXTENSIONS, Logo, read_picture
from guildhall_sdk import InvalidRequest, NotFound, Reader, Reply, Writer, load_queries
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.pages import MAX_PICTURE_BYTES, Picture, VisibleBranding
from libs.fair_slots import BODIES
from libs.themes import palette

STORAGE = "storage.bytes"

sql = load_queries(Path(__file__).with_name("queries.sql"))

_WORDING = {"title": title_fault, "tagline": tagline_fault}


async def branding_for(reader: Reader, org_id: str | None, hostname: str) -> dict[str, Any]:
    """Returns the branding of the caller's company, else of the one at this hostname, else the instance's."""
    brandings = await _brandings(reader, org_id, hostname)
    at_hostname = next((owner for owner in brandings if owner not in (INSTANCE.key, org_id)), None)
    return branding_json(brandings, org_id if org_id in brandings else at_hostname)


async def of_owner(reader: Reader, owner: BrandingOwner) -> dict[str, Any]:
    return branding_json(await _brandings(reader, owner.org_id, ""), owner.org_id)


async def _brandings(reader: Reader, org_id: str | None, hostname: str) -> dict[str, Branding]:
    rows = await reader.all(sql.brandings_for, org_id=org_id or "", hostname=hostname)
    return {row["owner"]: Branding.from_row(row) for row in rows}


def check_change(fields: Mapping[str, Any]) -> None:
    """Checks all that can be checked without the database."""
    for name, fault_of in _WORDING.items():
        if name in fields and (fault := fault_of(fields[name])):
            raise InvalidRequest.at(f"/{name}", fault)
    check_theme(fields.get("theme", {}))


async def change(
    writer: Writer, quotas: Quotas, owner: BrandingOwner, fields: Mapping[str, Any], now_ms: int
) -> None:
    """Sets what is there. `fields` went through `check_change`."""
    if not fields:
        return
    await _alone(writer, owner)
    digest = await _owned_logo(writer, owner, fields.get("logo"))
    theme = fields.get("theme")
    await writer.run(
        sql.put_branding,
        owner=owner.key,
        org_id=owner.org_id,
        title=fields.get("title"),
        tagline=fields.get("tagline"),
        theme=None if theme is None else json.dumps(theme),
        logo_set=int("logo" in fields),
        logo_digest=digest,
        now=now_ms,
    )
    await _sweep_logos(writer, quotas, owner)
    writer.audit("branding.changed", ("branding", owner.key), detail={"fields": sorted(fields)})


async def _owned_logo(writer: Writer, owner: BrandingOwner, url: str | None) -> str | None:
    """Returns the digest of an own logo; another's is refused like one that never existed."""
    if url is None:
        return None
    digest = digest_in(url)
    if digest is None or await writer.one(sql.logo_of, owner=owner.key, digest=digest) is None:
        raise InvalidRequest.at("/logo", "is not the URL of your logo; upload one, or send null for none")
    return digest


async def set_logo(
    writer: Writer, quotas: Quotas, owner: BrandingOwner, team_id: str | None, logo: Logo, now_ms: int
) -> None:
    """Sets a logo, which counts as storage of `team_id`. What it replaces makes room first."""
    await _alone(writer, owner)
    added = await writer.one(
        sql.put_logo,
        owner=owner.key,
        digest=logo.digest,
        org_id=owner.org_id,
        team_id=team_id,
        content_type=logo.content_type,
        size=logo.size,
        data=logo.data,
        now=now_ms,
    )
    await writer.run(
        sql.put_branding,
        owner=owner.key,
        org_id=owner.org_id,
        title=None,
        tagline=None,
        theme=None,
        logo_set=1,
        logo_digest=logo.digest,
        now=now_ms,
    )
    await _sweep_logos(writer, quotas, owner)
    if added is not None and owner.org_id is not None and team_id is not None:
        await quotas.adjust(writer, owner.org_id, team_id, STORAGE, logo.size)
    detail = {"digest": logo.digest, "content_type": logo.content_type, "size": logo.size}
    writer.audit("branding.logo_changed", ("branding", owner.key), detail=detail)


async def drop(writer: Writer, quotas: Quotas, owner: BrandingOwner) -> None:
    """Drops the branding; dropping what is not there is no change."""
    await _alone(writer, owner)
    dropped = await writer.one(sql.drop_branding, owner=owner.key)
    await _sweep_logos(writer, quotas, owner)
    if dropped is not None:
        writer.audit("branding.dropped", ("branding", owner.key))


async def _sweep_logos(writer: Writer, quotas: Quotas, owner: BrandingOwner) -> None:
    """Removes what nothing names any more, and gives its room back to the team that it counted for."""
    for row in await writer.all(sql.sweep_logos, owner=owner.key):
        if owner.org_id is not None:
            await quotas.adjust(writer, owner.org_id, row["team_id"], STORAGE, -row["size"])


async def _alone(writer: Writer, owner: BrandingOwner) -> None:
    """Locks the logos: a logo is swept when nothing names it, and meanwhile nobody may name one."""
    await writer.serialize(f"branding:{owner.key}")


async def logo_bytes(reader: Reader, digest: str) -> tuple[str, bytes]:
    """Returns the content type and the bytes; raises `NotFound`."""
    row = await reader.one(sql.logo_by_digest, digest=digest)
    if row is None:
        raise NotFound()
    return row["content_type"], base64.b64decode(row["data"])


# A browser that opens a picture by itself runs nothing and loads nothing, whatever the picture says.
_INERT = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
_FOR_EVER = "public, max-age=31536000, immutable"


class CheckedPictures:
    """Implements the SDK's `Pictures`."""

    async def check(
        self, holder: str, content_type: str, data: str, *, max_bytes: int = MAX_PICTURE_BYTES
    ) -> Picture:
        logo = await BODIES.run(holder, read_picture, content_type, data, max_bytes)
        return Picture(
            content_type=logo.content_type,
            digest=logo.digest,
            size=logo.size,
            content=base64.b64decode(logo.data),
        )

    def reply(self, picture: Picture, *, filename: str = "picture") -> Reply:
        return picture_reply(picture.content_type, picture.content, picture.digest, filename)


class CheckedThemes:
    """Implements the SDK's `Themes`."""

    def check(self, theme: Mapping[str, Any]) -> None:
        check_theme(theme)

    def palette(self, theme: Mapping[str, Any]) -> Mapping[str, str | int]:
        return palette(theme)


class StoredBrandings:
    """Implements the SDK's `Brandings`."""

    async def at(self, reader: Reader, hostname: str) -> VisibleBranding:
        found = await branding_for(reader, None, hostname)
        return VisibleBranding(
            title=found["title"], tagline=found["tagline"], logo=found["logo"], palette=found["palette"]
        )


def picture_reply(content_type: str, content: bytes, digest: str, filename: str) -> Reply:
    name = re.sub(r"[^A-Za-z0-9_-]", "", filename) or "picture"
    headers = {
        "Cache-Control": _FOR_EVER,
        "Content-Disposition": f'inline; filename="{name}.{EXTENSIONS[content_type]}"',
        "Content-Security-Policy": _INERT,
    }
    charset = "; charset=utf-8" if content_type == SVG else ""
    return Reply(headers=headers, etag=f'"{digest}"', content=content, content_type=content_type + charset)

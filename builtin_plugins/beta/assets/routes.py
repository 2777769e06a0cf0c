"""The rows of assets, their handlers, and an asset for the conformance tests."""

import base64
import re
from dataclasses import replace

from builtin_plugins.beta.assets import service
from builtin_plugins.beta.assets.fonts import CONTENT_TYPES as FONTS
from builtin_plugins.beta.assets.fonts import EXTENSIONS
from builtin_plugins.beta.assets.service import MAX_BYTES, PATH
from builtin_plugins.beta.experiences.document import ASSET_KINDS
from guildhall_sdk import (
    PAGE_QUERY,
    Auth,
    Call,
    Factory,
    Reply,
    Route,
    Row,
    SampleClient,
    created,
    cut_page,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.schema import enum, integer, listing, nullable, obj, shape, string, time
from guildhall_sdk.services.pages import Picture, Pictures

_PICTURES = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml")
# In base64, with room for the other fields.
_MAX_BODY = MAX_BYTES // 3 * 4 + 16 * 1024
_EXAMPLE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGMAAQAABQABDQottAAAAABJRU5ErkJggg=="

UPLOAD = obj(
    {
        "kind": enum(*ASSET_KINDS),
        "content_type": enum(*_PICTURES, *FONTS, description="Must be what the data is by its content"),
        "data": string(min_length=1, description=f"In base64, at most {MAX_BYTES} bytes"),
        "filename": string(min_length=1, max_length=255),
    },
    required=["kind", "content_type", "data"],
    example={"kind": "logo", "content_type": "image/png", "data": _EXAMPLE, "filename": "logo.png"},
)
ASSET = shape(
    {
        "id": string(),
        "kind": enum(*ASSET_KINDS),
        "url": string(),
        "content_type": string(),
        "size": integer(),
        "filename": nullable(string()),
        "sha256": string(),
        "created_by": string(),
        "created_at": time(),
    }
)

ROUTES = (
    Route(
        "POST",
        "/api/beta/assets",
        "add_asset",
        "Upload a logo, a hero picture or a font for the team's experience.",
        permission="settings:manage",
        body=UPLOAD,
        reply=ASSET,
        status=201,
        max_body=_MAX_BODY,
    ),
    Route(
        "GET",
        "/api/beta/assets",
        "list_assets",
        "The team's assets, newest first.",
        permission="settings:manage",
        query=PAGE_QUERY,
        reply=listing(ASSET),
    ),
    Route(
        "GET",
        f"{PATH}:id",
        "serve_asset",
        "A picture or a font by its id.",
        Auth.PUBLIC,
        content_type="*/*",
    ),
    Route(
        "DELETE",
        f"{PATH}:id",
        "delete_asset",
        "Delete an asset; a page that shows it goes on without it.",
        permission="settings:manage",
        status=204,
    ),
)


# Pages in a sandbox have an origin of their own, and load them all the same.
_ANYWHERE = {"Cross-Origin-Resource-Policy": "cross-origin"}
_FOR_EVER = "public, max-age=31536000, immutable"
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")


async def add_asset(call: Call) -> Reply:
    upload = await service.check_upload(call.service(Pictures), call.principal.org_id, call.body)
    async with call.write() as writer:
        asset = await service.add(writer, call.service(Quotas), call.principal, upload, call.now_ms)
    return created(asset, asset["url"])


async def list_assets(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    async with call.read() as reader:
        rows = await service.list_page(reader, call.principal.team_id, before, fetched)
    on_page, next_cursor = cut_page(rows, fetched, lambda row: str(row["id"]))
    return page([service.asset_json(row) for row in on_page], next_cursor)


async def delete_asset(call: Call) -> Reply:
    async with call.write() as writer:
        await service.remove(writer, call.service(Quotas), call.principal, call.params["id"])
    return no_content()


async def serve_asset(call: Call) -> Reply:
    async with call.read() as reader:
        row = await service.content_of(reader, call.params["id"])
    return _font_reply(row) if row["kind"] == "font" else _picture_reply(call.service(Pictures), row)


def _picture_reply(pictures: Pictures, row: Row) -> Reply:
    picture = Picture(
        content_type=row["content_type"],
        digest=row["sha256"],
        size=row["size"],
        content=bytes(row["content"]),
    )
    reply = pictures.reply(picture, filename=_stem(row))
    return replace(reply, headers={**reply.headers, **_ANYWHERE})


def _font_reply(row: Row) -> Reply:
    name = f"{_stem(row)}.{EXTENSIONS[row['content_type']]}"
    headers = {
        "Cache-Control": _FOR_EVER,
        "Content-Disposition": f'inline; filename="{name}"',
        "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
        # A browser fetches fonts with CORS, from whatever page.
        "Access-Control-Allow-Origin": "*",
        **_ANYWHERE,
    }
    return Reply(
        headers=headers,
        etag=f'"{row["sha256"]}"',
        content=bytes(row["content"]),
        content_type=row["content_type"],
    )


def _stem(row: Row) -> str:
    stem = (row["filename"] or "").rpartition("/")[2].partition(".")[0]
    return _UNSAFE.sub("", stem)[:60] or str(row["kind"])


HANDLERS = {handler.__name__: handler for handler in (add_asset, list_assets, delete_asset, serve_asset)}


async def make_asset(client: SampleClient, canary: str) -> str:
    """Makes a picture whose title and filename are the canary; returns its id."""
    picture = f'<svg xmlns="http://www.w3.org/2000/svg"><title>{canary}</title></svg>'
    upload = {
        "kind": "logo",
        "content_type": "image/svg+xml",
        "data": base64.b64encode(picture.encode()).decode(),
        "filename": f"{canary}.svg",
    }
    _, asset = await client.call("POST", "/api/beta/assets", upload)
    return str(asset["id"])


FACTORIES = (Factory("/api/beta/asset/:id", make_asset),)

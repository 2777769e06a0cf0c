"""HTTP in and out."""

import re
from dataclasses import replace

from builtin_plugins.beta.assets import service
from builtin_plugins.beta.assets.fonts import EXTENSIONS
from guildhall_sdk import Call, Reply, Row, created, cut_page, no_content, page, page_bounds
from guildhall_sdk.services.branding import Picture, Pictures
from guildhall_sdk.services.quotas import Quotas

# Pages in a sandbox have an origin of their own, and load them all the same.
_ANYWHERE = {"Cross-Origin-Resource-Policy": "cross-origin"}
_FOR_EVER = "public, max-age=31536000, immutable"
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")


async def add_asset(call: Call) -> Reply:
    upload = await service.judge_upload(call.service(Pictures), call.principal.org_id, call.body)
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

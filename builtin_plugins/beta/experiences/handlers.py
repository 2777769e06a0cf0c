"""HTTP in and out."""

import hashlib

from builtin_plugins.beta.experiences import drafts, versions
from builtin_plugins.beta.experiences.current import Experiences
from builtin_plugins.beta.experiences.public import slice_for
from builtin_plugins.beta.experiences.schemas import MAX_VERSION, READ_ONLY
from guildhall_sdk import InvalidRequest, NotFound, Reply, RequestContext, cut_page, page, page_bounds
from guildhall_sdk.services import Quotas
from libs.strict_json import encode_json

_MAX_DIGITS = 16


async def read_config(ctx: RequestContext) -> Reply:
    content = encode_json((await slice_for(ctx)).to_json())
    tag = hashlib.sha256(content).hexdigest()[:32]
    headers = {"Cache-Control": "no-cache", "Vary": "Host, Accept-Language"}
    return Reply(content=content, headers=headers, etag=f'"{tag}"')


async def read_draft(ctx: RequestContext) -> Reply:
    seed = ctx.service(Experiences).seed()
    async with ctx.read() as reader:
        draft = await drafts.draft_of(reader, ctx.principal.team_id, seed)
    return _draft_reply(ctx, draft)


async def save_draft(ctx: RequestContext) -> Reply:
    changes = {name: value for name, value in ctx.body.items() if name not in READ_ONLY}
    return _draft_reply(ctx, await drafts.save(ctx, changes))


async def publish_experience(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        return Reply(
            await versions.publish(writer, ctx.service(Quotas), ctx.principal, ctx.check_if_match, ctx.now_ms)
        )


async def list_versions(ctx: RequestContext) -> Reply:
    after, fetched = page_bounds(ctx.query)
    async with ctx.read() as reader:
        rows = await versions.list_page(reader, ctx.principal, _version_in(after), fetched)
    on_page, next_cursor = cut_page(rows, fetched, lambda row: str(row["version"]))
    return page([versions.version_json(row) for row in on_page], next_cursor)


async def restore_version(ctx: RequestContext) -> Reply:
    plugin, version = ctx.body.get("plugin"), ctx.body.get("version")
    if (plugin is None) == (version is None):
        raise InvalidRequest.at("", "takes either a version or a plugin")
    if plugin is None:
        async with ctx.read() as reader:
            document = await versions.document_of(reader, ctx.principal, version)
    elif (offered := ctx.service(Experiences).offered(plugin)) is not None:
        document = offered
    else:
        raise NotFound("No plugin of this id offers an experience.")
    return _draft_reply(ctx, await drafts.restore(ctx, document, plugin))


def _draft_reply(ctx: RequestContext, draft: drafts.Draft) -> Reply:
    return Reply(draft.to_json(ctx.service(Experiences).offers()), etag=draft.etag)


def _version_in(cursor: str | None) -> int:
    if cursor is None:
        return MAX_VERSION
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= _MAX_DIGITS):
        raise InvalidRequest.at("?cursor", "is not a cursor that this list gave; start without one")
    return int(cursor)


HANDLERS = {
    handler.__name__: handler
    for handler in (
        read_config,
        read_draft,
        save_draft,
        publish_experience,
        list_versions,
        restore_version,
    )
}

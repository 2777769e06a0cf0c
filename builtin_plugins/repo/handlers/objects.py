"""Objects by key and by id, their grants and visibility, and how long a bucket keeps what was deleted."""

from collections.abc import Mapping
from typing import Any, cast

from builtin_plugins.repo import finding, grants, lifecycle, listing, provenance
from builtin_plugins.repo.lifecycle_rules import Uses
from builtin_plugins.repo.object_row import MANAGE, Record, content_etag
from builtin_plugins.repo.service import StoredRepository
from guildhall_sdk import (
    PreconditionFailed,
    Principal,
    Reader,
    Reply,
    RequestContext,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.services import Plugins, Repository, Workflows
from guildhall_sdk.services.lifecycle import LifecycleRule


def repository(ctx: RequestContext) -> StoredRepository:
    return cast(StoredRepository, ctx.service(Repository))


def across_company(ctx: RequestContext) -> bool:
    if ctx.query["scope"] != "org":
        return False
    ctx.require("org:read")
    return True


def check_if_match(ctx: RequestContext, record: Record | None) -> None:
    """Checks `If-Match`, which takes the metadata's entity tag or the content's."""
    if "if-match" not in ctx.headers:
        return
    if record is None:
        raise PreconditionFailed("There is nothing here that it could match.")
    try:
        ctx.check_if_match(record.etag)
    except PreconditionFailed:
        ctx.check_if_match(content_etag(record.newest))


async def object_reply(
    reader: Reader, caller: Principal, record: Record, *, created: bool = False, wide: bool = False
) -> Reply:
    rights = record.rights_of(caller, across_company=wide)
    fields = record.to_json(await finding.versions_of(reader, record), rights)
    if created:
        return Reply(fields, 201, headers={"Location": f"/api/repo-obj/{record.id}"}, etag=record.etag)
    return Reply(fields, etag=record.etag)


async def list_objects(ctx: RequestContext) -> Reply:
    caller = ctx.principal
    wide = across_company(ctx)
    async with ctx.read() as reader:
        visible, folders, more = await _list_page(ctx, reader, wide)
        versions = await finding.versions_of_many(reader, caller.org_id, visible)
    items = [
        record.to_json(versions[record.id], record.rights_of(caller, across_company=wide))
        for record in visible
    ]
    return page(items, more, folders=folders)


async def _list_page(
    ctx: RequestContext, reader: Reader, wide: bool
) -> tuple[list[Record], list[str], str | None]:
    caller, query = ctx.principal, ctx.query
    limit: int = query["limit"]
    start, after_id = listing.place_of(query.get("cursor"))
    place: Mapping[str, Any] = {"prefix": query["prefix"], "start": start, "after_id": after_id}
    if query["deleted"] == "1":
        records = await listing.deleted(reader, caller, ctx.now_ms, **place, limit=limit + 1)
        return _cut(records, limit)
    only_given = query["shared"] == "1"
    scope = listing.given(caller) if only_given else listing.everywhere(caller, across_company=wide)
    if "delimiter" in query:
        return await listing.folder(reader, caller, scope, ctx.now_ms, **place, limit=limit)
    return _cut(await listing.objects(reader, caller, scope, ctx.now_ms, **place, limit=limit + 1), limit)


def _cut(records: list[Record], limit: int) -> tuple[list[Record], list[str], str | None]:
    visible = records[:limit]
    return visible, [], listing.cursor_of(visible[-1]) if len(records) > limit else None


async def read_object(ctx: RequestContext) -> Reply:
    wide = across_company(ctx)
    async with ctx.read() as reader:
        record = await finding.readable(
            reader, ctx.principal, ctx.params["id"], ctx.now_ms, across_company=wide
        )
        return await object_reply(reader, ctx.principal, record, wide=wide)


async def delete_object(ctx: RequestContext) -> Reply:
    removing, caller, object_id = repository(ctx).removing, ctx.principal, ctx.params["id"]

    def check(record: Record | None) -> None:
        check_if_match(ctx, record)

    async with ctx.write() as writer:
        if ctx.query["keep"] == "1":
            await removing.mark_by_id(writer, caller, object_id, check)
        else:
            await removing.delete(writer, caller, object_id, check)
    return no_content()


async def restore_object(ctx: RequestContext) -> Reply:
    repo, caller, number = repository(ctx), ctx.principal, ctx.body.get("version")
    async with ctx.write() as writer:
        held = await finding.hold_object(writer, caller, ctx.params["id"], ctx.now_ms, deleted=number is None)
        check_if_match(ctx, held)
        if number is None:
            await repo.removing.bring_back(writer, caller, held)
        else:
            await repo.restore_version(writer, caller, held, number)
        return await object_reply(writer, caller, await finding.by_id(writer, caller, held.id, ctx.now_ms))


async def read_derivations(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        record = await finding.readable(reader, ctx.principal, ctx.params["id"], ctx.now_ms)
        return Reply(await provenance.read_derivations(reader, ctx.principal, record, ctx.now_ms))


async def read_processing(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        record = await finding.readable(reader, ctx.principal, ctx.params["id"], ctx.now_ms)
        made = await provenance.read_derivations(reader, ctx.principal, record, ctx.now_ms)
        workflows, runs = ctx.host.find_service(Workflows), []
        if workflows is not None:
            run_ids = await provenance.runs_of(reader, record)
            runs = [*await workflows.touching(reader, ctx.principal, record.id, run_ids)]
    return Reply({**made, "runs": [run.public() for run in runs]})


async def read_text(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        record = await finding.readable(reader, ctx.principal, ctx.params["id"], ctx.now_ms)
        found = await repository(ctx).texts.current(reader, record)
    return Reply({"status": found.status, "text": found.text, "version": found.number})


async def share_object(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        record = await grants.hold_managed(writer, ctx.principal, ctx.params["id"], ctx.now_ms)
        check_if_match(ctx, record)
        holder, capability = grants.holder_in(ctx.body), grants.capability_in(ctx.body)
        ends = grants.end_in(ctx.body, ctx.now_ms)
        await grants.share(
            writer, ctx.principal, record, holder, capability, expires_at=ends, now_ms=ctx.now_ms
        )
        return await grants.page_of_grants(writer, record, ctx.now_ms)


async def unshare_object(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        record = await grants.hold_managed(writer, ctx.principal, ctx.params["id"], ctx.now_ms)
        check_if_match(ctx, record)
        await grants.unshare(writer, record, grants.holder_in(ctx.body), ctx.now_ms)
        return await grants.page_of_grants(writer, record, ctx.now_ms)


async def list_grants(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        record = await finding.by_id(reader, ctx.principal, ctx.params["id"], ctx.now_ms)
        record.require(MANAGE, ctx.principal)
        return await grants.page_of_grants(reader, record, ctx.now_ms, *page_bounds(ctx.query))


async def set_visibility(ctx: RequestContext) -> Reply:
    caller = ctx.principal
    async with ctx.write() as writer:
        record = await grants.hold_managed(writer, caller, ctx.params["id"], ctx.now_ms)
        check_if_match(ctx, record)
        record.check_visibility(caller, ctx.body["visibility"])
        await repository(ctx).set_visibility(writer, record, ctx.body["visibility"])
        changed = await finding.by_id(writer, caller, record.id, ctx.now_ms)
        return await object_reply(writer, caller, changed)


async def list_share_targets(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        return Reply(await grants.targets(reader, ctx.principal))


async def read_lifecycle(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        return await _lifecycle_reply(ctx, reader)


async def set_lifecycle(ctx: RequestContext) -> Reply:
    rules = [LifecycleRule(**rule) for rule in ctx.body["rules"]]
    async with ctx.write() as writer:
        await lifecycle.set_rules(writer, ctx.principal, rules, ctx.now_ms)
    async with ctx.read() as reader:
        return await _lifecycle_reply(ctx, reader)


async def _lifecycle_reply(ctx: RequestContext, reader: Reader) -> Reply:
    who = ctx.principal
    found = await lifecycle.of_team(reader, who.team_id, who.org_id)
    uses = Uses(ctx.service(Plugins))
    preview = await lifecycle.preview_of(reader, who.team_id, found.rules, ctx.now_ms, uses)
    return Reply(lifecycle.public(found, preview))

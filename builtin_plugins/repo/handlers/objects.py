"""Objects by key and by id, their grants and visibility, and how long a bucket keeps what was deleted."""

from collections.abc import Mapping
from typing import Any, cast

from builtin_plugins.repo import finding, folder_moving, grants, lifecycle, listing, provenance, sorting
from builtin_plugins.repo.lifecycle_rules import Uses
from builtin_plugins.repo.object_row import MANAGE, Record, content_etag
from builtin_plugins.repo.service import StoredRepository
from guildhall_sdk import (
    Call,
    InvalidRequest,
    Principal,
    Reader,
    Reply,
    no_content,
    page,
    page_bounds,
    rfc3339,
)
from guildhall_sdk.errors import PreconditionFailed
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.replies import accepted
from guildhall_sdk.services.notifications import notify
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import LifecycleRule
from guildhall_sdk.services.workflows import RunSummary, Workflows
from libs.grants import holder_in


def repository(call: Call) -> StoredRepository:
    return cast(StoredRepository, call.service(Repository))


def across_company(call: Call) -> bool:
    if call.query["scope"] != "org":
        return False
    call.require("org:read")
    return True


def check_if_match(call: Call, record: Record | None) -> None:
    """Checks `If-Match`, which takes the metadata's entity tag or the content's."""
    if "if-match" not in call.headers:
        return
    if record is None:
        raise PreconditionFailed("There is nothing here that it could match.")
    try:
        call.check_if_match(record.etag)
    except PreconditionFailed:
        call.check_if_match(content_etag(record.newest))


async def object_reply(
    reader: Reader, caller: Principal, record: Record, *, created: bool = False, wide: bool = False
) -> Reply:
    rights = record.rights_of(caller, across_company=wide)
    fields = record.to_json(await finding.versions_of(reader, record), rights)
    if created:
        return Reply(fields, 201, headers={"Location": f"/api/repo-obj/{record.id}"}, etag=record.etag)
    return Reply(fields, etag=record.etag)


async def list_objects(call: Call) -> Reply:
    caller = call.principal
    wide = across_company(call)
    async with call.read() as reader:
        visible, folders, more = await _list_page(call, reader, wide)
        versions = await finding.versions_of_many(reader, caller.org_id, visible)
    items = [
        record.to_json(versions[record.id], record.rights_of(caller, across_company=wide))
        for record in visible
    ]
    return page(items, more, folders=folders)


async def _list_page(call: Call, reader: Reader, wide: bool) -> tuple[list[Record], list[str], str | None]:
    caller, query = call.principal, call.query
    limit: int = query["limit"]
    if (query["sort"], query["order"]) != ("name", "asc"):
        return await _sorted_page(call, reader, wide)
    start, after_id = listing.place_of(query.get("cursor"))
    place: Mapping[str, Any] = {"prefix": query["prefix"], "start": start, "after_id": after_id}
    if query["deleted"] == "1":
        records = await listing.deleted(reader, caller, call.now_ms, **place, limit=limit + 1)
        return _cut(records, limit)
    scope = _scope(call, wide)
    if "delimiter" in query:
        return await listing.folder(reader, caller, scope, call.now_ms, **place, limit=limit)
    return _cut(await listing.objects(reader, caller, scope, call.now_ms, **place, limit=limit + 1), limit)


def _scope(call: Call, wide: bool) -> listing.ListingScope:
    if call.query["shared"] == "1":
        return listing.given(call.principal)
    return listing.everywhere(call.principal, across_company=wide)


async def _sorted_page(call: Call, reader: Reader, wide: bool) -> tuple[list[Record], list[str], str | None]:
    caller, query = call.principal, call.query
    deleted = query["deleted"] == "1"
    scope = listing.in_bucket(caller, caller.team_id) if deleted else _scope(call, wide)
    wanted = sorting.SortedPage(
        prefix=query["prefix"],
        flat="delimiter" in query and not deleted,
        deleted=deleted,
        sort=query["sort"],
        order=query["order"],
        limit=query["limit"],
    )
    return await sorting.page(reader, caller, scope, call.now_ms, wanted, query.get("cursor"))


def _cut(records: list[Record], limit: int) -> tuple[list[Record], list[str], str | None]:
    visible = records[:limit]
    return visible, [], listing.cursor_of(visible[-1]) if len(records) > limit else None


async def read_object(call: Call) -> Reply:
    wide = across_company(call)
    async with call.read() as reader:
        record = await finding.readable(
            reader, call.principal, call.params["id"], call.now_ms, across_company=wide
        )
        return await object_reply(reader, call.principal, record, wide=wide)


async def delete_object(call: Call) -> Reply:
    removing, caller, object_id = repository(call).removing, call.principal, call.params["id"]

    def check(record: Record | None) -> None:
        check_if_match(call, record)

    async with call.write() as writer:
        if call.query["keep"] == "1":
            await removing.mark_by_id(writer, caller, object_id, check)
        else:
            await removing.delete(writer, caller, object_id, check)
    return no_content()


async def restore_object(call: Call) -> Reply:
    repo, caller, number = repository(call), call.principal, call.body.get("version")
    async with call.write() as writer:
        held = await finding.hold_object(
            writer, caller, call.params["id"], call.now_ms, deleted=number is None
        )
        check_if_match(call, held)
        if number is None:
            await repo.removing.bring_back(writer, caller, held)
        else:
            await repo.restore_version(writer, caller, held, number)
        return await object_reply(writer, caller, await finding.by_id(writer, caller, held.id, call.now_ms))


async def move_object(call: Call) -> Reply:
    moving, caller = repository(call).moving, call.principal
    object_id, key = call.params["id"], call.body["key"]

    def check(record: Record) -> None:
        check_if_match(call, record)

    prepared = await moving.prepare(caller, object_id, key)
    async with call.write() as writer:
        moved = await moving.move(writer, caller, object_id, key, prepared, check)
        return await object_reply(writer, caller, moved)


async def move_folder(call: Call) -> Reply:
    async with call.write() as writer:
        job = await folder_moving.enqueue(
            call.host, writer, call.principal, call.body["from"], call.body["to"]
        )
    return accepted(job.public(with_content=True), f"/api/jobs/{job.id}")


async def read_derivations(call: Call) -> Reply:
    async with call.read() as reader:
        record = await finding.readable(reader, call.principal, call.params["id"], call.now_ms)
        return Reply(await provenance.read_derivations(reader, call.principal, record, call.now_ms))


async def read_processing(call: Call) -> Reply:
    async with call.read() as reader:
        record = await finding.readable(reader, call.principal, call.params["id"], call.now_ms)
        made = await provenance.read_derivations(reader, call.principal, record, call.now_ms)
        workflows, runs = call.host.find_service(Workflows), []
        if workflows is not None:
            run_ids = await provenance.runs_of(reader, record)
            runs = [*await workflows.touching(reader, call.principal, record.id, run_ids)]
    return Reply({**made, "runs": [_run_json(run) for run in runs]})


def _run_json(run: RunSummary) -> dict[str, Any]:
    workflow = {"slug": run.slug, "version": run.version}
    return {"id": run.id, "workflow": workflow, "state": run.state, "created_at": rfc3339(run.created_at)}


async def read_text(call: Call) -> Reply:
    async with call.read() as reader:
        record = await finding.readable(reader, call.principal, call.params["id"], call.now_ms)
        found = await repository(call).texts.current(reader, record)
    return Reply({"status": found.status, "text": found.text, "version": found.number})


async def share_object(call: Call) -> Reply:
    async with call.write() as writer:
        record = await grants.hold_managed(writer, call.principal, call.params["id"], call.now_ms)
        check_if_match(call, record)
        holder, capability = holder_in(call.body, InvalidRequest.at), grants.capability_in(call.body)
        ends = grants.end_in(call.body, call.now_ms)
        await grants.share(
            writer, call.principal, record, holder, capability, expires_at=ends, now_ms=call.now_ms
        )
        await notify(call.host, writer, grants.share_notice(call.principal, record, holder))
        return await grants.page_of_grants(writer, record, call.now_ms)


async def unshare_object(call: Call) -> Reply:
    async with call.write() as writer:
        record = await grants.hold_managed(writer, call.principal, call.params["id"], call.now_ms)
        check_if_match(call, record)
        await grants.unshare(writer, record, holder_in(call.body, InvalidRequest.at), call.now_ms)
        return await grants.page_of_grants(writer, record, call.now_ms)


async def list_grants(call: Call) -> Reply:
    async with call.read() as reader:
        record = await finding.by_id(reader, call.principal, call.params["id"], call.now_ms)
        record.require(MANAGE, call.principal)
        return await grants.page_of_grants(reader, record, call.now_ms, *page_bounds(call.query))


async def set_visibility(call: Call) -> Reply:
    caller = call.principal
    async with call.write() as writer:
        record = await grants.hold_managed(writer, caller, call.params["id"], call.now_ms)
        check_if_match(call, record)
        record.check_visibility(caller, call.body["visibility"])
        await repository(call).set_visibility(writer, record, call.body["visibility"])
        changed = await finding.by_id(writer, caller, record.id, call.now_ms)
        return await object_reply(writer, caller, changed)


async def list_share_targets(call: Call) -> Reply:
    async with call.read() as reader:
        return Reply(await grants.targets(reader, call.principal))


async def read_lifecycle(call: Call) -> Reply:
    async with call.read() as reader:
        return await _lifecycle_reply(call, reader)


async def set_lifecycle(call: Call) -> Reply:
    rules = [LifecycleRule(**rule) for rule in call.body["rules"]]
    async with call.write() as writer:
        await lifecycle.set_rules(writer, call.principal, rules, call.now_ms)
    async with call.read() as reader:
        return await _lifecycle_reply(call, reader)


async def _lifecycle_reply(call: Call, reader: Reader) -> Reply:
    who = call.principal
    found = await lifecycle.of_team(reader, who.team_id, who.org_id)
    uses = Uses(call.service(Plugins))
    preview = await lifecycle.preview_of(reader, who.team_id, found.rules, call.now_ms, uses)
    return Reply(lifecycle.public(found, preview))

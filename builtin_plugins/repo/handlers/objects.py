"""Objects by key and by id."""

from collections.abc import Mapping
from typing import Any

from builtin_plugins.repo import finding, listing, provenance
from builtin_plugins.repo.handlers.preconditions import (
    across_company,
    check_if_match,
    object_reply,
    repository,
)
from builtin_plugins.repo.object_row import Record
from guildhall_sdk import Call, Reader, Reply, no_content, page
from guildhall_sdk.services.workflows import Workflows


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
    start, after_id = listing.place_of(query.get("cursor"))
    place: Mapping[str, Any] = {"prefix": query["prefix"], "start": start, "after_id": after_id}
    if query["deleted"] == "1":
        records = await listing.deleted(reader, caller, call.now_ms, **place, limit=limit + 1)
        return _cut(records, limit)
    only_given = query["shared"] == "1"
    ways = listing.given(caller) if only_given else listing.everywhere(caller, across_company=wide)
    if "delimiter" in query:
        return await listing.folder(reader, caller, ways, call.now_ms, **place, limit=limit)
    return _cut(await listing.objects(reader, caller, ways, call.now_ms, **place, limit=limit + 1), limit)


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

    def judge(record: Record | None) -> None:
        check_if_match(call, record)

    async with call.write() as writer:
        if call.query["keep"] == "1":
            await removing.mark_by_id(writer, caller, object_id, judge)
        else:
            await removing.delete(writer, caller, object_id, judge)
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
    return Reply({**made, "runs": [run.public() for run in runs]})


async def read_text(call: Call) -> Reply:
    async with call.read() as reader:
        record = await finding.readable(reader, call.principal, call.params["id"], call.now_ms)
        found = await repository(call).texts.current(reader, record)
    return Reply({"status": found.status, "text": found.text, "version": found.number})

"""Text documents."""

from builtin_plugins.repo import documents, finding, listing
from builtin_plugins.repo.handlers.preconditions import check_if_match, repository
from builtin_plugins.repo.keys import MARKDOWN
from builtin_plugins.repo.object_row import Record
from builtin_plugins.repo.rights import DELETE, WRITE
from guildhall_sdk import Call, Principal, Reader, Reply, created, cut_page, no_content, page, page_bounds
from guildhall_sdk.services.stored_objects import NewVersion, Staged


async def create_document(call: Call) -> Reply:
    repo, caller, fields = repository(call), call.principal, call.body
    title, body = fields["title"], fields.get("body", "")
    new = NewVersion(documents.filename_for(title), MARKDOWN, fields.get("visibility", "private"))
    staged = await documents.stage_text(repo, caller.org_id, caller.team_id, body)
    key = documents.new_key(call.now_ms)
    try:
        prepared = await repo.texts.prepare(caller.org_id, key, body)
        async with call.write() as writer:
            record, _ = await repo.writing.put(
                writer, caller, caller.team_id, key, staged, new, title=title, text=body, prepared=prepared
            )
            reply = await _reply(writer, caller, record, body)
    except BaseException:
        await repo.give_up(staged)
        raise
    return created(reply.body, f"/api/documents/{record.id}", etag=record.etag)


async def list_documents(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    async with call.read() as reader:
        records = await listing.documents(reader, call.principal, call.now_ms, before, fetched)
        visible, next_cursor = cut_page(records, fetched, lambda record: record.id)
        versions = await finding.versions_of_many(reader, call.principal.org_id, visible)
    caller = call.principal
    items = [
        documents.with_title(record, record.to_json(versions[record.id], record.rights_of(caller)))
        for record in visible
    ]
    return page(items, next_cursor)


async def read_document(call: Call) -> Reply:
    async with call.read() as reader:
        record = await finding.readable(reader, call.principal, call.params["id"], call.now_ms)
        documents.check_document(record)
        reply = await _reply(reader, call.principal, record, "")
    body = await documents.body_of(repository(call), record.newest)
    return Reply({**reply.body, "body": body}, etag=record.etag)


async def update_document(call: Call) -> Reply:
    """Changes a document; all but the text is checked before bytes are staged, and again when written."""
    repo, caller, fields = repository(call), call.principal, call.body
    async with call.read() as reader:
        seen = await finding.by_id(reader, caller, call.params["id"], call.now_ms)
        seen.require(WRITE, caller)
        documents.check_document(seen)
        text_seen = await repo.texts.of(reader, seen)
    if not fields:
        check_if_match(call, seen)
        return await read_document(call)
    given = fields.get("body")
    staged = None
    if given is not None:
        staged = await documents.stage_text(repo, seen.org_id, seen.team_id, given)
    try:
        prepared = await repo.texts.prepare(seen.org_id, seen.key, text_seen if given is None else given)
        async with call.write() as writer:
            record = await finding.hold_object(writer, caller, seen.id, call.now_ms)
            record.require(WRITE, caller)
            documents.check_document(record)
            check_if_match(call, record)
            text = given if given is not None else await repo.texts.of(writer, record)
            title = fields.get("title")
            new = NewVersion(
                record.newest.filename if title is None else documents.filename_for(title),
                record.newest.content_type,
                fields.get("visibility"),
            )
            content: Staged = staged or documents.staged_again(record.newest)
            changed, _ = await repo.writing.put(
                writer,
                caller,
                record.team_id,
                record.key,
                content,
                new,
                title=title or record.title,
                text=text,
                prepared=prepared,
            )
            reply = await _reply(writer, caller, changed, "")
    except BaseException:
        if staged is not None:
            await repo.give_up(staged)
        raise
    body = given if given is not None else await documents.body_of(repo, changed.newest)
    return Reply({**reply.body, "body": body}, etag=changed.etag)


async def delete_document(call: Call) -> Reply:
    repo, caller = repository(call), call.principal

    def judge(record: Record | None) -> None:
        check_if_match(call, record)

    async with call.write() as writer:
        record = await finding.by_id(writer, caller, call.params["id"], call.now_ms)
        record.require(DELETE, caller)
        documents.check_document(record)
        await repo.removing.delete(writer, caller, record.id, judge)
    return no_content()


async def _reply(reader: Reader, caller: Principal, record: Record, body: str) -> Reply:
    fields = record.to_json(await finding.versions_of(reader, record), record.rights_of(caller))
    return Reply({**documents.with_title(record, fields), "body": body}, etag=record.etag)

"""Text documents."""

from builtin_plugins.repo import documents, finding, listing
from builtin_plugins.repo.handlers.objects import check_if_match, repository
from builtin_plugins.repo.keys import MARKDOWN
from builtin_plugins.repo.object_row import DELETE, WRITE, Record
from builtin_plugins.repo.writing import IncomingVersion
from guildhall_sdk import (
    Principal,
    Reader,
    Reply,
    RequestContext,
    created,
    cut_page,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.services import NewVersion, Staged


async def create_document(ctx: RequestContext) -> Reply:
    repo, caller, fields = repository(ctx), ctx.principal, ctx.body
    title, body = fields["title"], fields.get("body", "")
    new = NewVersion(documents.filename_for(title), MARKDOWN, fields.get("visibility", "private"))
    staged = await documents.stage_text(repo, caller.org_id, caller.team_id, body)
    key = documents.new_key(ctx.now_ms)
    try:
        prepared = await repo.texts.prepare(caller.org_id, key, body)
        async with ctx.write() as writer:
            incoming = IncomingVersion(
                team_id=caller.team_id,
                key=key,
                staged=staged,
                new=new,
                title=title,
                text=body,
                prepared=prepared,
            )
            record, _ = await repo.writing.put(writer, caller, incoming)
            reply = await _reply(writer, caller, record, body)
    except BaseException:
        await repo.give_up(staged)
        raise
    return created(reply.body, f"/api/documents/{record.id}", etag=record.etag)


async def list_documents(ctx: RequestContext) -> Reply:
    before, fetched = page_bounds(ctx.query)
    async with ctx.read() as reader:
        records = await listing.documents(reader, ctx.principal, ctx.now_ms, before, fetched)
        visible, next_cursor = cut_page(records, fetched, lambda record: record.id)
        versions = await finding.versions_of_many(reader, ctx.principal.org_id, visible)
    caller = ctx.principal
    items = [
        documents.with_title(record, record.to_json(versions[record.id], record.rights_of(caller)))
        for record in visible
    ]
    return page(items, next_cursor)


async def read_document(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        record = await finding.readable(reader, ctx.principal, ctx.params["id"], ctx.now_ms)
        documents.check_document(record)
        reply = await _reply(reader, ctx.principal, record, "")
    body = await documents.body_of(repository(ctx), record.newest)
    return Reply({**reply.body, "body": body}, etag=record.etag)


async def update_document(ctx: RequestContext) -> Reply:
    """Changes a document; all but the text is checked before bytes are staged, and again when written."""
    repo, caller, fields = repository(ctx), ctx.principal, ctx.body
    async with ctx.read() as reader:
        seen = await finding.by_id(reader, caller, ctx.params["id"], ctx.now_ms)
        seen.require(WRITE, caller)
        documents.check_document(seen)
        text_seen = await repo.texts.of(reader, seen)
    if not fields:
        check_if_match(ctx, seen)
        return await read_document(ctx)
    given = fields.get("body")
    staged = None
    if given is not None:
        staged = await documents.stage_text(repo, seen.org_id, seen.team_id, given)
    try:
        prepared = await repo.texts.prepare(seen.org_id, seen.key, text_seen if given is None else given)
        async with ctx.write() as writer:
            record = await finding.hold_object(writer, caller, seen.id, ctx.now_ms)
            record.require(WRITE, caller)
            documents.check_document(record)
            check_if_match(ctx, record)
            text = given if given is not None else await repo.texts.of(writer, record)
            title = fields.get("title")
            new = NewVersion(
                record.newest.filename if title is None else documents.filename_for(title),
                record.newest.content_type,
                fields.get("visibility"),
            )
            content: Staged = staged or documents.staged_again(record.newest)
            incoming = IncomingVersion(
                team_id=record.team_id,
                key=record.key,
                staged=content,
                new=new,
                title=title or record.title,
                text=text,
                prepared=prepared,
            )
            changed, _ = await repo.writing.put(writer, caller, incoming)
            reply = await _reply(writer, caller, changed, "")
    except BaseException:
        if staged is not None:
            await repo.give_up(staged)
        raise
    body = given if given is not None else await documents.body_of(repo, changed.newest)
    return Reply({**reply.body, "body": body}, etag=changed.etag)


async def delete_document(ctx: RequestContext) -> Reply:
    repo, caller = repository(ctx), ctx.principal

    def check(record: Record | None) -> None:
        check_if_match(ctx, record)

    async with ctx.write() as writer:
        record = await finding.by_id(writer, caller, ctx.params["id"], ctx.now_ms)
        record.require(DELETE, caller)
        documents.check_document(record)
        await repo.removing.delete(writer, caller, record.id, check)
    return no_content()


async def _reply(reader: Reader, caller: Principal, record: Record, body: str) -> Reply:
    fields = record.to_json(await finding.versions_of(reader, record), record.rights_of(caller))
    return Reply({**documents.with_title(record, fields), "body": body}, etag=record.etag)

"""What several handlers ask of a request."""

from typing import cast

from builtin_plugins.repo import finding
from builtin_plugins.repo.object_row import Record, content_etag
from builtin_plugins.repo.service import StoredRepository
from guildhall_sdk import PreconditionFailed, Principal, Reader, Reply, RequestContext
from guildhall_sdk.services import Repository


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

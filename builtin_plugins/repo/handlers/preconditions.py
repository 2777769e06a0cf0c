"""What several handlers ask of a request."""

from typing import cast

from builtin_plugins.repo import finding
from builtin_plugins.repo.object_row import Record, content_etag
from builtin_plugins.repo.service import StoredRepository
from guildhall_sdk import Call, Principal, Reader, Reply
from guildhall_sdk.errors import PreconditionFailed
from guildhall_sdk.services.repository import Repository


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

"""HTTP in and out."""

import hashlib

from builtin_plugins.beta.experiences import drafts, versions
from builtin_plugins.beta.experiences.current import Experiences
from builtin_plugins.beta.experiences.public import slice_for
from builtin_plugins.beta.experiences.schemas import MAX_VERSION, READ_ONLY
from guildhall_sdk import Call, InvalidRequest, NotFound, Reply, cut_page, page, page_bounds
from guildhall_sdk.services.quotas import Quotas
from libs.strict_json import encode_json

_MAX_DIGITS = 16


async def read_config(call: Call) -> Reply:
    content = encode_json((await slice_for(call)).to_json())
    tag = hashlib.sha256(content).hexdigest()[:32]
    headers = {"Cache-Control": "no-cache", "Vary": "Host, Accept-Language"}
    return Reply(content=content, headers=headers, etag=f'"{tag}"')


async def read_draft(call: Call) -> Reply:
    seed = call.service(Experiences).seed()
    async with call.read() as reader:
        draft = await drafts.draft_of(reader, call.principal.team_id, seed)
    return _draft_reply(call, draft)


async def save_draft(call: Call) -> Reply:
    changes = {name: value for name, value in call.body.items() if name not in READ_ONLY}
    return _draft_reply(call, await drafts.save(call, changes))


async def publish_experience(call: Call) -> Reply:
    async with call.write() as writer:
        return Reply(
            await versions.publish(
                writer, call.service(Quotas), call.principal, call.check_if_match, call.now_ms
            )
        )


async def list_versions(call: Call) -> Reply:
    after, fetched = page_bounds(call.query)
    async with call.read() as reader:
        rows = await versions.list_page(reader, call.principal, _version_in(after), fetched)
    on_page, next_cursor = cut_page(rows, fetched, lambda row: str(row["version"]))
    return page([versions.version_json(row) for row in on_page], next_cursor)


async def restore_version(call: Call) -> Reply:
    plugin, version = call.body.get("plugin"), call.body.get("version")
    if (plugin is None) == (version is None):
        raise InvalidRequest.at("", "takes either a version or a plugin")
    if plugin is None:
        async with call.read() as reader:
            document = await versions.document_of(reader, call.principal, version)
    elif (offered := call.service(Experiences).offered(plugin)) is not None:
        document = offered
    else:
        raise NotFound("No plugin of this id offers an experience.")
    return _draft_reply(call, await drafts.restore(call, document, plugin))


def _draft_reply(call: Call, draft: drafts.Draft) -> Reply:
    return Reply(draft.to_json(call.service(Experiences).offers()), etag=draft.etag)


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

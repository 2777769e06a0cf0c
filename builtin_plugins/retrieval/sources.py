"""What a question is asked of: the whole workspace, or folders, files, notes and entities that are named."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from guildhall_sdk import (
    Host,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    Principal,
    Problem,
    Reader,
    UserError,
)
from guildhall_sdk.errors import FeatureDisabled
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.search import DocumentRef, Notes, Search, Sources

WORKSPACE = "workspace"
FOLDER, OBJECT, NOTE, ENTITY = "folder", "object", "note", "entity"
TYPES = (FOLDER, OBJECT, NOTE, ENTITY)
MAX_SOURCES = 50
#: Files of one folder; of a larger one the first by their keys.
MAX_FILES = 2_000
# What an entity is asked of beside itself: documents that name it.
_NAMING = 20
_UNREADABLE = (NotFound, PermissionDenied, FeatureDisabled)


class Named(NamedTuple):
    """The documents that were named; `each` are those that were named one by one."""

    documents: tuple[DocumentRef, ...]
    each: frozenset[DocumentRef]


async def named_documents(host: Host, principal: Principal, sources: Sources) -> Named | None:
    """Returns what the sources hold that the person may read; None for the whole workspace."""
    if sources == WORKSPACE:
        return None
    if isinstance(sources, str) or not sources or len(sources) > MAX_SOURCES:
        raise InvalidRequest.at(
            "/sources", f'is "workspace" or a list of 1 to {MAX_SOURCES} of {{type, id or key}}'
        )
    documents: dict[DocumentRef, None] = {}
    each: set[DocumentRef] = set()
    for number, source in enumerate(sources):
        pointer = f"/sources/{number}"
        try:
            found = await _documents(host, principal, source, pointer)
        except _UNREADABLE:
            raise InvalidRequest.at(pointer, "there is no such source that you may read") from None
        documents.update(dict.fromkeys(found))
        if source["type"] != FOLDER:
            each.add(found[0])
    return Named(tuple(documents), frozenset(each))


async def _documents(
    host: Host, principal: Principal, source: Mapping[str, Any], pointer: str
) -> Sequence[DocumentRef]:
    kind, id_, key = source.get("type"), source.get("id"), source.get("key")
    if kind not in TYPES:
        raise InvalidRequest.at(f"{pointer}/type", f"is one of {', '.join(TYPES)}")
    named = key if kind == FOLDER else id_ or (key if kind == OBJECT else None)
    if not isinstance(named, str) or not 0 < len(named) <= 1_024:
        wanted = "key" if kind == FOLDER else "id or key" if kind == OBJECT else "id"
        raise InvalidRequest.at(pointer, f"needs {wanted}")
    if kind == ENTITY:
        return await _of_entity(host, principal, named)
    async with host.data.read() as reader:
        if kind == FOLDER:
            return await _of_folder(host, reader, principal, named)
        if kind == NOTE:
            notes = host.find_service(Notes)
            if notes is None:
                raise NotFound()
            return [(NOTE, (await notes.read(reader, principal, named)).id)]
        return [(OBJECT, await object_id(host, reader, principal, id_, key))]


async def object_id(
    host: Host, reader: Reader, principal: Principal, id_: str | None, key: str | None
) -> str:
    """Returns the id of an object that the person may read, by its id or by its key in their team."""
    repository = host.service(Repository)
    if id_:
        return (await repository.get(reader, principal, id_)).id
    try:
        version = await repository.at_key(reader, principal, principal.team_id, key or "")
    except UserError:  # no key that a file could have
        raise NotFound() from None
    return (await repository.get(reader, principal, version.object_id)).id


async def _of_folder(host: Host, reader: Reader, principal: Principal, key: str) -> Sequence[DocumentRef]:
    prefix = key if key.endswith("/") else f"{key}/"
    versions = await host.service(Repository).keys(
        reader, principal, principal.team_id, prefix=prefix, limit=MAX_FILES
    )
    if not versions:
        raise NotFound()
    return [(OBJECT, version.object_id) for version in versions]


async def _of_entity(host: Host, principal: Principal, entity_id: str) -> Sequence[DocumentRef]:
    """Returns an entity, and the documents that say its name."""
    found = await host.service(Search).readable(principal, [(ENTITY, entity_id)])
    title = found.get((ENTITY, entity_id))
    if title is None:
        raise NotFound()
    try:
        naming = await host.service(Search).find(principal, f'"{title}"', limit=_NAMING)
    except Problem:
        return [(ENTITY, entity_id)]
    return [(ENTITY, entity_id), *((one["type"], one["id"]) for one in naming.items)]

"""Resources: notes and documents that the caller may read."""

import base64
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any, NamedTuple

from builtin_plugins.mcp_server.messages import (
    INVALID_PARAMS,
    NOTES,
    OBJECTS,
    Caller,
    RpcError,
    note_uri,
    object_uri,
)
from guildhall_sdk import Forbidden, InvalidRequest, NotFound, PermissionDenied, TooLarge, rfc3339
from guildhall_sdk.replies import decode_cursor, encode_cursor
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.search import Notes, ReadableNote
from guildhall_sdk.services.stored_objects import StoredVersion, just_after

PAGE = 50
MAX_CHARACTERS = 1024 * 1024
MAX_BYTES = 1024 * 1024
_TEXTS = ("text/", "application/json", "application/xml", "application/yaml")
_NOTE, _OBJECT = "n", "o"


class Content(NamedTuple):
    """What a resource holds: a text, or bytes where it has none. `cut` where there is more of it."""

    uri: str
    mime_type: str
    title: str
    text: str | None
    blob: bytes = b""
    cut: bool = False

    def to_json(self) -> dict[str, Any]:
        shape: dict[str, Any] = {"uri": self.uri, "mimeType": self.mime_type}
        if self.text is None:
            return {**shape, "blob": base64.b64encode(self.blob).decode()}
        more = {"_meta": {"guildhall/cut": True}} if self.cut else {}
        return {**shape, "text": self.text, **more}

    def text_for_models(self) -> str:
        if self.text is None:
            raise InvalidRequest(
                f"This is {self.mime_type} without a text; read it as the resource {self.uri}."
            )
        return f"# {self.title}\n\n{self.text}"


async def list_resources(caller: Caller, params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Notes first, newest first; then the objects of the team, by key."""
    cursor = params.get("cursor")
    if cursor is not None and not isinstance(cursor, str):
        raise RpcError(INVALID_PARAMS, "Invalid params: cursor is a text")
    place = decode_cursor(cursor) or _NOTE
    found: list[dict[str, Any]] = []
    if place[0] == _NOTE:
        notes = await _notes_after(caller, place[1:] or None)
        if len(notes) == PAGE:
            return _page(map(_note_entry, notes), f"{_NOTE}{notes[-1].id}")
        if notes:  # a page of long notes may be a short one: only the empty one is the last
            more = await _notes_after(caller, notes[-1].id, limit=1)
            if more:
                return _page(map(_note_entry, notes), f"{_NOTE}{notes[-1].id}")
        found = [_note_entry(note) for note in notes]
        place = _OBJECT
    elif place[0] != _OBJECT:
        raise InvalidRequest.at("?cursor", "is not a cursor that this list gave; start without one")
    objects = await _objects_after(caller, _key_in(place), PAGE + 1 - len(found))
    room = PAGE - len(found)
    entries = [*found, *map(_object_entry, objects[:room])]
    last = objects[room - 1].key.encode().hex() if len(objects) > room else None
    return _page(entries, None if last is None else f"{_OBJECT}{last}")


async def list_templates(caller: Caller, params: Mapping[str, Any]) -> Mapping[str, Any]:
    who = caller.principal
    notes = {"uriTemplate": f"{NOTES}{{id}}", "name": "note", "description": "A note, by its id"}
    objects = {"uriTemplate": f"{OBJECTS}{{id}}", "name": "document", "description": "A document, by its id"}
    return {
        "resourceTemplates": [
            *([notes] if who.may("notes:read") else []),
            *([objects] if who.may("files:read") else []),
        ]
    }


async def read_resource(caller: Caller, params: Mapping[str, Any]) -> Mapping[str, Any]:
    uri = params.get("uri")
    if not isinstance(uri, str):
        raise RpcError(INVALID_PARAMS, "Invalid params: uri is missing, or no text")
    if uri.startswith(NOTES):
        content = await read_note(caller, uri.removeprefix(NOTES))
    elif uri.startswith(OBJECTS):
        content = await read_object(caller, uri.removeprefix(OBJECTS))
    else:
        raise NotFound("There is no such resource; resources/list names those that there are.", uri=uri[:200])
    return {"contents": [content.to_json()]}


async def read_note(caller: Caller, note_id: str) -> Content:
    """Raises `NotFound` where there is none that the caller may read."""
    notes = caller.host.find_service(Notes)
    if notes is None:
        raise NotFound()
    async with caller.read() as reader:
        note = await notes.read(reader, caller.principal, note_id)
    cut = len(note.body) > MAX_CHARACTERS
    return Content(note_uri(note.id), "text/plain", note.title, note.body[:MAX_CHARACTERS], cut=cut)


async def read_object(caller: Caller, object_id: str) -> Content:
    """Raises `NotFound` where there is none that the caller may read, and `TooLarge`."""
    if not caller.principal.scope_allows("files:read"):
        raise PermissionDenied("files:read")
    repository = caller.service(Repository)
    async with caller.read() as reader:
        stored = await repository.get(reader, caller.principal, object_id)
        version = stored.current
        readable = _is_text(version) and version.size <= MAX_BYTES
        text = None if readable else await repository.text(reader, caller.principal, object_id)
    uri = object_uri(object_id)
    if text is not None:
        cut = len(text) > MAX_CHARACTERS
        return Content(uri, "text/plain", version.filename, text[:MAX_CHARACTERS], cut=cut)
    if version.size > MAX_BYTES:
        limit = f"{MAX_BYTES:,} bytes that can be read in one piece"
        raise TooLarge(
            f"The document is larger than the {limit}, and its text was not read.", limit=MAX_BYTES
        )
    async with aclosing(repository.open(version)) as chunks:  # type: ignore[type-var]
        content = b"".join([chunk async for chunk in chunks])
    if readable:
        return Content(uri, version.content_type, version.filename, content.decode("utf-8", "replace"))
    return Content(uri, version.content_type, version.filename, None, content)


async def _notes_after(caller: Caller, before: str | None, limit: int = PAGE) -> list[ReadableNote]:
    notes = caller.host.find_service(Notes)
    if notes is None or not caller.principal.may("notes:read"):
        return []
    try:
        async with caller.read() as reader:
            return list(await notes.page(reader, caller.principal, before=before, limit=limit))
    except Forbidden:  # the team has the plugin off
        return []


async def _objects_after(caller: Caller, key: str | None, limit: int) -> list[StoredVersion]:
    who = caller.principal
    if not who.may("files:read"):
        return []
    start = "" if key is None else just_after(key)
    async with caller.read() as reader:
        return list(await caller.service(Repository).keys(reader, who, who.team_id, start=start, limit=limit))


def _key_in(place: str) -> str | None:
    try:
        key = bytes.fromhex(place[1:]).decode()
        if "\0" in key:
            raise ValueError
        return key or None
    except ValueError:
        raise InvalidRequest.at("?cursor", "is not a cursor that this list gave; start without one") from None


def _page(entries: Any, last: str | None) -> dict[str, Any]:
    page = {"resources": list(entries)}
    return page if last is None else {**page, "nextCursor": encode_cursor(last)}


def _note_entry(note: ReadableNote) -> dict[str, Any]:
    return {
        "uri": note_uri(note.id),
        "name": note.title or note.id,
        "mimeType": "text/plain",
        "annotations": {"lastModified": rfc3339(note.updated_at)},
    }


def _object_entry(version: StoredVersion) -> dict[str, Any]:
    return {
        "uri": object_uri(version.object_id),
        "name": version.filename,
        "description": version.key,
        "mimeType": version.content_type,
        "size": version.size,
        "annotations": {"lastModified": rfc3339(version.created_at)},
    }


def _is_text(version: StoredVersion) -> bool:
    return version.content_type.lower().startswith(_TEXTS)

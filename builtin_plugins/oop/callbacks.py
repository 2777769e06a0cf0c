"""What a plugin asks for while it serves a call: checked anew each time, as the caller and by the grant."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from builtin_plugins.oop import grants
from builtin_plugins.oop.calls import OpenCall
from builtin_plugins.oop.grants import BY_METHOD
from guildhall_sdk import (
    Forbidden,
    Host,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    Principal,
    Reader,
    Unavailable,
    rfc3339,
)
from guildhall_sdk.errors import FeatureDisabled, Unauthenticated
from guildhall_sdk.plugin import Features
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.models import Models, ModelTurn
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.search import Notes
from guildhall_sdk.services.stored_objects import StoredVersion, just_after

# Even where every character is escaped, so much fits in a line.
_PART_CHARACTERS = 128_000
_MAX_TEXT_BYTES = 4 * 1024 * 1024
_MAX_ITEMS = 100
_MAX_PROMPT = 200_000
_MAX_TOKENS = 8_192
_PLUGIN_ID, _MODEL_PLUGIN_ID = "oop", "ai"
Params = Mapping[str, Any]
Service = TypeVar("Service")
Answer = Callable[[Principal, Params], Awaitable[Any]]


def text(params: Mapping[str, Any], name: str, longest: int = 1_024, *, default: str | None = None) -> str:
    """Raises `InvalidRequest`; without a default it must be there, and not be empty."""
    value = params.get(name, default)
    if not isinstance(value, str) or len(value) > longest or (default is None and not value):
        raise InvalidRequest.at(f"/{name}", f"must be a text of at most {longest} characters")
    return value


def integer(params: Mapping[str, Any], name: str, low: int, high: int, *, default: int) -> int:
    """Raises `InvalidRequest`."""
    value = params.get(name, default)
    if type(value) is not int or not low <= value <= high:
        raise InvalidRequest.at(f"/{name}", f"must be a whole number from {low} to {high}")
    return value


class Callbacks:
    """The calls back of one plugin, which requested these capabilities."""

    def __init__(self, host: Host, plugin_id: str, requested: Sequence[str]) -> None:
        self._host = host
        self._plugin_id = plugin_id
        self._requested = requested
        self._answers: Mapping[str, Answer] = {
            "notes/list": self._list_notes,
            "notes/read": self._read_note,
            "files/list": self._list_files,
            "files/read": self._read_file,
            "model/ask": self._ask_model,
        }

    async def answer(self, call: OpenCall, method: str, params: Params) -> Any:
        """Raises `Problem`: a right that is missing by the caller, their credential or the grant."""
        capability = BY_METHOD.get(method)
        if capability is None:
            raise InvalidRequest(f"There is no method {method[:64]}; there are {', '.join(BY_METHOD)}.")
        async with self._host.data.read() as reader:
            if capability.name not in await grants.granted(reader, self._plugin_id, self._requested):
                raise Forbidden(
                    f"The operator has not granted {capability.name} to this plugin.",
                    code="capability_not_granted",
                )
            caller = await self._caller_now(reader, call.principal)
        if not caller.may(capability.permission):
            raise PermissionDenied(capability.permission)
        return await self._answers[method](caller, params)

    async def _caller_now(self, reader: Reader, caller: Principal) -> Principal:
        """Returns the caller of the tool, with the rights of now and the scope that they came with."""
        credentials, credential = self._host.service(Credentials), caller.credential
        if credential.is_token and not await credentials.alive(reader, credential.id):
            raise Unauthenticated("The credential of whoever called this tool has ended.")
        found = await credentials.acting(
            reader, user_id=caller.user_id, team_id=caller.team_id, scope=credential.scope
        )
        if found is None:
            raise Unauthenticated("Whoever called this tool is not in the team any more.")
        self._check_on(found, _PLUGIN_ID)
        return replace(found, credential=credential)

    def _check_on(self, caller: Principal, plugin_id: str) -> None:
        off = self._host.service(Features).of(caller).switched_off(plugin_id)
        if off is not None:
            raise FeatureDisabled(off)

    def _find(self, protocol: Callable[..., Service]) -> Service:
        """Returns the service of a plugin that this server may be without."""
        found = self._host.find_service(protocol)
        if found is None:
            raise Unavailable("This server does not have what it takes to answer.")
        return found

    async def _list_notes(self, caller: Principal, params: Params) -> Any:
        _check_names(params, "limit", "before")
        limit = integer(params, "limit", 1, _MAX_ITEMS, default=20)
        before = text(params, "before", default="") or None
        async with self._host.data.read() as reader:
            notes = await self._find(Notes).page(reader, caller, before=before, limit=limit)
        items = [
            {"id": note.id, "title": note.title, "updated_at": rfc3339(note.updated_at)} for note in notes
        ]
        return {"items": items, "next": notes[-1].id if notes else None}

    async def _read_note(self, caller: Principal, params: Params) -> Any:
        _check_names(params, "id", "offset")
        note_id, offset = text(params, "id"), integer(params, "offset", 0, 2**53, default=0)
        async with self._host.data.read() as reader:
            note = await self._find(Notes).read(reader, caller, note_id)
        fields = {"id": note.id, "title": note.title, "updated_at": rfc3339(note.updated_at)}
        return fields | _part(note.body, offset)

    async def _list_files(self, caller: Principal, params: Params) -> Any:
        _check_names(params, "prefix", "limit", "after")
        prefix, after = text(params, "prefix", default=""), text(params, "after", default="")
        limit = integer(params, "limit", 1, _MAX_ITEMS, default=20)
        start = just_after(after) if after else ""
        async with self._host.data.read() as reader:
            found = await self._host.service(Repository).keys(
                reader, caller, caller.team_id, prefix=prefix, start=start, limit=limit
            )
        items = [
            {
                "id": one.object_id,
                "key": one.key,
                "content_type": one.content_type,
                "size": one.size,
                "version": one.number,
            }
            for one in found
        ]
        return {"items": items, "next": found[-1].key if found else None}

    async def _read_file(self, caller: Principal, params: Params) -> Any:
        _check_names(params, "id", "offset")
        object_id, offset = text(params, "id"), integer(params, "offset", 0, 2**53, default=0)
        repository = self._host.service(Repository)
        async with self._host.data.read() as reader:
            current = (await repository.get(reader, caller, object_id)).current
            words = await repository.text(reader, caller, object_id)
        if words is None:
            words = await self._plain_text(current)
        fields = {
            "id": object_id,
            "key": current.key,
            "content_type": current.content_type,
            "version": current.number,
        }
        return fields | _part(words, offset)

    async def _plain_text(self, version: StoredVersion) -> str:
        """Reads a file that is text itself, where nobody has extracted its text yet."""
        if not version.content_type.startswith("text/") or version.size > _MAX_TEXT_BYTES:
            raise NotFound("There is no text of this file, or not yet.", code="no_text")
        chunks = [chunk async for chunk in self._host.service(Repository).open(version)]
        return b"".join(chunks).decode("utf-8", "replace")

    async def _ask_model(self, caller: Principal, params: Params) -> Any:
        _check_names(params, "prompt", "system", "max_tokens")
        self._check_on(caller, _MODEL_PLUGIN_ID)
        prompt, system = text(params, "prompt", _MAX_PROMPT), text(params, "system", _MAX_PROMPT, default="")
        messages = [{"role": "system", "content": system}] if system else []
        turn = ModelTurn(
            messages=[*messages, {"role": "user", "content": prompt}],
            max_tokens=integer(params, "max_tokens", 1, _MAX_TOKENS, default=1_024),
        )
        reply = await self._find(Models).ask(caller, turn)
        return {
            "reply": reply.text,
            "model": reply.model,
            "simulated": reply.simulated,
            "usage": reply.usage.public(),
        }


def _check_names(params: Params, *known: str) -> None:
    for name in params:
        if name not in known:
            raise InvalidRequest.at(f"/{name[:64]}", "is unknown")


def _part(words: str, offset: int) -> dict[str, Any]:
    """Returns so much of a text as fits in a line, and where to read on."""
    end = offset + _PART_CHARACTERS
    return {"text": words[offset:end], "next_offset": end if end < len(words) else None}

"""The tools of the workspace but those of notes: each does what its caller may, and no more."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from builtin_plugins.retrieval.sources import object_id
from guildhall_sdk import (
    Actor,
    Host,
    InvalidRequest,
    NotFound,
    Parameter,
    PermissionDenied,
    Principal,
    Tool,
)
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.search import Retrieval, Search
from guildhall_sdk.services.stored_objects import NewVersion

MAX_QUERY = 1_000
#: Of a text that a model is given at once, in characters; `from` goes on.
MAX_TEXT = 20_000
MAX_WRITTEN = 1_000_000
_HITS, _MAX_HITS = 10, 50
_FILES, _MAX_FILES = 100, 1_000
_TEXT_TYPES = {
    "md": "text/markdown; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
}
_PLAIN = "text/plain; charset=utf-8"
READ_FILES, WRITE_FILES = "files:read", "files:write"
SEARCH = "search"
_MARKS = str.maketrans({"\x01": "**", "\x02": "**"})


async def search(host: Host, principal: Principal, arguments: Mapping[str, Any]) -> Any:
    query, limit = _text(arguments, "query", MAX_QUERY), _number(arguments, "limit", _HITS, _MAX_HITS)
    mode = arguments.get("mode")
    found = await host.service(Search).find(principal, query, limit=limit, mode=mode)
    items = [_hit(item) for item in found.items]
    retrieval = host.find_service(Retrieval)
    if not items and mode != "meaning" and retrieval is not None:
        # Search wants all words; a model asks in sentences, of which some will do.
        some = await retrieval.passages(principal, query, limit=limit)
        items = [
            {
                "type": one.type,
                "id": one.id,
                "title": one.title,
                "passage": {"text": one.text, "place": dict(one.place)},
                "found_by": list(one.found_by),
                "url": one.url,
            }
            for one in some
        ]
    return {"items": items}


def _hit(item: Mapping[str, Any]) -> dict[str, Any]:
    names = ("type", "id", "title", "snippet", "passage", "found_by", "url")
    hit = {name: item[name] for name in names}
    return {**hit, "snippet": item["snippet"].translate(_MARKS)}


async def read_document(host: Host, principal: Principal, arguments: Mapping[str, Any]) -> Any:
    repository = host.service(Repository)
    async with host.data.read() as reader:
        id_ = await _object_id(host, reader, principal, arguments)
    read = await repository.read_text(principal, id_)
    fields = {"id": id_, "key": read.found.key, "version": read.found.current.number}
    if read.text is None:
        return {**fields, "text": None, "reason": read.reason or "It has no text that can be read."}
    return {**fields, **_part(read.text, _number(arguments, "from", 0, 10**9))}


async def _object_id(host: Host, reader: Any, principal: Principal, arguments: Mapping[str, Any]) -> str:
    id_, key = arguments.get("id"), arguments.get("key")
    if bool(id_) == bool(key):
        raise InvalidRequest.at("/id", "give either the id or the key of the document")
    return await object_id(host, reader, principal, id_, key)


async def list_files(host: Host, principal: Principal, arguments: Mapping[str, Any]) -> Any:
    limit = _number(arguments, "limit", _FILES, _MAX_FILES)
    if not principal.may(READ_FILES):
        raise PermissionDenied(READ_FILES)
    async with host.data.read() as reader:
        versions = await host.service(Repository).keys(
            reader,
            principal,
            principal.team_id,
            prefix=str(arguments.get("prefix") or "")[:1_024],
            limit=limit + 1,
        )
    files = [
        {
            "id": one.object_id,
            "key": one.key,
            "size": one.size,
            "content_type": one.content_type,
            "version": one.number,
        }
        for one in versions[:limit]
    ]
    return {"items": files, "more": len(versions) > limit}


async def find_entity(host: Host, principal: Principal, arguments: Mapping[str, Any]) -> Any:
    name = _text(arguments, "name", MAX_QUERY)
    try:
        found = await host.service(Search).find(principal, name, type="entity", limit=_HITS)
    except InvalidRequest:  # there is no knowledge graph here
        raise NotFound() from None
    return {"items": [{"id": one["id"], "name": one["title"], "url": one["url"]} for one in found.items]}


async def preview_document(host: Host, principal: Principal, arguments: Mapping[str, Any]) -> Any:
    """Returns what `write_document` would; what is not there yet has no id."""
    key, _ = await _admitted_document(host, principal, arguments)
    async with host.data.read() as reader:
        try:
            found = await host.service(Repository).at_key(reader, principal, principal.team_id, key)
        except NotFound:
            return {"id": None, "key": key, "version": 1, "url": None}
    url = f"/api/repo-obj/{found.object_id}"
    return {"id": found.object_id, "key": key, "version": found.number + 1, "url": url}


async def _admitted_document(
    host: Host, principal: Principal, arguments: Mapping[str, Any]
) -> tuple[str, bytes]:
    """Returns the key and the content of a document that the person may write."""
    key, text = _text(arguments, "key", 1_024), _text(arguments, "text", MAX_WRITTEN, empty=True)
    repository = host.service(Repository)
    repository.check_key(key)
    async with host.data.read() as reader:
        await repository.check_right(reader, principal, principal.team_id, key)
    return key, text.encode("utf-8", "replace")


async def write_document(host: Host, principal: Principal, arguments: Mapping[str, Any]) -> Any:
    repository = host.service(Repository)
    key, content = await _admitted_document(host, principal, arguments)
    version = await repository.write(
        principal,
        Actor(principal.username, principal.user_id, principal.org_id, principal.team_id),
        principal.team_id,
        key,
        _chunks(content),
        NewVersion(content_type=_TEXT_TYPES.get(key.rpartition(".")[2].lower(), _PLAIN)),
        length=len(content),
    )
    fields = {"id": version.object_id, "key": version.key, "version": version.number}
    return {**fields, "url": f"/api/repo-obj/{version.object_id}"}


async def _chunks(content: bytes) -> AsyncIterator[bytes]:
    yield content


def _part(text: str, start: int) -> dict[str, Any]:
    """Returns a part of a text, and where the next begins."""
    end = start + MAX_TEXT
    return {
        "text": text[start:end],
        "from": start,
        "next": end if end < len(text) else None,
        "length": len(text),
    }


def _text(arguments: Mapping[str, Any], name: str, longest: int, *, empty: bool = False) -> str:
    value = str(arguments[name])
    if not (value.strip() or empty) or len(value) > longest:
        raise InvalidRequest.at(f"/{name}", f"is a text of {0 if empty else 1} to {longest} characters")
    return value


def _number(arguments: Mapping[str, Any], name: str, default: int, highest: int) -> int:
    value = arguments.get(name)
    number = default if value is None else int(value)
    least = 0 if name == "from" else 1
    if not least <= number <= highest:
        raise InvalidRequest.at(f"/{name}", f"is {least} to {highest}")
    return number


_FROM = Parameter("from", "integer", "Where to go on: `next` of the part before", optional=True)
_MODE = Parameter(
    "mode",
    "string",
    "By words (all must be there), by meaning, or both; both where that can be done",
    optional=True,
    enum=("words", "meaning", "hybrid"),
)

TOOLS = (
    Tool(
        "search",
        "Finds notes, documents and entities of the workspace, best first, each with the passage that fits.",
        SEARCH,
        hosted=search,
        writes=False,
        parameters=(
            Parameter("query", "string", 'What to look for; "a phrase"; -without'),
            _MODE,
            Parameter("limit", "integer", f"At most so many, up to {_MAX_HITS}", optional=True),
        ),
    ),
    Tool(
        "read_document",
        "Reads the text of a document of the workspace, a part at a time.",
        READ_FILES,
        hosted=read_document,
        writes=False,
        parameters=(
            Parameter("id", "string", "The id of the document", optional=True),
            Parameter("key", "string", "Or its key: its path in the team's files", optional=True),
            _FROM,
        ),
    ),
    Tool(
        "list_files",
        "Lists the files of the team by their keys.",
        READ_FILES,
        hosted=list_files,
        writes=False,
        parameters=(
            Parameter("prefix", "string", "Only keys that begin so, such as reports/2026/", optional=True),
            Parameter("limit", "integer", f"At most so many, up to {_MAX_FILES}", optional=True),
        ),
    ),
    Tool(
        "find_entity",
        "Finds people, companies, places and other entities of the knowledge graph by a name.",
        READ_FILES,
        hosted=find_entity,
        writes=False,
        parameters=(Parameter("name", "string", "The name, or the beginning of it"),),
    ),
    Tool(
        "write_document",
        "Writes a text file at a key of the team's files, as a new version where there is one already.",
        WRITE_FILES,
        hosted=write_document,
        writes=True,
        preview=preview_document,
        parameters=(
            Parameter("key", "string", "The key: the path in the team's files, such as reports/may.md"),
            Parameter("text", "string", "The whole text"),
        ),
    ),
)

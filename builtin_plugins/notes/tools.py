"""The tools of notes, for agents, workflows and MCP: each does what its caller may, and no more."""

from collections.abc import Mapping
from typing import Any

from builtin_plugins.notes.note import MAX_CHARACTERS, MAX_TITLE, READ, WRITE
from guildhall_sdk import Host, InvalidRequest, Parameter, Principal, Tool
from guildhall_sdk.services.search import Notes

#: Of a note that a model is given at once, in characters; `from` goes on.
MAX_TEXT = 20_000


async def read_note(host: Host, principal: Principal, arguments: Mapping[str, Any]) -> Any:
    start = int(arguments.get("from") or 0)
    if start < 0:
        raise InvalidRequest.at("/from", "is 0 or more")
    async with host.data.read() as reader:
        note = await host.service(Notes).read(reader, principal, str(arguments["id"])[:MAX_TITLE])
    end = start + MAX_TEXT
    return {
        "id": note.id,
        "title": note.title,
        "text": note.body[start:end],
        "from": start,
        "next": end if end < len(note.body) else None,
        "length": len(note.body),
    }


async def write_note(host: Host, principal: Principal, arguments: Mapping[str, Any]) -> Any:
    note = await host.service(Notes).save(
        principal, title=arguments["title"], body=arguments["body"], note_id=arguments.get("id") or None
    )
    return {"id": note.id, "title": note.title, "url": f"/api/notes/{note.id}"}


async def preview_note(host: Host, principal: Principal, arguments: Mapping[str, Any]) -> Any:
    """Returns what `write_note` would; a new one has no id yet."""
    note_id, title = arguments.get("id") or None, arguments["title"]
    if not title.strip() or len(title) > MAX_TITLE or len(arguments["body"]) > MAX_CHARACTERS:
        limits = f"is a text of 1 to {MAX_TITLE} characters, and the body of at most {MAX_CHARACTERS}"
        raise InvalidRequest.at("/title", limits)
    if note_id is None:
        return {"id": None, "title": title, "url": None}
    async with host.data.read() as reader:
        note = await host.service(Notes).read(reader, principal, str(note_id)[:MAX_TITLE])
    return {"id": note.id, "title": title, "url": f"/api/notes/{note.id}"}


TOOLS = (
    Tool(
        "read_note",
        "Reads a note of the workspace, a part at a time.",
        READ,
        hosted=read_note,
        writes=False,
        parameters=(
            Parameter("id", "string", "The id of the note"),
            Parameter("from", "integer", "Where to go on: `next` of the part before", optional=True),
        ),
    ),
    Tool(
        "write_note",
        "Writes a note: a new one that its writer alone reads, or with an id another text for that note.",
        WRITE,
        hosted=write_note,
        writes=True,
        preview=preview_note,
        parameters=(
            Parameter("title", "string", f"The title, up to {MAX_TITLE} characters"),
            Parameter("body", "string", f"The text, in Markdown, up to {MAX_CHARACTERS} characters"),
            Parameter("id", "string", "The id of a note to change", optional=True),
        ),
    ),
)

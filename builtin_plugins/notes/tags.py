"""Tags of notes: a few short words each, found without case."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from builtin_plugins.notes.statements import sql
from guildhall_sdk import InvalidRequest, Writer


def tag_key(tag: str) -> str:
    """Returns a tag as tags are compared."""
    return unicodedata.normalize("NFKC", tag.strip()).casefold()


def given_tags(fields: Mapping[str, Any]) -> list[str] | None:
    """Returns the tags of a body, each once, or None where it has none; raises `InvalidRequest`."""
    if "tags" not in fields:
        return None
    tags: dict[str, str] = {}
    for place, tag in enumerate(fields["tags"]):
        key = tag_key(tag)
        if not key or not tag.isprintable():
            raise InvalidRequest.at(f"/tags/{place}", "takes a few letters that can be read")
        tags.setdefault(key, tag.strip())
    return list(tags.values())


async def store_tags(writer: Writer, org_id: str, note_id: str, tags: Sequence[str]) -> None:
    """Makes a note findable by these tags, and by no other."""
    await writer.run(sql.drop_tags, id=note_id)
    for tag in sorted({tag_key(tag) for tag in tags}):
        await writer.run(sql.insert_tag, id=note_id, tag=tag, org_id=org_id)


def as_stored(tags: Sequence[str]) -> str:
    return json.dumps(list(tags), ensure_ascii=False)

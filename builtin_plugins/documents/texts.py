"""`doc_text`: the text of a document, read now where no job has read it yet."""

import json
from collections.abc import Mapping
from typing import Any

from guildhall_sdk import Host, Principal, UserError
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import ReadText
from guildhall_sdk.tools import Artifact

MAX_CHARACTERS = 400_000
# As JSON; the result of a step takes 1 MiB with all that stands beside the text.
MAX_BYTES = 900_000
_EXCERPT = 1_000


async def read_document(host: Host, caller: Principal, arguments: Mapping[str, Any]) -> Artifact:
    """Reads a document for whoever may read it."""
    read = await require_text(host, caller, arguments["object"])
    assert read.text is not None
    text, version = cut_text(read.text), read.found.current
    truncated = len(text) < len(read.text)
    size = f"the first {len(text):,} of {len(read.text):,}" if truncated else f"{len(text):,}"
    excerpt = " ".join(text[:_EXCERPT].split())
    return Artifact(
        "text",
        version.filename,
        f"{size} characters: {excerpt}{'…' if len(text) > _EXCERPT else ''}",
        content_type=version.content_type,
        object_id=version.object_id,
        version_id=version.id,
        extra={"text": text, "truncated": truncated, "key": version.key, "version": version.number},
    )


async def require_text(host: Host, caller: Principal, object_id: str) -> ReadText:
    """Returns a document with its text; raises `UserError` `no_text` for one that has none."""
    read = await host.service(Repository).read_text(caller, object_id)
    if read.text is None or not read.text.strip():
        raise UserError(
            f"{read.found.current.filename} {read.reason or 'has no text'}; there is nothing to work on.",
            code="no_text",
        )
    return read


def cut_text(text: str) -> str:
    """Cuts a text to what a step can hand on to the next."""
    text = text[:MAX_CHARACTERS]
    while len(json.dumps(text, ensure_ascii=False).encode()) > MAX_BYTES:
        text = text[: len(text) * 3 // 4]
    return text

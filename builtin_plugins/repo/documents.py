"""Text documents: objects of Markdown with a title, read and written as text."""

from codecs import getincrementaldecoder
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any

from builtin_plugins.repo import keys
from builtin_plugins.repo.object_row import Record
from builtin_plugins.repo.service import StoredRepository
from guildhall_sdk import NotFound, TooLarge, new_id
from guildhall_sdk.services.stored_objects import Staged, StoredVersion

MAX_CHARACTERS = 1_000_000
MAX_BYTES = 8 * 1024 * 1024
FOLDER = "documents/"
_NOT_IN_NAMES = str.maketrans(dict.fromkeys('/\\:*?"<>|', "-"))


def new_key(now_ms: int) -> str:
    return f"{FOLDER}{new_id('doc', now_ms)}.md"


def filename_for(title: str) -> str:
    plain = "".join(character for character in title if character.isprintable())
    return f"{plain.translate(_NOT_IN_NAMES).strip(' .')[:200] or 'document'}.md"


def check_document(record: Record) -> None:
    """Raises `NotFound` for anything but Markdown."""
    if keys.media_type(record.newest.content_type) != keys.MARKDOWN:
        raise NotFound()


async def stage_text(repository: StoredRepository, org_id: str, team_id: str, text: str) -> Staged:
    content = text.encode()
    return await repository.stage(org_id, team_id, _once(content), length=len(content))


async def body_of(repository: StoredRepository, version: StoredVersion) -> str:
    """Raises `TooLarge` for one that is not to be shown in one piece. Not inside a scope."""
    if version.size > MAX_BYTES:
        raise TooLarge(
            f"The text is larger than the {MAX_BYTES} bytes that are shown in one piece; read its content.",
            limit=MAX_BYTES,
        )
    async with aclosing(repository.blobs.open(version.org_id, version.sha256, version.size)) as chunks:
        # Chunk by chunk: what is no UTF-8 takes a while.
        decoder = getincrementaldecoder("utf-8")("replace")
        texts = [decoder.decode(chunk).replace("\0", "\ufffd") async for chunk in chunks]
    return "".join([*texts, decoder.decode(b"", final=True)])


def title_of(record: Record) -> str:
    """Returns the title; an uploaded file has none of its own, and then it is the filename."""
    return record.title or record.newest.filename.removesuffix(".md")


def with_title(record: Record, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**fields, "title": title_of(record)}


def staged_again(version: StoredVersion) -> Staged:
    """Returns the bytes of a version as staged, for the next one."""
    return Staged(version.org_id, version.sha256, version.size, version.etag)


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content

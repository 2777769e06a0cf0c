"""Text documents: objects of Markdown with a title, read and written as text, and samples for a new team."""

import hashlib
from codecs import getincrementaldecoder
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any, NamedTuple

from builtin_plugins.repo import finding, keys
from builtin_plugins.repo.keys import MARKDOWN
from builtin_plugins.repo.object_row import WRITE, Record
from builtin_plugins.repo.service import StoredRepository
from builtin_plugins.repo.writing import IncomingVersion
from guildhall_sdk import Host, NotFound, Principal, TooLarge, Writer, new_id
from guildhall_sdk.factories import Samples, Seeded
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import NewVersion, Staged, StoredVersion

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


_FOLDER = f"{FOLDER}samples/"


class SampleDocument(NamedTuple):
    """`name` is the last part of its key, by which it is known again."""

    name: str
    title: str
    body: str


DOCUMENTS = (
    SampleDocument(
        "handbook",
        "Team handbook",
        "# Team handbook\n\nWhat everybody here should know, in one place.\n\n## How we work\n\n"
        "- Decisions are written down where the whole team can read them.\n"
        "- Questions go to the team, not to one person.\n\n## Where things are\n\n"
        "Notes are for the day; documents like this one are for keeping. Each change makes a new version, "
        "and any two versions can be compared.\n",
    ),
    SampleDocument(
        "project-plan",
        "Plan for the spring project",
        "# Plan for the spring project\n\n| Step | Who | Until |\n|---|---|---|\n"
        "| Collect what we know | everybody | week 1 |\n| Draft a proposal | two volunteers | week 3 |\n"
        "| Decide | the team | week 4 |\n\n## Risks\n\nThe proposal depends on answers from the harbour "
        "office; ask early.\n",
    ),
)


async def seed(host: Host, writer: Writer, caller: Principal, now_ms: int) -> Seeded:
    """Makes the sample documents; a lock on each key settles who makes one when two call at once."""
    repository = host.service(Repository)
    assert isinstance(repository, StoredRepository)
    made = [one for one in DOCUMENTS if await _put(repository, writer, caller, one, now_ms)]
    return Seeded(len(made), len(DOCUMENTS) - len(made))


async def _put(
    repository: StoredRepository, writer: Writer, caller: Principal, sample: SampleDocument, now_ms: int
) -> bool:
    key = f"{_FOLDER}{sample.name}.md"
    await finding.hold_key(writer, caller.team_id, key)
    before = await finding.at_key(writer, caller, caller.team_id, key, now_ms)
    if before is not None and before.present:
        return False
    content = sample.body.encode()
    # Few bytes, which go into the database with the rest of the transaction.
    staged = Staged(
        caller.org_id,
        hashlib.sha256(content).hexdigest(),
        len(content),
        hashlib.md5(content, usedforsecurity=False).hexdigest(),
        content,
    )
    new = NewVersion(filename_for(sample.title), MARKDOWN, "team")
    incoming = IncomingVersion(
        team_id=caller.team_id, key=key, staged=staged, new=new, title=sample.title, text=sample.body
    )
    await repository.writing.put(writer, caller, incoming)
    return True


SAMPLES = (Samples("documents", WRITE, seed),)

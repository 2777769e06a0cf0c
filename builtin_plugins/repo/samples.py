"""Sample documents: something to read, search and work on in a team that is new."""

import hashlib
from dataclasses import dataclass

from builtin_plugins.repo import documents, finding
from builtin_plugins.repo.keys import MARKDOWN
from builtin_plugins.repo.rights import WRITE
from builtin_plugins.repo.service import StoredRepository
from guildhall_sdk import Host, Principal, Writer
from guildhall_sdk.factories import Samples, Seeded
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import NewVersion, Staged

_FOLDER = f"{documents.FOLDER}samples/"


@dataclass(frozen=True, slots=True)
class SampleDocument:
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
    new = NewVersion(documents.filename_for(sample.title), MARKDOWN, "team")
    await repository.writing.put(
        writer, caller, caller.team_id, key, staged, new, title=sample.title, text=sample.body
    )
    return True


SAMPLES = (Samples("documents", WRITE, seed),)

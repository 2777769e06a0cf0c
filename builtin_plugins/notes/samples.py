"""Sample notes: something to read, change and delete in a team that is new."""

from typing import NamedTuple

from builtin_plugins.notes.note import (
    STORAGE,
    TYPE,
    WRITE,
    Neighbours,
    Note,
    publish,
    sql,
    title_key,
)
from guildhall_sdk import Host, Principal, Writer, new_id
from guildhall_sdk.factories import Samples, Seeded
from guildhall_sdk.services.search import Findable


class SampleNote(NamedTuple):
    """`key` says which it is, whatever becomes of its text."""

    key: str
    title: str
    body: str


NOTES = (
    SampleNote(
        "welcome",
        "Welcome to the hall",
        "This note is visible to the whole team. Change it, or delete it: it is only here so that the "
        "list is not empty.\n\nA note that you write is private until you show it to the team or share "
        "it with somebody by name.\n",
    ),
    SampleNote(
        "minutes",
        "Minutes of our first meeting",
        "# Decided\n\n- We meet on Tuesdays, for half an hour.\n- Whoever calls a meeting writes its "
        "minutes, here.\n\n# To do\n\n- [ ] Invite the rest of the team\n- [ ] Choose a name for the "
        "spring project\n",
    ),
    SampleNote(
        "checklist",
        "A newcomer's first day",
        "1. Sign in and set a password.\n2. Turn on two-factor sign-in.\n3. Read the minutes.\n"
        "4. Write a note about what was hard to find, and show it to the team.\n",
    ),
)


async def seed(host: Host, writer: Writer, caller: Principal, now_ms: int) -> Seeded:
    """Makes the sample notes; a unique index settles who makes one when two call at once."""
    neighbours = Neighbours.of(host)
    made = [note for note in NOTES if await _insert(writer, neighbours, caller, note, now_ms)]
    size = sum(len(note.title.encode()) + len(note.body.encode()) for note in made)
    await neighbours.quotas.adjust(writer, caller.org_id, caller.team_id, STORAGE, size)
    return Seeded(len(made), len(NOTES) - len(made))


async def _insert(
    writer: Writer, neighbours: Neighbours, caller: Principal, note: SampleNote, now_ms: int
) -> bool:
    row = await writer.one(
        sql.insert_sample,
        id=new_id("note", now_ms),
        org_id=caller.org_id,
        team_id=caller.team_id,
        owner_id=caller.user_id,
        sample=note.key,
        title=note.title,
        title_key=title_key(note.title),
        body=note.body,
        size=len(note.body.encode()),
        now=now_ms,
    )
    if row is not None:
        writer.audit("note.created", ("note", row["id"]), detail={"visibility": "team", "sample": note.key})
        await neighbours.index.put(
            writer, Findable(TYPE, row["id"], caller.org_id, caller.team_id, note.title, note.body)
        )
        fields = {"title": note.title, "body": note.body, "visibility": "team"}
        made = Note.new(caller, fields, now_ms)._replace(id=row["id"])
        await publish(writer, neighbours, caller, made, "created")
    return row is not None


SAMPLES = (Samples("notes", WRITE, seed),)

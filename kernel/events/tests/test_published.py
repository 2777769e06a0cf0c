"""What the builtin plugins publish, by every way in; and the table of it in the reference."""

import re
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import get_args, get_type_hints

import pytest

from guildhall_sdk import Event, JobKind, Subscription
from guildhall_sdk.subscriptions import (
    CompanyResumed,
    CompanySuspended,
    JobEnded,
    MemberJoined,
    MemberLeft,
    NoteChanged,
)
from guildhall_testing.accounts import principal_for
from guildhall_testing.selection import registry_of

pytestmark = pytest.mark.any_database

REFERENCE = Path(__file__).resolve().parents[3] / "docs/plugins/hooks.md"


def payloads(hall, name):
    return [event.payload for event in hall.events.recorded(name)]


async def test_every_change_of_a_note(hall):
    owner, colleague = hall.acme.member, hall.acme.colleague
    note = (await owner.post("/api/notes", {"title": "t"})).json()["id"]
    await owner.put(f"/api/notes/{note}", {"title": "u"})
    await owner.put(f"/api/notes/{note}", {})
    share = {"user_id": colleague.user_id, "permission": "notes:read"}
    await owner.post(f"/api/notes/{note}/share", share)
    await owner.request("DELETE", f"/api/notes/{note}/share", json={"user_id": colleague.user_id})
    await owner.delete(f"/api/notes/{note}")
    changes = ["created", "updated", "shared", "unshared", "deleted"]
    assert payloads(hall, "note.changed") == [NoteChanged(note_id=note, change=one) for one in changes]
    hall.events.clear()
    await hall.acme.admin.post("/api/admin/seed", {})
    assert {one.change for one in payloads(hall, "note.changed")} == {"created"}


async def test_people_who_come_and_go(hall):
    owner = hall.acme.owner
    joined = (await owner.post("/api/members", {"username": "new", "role": "viewer"})).json()["member"]
    await owner.delete(f"/api/members/{joined['user_id']}")
    assert payloads(hall, "member.joined") == [MemberJoined(user_id=joined["user_id"], role="viewer")]
    assert payloads(hall, "member.left") == [MemberLeft(user_id=joined["user_id"], role="viewer")]
    (event,) = hall.events.recorded("member.joined")
    assert (event.origin.user_id, event.origin.team_id) == (owner.user_id, hall.acme.id)


async def test_people_who_are_there_from_the_start(open_hall):
    async with open_hall(populated=False) as hall:
        person = {"username": "ada", "password": "difference engine"}
        user = (await hall.anonymous.post("/api/bootstrap", person)).json()["user"]
        assert payloads(hall, "member.joined") == [MemberJoined(user_id=user["id"], role="owner")]


async def test_a_company_is_suspended_and_resumed(hall):
    for _ in range(2):
        await hall.operator.post(f"/api/orgs/{hall.globex.org_id}/suspend", {})
    await hall.operator.post(f"/api/orgs/{hall.globex.org_id}/resume", {})
    assert payloads(hall, "company.suspended") == [CompanySuspended(org_id=hall.globex.org_id)]
    assert payloads(hall, "company.resumed") == [CompanyResumed(org_id=hall.globex.org_id)]
    assert hall.events.recorded("company.suspended")[0].origin.team_id == hall.operator.team_id


async def test_every_end_of_a_job_whoever_ended_it(open_hall, make_plugin):
    async def work(job):
        if job.payload == "fail":
            raise ValueError("it is a test")

    kinds = [JobKind("x.toy.work", "Works.", handler=work, max_attempts=1)]
    kinds.append(JobKind("x.toy.remote", "Elsewhere.", validator=lambda _: False))
    async with open_hall(make_plugin(job_kinds=kinds)) as hall:
        member, ids = await hall.with_token(hall.acme.member, scope=["chat:use", "notes:read"]), []
        for kind, payload in (("work", "ok"), ("work", "fail"), ("remote", None)):
            new = {"kind": f"x.toy.{kind}", "payload": payload}
            ids.append((await member.post("/api/jobs", new)).json()["id"])
            await hall.drain_jobs()
        await member.post(f"/api/jobs/{ids[2]}/cancel", {})

        def ended(number, kind, state, attempt, error=None):
            return JobEnded(job_id=ids[number], kind=kind, state=state, attempt=attempt, error=error)

        assert payloads(hall, "job.ended") == [
            ended(0, "x.toy.work", "succeeded", 1),
            ended(1, "x.toy.work", "failed", 1, "internal"),
            ended(2, "x.toy.remote", "cancelled", 0),
        ]
        scopes = {event.origin.scope for event in hall.events.recorded("job.ended")}
        assert scopes == {frozenset(["chat:use", "notes:read"])}


def shown(hint):
    """A field's type as the reference writes it."""
    choices = [repr(one).replace("'", '"') for one in get_args(hint) if isinstance(one, str)]
    if choices:
        return " or ".join(choices)
    names = [getattr(one, "__name__", str(one)) for one in get_args(hint) or (hint,)]
    return " or ".join("None" if name == "NoneType" else name for name in names)


def test_the_reference_has_a_table_of_every_event_with_its_plugin_and_fields(pytestconfig):
    declared = {event.name: (owner, event) for owner, event in registry_of(pytestconfig).owned(Event)}
    row = r"^\| `([a-z_]+\.[a-z_]+)` \| `([a-z-]+)` \| (.*?) \| (.*?) \|$"
    rows = re.findall(row, REFERENCE.read_text(), re.MULTILINE)
    wanted = []
    for name, (owner, event) in sorted(declared.items()):
        hints = get_type_hints(event.type)
        kinds = ", ".join(f"`{one.name}`: {shown(hints[one.name])}" for one in fields(event.type))
        wanted.append((name, owner, event.doc, kinds))
    assert rows == wanted


def example(name):
    """A plugin of the reference."""
    (source,) = re.findall(
        rf"<!-- example: {name} -->\n```python\n(.*?)```", REFERENCE.read_text(), re.DOTALL
    )
    module = ModuleType(name)
    exec(compile(source, f"{REFERENCE.name}, {name}", "exec"), module.__dict__)
    return module


async def test_the_plugins_of_the_reference_work(open_hall):
    shelf, librarian = example("shelf"), example("librarian")
    async with open_hall(shelf, librarian) as hall:
        async with hall.server.data.read() as reader:
            caller = await principal_for(
                reader, hall.acme.member.token, hall.clock.now_ms(), hall.server.roles
            )
        await shelf.add_book(hall.server.host, caller, "book_thin", 40)
        await shelf.add_book(hall.server.host, caller, "book_thick", 900)
        await hall.drain_jobs()
        ((_, book, team),) = librarian.THICK
        assert (book, team) == ("book_thick", hall.acme.id)


@pytest.mark.parametrize("thing", [Event, Subscription])
def test_rows_are_given_by_name(thing):
    with pytest.raises(TypeError):
        thing("a", "b", "c")

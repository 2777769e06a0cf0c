"""Where no child can be confined: documents wait, nobody tries for ever, and the operator decides."""

import asyncio

import pytest

from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import TextPending
from libs.sandbox import measure

pytestmark = pytest.mark.any_database

CLOSED = measure.Measured(network=True, files=True, signals=True, processes=True, memory=True)
POROUS = measure.Measured(files=True, signals=True, memory=True)


@pytest.fixture
def tier(monkeypatch):
    """`tier(POROUS)`: what the probe is to have found."""

    def say(found):
        monkeypatch.setattr(measure, "_known", found)

    say(POROUS)
    return say


async def status(client, made):
    return (await client.get(f"/api/repo-obj/{made['id']}")).json()["text_status"]


async def test_a_document_waits_and_its_job_is_not_tried_again(tier, hall, upload, caplog):
    author = hall.acme.member
    made = await upload(author, "a.txt", b"rhubarb")
    await hall.drain_jobs()
    assert await status(author, made) == "pending"
    (line,) = [record for record in caplog.records if record.msg == "extraction.refused"]
    assert line.fields["object"] == made["id"]
    assert line.fields["sandbox"] == "tier C (open: network, processes)"
    assert "SERVICE_REPO_UNCONFINED=on" in line.fields["remedy"]
    caplog.clear()
    hall.clock.advance(hours=24)
    await hall.drain_jobs()
    assert caplog.records == []


async def test_a_newer_version_stays_stale(tier, hall, upload):
    author = hall.acme.member
    tier(CLOSED)
    made = await upload(author, "a.txt", b"rhubarb")
    await hall.drain_jobs()
    tier(POROUS)
    await upload(author, "a.txt", b"parsnip")
    await hall.drain_jobs()
    assert await status(author, made) == "stale"


async def test_the_tool_says_who_must_decide(tier, hall, upload):
    made = await upload(hall.acme.member, "a.txt", b"rhubarb")
    await hall.drain_jobs()
    assert await hall.tool("repo_list_unindexed", as_=hall.acme.member) == [made["id"]]
    with pytest.raises(TextPending, match="operator") as waits:
        await hall.tool("repo_extract_text", as_=hall.acme.member, id=made["id"])
    assert waits.value.code == "text_pending"


async def test_what_waited_is_read_once_it_may_be(tier, hall, upload):
    """Of every company, at the next start; what has a job already gets no second one."""
    mine = await upload(hall.acme.member, "a.txt", b"rhubarb")
    theirs = await upload(hall.globex.member, "a.txt", b"parsnip", visibility="private")
    await hall.drain_jobs()
    tier(CLOSED)
    unread = hall.server.service(Repository).unread
    assert len(await jobs(hall)) == 2
    assert await unread.enqueue_unread() == 2
    await unread.enqueue_unread()
    await hall.drain_jobs()
    assert len(await jobs(hall)) == 4
    assert await status(hall.acme.member, mine) == await status(hall.globex.member, theirs) == "indexed"
    assert await unread.enqueue_unread() == 0


async def jobs(hall):
    """All of both companies, whatever became of them."""
    return [
        job["id"]
        for company in (hall.acme, hall.globex)
        for job in (await company.owner.get("/api/jobs")).json()["items"]
    ]


async def test_with_the_setting_it_is_read_and_said(tier, open_hall, upload, caplog):
    async with open_hall(SERVICE_REPO_UNCONFINED="on") as hall:
        assert "extraction.unconfined" in [record.msg for record in caplog.records]
        made = await upload(hall.acme.member, "a.txt", b"rhubarb")
        await hall.drain_jobs()
        assert await status(hall.acme.member, made) == "indexed"
        sandbox = (await hall.operator.get("/api/admin/status")).json()["sandbox"]
        assert (sandbox["tier"], sandbox["extraction"]) == ("C", "unconfined")


async def test_the_status_shows_the_tier_and_what_was_measured(tier, hall):
    sandbox = (await hall.operator.get("/api/admin/status")).json()["sandbox"]
    areas = {"network": False, "files": True, "signals": True, "processes": False, "memory": True}
    assert sandbox == {"tier": "C", "measured": areas, "extraction": "refused"}
    tier(CLOSED)
    sandbox = (await hall.operator.get("/api/admin/status")).json()["sandbox"]
    assert sandbox == {"tier": "B", "measured": dict.fromkeys(areas, True), "extraction": "confined"}


async def test_a_server_answers_while_its_sandbox_is_measured(open_hall, monkeypatch):
    begun = asyncio.Event()

    async def measured():
        begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(measure, "measured", measured)
    async with open_hall() as hall:
        assert (await hall.acme.member.get("/api/repo")).status_code == 200
        await asyncio.wait_for(begun.wait(), 60)

from guildhall_sdk.services.jobs import PeriodicJobs


async def test_a_thing_is_lent_once_it_is_added(hall):
    thing = (await hall.acme.member.post("/api/loans", {"label": "Ladder"})).json()
    loan = {"borrower": "Grace", "days": 14}
    lent = await hall.acme.colleague.post(f"/api/loans/{thing['id']}/lend", loan)
    assert lent.json() == {**thing, "borrower": "Grace", "due_at": lent.json()["due_at"]}


async def test_an_upload_can_be_lent(hall):
    await hall.acme.member.request("PUT", "/api/repo/manual.txt", content=b"Mind your fingers.")
    await hall.drain_jobs()
    assert [delivery.error for delivery in hall.events.delivered("object.written")] == [None]
    (thing,) = (await hall.acme.viewer.get("/api/loans")).json()["items"]
    assert thing["label"] == "A file of 18 bytes"


async def test_what_is_overdue_is_noted_each_morning_once(hall):
    thing = (await hall.acme.member.post("/api/loans", {"label": "Ladder"})).json()
    await hall.acme.member.post(f"/api/loans/{thing['id']}/lend", {"borrower": "Grace", "days": 1})
    periodic = hall.server.service(PeriodicJobs)
    await periodic.enqueue_due()
    hall.clock.advance(days=2)
    for _ in range(2):
        await periodic.enqueue_due()
        await hall.drain_jobs()
    actions = [one["action"] for one in (await hall.acme.owner.get("/api/audit")).json()["items"]]
    assert actions.count("thing.overdue") == 1


async def test_conformance(shared_hall, conformance_case):
    await conformance_case.run(shared_hall)

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


async def test_conformance(shared_hall, conformance_case):
    await conformance_case.run(shared_hall)

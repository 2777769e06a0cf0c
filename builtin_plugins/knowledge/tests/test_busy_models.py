"""A graph run while its model is asked too much: it waits, and no document is lost."""

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_a_run_waits_for_a_busy_model_and_loses_no_document(scripted, write, answer):
    hall, member = scripted, scripted.acme.member
    names = ("Anna", "Bert", "Cleo", "Dirk")
    for name in names:
        await write(member, f"{name} sings.")
    for _ in range(4 * len(names)):  # more often than a step has retries
        hall.model.fail(429, "slow down", {"Retry-After": "20"})
    for _ in names:
        hall.model.say(answer([]))
    run = (await member.post("/api/kg/extract", {})).json()
    await hall.drain_jobs()
    for _ in range(4):
        assert (await member.get(f"/api/runs/{run['id']}")).json()["state"] == "running"
        hall.clock.advance(seconds=20)
        await hall.drain_jobs()
    run = (await member.get(f"/api/runs/{run['id']}")).json()
    assert (run["state"], run["error"]) == ("succeeded", None)
    assert run["steps"][-1]["items"] == {"total": 4, "done": 4, "failed": 0}
    assert len(hall.model.calls) == 5 * len(names)

"""A worker token opens the worker routes and nothing else."""

import pytest

from guildhall_sdk import Auth, Reply, Route

pytestmark = pytest.mark.any_database


@pytest.fixture
async def worker(jobs_hall):
    made = await jobs_hall.operator.post("/api/executors", {"name": "gpu", "mode": "pull"})
    return jobs_hall.bearer(made.json()["worker_token"])


def opens(row):
    return row.permission == "jobs:execute"


async def test_every_other_row_is_closed_to_a_worker(jobs_hall, worker):
    rows = [bound.row for bound in jobs_hall.registry.routes()]
    closed = [
        row for row in rows if row.auth in (Auth.BEARER, Auth.SUPERADMIN, Auth.ORG_ADMIN) and not opens(row)
    ]
    assert len(closed) > 40
    for row in closed:
        path = row.path.replace(":", "x").replace("*", "x")
        response = await worker.request(row.method, path, headers={"Accept": "application/problem+json"})
        assert (response.status_code, response.json()["code"]) == (403, "permission_denied"), row.path
        assert response.json().get("permission") == row.permission


async def test_on_a_public_row_a_worker_is_nobody(open_jobs_hall, toy):
    async def who(call):
        return Reply({"signed_in": call.signed_in})

    row = Route("GET", "/api/who", "who", "Whether the caller is somebody.", Auth.PUBLIC)
    async with open_jobs_hall(toy(routes=[row], handlers={"who": who})) as hall:
        made = await hall.operator.post("/api/executors", {"name": "gpu", "mode": "pull"})
        worker = hall.bearer(made.json()["worker_token"])
        assert (await hall.operator.get("/api/who")).json() == {"signed_in": True}
        for nobody in (worker, hall.anonymous):
            assert (await nobody.get("/api/who")).json() == {"signed_in": False}


async def test_a_row_that_a_plugin_mounts_is_closed_whatever_it_asks_for(open_jobs_hall, toy):
    async def answer(call):
        return {"team": call.principal.team_id}

    row = Route("GET", "work", answer, "For people who work.", permission="jobs:execute")
    async with open_jobs_hall(toy(routes=[row])) as hall:
        made = await hall.operator.post("/api/executors", {"name": "gpu", "mode": "pull"})
        worker = hall.bearer(made.json()["worker_token"])
        assert (await worker.get("/api/x/toy/work")).status_code == 403
        assert (await (await hall.join(hall.acme, "worker")).get("/api/x/toy/work")).status_code == 200


async def test_a_worker_token_is_in_no_list_of_tokens(jobs_hall, worker):
    for client in (jobs_hall.operator, jobs_hall.acme.admin):
        assert (await client.get("/api/tokens")).json()["items"] == []

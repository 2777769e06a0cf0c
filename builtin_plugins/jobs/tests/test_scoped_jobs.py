"""Of jobs a credential with a scope sees the content of its own, and cancels those alone."""

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

WORDS = "x.example-tools.word-count"
FAR_OFF = "2100-01-01T00:00:00Z"


def refusal(response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


async def queue(client):
    body = {"kind": WORDS, "payload": {"text": "one two"}, "run_at": FAR_OFF}
    response = await client.post("/api/jobs", body)
    assert response.status_code == 202, response.text
    return response.json()


@pytest.mark.parametrize("scope", [[], ["chat:use"], ["chat:use", "settings:manage"]])
async def test_a_job_that_another_credential_asked_for_is_closed_to_a_scope(jobs_hall, scope):
    owner = jobs_hall.acme.owner
    job = await queue(owner)
    scoped = await jobs_hall.with_token(owner, scope=scope)
    read = (await scoped.get(f"/api/jobs/{job['id']}")).json()
    assert (read["state"], read["payload"], read["result"]) == ("queued", None, None)
    (listed,) = (await scoped.get("/api/jobs")).json()["items"]
    assert (listed["id"], listed["payload"]) == (job["id"], None)
    cancelled = await scoped.post(f"/api/jobs/{job['id']}/cancel")
    assert refusal(cancelled) == (403, "permission_denied")
    assert (await owner.get(f"/api/jobs/{job['id']}")).json()["state"] == "queued"


async def test_a_scope_sees_and_cancels_what_it_asked_for(jobs_hall):
    owner = jobs_hall.acme.owner
    scoped = await jobs_hall.with_token(owner, scope=["chat:use"])
    twin = await jobs_hall.with_token(owner, scope=["chat:use"])
    job = await queue(scoped)
    path = f"/api/jobs/{job['id']}"
    assert job["payload"] == (await scoped.get(path)).json()["payload"] == {"text": "one two"}
    assert (await twin.get(path)).json()["payload"] is None
    assert refusal(await twin.post(f"{path}/cancel")) == (403, "permission_denied")
    assert (await scoped.post(f"{path}/cancel")).json()["state"] == "cancelled"


async def test_without_a_scope_a_token_has_its_owners_jobs(jobs_hall):
    owner = jobs_hall.acme.owner
    job = await queue(owner)
    token = await jobs_hall.with_token(owner)
    assert (await token.get(f"/api/jobs/{job['id']}")).json()["payload"] == {"text": "one two"}
    assert (await token.post(f"/api/jobs/{job['id']}/cancel")).status_code == 200


async def test_a_job_of_another_company_is_not_there_for_a_scope_either(jobs_hall):
    job = await queue(jobs_hall.globex.owner)
    scoped = await jobs_hall.with_token(jobs_hall.acme.owner, scope=["chat:use"])
    assert refusal(await scoped.get(f"/api/jobs/{job['id']}")) == (404, "not_found")
    assert refusal(await scoped.post(f"/api/jobs/{job['id']}/cancel")) == (404, "not_found")

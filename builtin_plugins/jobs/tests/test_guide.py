"""The plugin of the jobs guide does what the guide says."""

import re
from pathlib import Path
from types import ModuleType

import pytest

from guildhall_sdk.dimensions import Quotas

pytestmark = pytest.mark.any_database

GUIDE = Path(__file__).resolve().parents[3] / "docs/jobs.md"


@pytest.fixture
def parcels():
    (code,) = re.findall(
        r"<!-- file: parcels.py -->\n```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL
    )
    module = ModuleType("parcels")
    exec(compile(code, "parcels.py", "exec"), vars(module))
    return module


@pytest.fixture
async def hall(open_jobs_hall, parcels):
    async with open_jobs_hall(parcels) as hall:
        async with hall.server.data.write() as writer:
            await hall.server.service(Quotas).set_limit(
                writer, "team", hall.acme.team_id, "jobs.concurrency", "none", 1
            )
        yield hall


async def weigh(hall, client):
    body = {"kind": "x.parcels.shipment", "payload": {"parcels": ["one", "three"]}}
    job = (await client.post("/api/jobs", body)).json()
    return (await client.get(f"/api/jobs/{job['id']}?wait=30")).json()


async def logged(hall, action):
    events = (await hall.acme.owner.get(f"/api/audit?action={action}")).json()["items"]
    return [event["detail"] for event in events if event["action"] == action]


async def test_a_shipment_is_weighed_by_a_job_for_each_parcel_in_one_place(hall):
    """The team may run one job at a time, and the shipment waits for two."""
    job = await weigh(hall, hall.acme.member)
    assert (job["state"], job["result"]) == ("succeeded", {"weight": 8})
    assert await logged(hall, "shipment.weighed") == [{"weight": 8}]
    assert await logged(hall, "shipment.given_up") == []


async def test_who_may_not_read_files_weighs_nothing_and_the_end_is_told(hall):
    scoped = await hall.with_token(hall.acme.member, scope=["chat:use"])
    job = await weigh(hall, scoped)
    assert (job["state"], job["error"]["code"]) == ("failed", "not_weighed")
    assert await logged(hall, "shipment.weighed") == []
    assert await logged(hall, "shipment.given_up") == [{"state": "failed"}]

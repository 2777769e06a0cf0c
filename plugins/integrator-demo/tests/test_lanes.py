"""How long a shipment takes, by the route and in the registry of tools."""

import pytest

from guildhall_sdk import UserError

pytestmark = pytest.mark.any_database

PATH = "/api/x/integrator-demo/eta"
LANES = [("rotterdam-newyork", 11), ("hamburg-shanghai", 32), ("reykjavik-rotterdam", 4)]


@pytest.mark.every_database
@pytest.mark.parametrize(("lane", "days"), LANES)
async def test_both_routes_and_the_tool_estimate_alike(shared_hall, lane, days):
    member = shared_hall.acme.member
    by_query = await member.get(PATH, params={"lane": lane})
    by_body = await member.post(PATH, {"lane": lane})
    assert by_query.status_code == by_body.status_code == 200
    assert by_query.json() == by_body.json() == {"lane": lane, "days": days}
    assert await shared_hall.tool("shipment_eta", as_=member, lane=lane) == {"lane": lane, "days": days}


async def test_an_unknown_lane_is_a_user_error_that_names_the_lanes(shared_hall):
    member = shared_hall.acme.member
    for response in (
        await member.get(PATH, params={"lane": "mars-moon"}),
        await member.post(PATH, {"lane": "mars-moon"}),
    ):
        assert response.status_code == 400
        assert response.json()["code"] == "invalid_request"
        assert all(lane in response.json()["detail"] for lane, _ in LANES)
        assert "mars" not in response.text
    with pytest.raises(UserError):
        await shared_hall.tool("shipment_eta", as_=member, lane="mars-moon")


async def test_a_query_without_a_lane_is_refused(shared_hall):
    response = await shared_hall.acme.member.get(PATH)
    assert response.status_code == 400
    assert response.json()["errors"] == [{"pointer": "?lane", "message": "is required"}]


async def test_the_shipments_of_a_suspended_company_are_held(hall, caplog):
    caplog.set_level("INFO", "guildhall.integrator-demo")
    await hall.operator.post(f"/api/orgs/{hall.globex.org_id}/suspend", {})
    await hall.drain_jobs()
    (held,) = [record for record in caplog.records if record.message == "shipments.held"]
    assert held.fields["org"] == hall.globex.org_id


async def test_a_caller_without_chat_use_is_refused(shared_hall):
    response = await shared_hall.acme.viewer.get(PATH, params={"lane": "rotterdam-newyork"})
    assert response.status_code == 403
    assert response.json()["permission"] == "chat:use"


async def test_a_team_chooses_its_lanes(hall):
    path, chosen = "/api/x/integrator-demo/lanes", {"lanes": ["hamburg-shanghai"]}
    assert (await hall.acme.member.get(path)).json() == {"lanes": [lane for lane, _ in LANES]}
    assert (await hall.acme.admin.put(path, chosen)).json() == chosen
    assert (await hall.acme.member.get(path)).json() == chosen
    assert len((await hall.acme.second_team.owner.get(path)).json()["lanes"]) == len(LANES)
    assert (await hall.acme.admin.put(path, {"lanes": ["mars-moon"]})).status_code == 400

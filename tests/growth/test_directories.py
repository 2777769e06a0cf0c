"""A directory of many people: whatever it asks for, nobody waits for a long step of it."""

import json
import os
from pathlib import Path

import pytest

from guildhall_sdk import load_queries
from tests.steps.meter import StepMeter

LIMIT_MS = 50
PEOPLE = 50_000 if "SOAK_ROUNDS" in os.environ else 20_000
sql = load_queries(Path(__file__).with_name("directory.sql"))
ATTRIBUTES = {
    "name": {"givenName": "Ada", "familyName": "Lovelace"},
    "emails": [{"value": "ada@acme.test", "type": "work", "primary": True}],
    "title": "Mate",
    "active": True,
}
_PARTS = ",".join(f"members.x{number}" for number in range(10))


@pytest.fixture
async def directory(hall):
    """Acme's, with everybody in its team."""
    made = (await hall.acme.org_owner.post("/api/tokens", {"kind": "scim"})).json()
    async with hall.server.data.write() as writer:
        await writer.run(sql.people, many=PEOPLE, org_id=hall.acme.org_id)
        await writer.run(sql.members, many=PEOPLE, team_id=hall.acme.team_id)
        attributes = json.dumps(ATTRIBUTES)
        await writer.run(sql.attributes, many=PEOPLE, org_id=hall.acme.org_id, attributes=attributes)
    return hall.bearer(made["token"])


@pytest.mark.short_on("sqlite")
async def test_no_filter_over_many_people_or_members_takes_a_long_step(hall, directory):
    members = f"/scim/v2/Groups/{hall.acme.team_id}"
    nobody = 'title eq "None" and emails[value co "zz" or type eq "home"] and not (active eq false)'
    no_group = 'members[value co "zz" and type eq "Group"] or members.value ew "-"'
    asked = (
        ("/scim/v2/Users", {"filter": 'title sw "Mate"', "startIndex": str(PEOPLE - 99)}, 100),
        ("/scim/v2/Users", {"filter": nobody}, 0),
        ("/scim/v2/Users", {"filter": 'groups.display eq "None"'}, 0),
        ("/scim/v2/Users", {"startIndex": str(PEOPLE - 99)}, 100),
        ("/scim/v2/Groups", {"filter": f'members.value eq "usr_{1_000_000_000 + PEOPLE}"'}, 1),
        ("/scim/v2/Groups", {"filter": no_group}, 0),
        ("/scim/v2/Groups", {"excludedAttributes": "members"}, 1),
        ("/scim/v2/Groups", {}, 1),
        (members, {}, None),
        (members, {"attributes": _PARTS}, None),
        (members, {"excludedAttributes": _PARTS}, None),
        ("/scim/v2/Groups", {"attributes": _PARTS}, 1),
    )
    meter, found = StepMeter(LIMIT_MS), []
    with meter.measuring():
        for path, query, count in asked:
            meter.take()
            answer = await directory.get(path, params=query)
            slow = meter.take()
            assert answer.status_code == 200, answer.text
            if count is not None:
                shown = answer.json()["Resources"]
                assert (len(shown) >= count) if count else shown == [], query
            found += [f"{path} {query}: {step}" for step in slow]
    assert not found, "\n".join(found)


@pytest.mark.short_on("sqlite")
async def test_no_bulk_takes_a_long_step(directory):
    emails = [{"value": f"ada-{number}@acme.test"} for number in range(100)]
    made = await directory.post("/scim/v2/Users", {"userName": "ada", "emails": emails})
    assert made.status_code == 201, made.text
    change = {"op": "replace", "path": "emails.display", "value": "A"}
    data, path = {"Operations": [change] * 1000}, f"/Users/{made.json()['id']}"
    bulk = {"Operations": [{"method": "PATCH", "path": path, "data": data}]}
    meter = StepMeter(LIMIT_MS)
    with meter.measuring():
        meter.take()
        answer = await directory.post("/scim/v2/Bulk", bulk)
        slow = meter.take()
    assert [one["status"] for one in answer.json()["Operations"]] == ["200"], answer.text
    assert not slow, "\n".join(map(str, slow))

"""Model roles: the team's choice, then the instance's, then the local executor."""

import json

import pytest

pytestmark = pytest.mark.any_database

PATH = "/api/model-roles"
ELSEWHERE = json.dumps([{"name": "Big", "url": "http://127.0.0.1:9/v1", "model": "big-1"}])


async def test_a_team_gives_a_role_to_an_executor_and_takes_it_back(open_hall):
    async with open_hall(SERVICE_EXECUTORS=ELSEWHERE) as hall:
        default = {"roles": {"utility": None}, "default": {"utility": "local"}}
        assert (await hall.acme.viewer.get(PATH)).json() == default
        answer = await hall.acme.admin.put(PATH, {"roles": {"utility": "Big"}})
        assert (answer.status_code, answer.json()["roles"]) == (200, {"utility": "Big"})
        assert (await hall.globex.member.get(PATH)).json() == default
        assert (await hall.acme.admin.put(PATH, {"roles": {}})).json()["roles"] == {"utility": "Big"}
        answer = await hall.acme.admin.put(PATH, {"roles": {"utility": None}})
        assert answer.json() == default


async def test_the_instance_has_a_default_of_its_own(open_hall):
    async with open_hall(SERVICE_EXECUTORS=ELSEWHERE, SERVICE_MODEL_ROLES='{"utility": "Big"}') as hall:
        answer = (await hall.acme.member.get(PATH)).json()
        assert answer == {"roles": {"utility": None}, "default": {"utility": "Big"}}


async def test_an_executor_that_is_not_there_and_a_member_are_refused(open_hall):
    async with open_hall() as hall:
        refused = await hall.acme.admin.put(PATH, {"roles": {"utility": "nobody"}})
        assert (refused.status_code, refused.json()["code"]) == (400, "unknown_executor")
        assert (await hall.acme.member.put(PATH, {"roles": {}})).status_code == 403
        refused = await hall.acme.admin.put(PATH, {"roles": {"poetry": None}})
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/roles/poetry")

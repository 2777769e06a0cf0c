"""Several server processes on one PostgreSQL: what one is told, the other heeds at once."""

import asyncio

import pytest

from tests.processes import second_process

pytestmark = pytest.mark.hall_databases("postgresql")


async def test_a_suspension_stops_32_writers_of_another_process(hall):
    async with second_process(hall) as call:
        member, written, started = hall.acme.member, [], asyncio.Event()

        async def write_on():
            while True:
                answer = await call(member, "POST", "/api/notes", {"title": "One of many"})
                if answer.status_code != 201:
                    return answer.status_code, answer.json()["code"]
                written.append(answer.json()["id"])
                if len(written) >= 64:
                    started.set()

        async def count():
            total, cursor = 0, None
            while True:
                params = {"limit": 200, **({"cursor": cursor} if cursor else {})}
                page = (await member.get("/api/notes", params=params)).json()
                total += len(page["items"])
                if (cursor := page["next_cursor"]) is None:
                    return total

        writers = [asyncio.create_task(write_on()) for _ in range(32)]
        await started.wait()
        await hall.operator.post(f"/api/orgs/{hall.acme.org_id}/suspend")
        at_the_answer = await count()
        assert set(await asyncio.gather(*writers)) == {(402, "org_suspended")}
        assert await count() == at_the_answer == len(written)
        await hall.operator.post(f"/api/orgs/{hall.acme.org_id}/resume")
        assert (await call(member, "POST", "/api/notes", {"title": "Again"})).status_code == 201


async def test_a_role_a_switch_and_a_rename_count_on_the_next_request_of_another_process(hall):
    async with second_process(hall) as call:
        member = hall.acme.member
        assert (await call(member, "GET", "/api/org/audit")).status_code == 403
        path = f"/api/org/members/{member.user_id}"
        await hall.acme.org_owner.patch(path, {"org_role": "org_reader"})
        assert (await call(member, "GET", "/api/org/audit")).status_code == 200
        await hall.acme.org_owner.patch(path, {"org_role": None})
        assert (await call(member, "GET", "/api/org/audit")).status_code == 403
        assert (await call(member, "GET", "/api/notes")).status_code == 200
        await hall.acme.owner.post("/api/plugins/notes", {"enabled": False})
        refused = await call(member, "GET", "/api/notes")
        assert (refused.status_code, refused.json()["feature"]) == (403, "notes")
        await hall.acme.owner.post("/api/plugins/notes", {"enabled": True})
        assert (await call(member, "GET", "/api/notes")).status_code == 200
        await hall.operator.patch("/api/orgs/acme", {"name": "Renamed"})
        assert (await call(member, "GET", "/api/whoami")).json()["org"]["name"] == "Renamed"


async def test_a_suspended_tenant_is_suspended_in_every_process(hosted):
    answer = (await hosted.host.post("/api/provision", {"username": "ada"})).json()
    body = {"token": answer["activation"]["token"], "password": "correct horse battery"}
    assert (await hosted.anonymous.post("/api/activate", body)).status_code == 200
    async with second_process(hosted) as call:
        # A session of that process: it lives in the present, and the hall by a clock of its own.
        login = {"username": "ada", "password": body["password"]}
        session = (await call(hosted.anonymous, "POST", "/api/login", login)).json()["token"]
        owner = hosted.bearer(session)
        assert (await call(owner, "POST", "/api/notes", {"title": "Open"})).status_code == 201
        await hosted.host.post("/api/instance/suspend")
        refused = await call(owner, "POST", "/api/notes", {"title": "Lost"})
        assert (refused.status_code, refused.json()["code"]) == (402, "tenant_suspended")
        assert (await call(owner, "GET", "/api/notes")).status_code == 200
        await hosted.host.post("/api/instance/resume")
        assert (await call(owner, "POST", "/api/notes", {"title": "Again"})).status_code == 201

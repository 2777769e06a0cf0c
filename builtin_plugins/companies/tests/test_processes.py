"""Several server processes on one PostgreSQL: what one is told, the other heeds at once."""

import asyncio
from types import SimpleNamespace

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


async def test_what_is_changed_counts_on_the_next_request_of_another_process(hall):
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
        await features_tools_and_quotas_count_too(hall, call)
        await ends_of_credentials_count_too(hall, call)


async def features_tools_and_quotas_count_too(hall, call):
    member, owner = hall.acme.member, hall.acme.owner
    for kind in ("features", "tools"):
        name = (await owner.get(f"/api/{kind}")).json()["items"][0]["name"]
        for enabled in (False, True):
            await owner.post(f"/api/{kind}/{name}", {"enabled": enabled})
            items = (await call(owner, "GET", f"/api/{kind}")).json()["items"]
            assert [item["enabled"] for item in items if item["name"] == name] == [enabled]
    quota = {"dimension": "ai.requests", "limit": 0, "window": "day"}
    assert (await call(member, "POST", "/api/ai/echo", {"text": "hello"})).status_code == 200
    await hall.operator.post("/api/orgs/acme/quota", quota)
    assert (await call(member, "POST", "/api/ai/echo", {"text": "hello"})).json()["code"] == "quota_exceeded"


async def ends_of_credentials_count_too(hall, call):
    member, owner = hall.acme.member, hall.acme.owner
    made = (await owner.post("/api/tokens", {"name": "for a while"})).json()
    token = SimpleNamespace(token=made["token"])
    assert (await call(token, "GET", "/api/whoami")).status_code == 200
    await owner.delete(f"/api/tokens/{made['id']}")
    assert (await call(token, "GET", "/api/whoami")).status_code == 401
    await owner.delete(f"/api/members/{member.user_id}")
    assert (await call(member, "GET", "/api/whoami")).status_code == 401


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

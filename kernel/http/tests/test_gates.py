"""The gates: their order, and what each says."""

import asyncio

import pytest

from guildhall_sdk import Auth, Plugin, Reply, Route, hookimpl
from guildhall_sdk.plugin import Feature
from guildhall_sdk.schema import obj, string

pytestmark = pytest.mark.any_database


class Gated:
    """One row that every gate has something to say about."""

    PLUGIN = Plugin("gated", "Gated", "0.1.0", "Tests the gates.")

    @hookimpl
    def declare_features(self):
        return [Feature("gated", "A feature to turn off")]

    @hookimpl
    def declare_routes(self):
        body = obj({"text": string()}, required=["text"])
        return [
            Route("POST", "/api/gated", "act", "Act", permission="notes:delete", feature="gated", body=body),
            Route("POST", "/api/provisioned", "act", "Act", auth=Auth.PROVISION),
            Route("GET", "/api/super", "act", "Act", auth=Auth.SUPERADMIN, permission="instance:manage"),
        ]

    @hookimpl
    def declare_handlers(self):
        async def act(call):
            return Reply({})

        return {"act": act}


def code(answer):
    return answer.status_code, answer.json().get("code")


async def test_each_gate_speaks_before_the_next(open_hall):
    """A caller with everything wrong hears of one thing at a time, in the decided order."""
    async with open_hall(Gated()) as hall:
        await hall.acme.owner.post("/api/features/gated", {"enabled": False})
        assert code(await hall.anonymous.post("/api/nothing", {})) == (404, "not_found")
        assert code(await hall.anonymous.put("/api/gated", {})) == (405, "method_not_allowed")
        assert code(await hall.anonymous.post("/api/gated", {})) == (401, "unauthenticated")
        await hall.suspend(hall.acme)
        assert code(await hall.acme.viewer.post("/api/gated", {})) == (402, "org_suspended")
        await hall.resume(hall.acme)
        assert code(await hall.acme.viewer.post("/api/gated", {})) == (403, "feature_disabled")
        await hall.acme.owner.post("/api/features/gated", {"enabled": True})
        assert code(await hall.acme.viewer.post("/api/gated", {})) == (403, "permission_denied")
        assert code(await hall.acme.owner.post("/api/gated", {})) == (400, "invalid_request")
        assert (await hall.acme.owner.post("/api/gated", {"text": "x"})).status_code == 200


async def test_the_rate_gate_stands_between_authentication_and_suspension(open_hall):
    async with open_hall(Gated(), SERVICE_RATE_LIMIT="60") as hall:
        for _ in range(10):
            assert (await hall.acme.owner.post("/api/gated", {"text": "x"})).status_code == 200
        await hall.suspend(hall.acme)
        refused = await hall.acme.owner.post("/api/gated", {"text": "x"})
        assert code(refused) == (429, "rate_limited")
        assert int(refused.headers["retry-after"]) >= 1
        assert code(await hall.anonymous.post("/api/gated", {})) == (401, "unauthenticated")
        assert code(await hall.acme.admin.post("/api/gated", {})) == (402, "org_suspended")


async def test_a_credential_gets_its_budget_back_with_time(open_hall):
    async with open_hall(Gated(), SERVICE_RATE_LIMIT="60") as hall:
        while (await hall.acme.owner.get("/api/whoami")).status_code == 200:
            pass
        hall.clock.advance(seconds=1.1)
        assert (await hall.acme.owner.get("/api/whoami")).status_code == 200


async def test_a_flood_of_one_credential_does_not_brake_another(open_hall):
    async with open_hall(Gated(), SERVICE_RATE_LIMIT="60") as hall:
        flood = await asyncio.gather(*(hall.acme.owner.get("/api/whoami") for _ in range(40)))
        assert sum(answer.status_code == 200 for answer in flood) == 10
        assert (await hall.acme.member.get("/api/whoami")).status_code == 200


async def test_public_routes_count_by_address_and_a_fifth(open_hall):
    async with open_hall(Gated(), SERVICE_RATE_LIMIT="300") as hall:
        answers = [(await hall.anonymous.get("/api/config")).status_code for _ in range(15)]
        assert answers == [200] * 10 + [429] * 5


async def test_without_hosted_mode_the_provision_plane_is_not_there(open_hall):
    async with open_hall(Gated()) as hall:
        assert code(await hall.operator.post("/api/provisioned", {})) == (404, "not_found")


@pytest.mark.parametrize("token", ["wrong-wrong-wrong-wrong", "é" * 20])
async def test_in_hosted_mode_the_provision_plane_wants_its_own_token(open_hall, token):
    async with open_hall(Gated(), SERVICE_PROVISION_TOKEN="canary-provision-token") as hall:
        headers = {"Authorization": f"Bearer {token}".encode()}
        refused = await hall.anonymous.request("POST", "/api/provisioned", headers=headers)
        assert code(refused) == (401, "unauthenticated")
        headers = {"Authorization": "Bearer canary-provision-token"}
        assert (await hall.anonymous.request("POST", "/api/provisioned", headers=headers)).status_code == 200


async def test_on_a_single_company_instance_the_superadmin_plane_is_not_there(open_hall):
    async with open_hall(Gated(), SERVICE_MULTITENANT="off") as hall:
        assert code(await hall.operator.get("/api/super")) == (404, "not_found")
    async with open_hall(Gated()) as hall:
        assert (await hall.operator.get("/api/super")).status_code == 200
        assert code(await hall.acme.owner.get("/api/super")) == (403, "permission_denied")

"""A probe that somebody asks for: how an endpoint is, and what it does not take."""

import pytest

from builtin_plugins.executors import health

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

LOCAL = "/api/executors/exe_local/probe"


def refuse(picky, name, status=400):
    picky.refuse({"error": {"message": f"Unsupported parameter: {name}", "param": name}}, name, status)


@pytest.fixture
async def hall(share_picky):
    async with share_picky(SERVICE_ORG_PRIVATE_ENDPOINTS="on") as opened:
        yield opened


@pytest.fixture
def own(hall, picky):
    """`await own(hall.acme)`: the path of a probe of an executor of that company."""

    async def own(company):
        body = {"name": f"own-{company.org_id}", "mode": "push", "url": picky.url, "key": "sk-of-the-company"}
        made = await company.org_owner.post("/api/org/executors", body)
        assert made.status_code == 201, made.text
        return f"/api/executors/{made.json()['id']}/probe"

    return own


async def quirks_of(client, path):
    items = (await client.get("/api/executors")).json()["items"]
    return next(item["quirks"] for item in items if item["id"] == path.split("/")[3])


async def test_a_probe_says_how_an_endpoint_is_and_what_it_does_not_take(hall, picky):
    refuse(picky, "max_tokens")
    refuse(picky, "stream_options", 422)
    found = {"max_completion_tokens": True, "no_stream_options": True}
    answer = await hall.operator.post(LOCAL)
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "health": {"status": "ok", "checked_at": answer.json()["health"]["checked_at"], "detail": None},
            "quirks": found,
            "turn": {"ok": True, "detail": None},
        },
    )
    assert await quirks_of(hall.operator, LOCAL) == found
    picky.requests.clear()
    await hall.acme.member.post("/api/ai/chat", {"prompt": "Hello"})
    assert len(picky.turns) == 1, "the first turn is right at once"
    picky.refusals.clear()
    assert (await hall.operator.post(LOCAL)).json()["quirks"] == {}, "a probe begins anew"
    assert await quirks_of(hall.operator, LOCAL) == {}


@pytest.mark.every_database
async def test_a_turn_that_fails_is_told_and_what_was_known_stays(hall, picky):
    refuse(picky, "temperature")
    await hall.operator.post(LOCAL)
    picky.refuse({"error": {"message": "The model `m` does not exist"}}, "messages", 404)
    answer = (await hall.operator.post(LOCAL)).json()
    assert answer["turn"] == {
        "ok": False,
        "detail": "The model's endpoint answered 404: The model `m` does not exist.",
    }
    assert (answer["health"]["status"], answer["quirks"]) == ("ok", {"no_temperature": True})
    assert await quirks_of(hall.operator, LOCAL) == {"no_temperature": True}


@pytest.mark.hall_databases("sqlite")
async def test_an_endpoint_that_is_gone_is_down_for_everybody_at_once(hall, picky):
    await picky.stop()
    answer = (await hall.operator.post(LOCAL)).json()
    assert (answer["health"]["status"], answer["turn"]) == ("down", None)
    assert (await hall.acme.member.get("/api/ai/model")).json()["health"]["status"] == "down"
    await picky.start()


@pytest.mark.hall_databases("sqlite")
async def test_an_endpoint_that_is_silent_costs_a_probe_some_seconds_and_no_more(hall, picky, monkeypatch):
    monkeypatch.setattr(health, "PROBE_TURN_SECONDS", 0.05)
    picky.stream = b": waiting\n\n"
    assert (await hall.operator.post(LOCAL)).json()["turn"]["ok"] is False


async def test_a_company_probes_its_own_and_nobody_elses(hall, picky, own):
    acmes, globexes = await own(hall.acme), await own(hall.globex)
    assert (await hall.acme.org_owner.post(acmes)).json()["turn"] == {"ok": True, "detail": None}
    assert picky.requests[-1][1]["authorization"] == "Bearer sk-of-the-company"
    assert (await hall.operator.post(acmes)).status_code == 200
    picky.requests.clear()
    for client, path, status, said in (
        (hall.acme.org_owner, globexes, 404, "not_found"),
        (hall.acme.org_owner, "/api/executors/exe_nobody/probe", 404, "not_found"),
        (hall.acme.org_owner, LOCAL, 403, "permission_denied"),
        (hall.acme.owner, acmes, 403, "permission_denied"),
        (hall.anonymous, acmes, 401, "unauthenticated"),
    ):
        refused = await client.post(path)
        assert (refused.status_code, refused.json()["code"]) == (status, said)
    assert picky.requests == []


@pytest.mark.hall_databases("sqlite")
async def test_what_has_no_address_is_not_called(open_hall):
    async with open_hall() as hall:
        simulated = (await hall.operator.post(LOCAL)).json()
        assert (simulated["health"]["status"], simulated["quirks"], simulated["turn"]) == ("ok", {}, None)
        pulls = (await hall.operator.post("/api/executors", {"name": "gpu", "mode": "pull"})).json()["id"]
        answer = (await hall.operator.post(f"/api/executors/{pulls}/probe")).json()
        assert (answer["health"]["status"], answer["turn"]) == ("unknown", None)


async def test_a_retired_executor_leaves_nothing_behind(hall, picky, own):
    refuse(picky, "temperature")
    path = await own(hall.acme)
    assert (await hall.operator.post(path)).json()["quirks"] == {"no_temperature": True}
    assert (await hall.operator.delete(path.removesuffix("/probe"))).status_code == 204
    assert (await hall.operator.post(path)).status_code == 404

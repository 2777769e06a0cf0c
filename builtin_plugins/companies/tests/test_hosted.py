"""Hosted mode: one tenant, provisioned by the host and let in by a link."""

import asyncio

import pytest

pytestmark = pytest.mark.any_database

PASSWORD = "correct horse battery"
ADA = {"username": "ada", "org": "Analytical Engines", "team": "Mill", "display_name": "Ada L."}


def code(response):
    return response.status_code, response.json().get("code")


async def provisioned(hall, **more):
    response = await hall.host.post("/api/provision", {**ADA, **more})
    assert response.status_code == 201, response.text
    return response.json()


async def activated(hall, **more):
    """The owner, let in."""
    token = (await provisioned(hall, **more))["activation"]["token"]
    response = await hall.anonymous.post("/api/activate", {"token": token, "password": PASSWORD})
    assert response.status_code == 200, response.text
    return hall.bearer(response.json()["token"])


async def test_the_host_provisions_an_owner_who_lets_themself_in(hosted):
    answer = await provisioned(hosted, locale="en-GB", plan="free")
    assert (answer["user"]["username"], answer["user"]["locale"]) == ("ada", "en-GB")
    assert (answer["org"]["name"], answer["org"]["plan"]) == ("Analytical Engines", "free")
    assert answer["team"]["name"] == "Mill"
    token = answer["activation"]["token"]
    assert answer["activation"]["url"] == f"{hosted.base_url}/activate#token={token}"
    login = {"username": "ada", "password": PASSWORD}
    assert (await hosted.anonymous.post("/api/login", login)).status_code == 401
    response = await hosted.anonymous.post("/api/activate", {"token": token, "password": PASSWORD})
    assert response.status_code == 200
    assert response.json()["token"].startswith("ghs_")
    owner = hosted.bearer(response.json()["token"])
    who = (await owner.get("/api/whoami")).json()
    assert (who["team"]["role"], who["org_role"], who["operator"]) == ("owner", "org_owner", False)
    assert who["user"] == response.json()["user"]
    assert (await hosted.anonymous.post("/api/login", login)).status_code == 200
    limits = {row["dimension"]: row["limit"] for row in (await owner.get("/api/org")).json()["quotas"]}
    assert limits["storage.bytes"] == 1024**3


async def test_a_name_alone_is_enough(hosted):
    response = await hosted.host.post("/api/provision", {"username": "ada"})
    answer = response.json()
    assert (answer["org"]["name"], answer["org"]["plan"]) == ("My company", "team")
    assert (answer["team"]["name"], answer["user"]["locale"]) == ("General", "en")


async def test_there_is_one_tenant_ever(hosted):
    await provisioned(hosted)
    again = await hosted.host.post("/api/provision", {"username": "mallory"})
    assert code(again) == (409, "already_provisioned")
    again = await hosted.host.post("/api/provision", ADA)
    assert code(again) == (409, "already_provisioned")
    refused = await hosted.anonymous.post("/api/bootstrap", {"username": "mallory", "password": PASSWORD})
    assert code(refused) == (403, "hosted_mode")


@pytest.mark.every_database
async def test_of_32_provisions_at_once_one_succeeds(hosted):
    bodies = [{"username": f"ada{number}"} for number in range(32)]
    answers = await asyncio.gather(*(hosted.host.post("/api/provision", body) for body in bodies))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 31
    refused = {answer.json()["code"] for answer in answers if answer.status_code == 409}
    assert refused == {"already_provisioned"}


WRONG = [
    ({"username": " ada"}, "/username"),
    ({"org": "\n"}, "/org"),
    ({"team": " "}, "/team"),
    ({"display_name": "\u202e"}, "/display_name"),
    ({"locale": "english!"}, "/locale"),
    ({"plan": "gold"}, "/plan"),
    ({"password": PASSWORD}, "/password"),
]


async def test_a_refused_provision_leaves_the_instance_free(hosted):
    for wrong, place in WRONG:
        refused = await hosted.host.post("/api/provision", {**ADA, **wrong})
        assert code(refused) == (400, "invalid_request")
        assert [error["pointer"] for error in refused.json()["errors"]] == [place]
    await provisioned(hosted)


async def test_a_link_works_once(hosted):
    token = (await provisioned(hosted))["activation"]["token"]
    body = {"token": token, "password": PASSWORD}
    assert (await hosted.anonymous.post("/api/activate", body)).status_code == 200
    again = {"token": token, "password": "staple of a better horse"}
    assert code(await hosted.anonymous.post("/api/activate", again)) == (400, "activation_invalid")
    login = {"username": "ada", "password": again["password"]}
    assert (await hosted.anonymous.post("/api/login", login)).status_code == 401


@pytest.mark.every_database
async def test_of_32_activations_at_once_one_succeeds(hosted):
    token = (await provisioned(hosted))["activation"]["token"]
    bodies = [{"token": token, "password": f"{PASSWORD} {number}"} for number in range(32)]
    answers = await asyncio.gather(*(hosted.anonymous.post("/api/activate", body) for body in bodies))
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 31
    won = next(n for n, answer in enumerate(answers) if answer.status_code == 200)
    for number in (won, (won + 1) % 32):
        login = {"username": "ada", "password": f"{PASSWORD} {number}"}
        answer = await hosted.anonymous.post("/api/login", login)
        assert answer.status_code == (200 if number == won else 401)


async def test_a_link_ends_after_72_hours(hosted):
    answer = await provisioned(hosted)
    body = {"token": answer["activation"]["token"], "password": PASSWORD}
    hosted.clock.advance(hours=72)
    assert code(await hosted.anonymous.post("/api/activate", body)) == (400, "activation_invalid")


async def test_a_link_holds_to_the_end_of_its_time(hosted):
    answer = await provisioned(hosted)
    body = {"token": answer["activation"]["token"], "password": PASSWORD}
    hosted.clock.advance(hours=71, minutes=59)
    assert (await hosted.anonymous.post("/api/activate", body)).status_code == 200


async def test_a_refused_password_leaves_the_link_unspent(hosted):
    token = (await provisioned(hosted, username="ada-lovelace"))["activation"]["token"]
    for password in ("short", "password1234", "ada-lovelace!"):
        refused = await hosted.anonymous.post("/api/activate", {"token": token, "password": password})
        assert code(refused) == (400, "invalid_request")
        assert refused.json()["errors"][0]["pointer"] == "/password"
    body = {"token": token, "password": PASSWORD}
    assert (await hosted.anonymous.post("/api/activate", body)).status_code == 200


@pytest.mark.parametrize("token", ["x", "é" * 43, "ghs_" + "x" * 43, "A" * 43])
async def test_another_token_activates_nobody(hosted, token):
    await provisioned(hosted)
    refused = await hosted.anonymous.post("/api/activate", {"token": token, "password": PASSWORD})
    assert code(refused) == (400, "activation_invalid")


async def test_the_link_is_stored_nowhere(hosted):
    from guildhall_testing.conformance.state import state_of

    token = (await provisioned(hosted))["activation"]["token"]
    assert token not in str(await state_of(hosted.server.data))


async def test_outside_hosted_mode_there_is_nobody_to_activate(hall):
    refused = await hall.anonymous.post("/api/activate", {"token": "x", "password": PASSWORD})
    assert code(refused) == (400, "activation_invalid")
    assert code(await hall.operator.post("/api/provision", ADA)) == (404, "not_found")


async def test_only_the_hosts_token_opens_the_plane(hosted):
    owner = await activated(hosted)
    limit = {"dimension": "storage.bytes", "limit": None, "window": "none"}
    for client in (hosted.anonymous, owner, hosted.bearer("wrong-wrong-wrong-wrong")):
        for path, body in (
            ("/api/provision", ADA),
            ("/api/instance/suspend", None),
            ("/api/instance/resume", None),
            ("/api/instance/quota", limit),
        ):
            assert code(await client.post(path, body)) == (401, "unauthenticated")
    assert (await owner.post("/api/notes", {"title": "Still open"})).status_code == 201


async def test_an_instance_that_has_people_cannot_be_provisioned(open_companies):
    async with open_companies(SERVICE_PROVISION_TOKEN="canary-of-the-provisioning-token") as hall:
        assert code(await hall.host.post("/api/provision", ADA)) == (409, "already_provisioned")
        limit = {"dimension": "storage.bytes", "limit": 1, "window": "none"}
        assert code(await hall.host.post("/api/instance/quota", limit)) == (409, "not_provisioned")


async def test_a_suspended_tenant_can_be_read_and_not_written(hosted):
    owner = await activated(hosted)
    note = (await owner.post("/api/notes", {"title": "Kept"})).json()
    suspended = (await hosted.host.post("/api/instance/suspend")).json()
    assert suspended["suspended"] is True
    assert (await owner.get(f"/api/notes/{note['id']}")).json()["title"] == "Kept"
    for method, path, body in (
        ("POST", "/api/notes", {"title": "Lost"}),
        ("DELETE", f"/api/notes/{note['id']}", None),
        ("POST", "/api/members", {"username": "new", "role": "member"}),
        ("POST", "/api/tokens", {}),
        ("POST", "/api/org/teams", {"name": "New"}),
        ("POST", "/api/profile", {"display_name": "New"}),
    ):
        assert code(await owner.request(method, path, body)) == (402, "tenant_suspended")
    login = {"username": "ada", "password": PASSWORD}
    session = hosted.bearer((await hosted.anonymous.post("/api/login", login)).json()["token"])
    changed = {"current_password": PASSWORD, "new_password": "staple of a better horse"}
    assert (await session.post("/api/password", changed)).status_code == 200
    assert (await session.post("/api/2fa/enable")).status_code == 200
    assert (await session.delete("/api/2fa")).status_code == 204
    assert (await session.post("/api/logout")).status_code == 204
    assert (await hosted.host.post("/api/instance/suspend")).json() == suspended
    assert (await hosted.host.post("/api/instance/resume")).json() == {
        "suspended": False,
        "suspended_at": None,
    }
    login["password"] = changed["new_password"]
    owner = hosted.bearer((await hosted.anonymous.post("/api/login", login)).json()["token"])
    assert (await owner.post("/api/notes", {"title": "Again"})).status_code == 201


async def test_the_provision_plane_works_on_while_suspended(hosted):
    assert (await hosted.host.post("/api/instance/suspend")).json()["suspended"] is True
    answer = await provisioned(hosted)
    body = {"token": answer["activation"]["token"], "password": PASSWORD}
    assert code(await hosted.anonymous.post("/api/activate", body)) == (402, "tenant_suspended")
    limit = {"dimension": "storage.bytes", "limit": 1, "window": "none"}
    assert (await hosted.host.post("/api/instance/quota", limit)).status_code == 200
    await hosted.host.post("/api/instance/resume")
    assert (await hosted.anonymous.post("/api/activate", body)).status_code == 200


async def test_after_the_answer_none_of_32_writers_commits(hosted):
    owner, written, started = await activated(hosted), [], asyncio.Event()

    async def write_on():
        while True:
            answer = await owner.post("/api/notes", {"title": "One of many"})
            if answer.status_code != 201:
                return code(answer)
            written.append(answer.json()["id"])
            if len(written) >= 48:
                started.set()

    async def count():
        page = (await owner.get("/api/notes", params={"limit": 200})).json()
        assert page["next_cursor"] is None
        return len(page["items"])

    writers = [asyncio.create_task(write_on()) for _ in range(32)]
    await started.wait()
    await hosted.host.post("/api/instance/suspend")
    at_the_answer = await count()
    assert set(await asyncio.gather(*writers)) == {(402, "tenant_suspended")}
    assert await count() == at_the_answer == len(written)


async def test_the_host_limits_the_tenants_team(hosted):
    owner = await activated(hosted)
    limit = {"dimension": "storage.bytes", "limit": 77, "window": "none"}
    row = (await hosted.host.post("/api/instance/quota", limit)).json()
    assert (row["level"], row["limit"]) == ("team", 77)
    assert row in (await owner.get("/api/usage")).json()["items"]
    for wrong, place in (({"dimension": "no.such"}, "/dimension"), ({"window": "day"}, "/window")):
        refused = await hosted.host.post("/api/instance/quota", {**limit, **wrong})
        assert code(refused) == (400, "invalid_request")
        assert refused.json()["errors"][0]["pointer"] == place


async def test_the_tenant_finds_what_its_host_did_in_its_own_trail(hosted, actions_of):
    owner = await activated(hosted)
    limit = {"dimension": "storage.bytes", "limit": 77, "window": "none"}
    await hosted.host.post("/api/instance/quota", limit)
    for way in ("suspend", "suspend", "resume", "resume"):
        await hosted.host.post(f"/api/instance/{way}")
    trail = await actions_of(owner)
    assert trail[:4] == ["tenant.resumed", "tenant.suspended", "quota.changed", "tenant.activated"]
    assert sorted(trail[4:]) == ["org.created", "tenant.provisioned"]  # one transaction
    events = (await owner.get("/api/org/audit")).json()["items"]
    actors = {event["action"]: event["actor"]["name"] for event in events}
    assert (actors["tenant.suspended"], actors["tenant.activated"]) == ("host", "ada")


async def test_a_replay_does_not_give_the_link_again(hosted):
    headers = {"Idempotency-Key": "once"}
    first = await hosted.host.post("/api/provision", ADA, headers=headers)
    again = await hosted.host.post("/api/provision", ADA, headers=headers)
    assert code(again) == (409, "already_issued")
    assert again.json()["id"] == first.json()["user"]["id"]

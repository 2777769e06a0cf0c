"""What is tried upon people who allowed something: each is refused."""

import asyncio

import pytest

from builtin_plugins.oauth import clients
from builtin_plugins.oauth.redirects import check_registered
from builtin_plugins.oauth.tests.conftest import CALLBACK

pytestmark = pytest.mark.shared_server


def refusal(response) -> tuple[int, str]:
    return response.status_code, response.json().get("error", response.text)


INVALID_GRANT = (400, "invalid_grant")


async def is_alive(hall, tokens):
    return (await hall.bearer(tokens["access_token"]).get("/api/whoami")).status_code == 200


async def ended_because(hall):
    trail = (await hall.acme.owner.get("/api/audit", params={"limit": 20})).json()["items"]
    return next(one["detail"]["because"] for one in trail if one["action"] == "app.disconnected")


async def test_a_stolen_code_is_worth_nothing_without_its_verifier(hall, app):
    code = await app.code(hall.acme.member)
    for verifier in ("a" * 43, "", app.verifier + "a", "a" * 42, "é" * 50):
        assert refusal(await app.exchange(code, code_verifier=verifier)) in (
            INVALID_GRANT,
            (400, "invalid_request"),
        )
    assert (await app.exchange(code)).status_code == 200


async def test_a_code_is_for_the_app_and_the_address_that_asked(hall, app, new_app):
    other = await new_app("Another")
    code = await app.code(hall.acme.member)
    assert refusal(await app.exchange(code, client_id=other.id)) == INVALID_GRANT
    assert refusal(await app.exchange(code, redirect_uri="https://evil.example/")) == INVALID_GRANT
    assert refusal(await app.exchange(code, redirect_uri=None)) == INVALID_GRANT
    assert (await app.exchange(code)).status_code == 200


async def test_a_code_that_is_used_twice_ends_all_that_came_of_it(hall, app):
    code = await app.code(hall.acme.member)
    tokens = (await app.exchange(code)).json()
    second = (await app.refresh(tokens["refresh_token"])).json()
    assert refusal(await app.exchange(code, code_verifier="a" * 43)) == INVALID_GRANT
    assert not await is_alive(hall, tokens)
    assert not await is_alive(hall, second)
    assert refusal(await app.refresh(second["refresh_token"])) == INVALID_GRANT
    assert await ended_because(hall) == "code_reused"


async def test_a_refresh_token_that_is_used_twice_ends_all_that_came_of_it(hall, app):
    first = await app.connect(hall.acme.member)
    second = (await app.refresh(first["refresh_token"])).json()
    assert refusal(await app.refresh(first["refresh_token"])) == INVALID_GRANT
    for tokens in (first, second):
        assert not await is_alive(hall, tokens)
        assert refusal(await app.refresh(tokens["refresh_token"])) == INVALID_GRANT
    assert await ended_because(hall) == "refresh_token_reused"


async def test_of_8_exchanges_at_once_one_gives_tokens_and_they_end(hall, app):
    code = await app.code(hall.acme.member)
    answers = await asyncio.gather(*(app.exchange(code) for _ in range(8)))
    good = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(good) == 1
    assert not await is_alive(hall, good[0])


async def test_of_8_refreshes_at_once_one_gives_tokens_and_they_end(hall, app):
    tokens = await app.connect(hall.acme.member)
    answers = await asyncio.gather(*(app.refresh(tokens["refresh_token"]) for _ in range(8)))
    good = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(good) == 1
    assert not await is_alive(hall, good[0])


async def test_a_refresh_token_of_one_app_is_nothing_to_another(hall, app, new_app):
    other = await new_app("Another")
    tokens = await app.connect(hall.acme.member)
    assert refusal(await app.refresh(tokens["refresh_token"], client_id=other.id)) == INVALID_GRANT
    revoked = await app.form("/oauth/revoke", token=tokens["refresh_token"], client_id=other.id)
    assert revoked.status_code == 200
    assert await is_alive(hall, tokens)
    assert (await app.refresh(tokens["refresh_token"])).status_code == 200


async def test_a_code_lapses(hall, app):
    code = await app.code(hall.acme.member)
    hall.clock.advance(minutes=2)
    assert refusal(await app.exchange(code)) == INVALID_GRANT


@pytest.mark.parametrize(
    "change",
    [
        {"code_challenge_method": "plain"},
        {"code_challenge_method": None},
        {"code_challenge": None},
        {"code_challenge": "short"},
        {"code_challenge": "a" * 43 + "="},
    ],
)
async def test_there_is_no_way_around_the_challenge(hall, app, change):
    assert refusal(await app.decide(hall.acme.member, **change)) == (400, "invalid_request")
    shown = await hall.acme.member.post("/api/oauth/consent/check", app.asked(**change))
    assert refusal(shown) == (400, "invalid_request")


@pytest.mark.parametrize(
    "uri",
    [
        "https://evil.example/callback",
        "https://app.example/callback/",
        "https://app.example/callback?next=https://evil.example",
        "https://app.example/callback#",
        "https://app.example:8443/callback",
        "https://app.example@evil.example/callback",
        "https://app.example.evil.example/callback",
        "HTTPS://APP.EXAMPLE/callback",
        "http://app.example/callback",
        "//app.example/callback",
        "/callback",
        "",
    ],
)
async def test_nothing_is_answered_at_another_address(hall, app, uri):
    response = await app.decide(hall.acme.member, redirect_uri=uri)
    assert refusal(response) == (400, "invalid_request")
    assert "redirect_to" not in response.json()
    denied = await app.decide(hall.acme.member, "deny", redirect_uri=uri)
    assert "redirect_to" not in denied.json()


async def test_a_port_is_free_on_ones_own_machine_alone(hall, new_app):
    app = await new_app(uris=["http://127.0.0.1/done", "http://[::1]:1/done", "http://localhost:3000/done"])
    for uri, allowed in (
        ("http://127.0.0.1:49152/done", True),
        ("http://[::1]:49152/done", True),
        ("http://localhost:3000/done", True),
        ("http://localhost:49152/done", False),
        ("http://127.0.0.1:49152/other", False),
        ("http://127.0.0.2:49152/done", False),
        ("http://127.0.0.1:49152@evil.example/done", False),
        ("http://127.0.0.1.evil.example/done", False),
        ("https://127.0.0.1:49152/done", False),
    ):
        response = await app.decide(hall.acme.member, redirect_uri=uri)
        assert (response.status_code == 200) is allowed, uri


@pytest.mark.any_database
@pytest.mark.parametrize(
    "uri",
    [
        "http://app.example/callback",
        "http://127.0.0.1.evil.example/",
        "javascript:alert(1)",
        "JavaScript://%0aalert(1)",
        "data:text/html,hello",
        "file:///etc/passwd",
        "ms-msdt:/id",
        "blob:https://app.example/1",
        "https://user@app.example/",
        "https://app.example/#fragment",
        "https://app.example/\\evil",
        "https://app.example/ space",
        "https://app.example/\u00e9",
        "https:///callback",
        "https://app.example:port/",
        "/callback",
        "callback",
        "",
        "https://app.example/" + "a" * 500,
    ],
)
async def test_no_program_registers_such_an_address(hall, uri):
    response = await hall.anonymous.post("/oauth/register", {"redirect_uris": [uri]})
    assert response.status_code == 400, uri
    assert response.json()["error"] in ("invalid_redirect_uri", "invalid_request")


@pytest.mark.any_database
@pytest.mark.parametrize(
    "uri", ["https://app.example", "http://localhost:1/", "editor://done/x", "com.example:/"]
)
def test_such_an_address_is_registered(uri):
    check_registered(uri)


@pytest.mark.any_database
async def test_a_name_deceives_nobody_with_signs_that_are_not_seen(hall):
    for name in ("Guild\nhall", "Guild\u202ehall"):
        body = {"client_name": name, "redirect_uris": [CALLBACK]}
        response = await hall.anonymous.post("/oauth/register", body)
        assert refusal(response) == (400, "invalid_client_metadata")


async def test_only_a_person_in_a_session_consents(hall, app):
    tokens = await app.connect(hall.acme.member)
    token = await hall.with_token(hall.acme.member)
    for client, status in (
        (hall.anonymous, 401),
        (hall.bearer(tokens["access_token"]), 403),
        (token, 403),
    ):
        assert (await app.decide(client)).status_code == status
        shown = await client.post("/api/oauth/consent/check", app.asked())
        assert shown.status_code == status


async def test_a_scope_is_never_wider_than_was_asked_allowed_and_held(hall, app):
    member = hall.acme.member
    tokens = await app.connect(member, scope="notes:read", permissions=["notes:read", "notes:write"])
    assert tokens["scope"] == "notes:read"
    for scope in ("notes:read notes:write", "notes:write", "", "instance:manage"):
        assert refusal(await app.refresh(tokens["refresh_token"], scope=scope)) == (400, "invalid_scope")
    assert refusal(await app.decide(member, scope="instance:manage settings:manage")) == (
        400,
        "invalid_scope",
    )
    who = (await hall.bearer(tokens["access_token"]).get("/api/whoami")).json()
    assert who["permissions"] == ["notes:read"]
    wider = await hall.bearer(tokens["access_token"]).post("/api/tokens", {"scope": ["notes:write"]})
    assert wider.status_code == 403


async def test_an_app_of_one_company_is_nothing_in_another(hall, app):
    tokens = await app.connect(hall.acme.member)
    (mine, *_) = (await hall.acme.member.get("/api/connected-apps")).json()["items"]
    for stranger in (hall.globex.owner, hall.globex.org_owner, hall.acme.colleague, hall.operator):
        assert (await stranger.delete(f"/api/connected-apps/{mine['id']}")).status_code == 404
        listed = (await stranger.get("/api/connected-apps")).json()["items"]
        assert mine["id"] not in {one["id"] for one in listed}
    everybody = (await hall.globex.owner.get("/api/connected-apps?everybody=1")).json()["items"]
    assert mine["id"] not in {one["id"] for one in everybody}
    assert await is_alive(hall, tokens)


async def test_tokens_are_for_this_server_alone(hall, app):
    for resource in ("https://elsewhere.example", f"{hall.base_url}.evil.example/", f"{hall.base_url}0"):
        assert refusal(await app.decide(hall.acme.member, resource=resource)) == (400, "invalid_target")
        code = await app.code(hall.acme.member)
        assert refusal(await app.exchange(code, resource=resource)) == (400, "invalid_target")


@pytest.mark.any_database
async def test_forms_are_judged(hall, app):
    async def send(content):
        return await hall.anonymous.post("/oauth/token", content=content)

    for content in (
        b"",
        b"grant_type=authorization_code",
        b"grant_type=password&client_id=a&username=a&password=b",
        b"grant_type=refresh_token&client_id=a",
        b"grant_type=refresh_token&client_id=a&refresh_token=a&refresh_token=b",
        b"grant_type=authorization_code&client_id=a&code=%ff&code_verifier=a",
        b"\xff\xfe",
        b"&".join(b"a%d=1" % number for number in range(100)),
        b"grant_type=refresh_token&client_id=a&refresh_token=b&client_secret=c",
    ):
        response = await send(content)
        assert response.status_code == 400, content
        assert response.json()["error"], content


async def test_who_is_suspended_is_acted_for_by_nobody(hall, app):
    person = await hall.join(hall.acme, "member")
    tokens = await app.connect(person)
    await hall.acme.org_admin.post(f"/api/org/members/{person.user_id}/suspend")
    refused = await hall.bearer(tokens["access_token"]).get("/api/whoami")
    assert refused.json()["code"] == "person_suspended"


@pytest.mark.own_server
async def test_programs_that_nobody_allows_anything_are_forgotten(hall, new_app):
    app, used = await new_app(), await new_app()
    await used.connect(hall.acme.member)
    hall.clock.advance(days=7)
    await new_app()
    assert refusal(await app.decide(hall.acme.member)) == (400, "invalid_client")
    assert (await used.decide(hall.acme.member)).status_code == 200


@pytest.mark.own_server
async def test_who_registers_very_many_locks_nobody_out(hall, new_app, monkeypatch):
    monkeypatch.setattr(clients, "MAX_UNUSED", 3)
    many = [await new_app() for _ in range(3)]
    late = await new_app()
    assert refusal(await many[0].decide(hall.acme.member)) == (400, "invalid_client")
    assert (await late.decide(hall.acme.member)).status_code == 200


async def test_a_team_that_has_no_connected_apps_refreshes_none(hall, app):
    tokens = await app.connect(hall.acme.member)
    switched = await hall.acme.owner.post("/api/plugins/oauth", {"enabled": False})
    assert switched.status_code == 200, switched.text
    assert refusal(await app.refresh(tokens["refresh_token"])) == INVALID_GRANT
    await hall.acme.owner.post("/api/plugins/oauth", {"enabled": True})

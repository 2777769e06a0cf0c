"""A program registers, is allowed something, refreshes, and is disconnected."""

import pytest

from builtin_plugins.oauth.tests.conftest import CALLBACK, answer_in

pytestmark = pytest.mark.shared_server


async def test_the_metadata_says_where_to_ask(hall):
    server = (await hall.anonymous.get("/.well-known/oauth-authorization-server")).json()
    assert server["issuer"] == hall.base_url
    assert server["token_endpoint"] == f"{hall.base_url}/oauth/token"
    assert server["authorization_endpoint"] == f"{hall.base_url}/oauth/authorize"
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["token_endpoint_auth_methods_supported"] == ["none"]
    for path in ("", "/api/mcp/server"):
        resource = (await hall.anonymous.get(f"/.well-known/oauth-protected-resource{path}")).json()
        assert resource["resource"] == hall.base_url + path
        assert resource["authorization_servers"] == [hall.base_url]
        assert "notes:read" in resource["scopes_supported"]
        assert "settings:manage" not in resource["scopes_supported"]


async def test_the_mcp_server_names_its_metadata_where_it_refuses(hall):
    wanted = f'Bearer resource_metadata="{hall.base_url}/.well-known/oauth-protected-resource/api/mcp/server"'
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for client in (hall.anonymous, hall.bearer("gha_" + "a" * 43), hall.bearer("nonsense")):
        response = await client.post("/api/mcp/server", ping)
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == wanted
    other = await hall.anonymous.get("/api/notes")
    assert other.headers["www-authenticate"] == "Bearer"


async def test_a_program_registers_without_a_secret(hall):
    body = {
        "client_name": "Their editor",
        "redirect_uris": [CALLBACK, "http://127.0.0.1/done", "com.example.editor:/done"],
        "token_endpoint_auth_method": "client_secret_post",
        "grant_types": ["authorization_code", "refresh_token"],
        "logo_uri": "https://app.example/logo.png",
    }
    response = await hall.anonymous.post("/oauth/register", body)
    assert response.status_code == 201
    made = response.json()
    assert made["redirect_uris"] == body["redirect_uris"]
    assert (made["client_name"], made["token_endpoint_auth_method"]) == ("Their editor", "none")
    assert "client_secret" not in made
    assert response.headers["cache-control"] == "no-store"


async def test_the_consent_says_who_asks_for_what_in_plain_words(hall, app):
    asked = app.asked(scope="notes:read files:read instance:manage no:such openid")
    response = await hall.acme.member.post("/api/oauth/consent/check", asked)
    assert response.status_code == 200, response.text
    shown = response.json()
    assert shown["client"] == {"id": app.id, "name": "Their editor"}
    assert shown["answers_to"] == "app.example"
    assert shown["team"]["id"] == hall.acme.team_id
    assert [one["name"] for one in shown["permissions"]] == ["notes:read", "files:read"]
    assert all(one["description"] for one in shown["permissions"])


async def test_who_allows_it_is_acted_for_within_the_scope_and_the_team(hall, app):
    tokens = await app.connect(hall.acme.member, resource=f"{hall.base_url}/api/mcp/server")
    assert (tokens["token_type"], tokens["expires_in"]) == ("Bearer", 3600)
    assert tokens["scope"] == "notes:read notes:write"
    client = hall.bearer(tokens["access_token"])
    who = (await client.get("/api/whoami")).json()
    assert (who["user"]["id"], who["team"]["id"]) == (hall.acme.member.user_id, hall.acme.team_id)
    assert who["permissions"] == ["notes:read", "notes:write"]
    assert (await client.post("/api/notes", {"title": "By an app"})).status_code == 201
    assert (await client.get("/api/repo")).status_code == 403


async def test_the_answer_has_state_and_issuer_and_keeps_the_query(hall, new_app):
    app = await new_app(uris=[f"{CALLBACK}?from=hall"])
    response = await app.decide(hall.acme.member, redirect_uri=f"{CALLBACK}?from=hall")
    answer = answer_in(response.json()["redirect_to"])
    assert (answer["from"], answer["state"], answer["iss"]) == ("hall", "their state", hall.base_url)


async def test_who_refuses_sends_no_code(hall, app):
    response = await app.decide(hall.acme.member, "deny")
    address = response.json()["redirect_to"]
    assert address.startswith(f"{CALLBACK}?")
    answer = answer_in(address)
    assert (answer["error"], answer["state"]) == ("access_denied", "their state")
    assert "code" not in answer


async def test_a_person_allows_less_than_was_asked(hall, app):
    tokens = await app.connect(hall.acme.member, permissions=["notes:read"])
    assert tokens["scope"] == "notes:read"
    response = await app.decide(hall.acme.member, permissions=[])
    assert (response.status_code, response.json()["error"]) == (400, "invalid_scope")


async def test_without_a_scope_it_asks_for_what_a_member_may(hall, app):
    tokens = await app.connect(hall.acme.viewer, scope=None)
    who = (await hall.bearer(tokens["access_token"]).get("/api/whoami")).json()
    own = (await hall.acme.viewer.get("/api/whoami")).json()["permissions"]
    assert set(who["permissions"]) <= set(own)


async def test_tokens_are_refreshed_and_lapse(hall, app):
    first = await app.connect(hall.acme.member)
    hall.clock.advance(hours=1)
    assert (await hall.bearer(first["access_token"]).get("/api/whoami")).status_code == 401
    response = await app.refresh(first["refresh_token"])
    assert response.status_code == 200, response.text
    second = response.json()
    assert second["refresh_token"] != first["refresh_token"]
    assert (await hall.bearer(second["access_token"]).get("/api/whoami")).status_code == 200
    narrowed = (await app.refresh(second["refresh_token"], scope="notes:read")).json()
    assert narrowed["scope"] == "notes:read"
    back = (await app.refresh(narrowed["refresh_token"])).json()
    assert back["scope"] == "notes:read notes:write"
    hall.clock.advance(days=30)
    late = await app.refresh(back["refresh_token"])
    assert (late.status_code, late.json()["error"]) == (400, "invalid_grant")


async def test_connected_apps_are_listed_and_disconnected(hall, app):
    member = hall.acme.member
    tokens = await app.connect(member)
    (listed,) = [
        one
        for one in (await member.get("/api/connected-apps")).json()["items"]
        if one["last_used_at"] and one["scope"] == ["notes:read", "notes:write"]
    ][:1]
    assert listed["name"] == "Their editor"
    assert listed["user"]["username"] == member.username
    assert (await member.delete(f"/api/connected-apps/{listed['id']}")).status_code == 204
    assert (await hall.bearer(tokens["access_token"]).get("/api/whoami")).status_code == 401
    refused = await app.refresh(tokens["refresh_token"])
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")
    assert (await member.delete(f"/api/connected-apps/{listed['id']}")).status_code == 404


async def test_who_manages_the_team_sees_and_ends_those_of_everybody(hall, app):
    tokens = await app.connect(hall.acme.colleague)
    assert (await hall.acme.member.get("/api/connected-apps?everybody=1")).status_code == 403
    listed = (await hall.acme.admin.get("/api/connected-apps?everybody=1")).json()["items"]
    found = next(one for one in listed if one["user"]["id"] == hall.acme.colleague.user_id)
    own = (await hall.acme.admin.get("/api/connected-apps")).json()["items"]
    assert found["id"] not in {one["id"] for one in own}
    assert (await hall.acme.admin.delete(f"/api/connected-apps/{found['id']}")).status_code == 204
    assert (await hall.bearer(tokens["access_token"]).get("/api/whoami")).status_code == 401


async def test_who_manages_the_company_sees_and_ends_those_of_all_its_teams(hall, app):
    tokens = await app.connect(hall.acme.colleague)
    elsewhere = await app.connect(hall.globex.member)
    for nobody in (hall.acme.member, hall.acme.admin, hall.acme.owner):
        assert (await nobody.get("/api/connected-apps?company=1")).status_code == 403
    admin = hall.acme.org_admin
    listed = (await admin.get("/api/connected-apps?company=1")).json()["items"]
    assert all(one["user"]["id"] != hall.globex.member.user_id for one in listed)
    found = next(one for one in listed if one["user"]["id"] == hall.acme.colleague.user_id)
    assert found["team"]["id"] == hall.acme.team_id
    stranger = hall.globex.org_owner
    assert (await stranger.delete(f"/api/connected-apps/{found['id']}")).status_code == 404
    assert (await admin.delete(f"/api/connected-apps/{found['id']}?company=1")).status_code == 204
    assert (await hall.bearer(tokens["access_token"]).get("/api/whoami")).status_code == 401
    assert (await hall.bearer(elsewhere["access_token"]).get("/api/whoami")).status_code == 200


async def test_an_app_ends_what_it_was_given(hall, app):
    for token in ("refresh_token", "access_token"):
        tokens = await app.connect(hall.acme.member)
        response = await app.form("/oauth/revoke", token=tokens[token], client_id=app.id)
        assert response.status_code == 200
        assert (await hall.bearer(tokens["access_token"]).get("/api/whoami")).status_code == 401
        assert (await app.refresh(tokens["refresh_token"])).status_code == 400
    assert (await app.form("/oauth/revoke", token="unknown")).status_code == 200


async def test_a_token_that_is_revoked_as_a_token_is_not_refreshed(hall, app):
    tokens = await app.connect(hall.acme.member)
    await hall.acme.admin.post("/api/tokens", {"scope": ["notes:read"], "name": "own"})
    both = (await hall.acme.admin.get("/api/tokens")).json()["items"]
    assert {one["kind"] for one in both if one["name"] == "own"} == {"api"}
    listed = [one for one in both if one["kind"] == "oauth"]
    await hall.acme.admin.delete(f"/api/tokens/{listed[0]['id']}")
    assert (await app.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"


async def test_who_leaves_the_team_takes_their_apps_along(hall, app):
    person = await hall.join(hall.acme, "member")
    tokens = await app.connect(person)
    await hall.acme.owner.delete(f"/api/members/{person.user_id}")
    assert (await app.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
    await hall.drain_jobs()
    listed = (await hall.acme.admin.get("/api/connected-apps?everybody=1")).json()["items"]
    assert person.user_id not in {one["user"]["id"] for one in listed}


async def test_pages_of_other_origins_may_ask_for_tokens(hall, app):
    headers = {"Origin": "https://app.example"}
    response = await hall.anonymous.get("/.well-known/oauth-authorization-server", headers=headers)
    assert response.headers["access-control-allow-origin"] == "*"
    preflight = await hall.anonymous.request("OPTIONS", "/oauth/token", headers=headers)
    assert preflight.status_code == 204

"""API tokens."""

import pytest

from guildhall_sdk import rfc3339

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

DAY_MS = 24 * 3600 * 1000


def refusal(response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


async def test_a_token_lasts_ninety_days_unless_told(hall):
    response = await hall.acme.admin.post("/api/tokens", {})
    assert response.status_code == 201
    answer = response.json()
    assert response.headers["location"] == f"/api/tokens/{answer['id']}"
    assert answer["id"].startswith("tok_")
    assert answer["token"].startswith("gha_")
    assert answer["scope"] is None
    assert answer["expires_at"] == rfc3339(hall.clock.now_ms() + 90 * DAY_MS)
    machine = hall.bearer(answer["token"])
    assert (await machine.get("/api/whoami")).json()["user"]["id"] == hall.acme.admin.user_id
    hall.clock.advance(days=90)
    assert (await machine.get("/api/whoami")).status_code == 401


async def test_a_ttl_is_seconds_or_never(hall):
    short = (await hall.acme.admin.post("/api/tokens", {"ttl": 60})).json()
    endless = (await hall.acme.admin.post("/api/tokens", {"ttl": "never"})).json()
    assert endless["expires_at"] is None
    hall.clock.advance(seconds=60)
    assert (await hall.bearer(short["token"]).get("/api/whoami")).status_code == 401
    hall.clock.advance(days=30_000)
    assert (await hall.bearer(endless["token"]).get("/api/whoami")).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {"ttl": 0},
        {"ttl": -1},
        {"ttl": 1.5},
        {"ttl": 60.0},
        {"ttl": True},
        {"ttl": "60"},
        {"ttl": None},
        {"ttl": 10**15},
        {"scope": "notes:read"},
        {"scope": ["notes:fly"]},
        {"scope": None},
        {"scope": [1]},
        {"scope": ["notes:read"] * 1000},
        {"name": ""},
        {"name": "a\nb"},
        {"name": 7},
        {"user_id": "usr_1"},
        {"kind": "session"},
    ],
)
async def test_a_malformed_token_is_refused(shared_hall, body):
    assert refusal(await shared_hall.acme.admin.post("/api/tokens", body)) == (400, "invalid_request")


async def test_a_scope_narrows_what_the_owner_may_do(hall):
    body = {"scope": ["notes:read", "notes:read", "instance:manage"]}
    answer = (await hall.acme.admin.post("/api/tokens", body)).json()
    assert answer["scope"] == ["instance:manage", "notes:read"]
    machine = hall.bearer(answer["token"])
    assert (await machine.get("/api/whoami")).json()["permissions"] == ["notes:read"]
    assert refusal(await machine.get("/api/tokens")) == (403, "permission_denied")


async def test_a_scoped_token_mints_only_within_its_scope(hall):
    machine = await hall.with_token(hall.acme.admin, scope=["settings:manage", "notes:read"])
    for wider in ({"scope": ["notes:write"]}, {"scope": ["settings:manage", "search"]}, {}):
        assert refusal(await machine.post("/api/tokens", wider)) == (403, "permission_denied")
    for within in (["notes:read"], ["settings:manage"], []):
        assert (await machine.post("/api/tokens", {"scope": within})).status_code == 201


async def test_the_list_shows_the_teams_tokens_and_no_secret(hall):
    made = [
        (await hall.acme.admin.post("/api/tokens", {"name": f"token {number}", "scope": ["search"]})).json()
        for number in range(3)
    ]
    response = await hall.acme.owner.get("/api/tokens")
    items = response.json()["items"]
    assert [item["id"] for item in items] == [token["id"] for token in reversed(made)]
    assert items[0]["name"] == "token 2"
    assert items[0]["scope"] == ["search"]
    assert items[0]["user"] == {"id": hall.acme.admin.user_id, "username": hall.acme.admin.username}
    assert not any(token["token"] in response.text for token in made)
    assert "gha_" not in response.text


@pytest.mark.every_database
async def test_the_list_pages_and_holds_still_while_tokens_are_added(hall):
    made = [(await hall.acme.admin.post("/api/tokens", {})).json()["id"] for _ in range(5)]
    first = (await hall.acme.admin.get("/api/tokens", params={"limit": 2})).json()
    await hall.acme.admin.post("/api/tokens", {})
    rest = (await hall.acme.admin.get("/api/tokens", params={"cursor": first["next_cursor"]})).json()
    seen = [item["id"] for item in first["items"] + rest["items"]]
    assert seen == list(reversed(made))
    assert rest["next_cursor"] is None


@pytest.mark.every_database
async def test_a_revoked_token_is_out_at_once(hall):
    made = (await hall.acme.admin.post("/api/tokens", {})).json()
    path = f"/api/tokens/{made['id']}"
    for stranger in (hall.globex.owner, hall.acme.second_team.owner):
        assert refusal(await stranger.delete(path)) == (404, "not_found")
        assert made["id"] not in (await stranger.get("/api/tokens")).text
    assert (await hall.acme.owner.delete(path)).status_code == 204
    assert (await hall.bearer(made["token"]).get("/api/whoami")).status_code == 401
    assert (await hall.acme.owner.delete(path)).status_code == 404


async def test_tokens_need_the_permission(hall):
    made = (await hall.acme.admin.post("/api/tokens", {})).json()
    for response in (
        await hall.acme.member.post("/api/tokens", {}),
        await hall.acme.member.get("/api/tokens"),
        await hall.acme.member.delete(f"/api/tokens/{made['id']}"),
    ):
        assert refusal(response) == (403, "permission_denied")


async def test_a_repeated_call_issues_one_token_and_shows_it_once(hall):
    headers = {"Idempotency-Key": "one-token"}
    first = await hall.acme.admin.post("/api/tokens", {"name": "once"}, headers=headers)
    again = await hall.acme.admin.post("/api/tokens", {"name": "once"}, headers=headers)
    assert refusal(again) == (409, "already_issued")
    assert again.json()["id"] == first.json()["id"]
    assert len((await hall.acme.admin.get("/api/tokens")).json()["items"]) == 1


async def test_tokens_are_in_the_trail_without_the_token(hall):
    made = (await hall.acme.admin.post("/api/tokens", {"name": "export", "scope": ["search"]})).json()
    await hall.acme.admin.delete(f"/api/tokens/{made['id']}")
    response = await hall.acme.admin.get("/api/audit")
    revoked, issued = response.json()["items"][:2]
    assert (issued["action"], revoked["action"]) == ("token.issued", "token.revoked")
    assert issued["target"] == revoked["target"] == {"type": "token", "id": made["id"]}
    assert issued["detail"]["scope"] == ["search"]
    assert made["token"] not in response.text

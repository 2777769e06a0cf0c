"""Who the caller is, their profile, and the teams they move between."""

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


async def test_whoami_tells_everything_about_the_caller(hall, account):
    who = (await account.client.get("/api/whoami")).json()
    assert who["user"] == {
        "id": account.user_id,
        "username": account.username,
        "display_name": account.username,
        "locale": "en",
        "two_factor": False,
    }
    assert who["team"]["id"] == hall.acme.team_id
    assert who["team"]["role"] == "member"
    assert [team["id"] for team in who["teams"]] == [hall.acme.team_id]
    assert (who["operator"], who["org_role"], who["locale"]) == (False, None, "en")
    assert (who["org"]["id"], who["org"]["slug"]) == (hall.acme.org_id, hall.acme.slug)
    assert who["permissions"] == sorted(hall.server.roles.held_by("member"))
    assert who["credential"] == {"kind": "session", "scope": None}


async def test_whoami_tells_the_scope_of_a_token(hall):
    machine = await hall.with_token(hall.acme.admin, scope=["search", "notes:read", "instance:manage"])
    who = (await machine.get("/api/whoami")).json()
    assert who["credential"] == {"kind": "api", "scope": ["instance:manage", "notes:read", "search"]}
    assert who["permissions"] == ["notes:read", "search"]


async def test_a_profile_changes_what_is_given_and_nothing_else(account):
    changed = await account.client.post("/api/profile", {"display_name": "Ada Lovelace"})
    assert (changed.status_code, changed.json()["display_name"]) == (200, "Ada Lovelace")
    changed = await account.client.post("/api/profile", {"locale": "nl-BE"})
    assert (changed.json()["display_name"], changed.json()["locale"]) == ("Ada Lovelace", "nl-BE")
    assert (await account.client.post("/api/profile", {})).json() == changed.json()
    assert (await account.client.get("/api/whoami")).json()["user"] == changed.json()


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"display_name": ""}, "/display_name"),
        ({"display_name": "   "}, "/display_name"),
        ({"display_name": "a\nb"}, "/display_name"),
        ({"display_name": "a\u202eb"}, "/display_name"),
        ({"display_name": "x" * 129}, "/display_name"),
        ({"display_name": None}, "/display_name"),
        ({"locale": "nl_BE"}, "/locale"),
        ({"locale": "nl\n"}, "/locale"),
        ({"locale": "x" * 100_000}, "/locale"),
        ({"operator": True}, "/operator"),
        ({"org_role": "org_owner"}, "/org_role"),
        ({"org_id": "org_1"}, "/org_id"),
    ],
)
async def test_a_refused_profile_changes_nothing(shared_hall, body, pointer):
    client = shared_hall.acme.member
    before = (await client.get("/api/whoami")).json()
    response = await client.post("/api/profile", body)
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, pointer)
    assert (await client.get("/api/whoami")).json() == before


async def test_a_session_moves_to_another_team_of_the_caller(hall, account):
    second = hall.acme.second_team
    await second.owner.post("/api/members", {"username": account.username, "role": "viewer"})
    session = await account.session()
    moved = await session.post("/api/session/team", {"team": second.id})
    assert moved.status_code == 200
    assert (moved.json()["team"]["id"], moved.json()["team"]["role"]) == (second.id, "viewer")
    who = (await hall.bearer(moved.json()["token"]).get("/api/whoami")).json()
    assert (who["team"]["id"], who["team"]["role"]) == (second.id, "viewer")
    assert [team["id"] for team in who["teams"]] == [hall.acme.team_id, second.id]
    assert (await session.get("/api/whoami")).json()["team"]["id"] == hall.acme.team_id


async def test_moving_does_not_make_a_session_last_longer(hall, account):
    session = await account.session()
    hall.clock.advance(hours=11)
    moved = hall.bearer(
        (await session.post("/api/session/team", {"team": hall.acme.team_id})).json()["token"]
    )
    hall.clock.advance(minutes=59)
    assert (await moved.get("/api/whoami")).status_code == 200
    hall.clock.advance(minutes=1)
    assert (await moved.get("/api/whoami")).status_code == 401


@pytest.mark.parametrize("team", ["globex", "second", "nowhere"])
async def test_nobody_moves_to_a_team_they_are_not_in(hall, account, team):
    teams = {"globex": hall.globex.team_id, "second": hall.acme.second_team.id, "nowhere": "team_nowhere"}
    response = await account.client.post("/api/session/team", {"team": teams[team]})
    assert (response.status_code, response.json()["code"]) == (404, "not_found")

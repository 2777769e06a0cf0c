"""A company as its own people see and run it."""

import asyncio

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


def code(response):
    return response.status_code, response.json().get("code")


def person(username, team, role="member", **more):
    return {"username": username, "team": team.id, "role": role, **more}


def newton(hall):
    """The name of somebody new, who is another one in each test."""
    return f"newton-{hall.acme.slug}"


async def role_of(client):
    return (await client.get("/api/whoami")).json()["org_role"]


async def test_a_reader_sees_the_company_and_changes_nothing(hall):
    reader = hall.acme.reader
    company, name = (await reader.get("/api/org")).json(), hall.acme.slug.title()
    assert (company["id"], company["slug"], company["plan"]) == (hall.acme.org_id, hall.acme.slug, "team")
    assert [team["name"] for team in company["teams"]] == [name, f"{name} Second"]
    assert (await reader.get("/api/org/teams")).json()["items"] == company["teams"]
    assert (await reader.get("/api/org/audit")).status_code == 200
    for method, path, body in (
        ("POST", "/api/org/teams", {"name": "Mine"}),
        ("POST", "/api/org/members", person("mine", hall.acme)),
        ("PATCH", f"/api/org/members/{hall.acme.member.user_id}", {"org_role": "org_reader"}),
    ):
        refused = await reader.request(method, path, body)
        assert code(refused) == (403, "permission_denied")
        assert refused.json()["permission"] == "org:manage"
    for path in ("/api/org", "/api/org/teams", "/api/org/members"):
        assert (await hall.acme.owner.get(path)).json()["permission"] == "org:read"


async def test_the_people_of_the_company_with_their_teams_and_roles(hall):
    seen, cursor = [], None
    while True:
        params = {"limit": 5, **({"cursor": cursor} if cursor else {})}
        page = (await hall.acme.reader.get("/api/org/members", params=params)).json()
        seen += page["items"]
        if (cursor := page["next_cursor"]) is None:
            break
    people = {one["username"]: one for one in seen}
    assert len(people) == len(seen) == 12
    assert all(name.startswith(f"{hall.acme.slug}-") for name in people)
    owner = people[hall.acme.org_owner.username]
    assert (owner["user_id"], owner["org_role"]) == (hall.acme.org_owner.user_id, "org_owner")
    assert [(team["id"], team["role"]) for team in owner["teams"]] == [(hall.acme.team_id, "owner")]
    await hall.acme.org_owner.post(
        "/api/org/members", person(hall.acme.member.username, hall.acme.second_team, "viewer")
    )
    people = (await hall.acme.reader.get("/api/org/members")).json()["items"]
    member = next(one for one in people if one["username"] == hall.acme.member.username)
    assert [(team["id"], team["role"]) for team in member["teams"]] == [
        (hall.acme.team_id, "member"),
        (hall.acme.second_team.id, "viewer"),
    ]


async def test_a_new_team_has_nobody_in_it(hall, actions_of):
    admin = hall.acme.org_admin
    response = await admin.post("/api/org/teams", {"name": "Research"})
    assert response.status_code == 201
    team = response.json()
    assert team["slug"] == f"{hall.acme.slug}--research"
    assert team in (await admin.get("/api/org/teams")).json()["items"]
    assert [t["name"] for t in (await admin.get("/api/whoami")).json()["teams"]] == [hall.acme.slug.title()]
    assert (await actions_of(admin))[0] == "team.created"
    refused = await admin.post("/api/org/teams", {"name": " "})
    assert code(refused) == (400, "invalid_request")


async def test_a_teams_slug_tells_nothing_about_other_companies(hall):
    """What a company sees is the same whether another has a team of that name or not."""
    admin, elsewhere, slug = hall.globex.org_admin, hall.acme.org_admin, hall.globex.slug

    async def slug_of_new(client, name):
        return (await client.post("/api/org/teams", {"name": name})).json()["slug"]

    for name in ("Research", "Acme", "x--y", f"{slug}--research"):
        await slug_of_new(elsewhere, name)
    assert await slug_of_new(admin, "Research") == f"{slug}--research"
    assert await slug_of_new(admin, "Research") == f"{slug}--research-2"
    assert await slug_of_new(admin, "Acme") == f"{slug}--acme"


@pytest.mark.own_server
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("glob", "ex research"), ("glob-ex", "research")),
        (("a" * 63, "research"), ("a" * 62 + "b", "research")),
        (("a" * 30, "research"), ("a" * 31, "research")),
    ],
)
async def test_companies_of_similar_slugs_stay_apart(hall, first, second):
    for number, (slug, name) in enumerate((first, second)):
        body = {"name": slug, "slug": slug, "team": name, "owner": {"username": f"{slug[:20]}{number}"}}
        found = (await hall.operator.post("/api/orgs", body)).json()
        team = found["team"]["slug"]
        assert team.startswith(f"{slug[:20].rstrip('-')}") and not team.endswith("-2")
        assert len(team) <= 63


async def test_a_new_person_acts_in_the_team_they_were_added_to(hall, actions_of):
    body = person(
        newton(hall),
        hall.acme.second_team,
        "member",
        display_name="Isaac",
        password="correct horse battery",
        org_role="org_reader",
    )
    response = await hall.acme.org_admin.post("/api/org/members", body)
    assert response.status_code == 201
    answer = response.json()
    member = answer["member"]
    assert (member["username"], member["display_name"], member["role"]) == (newton(hall), "Isaac", "member")
    assert (member["team"]["id"], member["org_role"]) == (hall.acme.second_team.id, "org_reader")
    who = (await hall.bearer(answer["token"]).get("/api/whoami")).json()
    assert (who["team"]["id"], who["team"]["role"]) == (hall.acme.second_team.id, "member")
    assert (who["org"]["id"], who["org_role"], who["user"]["id"]) == (
        hall.acme.org_id,
        "org_reader",
        member["user_id"],
    )
    login = {"username": newton(hall), "password": "correct horse battery"}
    assert (await hall.anonymous.post("/api/login", login)).status_code == 200
    assert {"member.added", "org_role.changed"} <= set(await actions_of(hall.acme.org_admin))
    in_team = (await hall.acme.second_team.owner.get("/api/audit")).json()["items"]
    assert "member.added" in [event["action"] for event in in_team]


async def test_a_colleague_joins_a_further_team_as_they_are(hall):
    body = person(
        hall.acme.member.username.upper(), hall.acme.second_team, "viewer", password="ignored for a colleague"
    )
    answer = (await hall.acme.org_owner.post("/api/org/members", body)).json()
    assert (answer["token"], answer["member"]["user_id"]) == (None, hall.acme.member.user_id)
    teams = (await hall.acme.member.get("/api/whoami")).json()["teams"]
    assert {team["id"]: team["role"] for team in teams} == {
        hall.acme.team_id: "member",
        hall.acme.second_team.id: "viewer",
    }
    again = await hall.acme.org_owner.post("/api/org/members", {**body, "role": "member"})
    assert code(again) == (409, "already_member")


async def test_somebody_of_another_company_is_not_had(hall):
    taken = hall.globex.member.username
    for name in (taken, taken.upper()):
        refused = await hall.acme.org_owner.post("/api/org/members", person(name, hall.acme))
        assert code(refused) == (409, "username_taken")
    assert len((await hall.globex.member.get("/api/whoami")).json()["teams"]) == 1


async def test_a_team_of_another_company_is_not_there(hall):
    for team_id in (hall.globex.team_id, "team_00000000000000000000000000", "acme"):
        body = {"username": newton(hall), "team": team_id, "role": "viewer"}
        refused = await hall.acme.org_owner.post("/api/org/members", body)
        assert code(refused) == (404, "not_found")
    people = (await hall.acme.reader.get("/api/org/members")).json()["items"]
    assert newton(hall) not in {one["username"] for one in people}


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"username": " newton"}, "/username"),
        ({"display_name": "\n"}, "/display_name"),
        ({"password": "newton-newton"}, "/password"),
        ({"role": "emperor"}, "/role"),
        ({"org_role": "emperor"}, "/org_role"),
        ({"operator": True}, "/operator"),
    ],
)
async def test_what_is_malformed_is_named(module_hall, wrong, place):
    refused = await module_hall.acme.org_owner.post(
        "/api/org/members", {**person("newton", module_hall.acme), **wrong}
    )
    assert code(refused) == (400, "invalid_request")
    assert [error["pointer"] for error in refused.json()["errors"]] == [place]


async def test_nobody_grants_a_role_with_more_than_they_hold(hall):
    """What counts is what the caller holds where they stand, whichever team it is for."""
    plain = await hall.join(hall.acme, "member", org_role="org_admin")
    second = hall.acme.second_team
    for role, permission in (
        ("admin", "files:delete"),
        ("owner", "files:delete"),
        ("translator", "localization:read"),
        ("worker", "instance:manage"),
    ):
        refused = await plain.post("/api/org/members", person(newton(hall), second, role))
        assert code(refused) == (403, "permission_denied")
        assert refused.json()["permission"] == permission
    assert (await plain.post("/api/org/members", person(newton(hall), second, "member"))).status_code == 201
    full = hall.acme.org_admin
    assert (await full.post("/api/org/members", person("leibniz", second, "owner"))).status_code == 201
    refused = await full.post("/api/org/members", person("jobber", second, "worker"))
    assert refused.json()["permission"] == "instance:manage"
    operator = await hall.join(hall.acme, "viewer", operator=True)
    assert (await operator.post("/api/org/members", person("jobber", second, "worker"))).status_code == 201


async def test_a_scoped_token_grants_within_its_scope(hall):
    scope = ["org:manage", "notes:read", "files:read", "search", "workflows:read"]
    token = await hall.with_token(hall.acme.org_owner, scope=scope)
    refused = await token.post("/api/org/members", person(newton(hall), hall.acme, "member"))
    assert code(refused) == (403, "permission_denied")
    refused = await token.post(
        "/api/org/members", person(newton(hall), hall.acme, "viewer", org_role="org_reader")
    )
    assert refused.json()["permission"] == "org:read"
    assert (
        await token.post("/api/org/members", person(newton(hall), hall.acme, "viewer"))
    ).status_code == 201


async def test_only_an_org_owner_sets_or_clears_org_owner(hall):
    admin, owner = hall.acme.org_admin, hall.acme.org_owner
    member = f"/api/org/members/{hall.acme.member.user_id}"
    for refused in (
        await admin.patch(member, {"org_role": "org_owner"}),
        await admin.patch(f"/api/org/members/{owner.user_id}", {"org_role": None}),
        await admin.patch(f"/api/org/members/{owner.user_id}", {"org_role": "org_reader"}),
        await admin.post("/api/org/members", person(newton(hall), hall.acme, org_role="org_owner")),
    ):
        assert code(refused) == (403, "permission_denied")
        assert refused.json()["permission"] == "org_owner"
    assert await role_of(owner) == "org_owner"
    assert (await admin.patch(member, {"org_role": "org_admin"})).json()["org_role"] == "org_admin"
    assert (await owner.patch(member, {"org_role": "org_owner"})).json()["org_role"] == "org_owner"
    assert (await owner.patch(member, {"org_role": None})).json()["org_role"] is None
    created = await owner.post("/api/org/members", person(newton(hall), hall.acme, org_role="org_owner"))
    assert created.json()["member"]["org_role"] == "org_owner"


async def test_a_role_counts_from_the_next_request_on(hall):
    member, path = hall.acme.member, f"/api/org/members/{hall.acme.member.user_id}"
    for org_role, reads, writes in (
        ("org_reader", 200, 403),
        ("org_admin", 200, 201),
        (None, 403, 403),
    ):
        assert (await hall.acme.org_owner.patch(path, {"org_role": org_role})).status_code == 200
        assert (await member.get("/api/org")).status_code == reads
        assert (await member.post("/api/org/teams", {"name": "Team"})).status_code == writes


async def test_nobody_changes_their_own_role(hall):
    for client in (hall.acme.org_owner, hall.acme.org_admin):
        path = f"/api/org/members/{client.user_id}"
        before = await role_of(client)
        for org_role in ("org_owner", "org_admin", "org_reader", None):
            assert code(await client.patch(path, {"org_role": org_role})) == (403, "own_role")
        body = person(client.username, hall.acme.second_team, "member", org_role="org_admin")
        assert code(await client.post("/api/org/members", body)) == (403, "own_role")
        assert await role_of(client) == before
        assert len((await client.get("/api/whoami")).json()["teams"]) == 1


async def test_a_colleague_of_another_company_is_not_there(hall):
    for user_id in (hall.globex.member.user_id, hall.operator.user_id, "usr_0"):
        refused = await hall.acme.org_owner.patch(f"/api/org/members/{user_id}", {"org_role": "org_reader"})
        assert code(refused) == (404, "not_found")
    assert await role_of(hall.globex.member) is None


@pytest.mark.every_database
async def test_of_two_owners_who_clear_each_other_one_remains(hall):
    other = await hall.join(hall.acme, "owner", org_role="org_owner")
    first = hall.acme.org_owner
    for _ in range(8):
        answers = await asyncio.gather(
            first.patch(f"/api/org/members/{other.user_id}", {"org_role": "org_admin"}),
            other.patch(f"/api/org/members/{first.user_id}", {"org_role": "org_admin"}),
        )
        assert sorted(answer.status_code for answer in answers) in ([200, 409], [200, 403])
        roles = [await role_of(first), await role_of(other)]
        assert sorted(roles) == ["org_admin", "org_owner"]
        owner, demoted = (first, other) if roles[0] == "org_owner" else (other, first)
        back = await owner.patch(f"/api/org/members/{demoted.user_id}", {"org_role": "org_owner"})
        assert back.status_code == 200


@pytest.mark.every_database
async def test_of_32_who_add_one_new_name_all_mean_the_same_person(hall):
    teams = [hall.acme, hall.acme.second_team]
    answers = await asyncio.gather(
        *(hall.acme.org_owner.post("/api/org/members", person(newton(hall), teams[n % 2])) for n in range(32))
    )
    made = [answer.json() for answer in answers if answer.status_code == 201]
    assert len(made) == 2
    assert len({answer["member"]["user_id"] for answer in made}) == 1
    assert sorted(answer["token"] is None for answer in made) == [False, True]
    rest = [code(answer) for answer in answers if answer.status_code != 201]
    assert set(rest) == {(409, "already_member")}


@pytest.mark.every_database
async def test_of_two_companies_that_want_one_new_name_one_gets_it(hall):
    answers = await asyncio.gather(
        hall.acme.org_owner.post("/api/org/members", person(newton(hall), hall.acme)),
        hall.globex.org_owner.post("/api/org/members", person(newton(hall), hall.globex)),
    )
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    assert {answer.json().get("code") for answer in answers} == {None, "username_taken"}


async def test_an_unchanged_role_is_not_told_of(hall, actions_of):
    path = f"/api/org/members/{hall.acme.member.user_id}"
    for _ in range(2):
        assert (await hall.acme.org_owner.patch(path, {"org_role": "org_reader"})).status_code == 200
    assert (await actions_of(hall.acme.org_owner)).count("org_role.changed") == 1


async def test_a_replay_does_not_give_the_token_again(hall):
    body, headers = person(newton(hall), hall.acme), {"Idempotency-Key": "once"}
    first = await hall.acme.org_owner.post("/api/org/members", body, headers=headers)
    again = await hall.acme.org_owner.post("/api/org/members", body, headers=headers)
    assert code(again) == (409, "already_issued")
    assert again.json()["id"] == first.json()["member"]["user_id"]

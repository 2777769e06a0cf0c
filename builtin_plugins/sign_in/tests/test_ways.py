"""Setting ways up: who may, what is taken, what is shown, and who is kept from being locked out."""

import pytest

from builtin_plugins.sign_in import managing
from builtin_plugins.sign_in.tests.conftest import WAY

pytestmark = pytest.mark.shared_server

ROWS = "/api/org/sign-in"


async def user_id(client):
    return (await client.get("/api/whoami")).json()["user"]["id"]


async def test_a_way_is_made_shown_changed_and_deleted(hall, set_up):
    owner = hall.acme.org_owner
    made = await set_up(domains=["Acme.test", "acme.test"], colour="red")
    assert made["domains"] == ["acme.test"] and made["colour"] == "red"
    assert made["secrets_set"] == ["secret"] and "sesame" not in str(made)
    assert made["addresses"]["window"].endswith(f"/tower/{made['id']}")
    one = f"{ROWS}/{made['id']}"
    assert (await owner.get(one)).json() == made
    listed = (await owner.get(ROWS)).json()
    assert listed["items"] == [made] and listed["next_cursor"] is None
    assert {kind["name"] for kind in listed["kinds"]} >= {"oidc", "tower"}
    changed = (await owner.patch(one, {"label": "Keep", "colour": None})).json()
    assert changed == {name: value for name, value in {**made, "label": "Keep"}.items() if name != "colour"}
    assert (await owner.delete(one)).status_code == 204
    assert (await owner.get(one)).status_code == 404


async def test_secrets_are_kept_until_others_are_given(hall, set_up, tower):
    way = await set_up()
    one = f"{ROWS}/{way['id']}"
    await hall.acme.org_owner.patch(one, {"label": "Other"})
    await hall.acme.org_owner.post(f"{one}/test")
    await hall.acme.org_owner.patch(one, {"secret": "open up"})
    answer = await hall.acme.org_owner.post(f"{one}/test")
    assert [settings["secret"] for settings in tower.seen] == ["sesame", "open up"]
    assert answer.json() == {
        "ok": False,
        "steps": [
            {"name": "bridge", "ok": True, "detail": "down"},
            {"name": "gate", "ok": False, "detail": "closed"},
        ],
    }
    without = await hall.acme.org_owner.patch(one, {"secret": None})
    assert without.status_code == 400


async def test_another_company_sees_none_of_it(hall, set_up):
    one = f"{ROWS}/{(await set_up())['id']}"
    stranger = hall.globex.org_owner
    assert (await stranger.get(ROWS)).json()["items"] == []
    for answer in (
        await stranger.get(one),
        await stranger.patch(one, {"label": "Mine"}),
        await stranger.delete(one),
        await stranger.post(f"{one}/test"),
        await stranger.post(f"{one}/preview", {"claims": {}}),
        await hall.operator.get(f"/api/admin/sign-in/{one.rpartition('/')[2]}"),
    ):
        assert answer.status_code == 404
    assert (await hall.acme.member.get(ROWS)).status_code == 403
    assert (await hall.acme.org_owner.get("/api/admin/sign-in")).status_code == 403


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"kind": "moat"}, "/kind"),
        ({"kind": "password"}, "/kind"),
        ({"url": None}, ""),
        ({"url": "ftp://tower.test"}, "/url"),
        ({"window": "open"}, ""),
        ({"domains": ["аcme.test"]}, "/domains/0"),
        ({"domains": ["acme.test", "localhost"]}, "/domains/1"),
        ({"domains": ["127.0.0.1"]}, "/domains/0"),
        ({"domains": ["acme.test\n"]}, None),
        ({"label": "a\u202eb"}, "/label"),
        ({"team": "no-such-team"}, "/team"),
        ({"rules": [{"claim": "g", "contains": "x", "role": "king"}]}, "/rules/0/role"),
        ({"rules": [{"claim": "g", "contains": "x", "role": "admin", "team": "none"}]}, "/rules/0/team"),
        ({"default_role": "worker"}, "/default_role"),
        ({"required": True}, "/break_glass"),
        ({"required": True, "break_glass": ["usr_none"]}, "/break_glass/0"),
    ],
)
async def test_what_cannot_be_is_refused_where_it_stands(hall, wrong, pointer):
    answer = await hall.acme.org_owner.post(ROWS, {**WAY, **wrong})
    if pointer is None:
        assert answer.status_code == 201 and answer.json()["domains"] == ["acme.test"]
        await hall.acme.org_owner.delete(f"{ROWS}/{answer.json()['id']}")
        return
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["pointer"].startswith(pointer)


async def test_teams_of_others_are_none(hall):
    for fields in (
        {"team": hall.globex.team_id},
        {"rules": [{"claim": "g", "contains": "x", "role": "viewer", "team": hall.globex.team_id}]},
        {"required": True, "break_glass": [await user_id(hall.globex.owner)]},
    ):
        assert (await hall.acme.org_owner.post(ROWS, {**WAY, **fields})).status_code == 400


async def test_a_domain_is_one_companys(hall, set_up):
    domain = f"{hall.acme.org_id.replace('_', '-')}.test".lower()
    await set_up(domains=[domain])
    await set_up(domains=[domain], label="The other tower")
    taken = await hall.globex.org_owner.post(ROWS, {**WAY, "domains": [domain]})
    assert (taken.status_code, taken.json()["code"]) == (409, "email_domain_taken")


async def test_there_are_so_many_ways_and_no_more(hall, set_up, monkeypatch):
    monkeypatch.setattr(managing, "MAX_WAYS", 2)
    for _ in range(2):
        await set_up()
    answer = await hall.acme.org_owner.post(ROWS, WAY)
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_ways")


async def test_ways_are_found_by_address_and_by_host(hall, set_up):
    domain = f"{hall.acme.org_id.replace('_', '-')}.test".lower()
    way = await set_up(domains=[domain])
    local = {"id": "password", "kind": "password", "label": "Password", "takes_password": False}
    item = {"id": way["id"], "kind": "tower", "label": "The tower", "takes_password": True}

    async def offered(query):
        return (await hall.anonymous.get(f"/api/auth/ways?{query}")).json()["items"]

    assert item in await offered(f"email=anybody@{domain.upper()}")
    assert local in await offered(f"email=anybody@{domain}")
    for query in ("", "email=anybody@other.test", "email=no-address", "host=other.test", f"email=@{domain}"):
        found = await offered(query)
        assert item not in found and local in found
    await hall.operator.patch(f"/api/orgs/{hall.acme.org_id}", {"domain": domain})
    assert item in await offered(f"host={domain}:8443")


async def test_a_password_is_not_enough_where_the_way_is_required(hall, set_up, log_in):
    await set_up(required=True, break_glass=[await user_id(hall.acme.org_owner)])

    async def login(client):
        name = (await client.get("/api/whoami")).json()["user"]["username"]
        return await hall.anonymous.post("/api/login", {"username": name, "password": hall.password})

    refused = await login(hall.acme.member)
    assert (refused.status_code, refused.json()["code"]) == (403, "sso_required")
    # With the other side down, those for emergencies come in; other companies hear nothing of it.
    assert (await login(hall.acme.org_owner)).status_code == 200
    assert (await login(hall.globex.member)).status_code == 200
    name = (await hall.acme.member.get("/api/whoami")).json()["user"]["username"]
    wrong = await hall.anonymous.post("/api/login", {"username": name, "password": "not the password"})
    assert wrong.status_code == 401


async def test_a_link_to_a_new_password_begins_no_session_there(hall, set_up):
    added = await hall.acme.owner.post(
        "/api/members", {"username": f"new-{hall.acme.org_id}", "role": "member"}
    )
    invited = await hall.acme.owner.post(f"/api/members/{added.json()['member']['user_id']}/invitation")
    await set_up(required=True, break_glass=[await user_id(hall.acme.org_owner)])
    token = invited.json()["url"].partition("#token=")[2]
    answer = await hall.anonymous.post("/api/activate", {"token": token, "password": hall.password})
    assert answer.status_code == 200 and answer.json()["token"] is None


async def test_a_way_that_takes_passwords(hall, set_up, log_in):
    way = await set_up()
    claims = {"preferred_username": f"ada-{hall.acme.org_id}", "name": "Ada"}
    answer = await log_in(way, **claims)
    assert answer.status_code == 200, answer.text
    assert answer.json()["user"]["display_name"] == "Ada"
    wrong = await log_in(way, password="closed", **claims)
    assert wrong.status_code == 401
    none = await hall.anonymous.post("/api/login", {"username": "a", "password": "b", "way": "way_none"})
    assert none.status_code == 404


async def test_wrong_passwords_there_count_here(hall, set_up, log_in):
    way = await set_up()
    for _ in range(10):
        assert (await log_in(way, password="closed")).status_code == 401
    answer = await log_in(way, preferred_username="ada")
    assert answer.status_code == 429 and "Retry-After" in answer.headers


async def test_who_vouches_is_part_of_who_somebody_is(hall, set_up, log_in):
    """An admin who points a way at a tower of their own is nobody that came in by the one before."""
    way = await set_up()
    claims = {"preferred_username": f"ada-{hall.acme.org_id}"}
    first = (await log_in(way, **claims)).json()["user"]["id"]
    one = f"{ROWS}/{way['id']}"
    moved = await hall.acme.org_owner.patch(one, {"url": "https://evil.test"})
    assert moved.status_code == 400  # the secret stays with whom it was given for
    assert moved.json()["errors"][0]["pointer"] == "/secret"
    moved = await hall.acme.org_owner.patch(one, {"url": "https://evil.test", "secret": "another"})
    assert moved.status_code == 200
    answer = await log_in(way, **claims)
    assert (answer.status_code, answer.json()["code"]) == (403, "link_required")
    await hall.acme.org_owner.patch(one, {"url": "https://tower.test", "secret": "sesame"})
    assert (await log_in(way, **claims)).json()["user"]["id"] == first


async def test_a_preview_says_what_would_happen_and_nothing_does(hall, set_up, log_in):
    rules = [{"claim": "groups", "contains": "admins", "role": "admin"}]
    way = await set_up(rules=rules, domains=["acme.test"], team=hall.acme.team_id)

    async def preview(**claims):
        answer = await hall.acme.org_owner.post(f"{ROWS}/{way['id']}/preview", {"claims": claims})
        assert answer.status_code == 200, answer.text
        return answer.json()

    name = f"eve-{hall.acme.org_id}"
    found = await preview(sub="s-9", email="eve@acme.test", preferred_username=name, groups=["admins"])
    assert (found["outcome"], found["username"]) == ("create", name)
    assert [(one["team"]["id"], one["role"], one["rule"]) for one in found["teams"]] == [
        (hall.acme.team_id, "admin", 0)
    ]
    found = await preview(email="eve@other.test", preferred_username=name)
    assert (found["outcome"], found["code"]) == ("refuse", "domain_refused") and found["because"]
    member = (await hall.acme.member.get("/api/whoami")).json()["user"]
    found = await preview(email="eve@acme.test", preferred_username=member["username"])
    assert (found["code"], found["user"]["id"]) == ("link_required", member["id"])
    people = (await hall.acme.org_owner.get("/api/org/members?limit=200")).json()["items"]
    assert name not in str(people)
    # Somebody of another company is nobody there.
    theirs = (await hall.globex.member.get("/api/whoami")).json()["user"]["username"]
    found = await preview(email="eve@acme.test", preferred_username=theirs)
    assert (found["outcome"], found["user"]) == ("create", None)


async def test_no_role_is_given_that_its_giver_could_not_give(hall):
    asked = {**WAY, "default_role": "owner"}
    answer = await hall.acme.org_admin.post(ROWS, asked)
    owner = await hall.acme.org_owner.post(ROWS, asked)
    assert {answer.status_code, owner.status_code} <= {201, 403} and owner.status_code == 201


async def test_raced_first_sign_ins_make_one_person(hall, set_up, log_in):
    import asyncio

    way = await set_up()
    claims = {"preferred_username": f"ada-{hall.acme.org_id}"}
    answers = await asyncio.gather(*(log_in(way, **claims) for _ in range(8)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["user"]["id"] for answer in answers}) == 1


async def test_what_happened_is_in_the_trail_and_no_secret(hall, set_up, log_in):
    way = await set_up()
    await log_in(way, preferred_username=f"ada-{hall.acme.org_id}", email="canary@acme.test")
    trail = (await hall.acme.org_owner.get("/api/audit?limit=200")).text
    assert "sign_in.way_added" in trail and "sign_in.person_created" in trail
    assert "sesame" not in trail and "canary" not in trail


async def offered_at(hall, address):
    found = (await hall.anonymous.get(f"/api/auth/ways?email={address}")).json()["items"]
    return [item["id"] for item in found]


@pytest.mark.own_server
async def test_a_company_sees_what_it_claims_and_nobody_elses(hall, set_up):
    rows = "/api/org/email-domains"
    names = sorted(f"{one}.{hall.acme.org_id.replace('_', '-').lower()}.test" for one in "abc")
    way = await set_up(domains=names)
    found = (await hall.acme.org_owner.get(f"{rows}?limit=2")).json()
    assert [item["domain"] for item in found["items"]] == names[:2]
    assert found["items"][0] == {
        "domain": names[0],
        "way_id": way["id"],
        "way": WAY["label"],
        "contested": False,
        "claimed_at": found["items"][0]["claimed_at"],
        "confirmed_at": None,
        "released_at": None,
    }
    rest = (await hall.acme.org_owner.get(f"{rows}?limit=2&cursor={found['next_cursor']}")).json()
    assert [item["domain"] for item in rest["items"]] == names[2:] and rest["next_cursor"] is None
    assert (await hall.globex.org_owner.get(rows)).json()["items"] == []
    assert (await hall.acme.owner.get(rows)).status_code == 403


async def test_what_an_operator_took_comes_back_by_no_other_change(hall, set_up):
    name = f"taken.{hall.acme.org_id.replace('_', '-').lower()}.test"
    way, other = await set_up(domains=[name, f"x.{name}"]), f"y.{name}"
    row, owner = f"{ROWS}/{way['id']}", hall.acme.org_owner
    assert (await hall.operator.delete(f"/api/admin/email-domains/{name}")).status_code == 204
    assert (await hall.operator.delete(f"/api/admin/email-domains/{name}")).status_code == 404

    async def claims():
        found = (await owner.get("/api/org/email-domains")).json()["items"]
        return {item["domain"]: item["released_at"] is None for item in found}

    for change in ({"label": "Renamed"}, {"domains": [name, f"x.{name}", other]}):
        assert (await owner.patch(row, change)).status_code == 200
        assert not (await claims())[name]
    assert (await claims())[other]
    tested = (await owner.post(f"{row}/test")).json()
    assert any(one["name"] == "domain" and name in one["detail"] for one in tested["steps"])
    # Whose it is claims it; who takes it out and names it again hears so.
    made = await hall.globex.org_owner.post(ROWS, {**WAY, "domains": [name]})
    assert made.status_code == 201
    await owner.patch(row, {"domains": [other]})
    again = await owner.patch(row, {"domains": [name, other]})
    assert (again.status_code, again.json()["code"]) == (409, "email_domain_taken")
    await hall.globex.org_owner.delete(f"{ROWS}/{made.json()['id']}")
    assert (await owner.patch(row, {"domains": [name, other]})).status_code == 200
    assert (await claims())[name]


async def test_nobody_is_led_to_a_company_that_only_claims_their_domain(hall):
    theirs = {"username": "ada", "role": "member", "email": "ada@engines.test"}
    assert (await hall.globex.owner.post("/api/members", theirs)).status_code == 201
    ours = {"username": "bob", "role": "member", "email": "bob@engines.test"}
    assert (await hall.acme.owner.post("/api/members", ours)).status_code == 201
    hall.clock.advance(seconds=1)
    made = await hall.acme.org_owner.post(ROWS, {**WAY, "domains": ["engines.test"]})
    way = made.json()["id"]
    assert way not in await offered_at(hall, "ada@engines.test")
    assert way not in await offered_at(hall, "somebody-new@engines.test")
    assert way in await offered_at(hall, "bob@engines.test")
    tested = (await hall.acme.org_owner.post(f"{ROWS}/{way}/test")).json()
    assert ("domain", False) in {(one["name"], one["ok"]) for one in tested["steps"]}

    rows = "/api/admin/email-domains"
    assert (await hall.acme.org_owner.get(rows)).status_code == 403
    (claim,) = (await hall.operator.get(rows)).json()["items"]
    assert (claim["domain"], claim["org"]["id"], claim["contested"]) == (
        "engines.test",
        hall.acme.org_id,
        True,
    )
    wrong = await hall.operator.put(f"{rows}/engines.test", {"org_id": hall.globex.org_id})
    assert wrong.status_code == 404
    right = await hall.operator.put(f"{rows}/engines.test", {"org_id": hall.acme.org_id})
    assert right.status_code == 204, right.text
    for name in ("ada", "somebody-new"):
        assert way in await offered_at(hall, f"{name}@engines.test")
    # What was confirmed stays so when the way is changed otherwise, and holds for another way of the company.
    await hall.acme.org_owner.patch(f"{ROWS}/{way}", {"label": "Another name"})
    second = (await hall.acme.org_owner.post(ROWS, {**WAY, "domains": ["engines.test"]})).json()["id"]
    assert {way, second} <= {*await offered_at(hall, "ada@engines.test")}

    assert (await hall.operator.delete(f"{rows}/engines.test")).status_code == 204
    assert (await hall.operator.delete(f"{rows}/engines.test")).status_code == 404
    assert way not in await offered_at(hall, "ada@engines.test")
    taken = await hall.globex.org_owner.post(ROWS, {**WAY, "domains": ["engines.test"]})
    assert taken.status_code == 201


@pytest.mark.own_server
async def test_who_comes_after_a_claim_is_not_led_away_and_takes_it_from_nobody(hall):
    made = await hall.acme.org_owner.post(ROWS, {**WAY, "domains": ["engines.test"]})
    way = made.json()["id"]
    hall.clock.advance(seconds=1)
    theirs = {"username": "ada", "role": "member", "email": "ada@engines.test"}
    assert (await hall.globex.owner.post("/api/members", theirs)).status_code == 201
    assert way not in await offered_at(hall, "ada@engines.test")
    assert way in await offered_at(hall, "somebody-new@engines.test")


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.own_server
async def test_giving_somebody_anothers_address_leads_the_other_nowhere(hall, is_first):
    victim = {"username": "eve", "role": "member", "email": "eve@looms.test"}
    if not is_first:
        assert (await hall.globex.owner.post("/api/members", victim)).status_code == 201
    hall.clock.advance(seconds=1)
    way = (await hall.acme.org_owner.post(ROWS, {**WAY, "domains": ["looms.test"]})).json()["id"]
    if is_first:
        assert (await hall.globex.owner.post("/api/members", victim)).status_code == 201
    assert way not in await offered_at(hall, "eve@looms.test")
    bait = {"username": "eve-too", "role": "member", "email": "Eve@looms.test"}
    assert (await hall.acme.owner.post("/api/members", bait)).status_code == 201
    assert way not in await offered_at(hall, "eve@looms.test")
    confirmed = await hall.operator.put("/api/admin/email-domains/looms.test", {"org_id": hall.acme.org_id})
    assert confirmed.status_code == 204
    assert way in await offered_at(hall, "eve@looms.test")

"""Coming in by OpenID Connect: who, as what, and out again."""

import asyncio
from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = pytest.mark.shared_server


async def who(hall, ended):
    answer = await hall.bearer(ended["token"]).get("/api/whoami")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def add_person(hall, username, **more):
    body = {"username": username, "role": "member", **more}
    answer = await hall.acme.owner.post("/api/members", body)
    assert answer.status_code == 201, answer.text
    return answer.json()["member"]["user_id"]


async def test_somebody_new_becomes_a_person_of_the_company(hall, browser, set_up):
    way = await set_up()
    found = await who(hall, await browser.sign_in(way))
    assert found["org"]["id"] == hall.acme.org_id
    assert found["user"]["display_name"] == "Ada"
    assert found["team"]["role"] == "member"
    assert found["credential"] == {"kind": "session", "scope": None}
    again = await who(hall, await browser.sign_in(way))
    assert again["user"]["id"] == found["user"]["id"]


async def test_the_token_is_where_no_log_sees_it(hall, browser, provider, set_up):
    way = await set_up()
    answer = await browser.get(provider.authorize(await browser.start(way)))
    location = urlsplit(answer.headers["location"])
    assert (location.path, location.query) == ("/login", "")
    assert location.fragment.startswith("token=ghs_")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"


async def test_what_the_provider_is_asked(hall, browser, provider, set_up):
    way = await set_up(scopes=["openid", "email", "groups"])
    answer = await browser.get(f"/api/auth/oidc/{way}/start")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
    asked = {name: one[0] for name, one in parse_qs(urlsplit(answer.headers["location"]).query).items()}
    assert asked["redirect_uri"].endswith(f"/api/auth/oidc/{way}/callback")
    assert asked["scope"] == "openid email groups"
    assert len(asked["state"]) >= 43 and len(asked["nonce"]) >= 43 and len(asked["code_challenge"]) == 43


async def test_claims_that_the_token_lacks_are_asked_for(hall, browser, provider, set_up):
    way = await set_up()
    provider.person = {"sub": "sub-9"}
    provider.user_info = {"sub": "sub-9", "preferred_username": "grace-at-home", "name": "Grace"}
    assert (await who(hall, await browser.sign_in(way)))["user"]["display_name"] == "Grace"
    # Of somebody else they are not taken.
    provider.person = {"sub": "sub-10"}
    assert await browser.sign_in(way) == {"error": "token_invalid"}


async def test_rules_give_roles_and_the_next_sign_in_takes_them_away(hall, browser, provider, set_up):
    second = hall.acme.second_team.id
    rules = [
        {"claim": "groups", "contains": "admins", "role": "admin"},
        {"claim": "realm.roles", "contains": "second", "role": "viewer", "team": second},
    ]
    way = await set_up(rules=rules, team=hall.acme.team_id)
    provider.person |= {"groups": ["staff", "admins"], "realm": {"roles": ["second"]}}
    token = (await browser.sign_in(way))["token"]
    found = await who(hall, {"token": token})
    assert found["team"]["role"] == "admin"
    assert {team["id"]: team["role"] for team in found["teams"]}[second] == "viewer"
    switched = await hall.bearer(token).post("/api/session/team", {"team": second})
    provider.person |= {"groups": ["not-admins"], "realm": {"roles": []}}
    found = await who(hall, await browser.sign_in(way))
    assert found["team"]["role"] == "member"
    assert second not in {team["id"] for team in found["teams"]}
    # What they held in the team that they left is over at once.
    held = hall.bearer(switched.json()["token"])
    assert (await held.get("/api/whoami")).status_code == 401


async def test_who_no_rule_names_any_more_is_out_at_once(hall, browser, provider, set_up):
    rules = [{"claim": "groups", "contains": "staff", "role": "member"}]
    way = await set_up(rules=rules, default_role=None)
    provider.person |= {"groups": ["staff"]}
    session = hall.bearer((await browser.sign_in(way))["token"])
    assert (await session.get("/api/whoami")).status_code == 200
    provider.person |= {"groups": []}
    assert await browser.sign_in(way) == {"error": "no_access"}
    assert (await session.get("/api/whoami")).status_code == 401


async def test_a_role_that_was_given_by_hand_stays(hall, browser, provider, set_up):
    way = await set_up()
    found = await who(hall, await browser.sign_in(way))
    user_id, second = found["user"]["id"], hall.acme.second_team
    joined = await second.owner.post("/api/members", {"username": found["user"]["username"], "role": "admin"})
    assert joined.status_code == 201
    found = await who(hall, await browser.sign_in(way))
    assert found["user"]["id"] == user_id
    assert {team["id"]: team["role"] for team in found["teams"]}[second.id] == "admin"


async def test_nobody_new_where_none_are_made(hall, browser, set_up):
    way = await set_up(create_people=False)
    assert await browser.sign_in(way) == {"error": "no_account"}


async def test_somebody_invited_comes_in_by_their_address(hall, browser, provider, set_up):
    user_id = await add_person(hall, hall.acme.org_id, email="ada@acme.test")
    way = await set_up(create_people=False)
    assert (await who(hall, await browser.sign_in(way)))["user"]["id"] == user_id


@pytest.mark.parametrize("verified", [False, None, "yes"])
async def test_an_address_that_is_not_verified_takes_nobodys_account(
    hall, browser, provider, set_up, verified
):
    await add_person(hall, hall.acme.org_id, email="ada@acme.test")
    way = await set_up()
    provider.person |= {"email_verified": verified}
    expected = "email_unverified" if verified is False else "link_required"
    assert await browser.sign_in(way) == {"error": expected}


async def test_an_account_with_a_password_is_tied_by_both_proofs(hall, browser, provider, set_up):
    user_id = await add_person(hall, hall.acme.org_id, email="ada@acme.test", password=hall.password)
    way = await set_up()
    assert await browser.sign_in(way) == {"error": "link_required"}
    login = {"username": hall.acme.org_id, "password": hall.password, "link": True}
    # Another browser has proved nothing there.
    refused = await hall.anonymous.post("/api/login", login)
    assert (refused.status_code, refused.json()["code"]) == (403, "link_expired")
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    wrong = await hall.anonymous.request(
        "POST", "/api/login", json={**login, "password": "not the password"}, headers={"Cookie": cookie}
    )
    assert wrong.status_code == 401
    tied = await hall.anonymous.request("POST", "/api/login", json=login, headers={"Cookie": cookie})
    assert tied.status_code == 200, tied.text
    assert (await who(hall, await browser.sign_in(way)))["user"]["id"] == user_id
    # The proof was for once.
    again = await hall.anonymous.request("POST", "/api/login", json=login, headers={"Cookie": cookie})
    assert again.json()["code"] == "link_expired"


async def test_who_owns_the_company_is_tied_by_a_password_alone(hall, browser, provider, set_up):
    """A way is set up by who may be less than those who come in by it."""
    own = hall.acme.org_owner
    name = (await own.get("/api/whoami")).json()["user"]["username"]
    login = await hall.anonymous.post("/api/login", {"username": name, "password": hall.password})
    added = await hall.bearer(login.json()["token"]).post(
        "/api/org/members",
        {
            "username": f"boss-{hall.acme.org_id}",
            "role": "owner",
            "team": hall.acme.team_id,
            "org_role": "org_owner",
            "email": "boss@acme.test",
        },
    )
    assert added.status_code == 201, added.text
    way = await set_up(hall.acme.org_admin)
    provider.person = {"sub": "evil", "email": "boss@acme.test", "email_verified": True}
    assert await browser.sign_in(way) == {"error": "link_required"}


async def test_an_admin_who_changes_what_vouches_is_no_owner_by_it(hall, browser, provider, set_up):
    way = await set_up(hall.acme.org_admin)
    name = (await hall.acme.org_owner.get("/api/whoami")).json()["user"]["username"]
    provider.person = {"sub": "boss", "preferred_username": name}
    assert await browser.sign_in(way) == {"error": "link_required"}
    login = {"username": name, "password": hall.password, "link": True}
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    tied = await hall.anonymous.request("POST", "/api/login", json=login, headers={"Cookie": cookie})
    assert tied.status_code == 200, tied.text
    for person, changed, is_tied in (
        (hall.acme.org_admin, {"label": "Another name"}, True),
        (hall.acme.org_owner, {"scopes": "openid email"}, True),
        (hall.acme.org_admin, {"scopes": "openid profile"}, False),
    ):
        assert (await person.patch(f"/api/org/sign-in/{way}", changed)).status_code == 200
        ended = await browser.sign_in(way)
        assert ("token" in ended) is is_tied, (changed, ended)


async def test_a_name_of_another_company_is_left_to_it(hall, browser, provider, set_up):
    way = await set_up()
    name = (await who(hall, {"token": hall.globex.member.token}))["user"]["username"]
    provider.person |= {"preferred_username": name}
    found = await who(hall, await browser.sign_in(way))
    assert found["org"]["id"] == hall.acme.org_id
    assert found["user"]["username"] == f"{name}-2"


async def test_suspended_and_removed_people_stay_out(hall, browser, set_up):
    way = await set_up()
    user_id = (await who(hall, await browser.sign_in(way)))["user"]["id"]
    await hall.acme.org_owner.post(f"/api/org/members/{user_id}/suspend")
    assert await browser.sign_in(way) == {"error": "person_suspended"}
    await hall.acme.org_owner.post(f"/api/org/members/{user_id}/resume")
    await hall.acme.org_owner.delete(f"/api/org/members/{user_id}")
    assert await browser.sign_in(way) == {"error": "person_removed"}


async def test_only_addresses_of_the_domains_come_in(hall, browser, provider, set_up):
    way = await set_up(domains=["acme.test"])
    for address in ("ada@evil.test", "ada@аcme.test", "ada@acme.test.evil.test", "ada@sub.acme.test"):
        provider.person |= {"email": address}
        assert await browser.sign_in(way) == {"error": "domain_refused"}, address
    provider.person |= {"email": "Ada@ACME.test", "email_verified": False}
    assert await browser.sign_in(way) == {"error": "email_unverified"}
    provider.person |= {"email_verified": True}
    assert "token" in await browser.sign_in(way)


async def test_the_provider_ends_sessions(hall, browser, provider, set_up):
    way = await set_up()
    row = f"/api/auth/oidc/{way}/backchannel-logout"

    async def told(**changed):
        token = provider.logout_token(**changed)
        return token, await hall.anonymous.request("POST", row, content=f"logout_token={token}".encode())

    for named in ({"sid": None}, {"sub": None, "sid": "session-1"}):
        session = hall.bearer((await browser.sign_in(way))["token"])
        token, answer = await told(**named)
        assert answer.status_code == 200, answer.text
        assert (await session.get("/api/whoami")).status_code == 401
    repeated = await hall.anonymous.request("POST", row, content=f"logout_token={token}".encode())
    assert repeated.status_code == 400
    session = hall.bearer((await browser.sign_in(way))["token"])
    wrong = (
        {"aud": "another"},
        {"iss": "https://evil.test"},
        {"events": {}},
        {"nonce": "n"},
        {"jti": None},
        {"sub": None},
        {"iat": provider.now_s() - 3600},
    )
    for changed in wrong:
        assert (await told(**changed))[1].status_code == 400, changed
    assert (await session.get("/api/whoami")).status_code == 200


async def test_nobody_but_the_provider_ends_a_session(hall, browser, provider, set_up):
    way, other = await set_up(), await set_up(label="Another", client_id="another")
    row = f"/api/auth/oidc/{way}/backchannel-logout"
    session = hall.bearer((await browser.sign_in(way))["token"])
    honest = provider.logout_token()
    claims = {"iss": provider.issuer, "aud": "guildhall", "iat": provider.now_s(), "sub": "sub-1", "jti": "j"}
    claims["events"] = {"http://schemas.openid.net/event/backchannel-logout": {}}
    forgeries = {
        "unsigned": provider.unsigned(claims),
        "by the public key": provider.signed_by_public_key(claims),
        "by another key": provider.signed_by_other(claims),
        "spliced": ".".join([honest.rsplit(".", 1)[0], provider.signed_by_other(claims).rsplit(".", 1)[1]]),
        "a token of an identity": provider.id_token({"nonce": None, "person": provider.person}),
        "none": "",
    }
    for name, token in forgeries.items():
        answer = await hall.anonymous.request("POST", row, content=f"logout_token={token}".encode())
        assert answer.status_code == 400, name
        assert answer.json()["code"] == "invalid_request", name
    # What is for one client is not another's.
    elsewhere = f"/api/auth/oidc/{other}/backchannel-logout"
    answer = await hall.anonymous.request("POST", elsewhere, content=f"logout_token={honest}".encode())
    assert answer.status_code == 400
    assert (await session.get("/api/whoami")).status_code == 200
    assert (await hall.anonymous.request("POST", row, content=b"logout_token=" + honest.encode())).is_success
    assert (await session.get("/api/whoami")).status_code == 401


async def test_the_provider_ends_the_session_that_it_names_and_no_other(hall, browser, provider, set_up):
    way = await set_up()
    row = f"/api/auth/oidc/{way}/backchannel-logout"
    sessions = {}
    for name in ("session-1", "session-2"):
        provider.tamper = {"sid": name}
        sessions[name] = hall.bearer((await browser.sign_in(way))["token"])
    home = (await sessions["session-2"].get("/api/whoami")).json()["team"]["id"]
    switched = (await sessions["session-2"].post("/api/session/team", {"team": home})).json()["token"]
    token = provider.logout_token(sid="session-2")
    answer = await hall.anonymous.request("POST", row, content=f"logout_token={token}".encode())
    assert answer.status_code == 200, answer.text
    assert (await sessions["session-2"].get("/api/whoami")).status_code == 401
    assert (await hall.bearer(switched).get("/api/whoami")).status_code == 401
    assert (await sessions["session-1"].get("/api/whoami")).status_code == 200


async def test_signing_out_says_where_the_session_there_ends(hall, browser, provider, set_up):
    way = await set_up()
    session = hall.bearer((await browser.sign_in(way))["token"])
    answer = await session.post("/api/auth/logout")
    url = urlsplit(answer.json()["url"])
    asked = parse_qs(url.query)
    assert url.path == "/end" and asked["client_id"] == ["guildhall"]
    assert asked["id_token_hint"][0].count(".") == 2
    assert asked["post_logout_redirect_uri"][0].endswith("/login")
    assert (await session.get("/api/whoami")).status_code == 401
    # Who signed in here signs out here.
    assert (await hall.acme.member.post("/api/auth/logout")).json() == {"url": None}


async def test_many_sign_in_at_once(hall, provider, set_up):
    from builtin_plugins.oidc.tests.conftest import Browser

    way = await set_up()
    browsers = [Browser(hall, provider) for _ in range(20)]
    begun = [await browser.start(way) for browser in browsers]
    backs = []
    for number, location in enumerate(begun):
        provider.person = {"sub": f"sub-{number % 10}", "preferred_username": f"p{number % 10}"}
        backs.append(provider.authorize(location))
    ended = await asyncio.gather(*(b.back(url) for b, url in zip(browsers, backs, strict=True)))
    people = [(await who(hall, one))["user"]["id"] for one in ended]
    # Each of ten came in by two browsers at once, and is one person.
    assert len(set(people)) == 10 and people[:10] == people[10:]
    assert provider.paths.count("/.well-known/openid-configuration") == 1


@pytest.mark.own_server
async def test_an_operators_way_is_for_everybody(hall, browser, provider, set_up):
    way = await set_up(hall.operator, "/api/admin/sign-in", team=hall.globex.team_id)
    found = await who(hall, await browser.sign_in(way))
    assert found["org"]["id"] == hall.globex.org_id
    await hall.operator.delete(f"/api/admin/sign-in/{way}")

"""`decide_principal`: plugins say who it is, the kernel says what they may."""

import asyncio

import pytest

from guildhall_sdk import Credential, Route, hookimpl
from guildhall_sdk.errors import Unauthenticated
from guildhall_sdk.principal import CredentialKind, SignIn
from guildhall_sdk.replies import EVENT_STREAM, ServerSentEvent, event_stream
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.tenancy import Directory

pytestmark = pytest.mark.any_database

NOTE = {"title": "By way of the proxy"}
SQLITE = pytest.mark.hall_databases("sqlite")


def kind(name, description="Something to show"):
    return CredentialKind(name=name, description=description)


def remote(client, **more):
    return {"X-Remote-User": client.username, **more}


@pytest.fixture
def decider(make_plugin):
    """A plugin that gives, or raises, its `answer`; `requests` are those it saw."""

    def decider(answer=None, plugin_id="toy"):
        async def decide_principal(request):
            plugin.requests.append(request)
            if isinstance(plugin.answer, BaseException):
                raise plugin.answer
            return plugin.answer

        kinds = [kind(f"{plugin_id}_badge"), kind(f"{plugin_id}_key")]
        plugin = make_plugin(plugin_id, credential_kinds=kinds, decide_principal=decide_principal)
        plugin.answer, plugin.requests = answer, []
        return plugin

    return decider


async def test_the_plugin_of_the_reference_believes_its_proxy(open_hall, documented):
    plugin = documented("proxy_sign_in")
    async with open_hall(plugin) as hall:
        nobody, member = hall.anonymous, hall.acme.member
        who = (await nobody.get("/api/whoami", headers=remote(member))).json()
        own = (await member.get("/api/whoami")).json()
        assert who.pop("credential") == {"kind": "proxy", "scope": None}
        assert who == {name: value for name, value in own.items() if name != "credential"}

        made = await nobody.post("/api/notes", NOTE, headers=remote(member))
        assert (made.status_code, made.json()["owner"]["id"]) == (201, member.user_id)
        trail = (await hall.acme.org_owner.get("/api/org/audit")).json()["items"]
        assert member.user_id in [one["actor"]["id"] for one in trail if one["action"] == "note.created"]
        assert (await nobody.post("/api/s3/credentials", {}, headers=remote(member))).status_code == 201
        stored = await nobody.put("/api/repo/seen.txt", content=b"seen", headers=remote(member))
        presign = f"/api/repo-obj/{stored.json()['id']}/presign"
        assert (await nobody.post(presign, {}, headers=remote(member))).status_code == 200
        refused = await nobody.post("/api/2fa/enable", {}, headers=remote(member))
        assert (refused.status_code, refused.json()["code"]) == (403, "session_required")
        refused = await nobody.get("/api/orgs", headers=remote(member))
        assert (refused.status_code, refused.json()["permission"]) == (403, "instance:manage")
        await hall.suspend(hall.acme)
        assert (await nobody.post("/api/notes", NOTE, headers=remote(member))).status_code == 402

        for headers in ({}, {"X-Remote-User": "mallory"}, {"X-Remote-User": ""}):
            answer = await nobody.get("/api/whoami", headers=headers)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        twice = remote(member, **{"x-remote-user": hall.operator.username})
        assert (await nobody.get("/api/whoami", headers=twice)).status_code == 401
        plugin.PROXIES.clear()
        assert (await nobody.get("/api/whoami", headers=remote(member))).status_code == 401


async def test_a_guildhall_token_is_nobody_elses_to_judge(open_hall, decider):
    plugin = decider(None)
    async with open_hall(plugin) as hall:
        operator, member = hall.operator, hall.acme.member
        expired = await hall.with_token(operator, expires_at=hall.clock.now_ms() - 1)
        assert (await member.get("/api/whoami")).status_code == 200
        for token in (expired.token, "ghs_short", f"gha_{'A' * 43}", f"ghw_{'A' * 43}"):
            assert (await hall.bearer(token).get("/api/whoami")).status_code == 401
        assert (await hall.anonymous.get("/health")).status_code == 200
        assert plugin.requests == []
        assert (await hall.bearer("eyJhbGciOi.e30.c2ln").get("/api/whoami")).status_code == 401
        (request,) = plugin.requests
        assert (request.method, request.path, request.peer) == ("GET", "/api/whoami", "127.0.0.1")
        assert request.headers["authorization"] == "Bearer eyJhbGciOi.e30.c2ln"
        assert "eyJhbGciOi" not in repr(request)
        with pytest.raises(TypeError):
            request.headers["authorization"] = "another"


@SQLITE
async def test_behind_a_trusted_proxy_the_peer_is_the_proxy(open_hall, decider):
    plugin = decider(None)
    async with open_hall(plugin, SERVICE_TRUSTED_PROXIES="127.0.0.1") as hall:
        await hall.anonymous.get("/api/whoami", headers={"X-Forwarded-For": "192.0.2.7"})
        assert [(one.address, one.peer) for one in plugin.requests] == [("192.0.2.7", "127.0.0.1")]


@pytest.mark.every_database
async def test_team_scope_kind_and_end_are_the_plugins_to_name(open_hall, decider):
    async def who(**answer):
        plugin.answer = SignIn(**answer)
        return await hall.anonymous.get("/api/whoami")

    plugin = decider()
    async with open_hall(plugin) as hall:
        owner, second = hall.acme.owner, hall.acme.second_team
        scope = ["notes:read", "instance:manage"]
        answer = (await who(user_id=owner.user_id, scope=scope, kind="toy_key")).json()
        assert answer["permissions"] == ["notes:read"]
        assert answer["credential"] == {"kind": "toy_key", "scope": sorted(scope)}
        answer = (await who(username=owner.username.upper())).json()
        assert answer["credential"] == {"kind": "toy_badge", "scope": None}

        there = (await who(user_id=second.owner.user_id, team=second.id)).json()["teams"][0]
        answer = (await who(user_id=second.owner.user_id, team=there["slug"])).json()
        assert answer["team"]["id"] == there["id"] == second.id
        for wrong in (
            {"user_id": owner.user_id, "team": hall.globex.team_id},
            {"user_id": owner.user_id, "team": "a\0b"},
            {"user_id": "usr_\0"},
            {"username": "\ud800"},
            {"username": owner.username, "expires_at": hall.clock.now_ms()},
        ):
            assert (await who(**wrong)).status_code == 401, wrong

        await who(username=owner.username, expires_at=hall.clock.now_ms() + 60_000)
        longer = await hall.anonymous.post("/api/tokens", {"ttl": 3600})
        assert (longer.status_code, longer.json()["code"]) == (403, "permission_denied")
        cut = await hall.anonymous.post("/api/tokens", {})
        assert cut.status_code == 201
        hall.clock.advance(seconds=61)
        assert (await hall.bearer(cut.json()["token"]).get("/api/whoami")).status_code == 401


@SQLITE
async def test_whoever_leaves_the_team_while_they_call_writes_nothing(open_hall, decider):
    async def leave(call):
        async with call.host.data.write() as writer:
            await call.service(Directory).remove_member(
                writer, call.principal.team_id, call.principal.user_id
            )
        async with call.write():
            raise AssertionError("somebody who left writes")

    plugin = decider()
    plugin.declare_routes = hookimpl(lambda: [Route("POST", "/api/toys", "leave", "Leave")])
    plugin.declare_handlers = hookimpl(lambda: {"leave": leave})
    async with open_hall(plugin) as hall:
        plugin.answer = SignIn(username=hall.acme.colleague.username)
        left = await hall.anonymous.post("/api/toys", {})
        assert (left.status_code, left.json()["code"]) == (401, "unauthenticated")


@SQLITE
async def test_a_failure_denies(open_hall, decider):
    plugin = decider()
    async with open_hall(plugin, later := decider(plugin_id="zoo")) as hall:
        later.answer = SignIn(username=hall.acme.member.username)
        name = hall.acme.member.username
        for answer in (
            RuntimeError("of a secret"),
            SystemExit(1),
            name,
            SignIn(),
            SignIn(user_id="usr_1", username=name),
            SignIn(username=7),
            SignIn(username=name, scope="notes:read"),
            SignIn(username=name, scope=7),
            SignIn(username=name, scope=[7]),
            SignIn(username=name, kind="session"),
            SignIn(username=name, kind="zoo_key"),
            SignIn(username=name, expires_at="tomorrow"),
        ):
            plugin.answer = answer
            refused = await hall.anonymous.get("/api/whoami")
            assert (refused.status_code, refused.json()["code"]) == (401, "unauthenticated"), answer
            assert "ask the operator" in refused.json()["detail"]
        plugin.answer = Unauthenticated("Your badge was taken away.")
        assert (await hall.anonymous.get("/api/whoami")).json()["detail"] == "Your badge was taken away."
        assert later.requests == []
        plugin.answer = None
        assert (await hall.anonymous.get("/api/whoami")).status_code == 200


@SQLITE
async def test_one_that_hangs_denies_and_holds_nothing(open_hall, make_plugin, monkeypatch):

    async def decide_principal(request):
        await asyncio.Event().wait()

    plugin = make_plugin(credential_kinds=[kind("badge")], decide_principal=decide_principal)
    async with open_hall(plugin) as hall:
        monkeypatch.setattr("kernel.plugins.hooks.ON_TIMEOUT", 0.01)
        assert (await hall.anonymous.get("/api/whoami")).status_code == 401


@SQLITE
async def test_who_is_refused_spends_the_budget_of_their_address(open_hall, decider):
    plugin = decider(Unauthenticated("No."))
    async with open_hall(plugin, SERVICE_RATE_LIMIT="300") as hall:  # an address: 10 at once
        answers = [(await hall.anonymous.get("/api/whoami")).status_code for _ in range(20)]
        assert answers == [401] * 10 + [429] * 10
        assert len(plugin.requests) == 10


@SQLITE
async def test_who_is_known_spends_their_own(open_hall, documented):
    async with open_hall(documented("proxy_sign_in"), SERVICE_RATE_LIMIT="300") as hall:
        first, second = hall.acme.member, hall.acme.viewer
        answers = [
            (await hall.anonymous.get("/api/whoami", headers=remote(first))).status_code for _ in range(60)
        ]
        assert answers == [200] * 50 + [429] * 10
        assert (await hall.anonymous.get("/api/whoami", headers=remote(second))).status_code == 200


@SQLITE
async def test_one_of_many_behind_the_same_authorization_spends_nobody_elses(open_hall, make_plugin):
    async def decide_principal(request):
        return SignIn(username=request.headers["x-remote-user"])

    async def status(client):
        headers = remote(client, Authorization="Basic cHJveHk6c2VjcmV0")  # the proxy's own
        return (await hall.anonymous.get("/api/whoami", headers=headers)).status_code

    plugin = make_plugin(credential_kinds=[kind("badge")], decide_principal=decide_principal)
    async with open_hall(plugin, SERVICE_RATE_LIMIT="300") as hall:
        answers = [await status(hall.acme.member) for _ in range(60)]
        assert answers == [200] * 50 + [429] * 10
        assert await status(hall.globex.member) == 200


@SQLITE
async def test_a_stream_and_a_write_end_with_what_the_plugin_believed(open_hall, decider, monkeypatch):
    monkeypatch.setattr("kernel.http.event_streams.RECHECK_SECONDS", 0)
    given = asyncio.Queue()

    async def beats():
        while True:
            yield await given.get()

    async def watch(call):
        return event_stream(beats())

    async def dawdle(call):
        hall.clock.advance(minutes=2)
        async with call.write():
            raise AssertionError("somebody whose sign-in has ended writes")

    plugin = decider()
    plugin.declare_routes = hookimpl(
        lambda: [
            Route("GET", "/api/toys", "watch", "Watch", content_type=EVENT_STREAM),
            Route("POST", "/api/toys", "dawdle", "Dawdle"),
        ]
    )
    plugin.declare_handlers = hookimpl(lambda: {"watch": watch, "dawdle": dawdle})
    async with open_hall(plugin) as hall:

        def sign_in():
            until = hall.clock.now_ms() + 60_000
            plugin.answer = SignIn(username=hall.acme.member.username, expires_at=until)

        sign_in()
        late = await hall.anonymous.post("/api/toys", {})
        assert (late.status_code, late.json()["code"]) == (401, "unauthenticated")
        sign_in()
        async with hall.anonymous.events("GET", "/api/toys") as events:
            given.put_nowait(ServerSentEvent(data="before"))
            assert (await anext(events)).data == "before"
            hall.clock.advance(minutes=2)
            given.put_nowait(ServerSentEvent(data="after"))
            (last,) = [one async for one in events]
        assert (last.event, last.data["status"]) == ("error", 401)


@SQLITE
async def test_a_page_of_another_site_writes_nothing(open_hall, documented):
    async with open_hall(documented("proxy_sign_in")) as hall:
        for headers, status in (
            ({"Sec-Fetch-Site": "cross-site"}, 403),
            ({"Sec-Fetch-Site": "same-site"}, 403),
            ({"Sec-Fetch-Site": "same-origin"}, 201),
            ({"Origin": "https://evil.example"}, 403),
            ({"Origin": "null"}, 403),
            ({"Origin": "https://[evil"}, 403),
            ({"Origin": hall.base_url}, 201),
        ):
            sent = remote(hall.acme.member, **headers)
            answer = await hall.anonymous.post("/api/notes", NOTE, headers=sent)
            assert answer.status_code == status, headers
            assert (await hall.anonymous.get("/api/notes", headers=sent)).status_code == 200
        assert (await hall.acme.member.post("/api/notes", NOTE, headers=headers)).status_code == 201


def test_kinds_of_credentials_are_declared(admit, make_plugin):
    async def decide_principal(request):
        return None

    for brought, reason in (
        ({"decide_principal": decide_principal}, "declare_credential_kinds"),
        ({"credential_kinds": [kind("api")]}, "the kernel's own"),
        ({"credential_kinds": [kind("s3")]}, "the kind of credential s3 is declared twice, by s3 too"),
        ({"credential_kinds": [kind("A b")]}, "small letters"),
        ({"credential_kinds": [kind("toy", "")]}, "say in a line"),
    ):
        assert reason in (admit(make_plugin(**brought))["toy"] or "let in"), reason


@SQLITE
async def test_the_badges_of_the_reference_do_what_they_are_for(open_hall, documented):
    async with open_hall(documented("badges")) as hall:
        for who, may in ((hall.acme.owner, ["notes:read"]), (await hall.join(hall.acme, "worker"), [])):
            assert (await who.get("/api/badges/mine")).json() == {"may": may}


@SQLITE
async def test_only_a_declared_kind_becomes_a_principal(hall):
    async with hall.server.data.read() as reader:
        for name in ("session", "unheard-of"):
            with pytest.raises(ValueError, match="no plugin declares"):
                await hall.server.service(Credentials).principal_of(
                    reader, Credential("x", name, None, None), user_id="usr_1", team_id="team_1"
                )

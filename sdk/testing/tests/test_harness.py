"""The harness keeps its promises to whoever writes a test with it."""

import asyncio
import gc
import weakref
from types import SimpleNamespace

import pytest

from guildhall_sdk import Factory, Reply, Route, created, rfc3339
from guildhall_sdk.schema import boolean, obj, shape, string
from guildhall_testing.conformance.failure import ConformanceFailure
from guildhall_testing.conformance.samples import make_ids, parameters_of
from guildhall_testing.fixtures import report_log
from guildhall_testing.sites import Sites
from kernel.config import Settings
from kernel.logs import get_logger
from kernel.plugins.admission import admit

pytestmark = pytest.mark.any_database


async def test_a_hall_has_two_companies_with_people_of_every_role(hall):
    for company in (hall.acme, hall.globex):
        for role in ("owner", "admin", "member", "viewer"):
            who = (await getattr(company, role).get("/api/whoami")).json()
            assert (who["team"]["id"], who["team"]["role"]) == (company.team_id, role)
            assert who["org"]["id"] == company.org_id
            assert who["user"]["id"] == getattr(company, role).user_id
            who = (await getattr(company.second_team, role).get("/api/whoami")).json()
            assert (who["team"]["id"], who["org"]["id"]) == (company.second_team.id, company.org_id)
    assert hall.acme.org_id != hall.globex.org_id
    assert hall.acme.team_id != hall.acme.second_team.id


@pytest.mark.parametrize(
    ("name", "org_role"), [("reader", "org_reader"), ("org_admin", "org_admin"), ("org_owner", "org_owner")]
)
async def test_a_hall_has_people_with_a_role_in_their_company(shared_hall, name, org_role):
    who = (await getattr(shared_hall.acme, name).get("/api/whoami")).json()
    assert who["org_role"] == org_role


async def test_the_operator_is_of_a_company_of_their_own(shared_hall):
    who = (await shared_hall.operator.get("/api/whoami")).json()
    assert who["operator"] is True
    assert who["org"]["id"] not in {shared_hall.acme.org_id, shared_hall.globex.org_id}


async def test_anonymous_is_nobody(shared_hall):
    assert (await shared_hall.anonymous.get("/api/whoami")).status_code == 401
    with pytest.raises(RuntimeError):
        _ = shared_hall.anonymous.user_id


async def test_a_client_speaks_to_factories_in_statuses_and_json(shared_hall):
    status, who = await shared_hall.acme.member.call("GET", "/api/whoami", X_Request_Id="asked-by-a-factory")
    assert (status, who["user"]["id"]) == (200, shared_hall.acme.member.user_id)


async def test_people_join_and_get_further_tokens(hall):
    somebody = await hall.join(hall.acme, "viewer", org_role="org_reader")
    who = (await somebody.get("/api/whoami")).json()
    assert (who["team"]["role"], who["org_role"]) == ("viewer", "org_reader")
    narrow = await hall.with_token(hall.acme.owner, scope=["notes:read"])
    assert (await narrow.get("/api/whoami")).json()["permissions"] == ["notes:read"]


async def test_a_suspended_company_can_be_resumed(hall):
    body = {"display_name": "Someone Else"}
    await hall.suspend(hall.acme)
    assert (await hall.acme.member.post("/api/profile", body)).status_code == 402
    assert (await hall.globex.member.post("/api/profile", body)).status_code == 200
    await hall.resume(hall.acme)
    assert (await hall.acme.member.post("/api/profile", body)).status_code == 200


async def test_time_stands_still_but_for_a_millisecond_per_request(hall):
    before = hall.clock.now_ms()
    await hall.anonymous.get("/health")
    assert hall.clock.now_ms() == before + 1
    hall.clock.advance(days=1, hours=1, minutes=1, seconds=1, milliseconds=1)
    assert hall.clock.now_ms() == before + 1 + ((25 * 60 + 1) * 60 + 1) * 1000 + 1
    made = (await hall.acme.owner.post("/api/tokens", {"ttl": 60})).json()
    assert made["expires_at"] == rfc3339(hall.clock.now_ms() + 60_000)


async def test_halls_do_not_see_each_other(open_hall):
    async with open_hall() as one, open_hall() as other:
        changed = await one.acme.member.post("/api/profile", {"display_name": "Changed Here"})
        assert changed.json()["display_name"] == "Changed Here"
        who = (await other.acme.member.get("/api/whoami")).json()
        assert who["user"]["display_name"] == "acme-member"
        one.clock.advance(days=1)
        assert other.clock.now_ms() < one.clock.now_ms()


async def test_a_server_that_has_stopped_leaves_nothing_in_memory(open_hall):
    async with open_hall() as hall:
        kept = weakref.ref(hall.server), weakref.ref(hall.server.data), weakref.ref(hall.server.declared)
    del hall
    gc.collect()
    assert [one() for one in kept] == [None, None, None]


async def test_tests_that_share_a_server_meet_nobody_of_one_another(shared_servers, hall_database):
    one, other = [await shared_servers.hall(hall_database) for _ in range(2)]
    assert one.server is other.server
    await one.acme.member.post("/api/notes", {"title": "Ours", "visibility": "team"})
    assert (await other.acme.member.get("/api/notes")).json()["items"] == []
    names = {hall.acme.org_id for hall in (one, other)} | {hall.globex.org_id for hall in (one, other)}
    assert len(names | {one.operator.username, other.operator.username}) == 6
    assert (await other.operator.get("/api/orgs")).status_code == 200


async def test_tests_with_the_same_plugin_share_its_server_and_others_do_not(shared_servers, make_plugin):
    toy, other = make_plugin("toy"), make_plugin("toy")
    one, again = [await shared_servers.hall("sqlite", [toy]) for _ in range(2)]
    assert one.server is again.server
    assert "toy" in one.registry.plugin_ids()
    for choice in ([other], []):
        assert (await shared_servers.hall("sqlite", choice)).server is not one.server


async def test_the_model_of_a_shared_server_has_forgotten_what_the_test_before_said_and_asked(shared_servers):
    async with shared_servers.visit("sqlite", options={"with_model": True}) as first:
        first.model.say("Said.")
        first.model.say("Left over.")
        answer = await first.acme.member.post("/api/ai/chat", {"prompt": "Well?"})
        assert answer.json()["reply"] == "Said."
    async with shared_servers.visit("sqlite", options={"with_model": True}) as second:
        assert (second.server is first.server, second.model.calls) == (True, [])
        answer = await second.acme.member.post("/api/ai/chat", {"prompt": "Well?"})
        assert answer.json()["reply"] == "Scripted."


async def test_when_all_companies_are_taken_there_is_another_server(shared_servers):
    first = await shared_servers.hall("sqlite")
    while (another := await shared_servers.hall("sqlite")).server is first.server:
        pass
    assert (await another.acme.member.get("/api/whoami")).status_code == 200


async def test_an_unpopulated_hall_waits_for_its_first_person(open_hall):
    async with open_hall(populated=False) as hall:
        assert (await hall.anonymous.get("/api/config")).json()["needs_bootstrap"] is True


async def test_a_hall_takes_settings(open_hall):
    async with open_hall(SERVICE_HOME="beta") as hall:
        assert (await hall.anonymous.get("/api/config")).json()["home"] == "beta"


async def test_a_test_on_another_loop_is_told_so(hall):
    def elsewhere():
        return asyncio.run(hall.anonymous.get("/health"))

    with pytest.raises(RuntimeError, match="asyncio_default_test_loop_scope"):
        await asyncio.to_thread(elsewhere)


# What the harness notices by itself.

_FLAG = obj({"on": boolean()}, required=["on"], example={"on": True})


def _toy(make_plugin, reply, **row):
    async def handler(call):
        return reply

    routes = [Route("GET", "/api/toy", "handler", "A toy", reply=shape({"name": string()}), **row)]
    return make_plugin(routes=routes, handlers={"handler": handler})


@pytest.mark.parametrize(
    ("reply", "row", "complaint"),
    [
        (Reply({"name": 1}), {}, "at /name: must be text in quotes"),
        (Reply({}), {}, "at /name: is required"),
        (Reply({"name": "x"}, 202), {}, "answered 202 where the row says 200"),
        (Reply({"name": "x"}, 201), {"status": 201}, "answered 201 without a Location"),
        (Reply(content=b"x", content_type="text/plain"), {}, "answered text/plain"),
    ],
)
async def test_a_reply_that_its_row_does_not_describe_is_noticed(
    open_hall, make_plugin, reply, row, complaint
):
    async with open_hall(_toy(make_plugin, reply, **row)) as hall:
        await hall.acme.member.get("/api/toy")
        faults = hall.watch.take_faults()
    assert len(faults) == 1
    assert faults[0].startswith("GET /api/toy of toy: ")
    assert complaint in faults[0]


@pytest.mark.parametrize(
    ("reply", "row"),
    [
        (Reply({"name": "x", "more": 1}), {}),
        (created({"name": "x"}, "/api/toy/1"), {"status": 201}),
        (Reply(content=b"x", content_type="text/plain; charset=utf-8"), {"content_type": "text/plain"}),
    ],
)
async def test_a_reply_as_its_row_describes_it_passes(open_hall, make_plugin, reply, row):
    async with open_hall(_toy(make_plugin, reply, **row)) as hall:
        assert (await hall.acme.member.get("/api/toy")).is_success
        assert hall.watch.take_faults() == []


async def test_a_secret_in_a_log_line_is_noticed(open_hall, make_plugin):
    said = []

    async def careless(call):
        get_logger("toy").info("toy.called", remark=" ".join(said))
        return Reply({"name": "x"})

    row = Route("GET", "/api/toy", "careless", "A toy")
    async with open_hall(make_plugin(routes=[row], handlers={"careless": careless})) as hall:
        hall.watch.learn_from({"account": {"new_password": "a truly secret thing"}, "name": "a public thing"})
        said[:] = ["a", "truly", "secret", "thing"]
        await hall.acme.member.get("/api/toy")
        faults = hall.watch.take_faults()
        assert len(faults) == 1
        assert "a log line holds a secret" in faults[0]
        assert "a truly secret thing" not in faults[0]
        said[:] = ["a public thing"]
        await hall.acme.member.get("/api/toy")
        assert hall.watch.take_faults() == []


async def test_what_clients_send_and_get_is_watched_for(hall):
    issued = (await hall.acme.owner.post("/api/tokens", {"name": "watched"})).json()
    log = get_logger("test")
    log.info("test.said", remark=issued["token"])
    assert hall.watch.take_faults() == []  # the logs redact what looks like a token
    await hall.anonymous.post("/api/login", {"username": "nobody", "password": "not the password"})
    log.info("test.said", remark="not the password")
    assert len(hall.watch.take_faults()) == 1


def test_what_one_hall_takes_out_is_in_the_next(tmp_path):
    sites, settings = Sites(tmp_path), Settings.from_environment({})
    first = sites.admission(settings, ())
    assert sites.admission(settings, ()) is first
    first.withdraw("notes", "It could not start.")
    assert "notes" in sites.admission(settings, ()).registry.plugin_ids()


def test_a_hall_with_plugins_of_its_own_lets_in_what_a_boot_would_and_no_other_hall_notices(
    tmp_path, make_plugin
):
    sites, settings = Sites(tmp_path), Settings.from_environment({})
    shared = sites.admission(settings, ())
    before = shared.registry.statuses()
    plugins = [make_plugin("toy", requires=["other"]), make_plugin("other", requires=["notes"])]
    plugins.append(make_plugin("notes"))  # whose id is taken
    own = sites.admission(settings, plugins)
    assert own.registry.statuses() == admit(settings, plugins).registry.statuses()
    assert {one.id for one in own.registry.statuses()} == shared.registry.plugin_ids() | {"toy", "other"}
    own.withdraw("notes", "It could not start.")
    assert "toy" not in own.registry.plugin_ids()
    assert sites.admission(settings, ()) is shared
    assert shared.registry.statuses() == before


async def test_the_processes_of_a_run_share_the_people_that_one_of_them_has_made(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    first, second = (Sites(tmp_path / name, shared=tmp_path) for name in ("one", "other"))
    async with first.lease("sqlite") as one, second.lease("sqlite") as other:
        assert one.people == other.people
        assert (one.folder.parent, other.folder.parent) == (tmp_path / "one", tmp_path / "other")
    first.close()
    second.close()


async def test_what_a_factory_asks_in_vain_is_said_in_the_words_of_the_refusal(shared_hall):
    async def make(client, canary):
        await client.call("POST", "/api/notes", {"title": 3}, may_refuse=True)
        _, note = await client.call("POST", "/api/notes", {"title": 3})
        return str(note.get("id"))

    at = "/api/notes/:id"
    with pytest.raises(ConformanceFailure) as failed:
        await make_ids(parameters_of(at, [Factory(at, make)]), shared_hall.acme.member, "sample")
    said = str(failed.value)
    assert said.startswith(f"the factory for {at} failed: POST /api/notes answered 400 invalid_request: ")
    assert "/title" in said


async def test_a_failure_shows_what_the_server_logged_with_its_fields(shared_hall, hall_watch, pytestconfig):
    get_logger("toys").warning("toy.broke", toy="bear", token="of no use to anybody")
    get_logger("toys").debug("toy.looked_at", toy="bear")
    sections = []
    item = SimpleNamespace(config=pytestconfig, add_report_section=lambda *section: sections.append(section))
    report_log(item, "call")
    ((when, title, text),) = sections
    assert (when, title) == ("call", "server log")
    assert '"action":"toy.broke","toy":"bear"' in text
    assert "looked_at" not in text and "of no use" not in text

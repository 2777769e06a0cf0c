"""Health, configuration, features, tools, plugins and the audit trails, through the front door."""

import pytest

from guildhall_sdk import Feature, Parameter, Plugin, Tool, hookimpl

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


async def count_letters(reader, principal, arguments):
    return len(arguments["text"])


class LetterTools:
    """A plugin with two tools, one of them off unless a team wants it, and a feature that the other needs."""

    PLUGIN = Plugin("letter-tools", "Letter tools", "0.1.0", "Counts letters")

    @staticmethod
    @hookimpl
    def declare_features():
        return (
            Feature("letters", "Count letters"),
            Feature("idle", "Named by nothing"),
            Feature("own", "Asked for in code", resource_decides=True),
        )

    @staticmethod
    @hookimpl
    def declare_tools():
        text = (Parameter("text", "string", "What to count"),)
        return (
            Tool(
                "letter_count",
                "Counts letters",
                "chat:use",
                count_letters,
                parameters=text,
                feature="letters",
            ),
            Tool(
                "from_afar",
                "Off at first",
                "chat:use",
                count_letters,
                parameters=text,
                enabled_by_default=False,
            ),
        )


@pytest.fixture
async def hall(share_hall):
    async with share_hall(LetterTools) as opened:
        yield opened


async def switches(client, what):
    answer = await client.get(f"/api/{what}")
    assert answer.status_code == 200
    assert answer.json()["next_cursor"] is None
    return {item["name"]: item["enabled"] for item in answer.json()["items"]}


async def trail(client, path="/api/audit", **params):
    answer = await client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


# The instance


async def test_health_says_two_things_and_no_more(hall):
    answer = await hall.anonymous.get("/health")
    assert answer.json() == {"ok": True, "multitenant": True}


async def test_config_tells_a_newcomer_what_they_need(hall):
    config = (await hall.anonymous.get("/api/config")).json()
    assert config["version"]
    del config["version"]
    assert config == {
        "home": "console",
        "multitenant": True,
        "hosted": False,
        "needs_bootstrap": False,
        "localization": {
            "default_locale": "en",
            "locales": [
                {"code": "en", "name": "English", "dir": "ltr"},
                {"code": "es", "name": "Español", "dir": "ltr"},
                {"code": "nl", "name": "Nederlands", "dir": "ltr"},
                {"code": "is", "name": "Íslenska", "dir": "ltr"},
            ],
            "switching": True,
        },
    }


async def test_an_instance_that_nobody_has_set_up_says_so(open_hall):
    async with open_hall(populated=False, SERVICE_MULTITENANT="off", SERVICE_HOME="beta") as fresh:
        config = (await fresh.anonymous.get("/api/config")).json()
        assert (config["needs_bootstrap"], config["multitenant"], config["home"]) == (True, False, "beta")
        assert (await fresh.anonymous.get("/health")).json() == {"ok": True, "multitenant": False}


async def test_a_hosted_instance_waits_for_provisioning_instead(open_hall):
    async with open_hall(populated=False, SERVICE_PROVISION_TOKEN="a token of the host") as fresh:
        config = (await fresh.anonymous.get("/api/config")).json()
        assert (config["hosted"], config["needs_bootstrap"]) == (True, False)


# Features and tools


async def test_features_that_gate_something_are_shown_and_on_at_first(hall):
    shown = await switches(hall.acme.viewer, "features")
    assert (shown["letters"], shown["own"]) == (True, True)
    named = {bound.row.feature for bound in hall.registry.routes()}
    assert set(shown) - {"letters", "own"} == named - {None}


async def test_tools_come_in_pages(hall):
    viewer = hall.acme.viewer
    whole = [item["name"] for item in (await viewer.get("/api/tools")).json()["items"]]
    first = (await viewer.get("/api/tools?limit=1")).json()
    second = (await viewer.get(f"/api/tools?limit=1&cursor={first['next_cursor']}")).json()
    assert [item["name"] for item in (*first["items"], *second["items"])] == whole[:2]
    assert (await viewer.get("/api/tools?limit=0")).status_code == 400


async def test_tools_show_where_they_come_from_and_what_they_need(hall):
    items = (await hall.acme.viewer.get("/api/tools")).json()["items"]
    (letter_count,) = [item for item in items if item["name"] == "letter_count"]
    assert letter_count == {
        "name": "letter_count",
        "description": "Counts letters",
        "schema": {
            "name": "letter_count",
            "description": "Counts letters",
            "parameters": {
                "type": "object",
                "properties": {"text": {"type": "string", "description": "What to count"}},
                "required": ["text"],
                "additionalProperties": False,
            },
        },
        "writes": False,
        "permission": "chat:use",
        "source": "letter-tools",
        "enabled": True,
    }
    assert (await switches(hall.acme.viewer, "tools"))["from_afar"] is False


@pytest.mark.parametrize(("what", "name"), [("features", "letters"), ("tools", "letter_count")])
async def test_an_admin_switches_for_the_team_and_nobody_else(hall, what, name):
    answer = await hall.acme.admin.post(f"/api/{what}/{name}", {"enabled": False})
    assert (answer.status_code, answer.json()) == (200, {"name": name, "enabled": False})
    assert (await switches(hall.acme.member, what))[name] is False
    assert (await switches(hall.acme.second_team.member, what))[name] is True
    assert (await switches(hall.globex.member, what))[name] is True
    await hall.acme.owner.post(f"/api/{what}/{name}", {"enabled": True})
    assert (await switches(hall.acme.member, what))[name] is True


@pytest.mark.parametrize(("what", "name"), [("features", "letters"), ("tools", "letter_count")])
async def test_a_member_cannot_switch(hall, what, name):
    answer = await hall.acme.member.post(f"/api/{what}/{name}", {"enabled": False})
    assert (answer.status_code, answer.json()["permission"]) == (403, "settings:manage")
    assert (await switches(hall.acme.member, what))[name] is True


@pytest.mark.parametrize("what", ["features", "tools"])
@pytest.mark.parametrize("name", ["ghost", "CHAT", "chat%00", "%C3%A9", "chat%20", "a" * 300])
async def test_a_name_that_nobody_declared_is_not_found(module_hall, what, name):
    answer = await module_hall.acme.admin.post(f"/api/{what}/{name}", {"enabled": False})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert (await trail(module_hall.acme.admin))["items"] == []


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/enabled"),
        ({"enabled": 1}, "/enabled"),
        ({"enabled": "true"}, "/enabled"),
        ({"enabled": None}, "/enabled"),
        ({"enabled": True, "team_id": "team_x"}, "/team_id"),
        ([True], ""),
    ],
)
@pytest.mark.parametrize("path", ["/api/features/letters", "/api/tools/letter_count"])
async def test_a_wrong_switch_changes_nothing(hall, path, body, pointer):
    answer = await hall.acme.admin.post(path, body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
    assert (await trail(hall.acme.admin))["items"] == []


async def test_a_suspended_company_reads_its_switches_and_cannot_turn_them(hall):
    await hall.suspend(hall.acme)
    assert (await switches(hall.acme.admin, "features"))["letters"] is True
    answer = await hall.acme.admin.post("/api/features/letters", {"enabled": False})
    assert (answer.status_code, answer.json()["code"]) == (402, "org_suspended")


# Plugins


async def test_plugins_are_listed_with_what_they_bring(hall):
    answer = (await hall.acme.viewer.get("/api/plugins")).json()
    plugins = {item["id"]: item for item in answer["items"]}
    assert answer["next_cursor"] is None
    assert plugins["letter-tools"]["tools"] == ["letter_count", "from_afar"]
    admin = plugins["admin"]
    assert (admin["source"], admin["status"], admin["reason"]) == ("builtin", "loaded", None)
    assert (admin["workflows"], admin["job_kinds"]) == ([], [])
    health = {"method": "GET", "path": "/health", "permission": None, "doc": "Whether the server is up"}
    assert health in admin["routes"]


async def test_a_blocked_plugin_is_shown_as_such(open_hall):
    async with open_hall(SERVICE_PLUGINS_BLOCKED="example-tools") as hall:
        items = (await hall.acme.viewer.get("/api/plugins")).json()["items"]
        (blocked,) = [item for item in items if item["id"] == "example-tools"]
        assert (blocked["status"], blocked["tools"]) == ("blocked", [])
        assert blocked["reason"]


# The audit trails


async def test_a_switch_is_in_the_trail_as_decided(hall):
    answer = await hall.acme.admin.post(
        "/api/features/chat", {"enabled": False}, headers={"X-Request-Id": "mine-1"}
    )
    assert answer.headers["X-Request-Id"] == "mine-1"
    await hall.acme.admin.post("/api/tools/letter_count", {"enabled": False})
    newest, event = (await trail(hall.acme.owner))["items"]
    assert newest["action"] == "tool.changed"
    assert newest["target"] == {"type": "tool", "id": "letter_count"}
    assert event["id"].startswith("evt_")
    assert event["at"].endswith("Z")
    del event["id"], event["at"]
    assert event == {
        "actor": {"id": hall.acme.admin.user_id, "name": hall.acme.admin.username},
        "action": "feature.changed",
        "target": {"type": "feature", "id": "chat"},
        "detail": {"enabled": False},
        "request_id": "mine-1",
    }


async def test_a_team_reads_its_trail_and_the_company_all_of_them(hall):
    await hall.acme.admin.post("/api/features/chat", {"enabled": False})
    await hall.acme.second_team.admin.post("/api/features/agent", {"enabled": False})
    await hall.globex.admin.post("/api/features/workflows", {"enabled": False})

    async def targets(client, path):
        return [event["target"]["id"] for event in (await trail(client, path))["items"]]

    assert await targets(hall.acme.admin, "/api/audit") == ["chat"]
    assert await targets(hall.acme.second_team.admin, "/api/audit") == ["agent"]
    assert await targets(hall.acme.reader, "/api/org/audit") == ["agent", "chat"]
    assert await targets(hall.globex.reader, "/api/org/audit") == ["workflows"]


@pytest.mark.parametrize("path", ["/api/audit", "/api/org/audit"])
@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_a_trail_is_narrowed_to_somebody_and_to_what_they_did(hall, path):
    owner, reader = hall.acme.org_owner, hall.acme.org_admin
    await owner.post("/api/features/chat", {"enabled": False})
    await owner.post("/api/tools/word_count", {"enabled": False})
    await reader.post("/api/features/agent", {"enabled": False})

    async def actions(**params):
        return [event["action"] for event in (await trail(reader, path, **params))["items"]]

    assert await actions(action="feature") == ["feature.changed"] * 2
    assert await actions(action="feature.changed", actor=owner.user_id) == ["feature.changed"]
    assert await actions(actor=owner.user_id) == ["tool.changed", "feature.changed"]
    assert await actions(action="featur") == await actions(action="feature.") == []
    assert await actions(actor=hall.globex.owner.user_id) == []


@pytest.mark.parametrize("path", ["/api/audit", "/api/org/audit"])
@pytest.mark.every_database
async def test_what_is_sought_in_a_trail_is_found_page_by_page_however_far_back_it_lies(
    hall, path, monkeypatch
):
    monkeypatch.setattr("builtin_plugins.audit.trail.MAX_SCANNED", 3)
    owner = hall.acme.org_owner
    await owner.post("/api/tools/word_count", {"enabled": False})
    for _ in range(5):
        await owner.post("/api/features/chat", {"enabled": False})
        await owner.post("/api/features/chat", {"enabled": True})

    found, pages, cursor = [], 0, {}
    while True:
        answer = await trail(owner, path, action="tool", **cursor)
        found += [event["action"] for event in answer["items"]]
        pages += 1
        if answer["next_cursor"] is None:
            break
        cursor = {"cursor": answer["next_cursor"]}
    assert found == ["tool.changed"]
    assert pages > 3


async def test_the_trails_want_their_permission(hall):
    answer = await hall.acme.member.get("/api/audit")
    assert (answer.status_code, answer.json()["permission"]) == (403, "settings:manage")
    answer = await hall.acme.admin.get("/api/org/audit")
    assert (answer.status_code, answer.json()["permission"]) == (403, "org:read")


@pytest.mark.parametrize("path", ["/api/audit", "/api/org/audit"])
@pytest.mark.every_database
async def test_pages_of_a_trail_stay_whole_while_it_grows(hall, path):
    names = ["chat", "agent", "translate", "workflows", "chat"]
    for name in names:
        await hall.acme.org_admin.post(f"/api/features/{name}", {"enabled": True})
    first = await trail(hall.acme.org_admin, path, limit=2)
    await hall.acme.org_admin.post("/api/features/agent", {"enabled": False})
    second = await trail(hall.acme.org_admin, path, limit=2, cursor=first["next_cursor"])
    third = await trail(hall.acme.org_admin, path, limit=2, cursor=second["next_cursor"])
    assert third["next_cursor"] is None
    seen = [event["target"]["id"] for page in (first, second, third) for event in page["items"]]
    assert seen == list(reversed(names))


async def test_a_cursor_of_another_company_shows_nothing_of_it(hall):
    for _ in range(2):
        await hall.globex.admin.post("/api/features/chat", {"enabled": True})
    theirs = await trail(hall.globex.admin, limit=1)
    await hall.acme.admin.post("/api/features/chat", {"enabled": True})
    mine = await trail(hall.acme.admin, cursor=theirs["next_cursor"])
    assert mine["items"] == []

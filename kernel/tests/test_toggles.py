"""Features and tools: declared by plugins, switched per team, and the one way to run a tool."""

from pathlib import Path

import pytest

import kernel
from builtin_plugins.tools.team import TeamTools
from guildhall_sdk import (
    Credential,
    Feature,
    InvalidRequest,
    NotFound,
    Parameter,
    PermissionDenied,
    Principal,
    Tool,
)
from guildhall_sdk.errors import ToolDisabled
from kernel.features import TeamFeatures, switchable
from kernel.validation import Validators

pytestmark = pytest.mark.any_database

MIGRATIONS = Path(kernel.__file__).with_name("migrations")


def caller(team_id="team_a", *permissions):
    return Principal(
        user_id="usr_1",
        username="anna",
        display_name="Anna",
        locale="en",
        two_factor=False,
        operator=False,
        team_id=team_id,
        team_name="A",
        role="member",
        org_id="org_a",
        org_slug="a",
        org_name="A",
        org_role=None,
        org_suspended=False,
        credential=Credential("crd_1", "session", None, None),
        permissions=frozenset(permissions),
    )


async def count_words(reader, principal, arguments):
    return {"words": len(arguments["text"].split()), "for": principal.user_id}


WORD_COUNT = Tool(
    "word_count",
    "Counts words",
    "chat:use",
    count_words,
    parameters=(
        Parameter("text", "string", "What to count"),
        Parameter("mode", "string", optional=True, enum=("words", "lines")),
        Parameter("limits", "array", optional=True, items=(Parameter("at", "integer"),)),
    ),
)
REMOTE = Tool("remote", "From elsewhere", "chat:use", count_words, enabled_by_default=False)


@pytest.fixture
async def teams(process):
    await process.tamper(
        "INSERT INTO orgs (id, slug, name, plan, created_at) VALUES ('org_a', 'a', 'A', 'team', 1)"
    )
    await process.tamper(
        "INSERT INTO teams (id, org_id, slug, name, created_at) "
        "VALUES ('team_a', 'org_a', 'aaa', 'A', 1), ('team_b', 'org_a', 'bbb', 'B', 1)"
    )
    return process


@pytest.fixture
def features():
    return features_of(
        Feature("workflows", "Run workflows"),
        Feature("chat", "Talk"),
        Feature("lab", "Try", enabled_by_default=False),
    )


def features_of(*declared):
    return TeamFeatures(switchable([], declared, {feature.name for feature in declared}))


@pytest.fixture
def tools(teams, clock, features):
    declared = [("example-tools", WORD_COUNT), ("mcp", REMOTE)]
    return TeamTools(lambda: declared, clock, lambda source: teams, features, Validators())


async def switch(process, switches, team_id, name, enabled):
    async with process.data.write() as writer:
        await switches.set(writer, team_id, name, enabled)


async def listed(process, switches, team_id):
    async with process.data.read() as reader:
        return {item["name"]: item["enabled"] for item in await switches.listing(reader, team_id)}


# Features


async def test_features_start_as_declared(teams, features):
    async with teams.data.read() as reader:
        assert await features.listing(reader, "team_a") == [
            {"name": "chat", "description": "Talk", "enabled": True},
            {"name": "lab", "description": "Try", "enabled": False},
            {"name": "workflows", "description": "Run workflows", "enabled": True},
        ]
        assert (await features.of_team(reader, "team_a")).feature("chat") is True
        assert (await features.of_team(reader, "team_a")).feature("lab") is False


async def test_a_team_switches_a_feature_for_itself_alone(teams, features):
    await switch(teams, features, "team_a", "chat", False)
    await switch(teams, features, "team_a", "lab", True)
    assert await listed(teams, features, "team_a") == {"chat": False, "lab": True, "workflows": True}
    assert await listed(teams, features, "team_b") == {"chat": True, "lab": False, "workflows": True}
    async with teams.data.read() as reader:
        assert (await features.of_team(reader, "team_a")).feature("chat") is False
        assert (await features.of_team(reader, "team_b")).feature("chat") is True
    await switch(teams, features, "team_a", "chat", True)
    async with teams.data.read() as reader:
        assert (await features.of_team(reader, "team_a")).feature("chat") is True


@pytest.mark.every_database
async def test_a_feature_that_nobody_declared_is_off_and_cannot_be_set(teams, features):
    async with teams.data.read() as reader:
        assert (await features.of_team(reader, "team_a")).feature("ghost") is False
    with pytest.raises(NotFound):
        await switch(teams, features, "team_a", "ghost", True)
    assert await teams.tamper("SELECT id FROM teams WHERE switches IS NOT NULL") == []


async def test_a_feature_left_behind_by_a_plugin_is_not_listed(teams, features):
    await switch(teams, features, "team_a", "chat", False)
    fewer = features_of(Feature("workflows", "Run workflows"))
    assert await listed(teams, fewer, "team_a") == {"workflows": True}


@pytest.mark.every_database
async def test_what_teams_had_switched_before_is_taken_over(teams, features):
    """The migration that gave teams their column, over rows as they were before it."""
    await teams.tamper(
        "INSERT INTO team_toggles (team_id, kind, name, enabled, changed_at) VALUES "
        "('team_a', 'feature', 'chat', 0, 1), ('team_a', 'feature', 'lab', 1, 1), "
        "('team_b', 'tool', 'x', 0, 1)"
    )
    migration = (MIGRATIONS / f"0014_switches.{teams.data.dialect}.sql").read_text("utf-8")
    for statement in migration.split(";\n\n")[1:]:
        await teams.tamper(statement.strip().removesuffix(";"))
    assert await listed(teams, features, "team_a") == {"chat": False, "lab": True, "workflows": True}
    assert await listed(teams, features, "team_b") == {"chat": True, "lab": False, "workflows": True}
    assert [row["name"] for row in await teams.tamper("SELECT name FROM team_toggles")] == ["x"]


async def test_a_feature_and_a_tool_of_the_same_name_are_two_switches(teams, clock):
    features = features_of(Feature("same", "A feature"))
    declared = [("x", Tool("same", "A tool", "chat:use", count_words))]
    tools = TeamTools(lambda: declared, clock, lambda source: teams, features, Validators())
    await switch(teams, features, "team_a", "same", False)
    assert await listed(teams, tools, "team_a") == {"same": True}
    await switch(teams, tools, "team_a", "same", False)
    await switch(teams, features, "team_a", "same", True)
    assert await listed(teams, tools, "team_a") == {"same": False}


# Tools


async def test_a_tool_lists_its_function_schema_permission_and_source(teams, tools):
    async with teams.data.read() as reader:
        remote, word_count = await tools.listing(reader, "team_a")
    assert (remote["name"], remote["enabled"], remote["source"]) == ("remote", False, "mcp")
    assert word_count == {
        "name": "word_count",
        "description": "Counts words",
        "schema": WORD_COUNT.function_schema(),
        "writes": False,
        "permission": "chat:use",
        "source": "example-tools",
        "enabled": True,
    }


async def test_a_tool_runs_as_its_caller(teams, tools):
    async with teams.data.read() as reader:
        admitted = await tools.admit(reader, caller("team_a", "chat:use"), "word_count", {"text": "one two"})
    assert await admitted.run() == {"words": 2, "for": "usr_1"}


async def test_an_unknown_tool_is_a_bad_request(teams, tools):
    async with teams.data.read() as reader:
        with pytest.raises(InvalidRequest) as refusal:
            await tools.admit(reader, caller("team_a", "chat:use"), "ghost", {})
    assert refusal.value.code == "unknown_tool"
    with pytest.raises(NotFound):
        await switch(teams, tools, "team_a", "ghost", True)


async def test_a_tool_that_is_off_for_the_team_does_not_run(teams, tools):
    await switch(teams, tools, "team_a", "word_count", False)
    await switch(teams, tools, "team_a", "remote", True)
    async with teams.data.read() as reader:
        with pytest.raises(ToolDisabled):
            await tools.admit(reader, caller("team_a", "chat:use"), "word_count", {"text": "x"})
        with pytest.raises(ToolDisabled):
            await tools.admit(reader, caller("team_b", "chat:use"), "remote", {})
        admitted = await tools.admit(reader, caller("team_b", "chat:use"), "word_count", {"text": "x"})
    assert (await admitted.run())["words"] == 1


async def test_a_tool_needs_its_permission_before_its_arguments_are_judged(teams, tools):
    async with teams.data.read() as reader:
        with pytest.raises(PermissionDenied) as refusal:
            await tools.admit(reader, caller("team_a", "notes:read"), "word_count", {"wrong": 1})
    assert refusal.value.extras == {"permission": "chat:use"}


@pytest.mark.parametrize(
    ("arguments", "pointers"),
    [
        ({}, ["/text"]),
        ({"text": 1}, ["/text"]),
        ({"text": "x", "mode": "pages"}, ["/mode"]),
        ({"text": "x", "more~/": 1}, ["/more~0~1"]),
        ({"text": "x", "limits": [{"at": 1}, {"at": True}, {}]}, ["/limits/1/at", "/limits/2/at"]),
        ({"text": None, "limits": {}, "z": 0}, ["/limits", "/text", "/z"]),
        (["text"], [""]),
        ("text", [""]),
        (None, [""]),
    ],
)
async def test_wrong_arguments_are_refused_by_json_pointer(teams, tools, arguments, pointers):
    async with teams.data.read() as reader:
        with pytest.raises(InvalidRequest) as refusal:
            await tools.admit(reader, caller("team_a", "chat:use"), "word_count", arguments)
    assert refusal.value.code == "invalid_request"
    assert sorted(error["pointer"] for error in refusal.value.errors) == pointers

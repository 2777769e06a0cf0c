"""Schedules that plugins ship: `declare_schedules`."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from builtin_plugins.schedules.tests.conftest import SLUG
from builtin_plugins.schedules.tests.conftest import Schedules as InHall
from guildhall_sdk import Plugin, hookimpl
from guildhall_sdk.services.workflows import ReadySchedule
from guildhall_testing.hall import PluginRefused
from tests.hook_examples.conftest import example  # noqa: F401 - a fixture

pytestmark = pytest.mark.any_database
HOURLY = ReadySchedule(name="hourly", workflow_slug=SLUG, every_seconds=3600)


def shipping(*rows):
    """A plugin that ships these, under one id however often it is made."""
    return SimpleNamespace(
        PLUGIN=Plugin("shipping", "Shipping", "1.0", "Ships.", requires=("schedules",)),
        declare_schedules=hookimpl(lambda: list(rows)),
    )


async def listed(client):
    return (await client.get("/api/schedules")).json()["items"]


@pytest.mark.every_database
async def test_a_team_turns_on_what_a_plugin_ships(open_hall, tools):
    async with open_hall(tools, shipping(HOURLY)) as hall:
        schedules = InHall(hall)
        await schedules.publish()
        (made,) = await listed(hall.acme.viewer)
        told = {name: made[name] for name in ("source", "name", "every_seconds", "enabled", "owner")}
        assert told == {
            "source": "shipping",
            "name": "hourly",
            "every_seconds": 3600,
            "enabled": False,
            "owner": None,
        }
        await schedules.pass_by(hours=2)
        assert await schedules.runs(made) == []
        assert (await schedules.change(made, enabled=True))["owner"]["id"] == hall.acme.owner.user_id
        await schedules.pass_by(hours=1)
        assert [call.principal.user_id for call in tools.calls] == [hall.acme.owner.user_id]
        path = f"/api/schedules/{made['id']}"
        kept = [
            await hall.acme.owner.delete(path),
            await hall.acme.owner.patch(path, {"workflow_slug": "other"}),
        ]
        assert [answer.json()["code"] for answer in kept] == ["ready_made"] * 2
        (theirs,) = await listed(hall.globex.owner)
        assert (theirs["id"] != made["id"], theirs["enabled"]) == (True, False)


async def test_a_team_that_has_the_plugin_off_has_none_of_it(open_hall, tools):
    async with open_hall(tools, shipping(HOURLY)) as hall:
        schedules, path = InHall(hall), "/api/plugins/shipping"
        await schedules.publish()
        (made,) = await listed(hall.acme.owner)
        await schedules.change(made, enabled=True)
        await hall.acme.owner.post(path, {"enabled": False})
        assert await listed(hall.acme.owner) == []
        assert (await hall.acme.owner.get(f"/api/schedules/{made['id']}")).status_code == 404
        await schedules.pass_by(hours=1)
        await hall.acme.owner.post(path, {"enabled": True})
        assert await schedules.runs(made) == []
        assert (await schedules.read(made))["last_skipped"] == "plugin_off"
        await schedules.pass_by(hours=1)
        assert len(await schedules.runs(made)) == 1


async def test_a_newer_version_changes_what_no_team_has_changed(open_again, tools):
    two = replace(HOURLY, name="other")
    async with open_again(tools, shipping(HOURLY, two)) as hall:
        schedules = InHall(hall)
        await schedules.publish()
        for one in await listed(hall.acme.owner):
            await schedules.change(
                one, enabled=True, **({"every_seconds": 60} if one["name"] == "other" else {})
            )
    newer = [replace(one, every_seconds=1800) for one in (HOURLY, two)]
    async with open_again(tools, shipping(*newer)) as hall:
        found = {one["name"]: (one["every_seconds"], one["enabled"]) for one in await listed(hall.acme.owner)}
        assert found == {"hourly": (1800, True), "other": (60, True)}
    async with open_again(tools, shipping()) as hall:
        assert await listed(hall.acme.owner) == []


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([HOURLY, HOURLY], "declared twice"),
        ([replace(HOURLY, every_seconds=None, cron="0 0 30 2 *")], "never comes"),
        ([replace(HOURLY, timezone="Mars/Olympus")], "no time zone"),
        ([replace(HOURLY, cron="0 0 * * *")], "one of"),
        ([replace(HOURLY, every_seconds=0)], "every_seconds"),
        ([replace(HOURLY, missed="some")], "missed"),
        ([replace(HOURLY, input={"at": object()})], "no JSON"),
    ],
)
async def test_what_is_wrong_keeps_the_plugin_out(open_hall, rows, words):
    with pytest.raises(PluginRefused, match=words):
        async with open_hall(shipping(*rows)):
            pass


async def test_the_recipe_works(open_hall, example):  # noqa: F811
    async with open_hall(example("almanac")) as hall:
        (made,) = await listed(hall.acme.owner)
        schedules = InHall(hall)
        await schedules.change(made, enabled=True)
        await schedules.pass_by(days=7)
        (run,) = await schedules.runs(made)
        shown = (await hall.acme.owner.get(f"/api/runs/{run['id']}")).json()
        assert shown["output"] == {"result": "Vega is bright."}

"""Workflows that plugins ship: every team has them from its first look on."""

import asyncio
import json
from types import SimpleNamespace

import pytest

from guildhall_sdk import Plugin, Statement, Workflow, hookimpl

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

_COUNT = "SELECT COUNT(*) FROM workflow_versions WHERE source IS NOT NULL AND team_id IN (:acme, :globex)"
COUNT = Statement("count", _COUNT, _COUNT)


def spec(slug="shipped", version=1, **fields):
    step = {"name": "find", "kind": "tool", "tool": "repo_list_unindexed"}
    return {"slug": slug, "version": version, "start": "find", "steps": [step], **fields}


def plugin(plugin_id, *specs):
    rows = [Workflow(spec=one) for one in specs]
    return SimpleNamespace(
        PLUGIN=Plugin(plugin_id, plugin_id.title(), "1.0", "A toy."),
        declare_workflows=hookimpl(lambda: rows),
    )


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """The plugin of the hall, and a folder without any others."""
    shipped = spec()
    return SimpleNamespace(
        spec=shipped, plugin=plugin("toy", shipped), folder=str(tmp_path_factory.mktemp("plugins"))
    )


@pytest.fixture
def brought(toy):
    """The spec that the plugin of the hall ships; a test may change it, as a new release would."""
    toy.spec.update(spec(version=3, name="Shipped"))
    return toy.spec


@pytest.fixture
async def shop(share_hall, toy, brought):
    """A hall in which the plugin `toy` ships one workflow, and nobody else any."""
    async with share_hall(toy.plugin, SERVICE_PLUGINS=toy.folder) as hall:
        yield hall


async def slugs(client, query=""):
    return [one["slug"] for one in (await client.get(f"/api/workflows{query}")).json()["items"]]


async def rows(hall):
    async with hall.server.data.read() as reader:
        return await reader.value(COUNT, acme=hall.acme.team_id, globex=hall.globex.team_id)


async def read(client, slug="shipped"):
    response = await client.get(f"/api/workflows/{slug}")
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.every_database
async def test_a_team_has_it_from_its_first_look_on_in_the_plugins_version(shop, brought):
    assert await rows(shop) == 0
    [item] = (await shop.acme.viewer.get("/api/workflows")).json()["items"]
    assert (item["slug"], item["version"], item["source"]) == ("shipped", 3, "toy")
    assert (item["name"], item["published_by"]) == ("Shipped", None)
    shown = await read(shop.acme.viewer)
    assert shown == {**item, "spec": brought, "warnings": []}
    assert await rows(shop) == 1
    other = await read(shop.globex.viewer)
    assert other["id"] != shown["id"]
    assert await rows(shop) == 2


async def test_reading_it_alone_is_a_look_too_and_the_first_one_writes_once(shop):
    team = shop.acme.viewer
    seen = await asyncio.gather(*(read(team) for _ in range(6)), slugs(team), slugs(team))
    assert len({one["id"] for one in seen[:6]}) == 1
    assert await rows(shop) == 1
    assert await read(team) == seen[0]


async def test_running_it_is_a_look_too(shop):
    response = await shop.acme.member.post("/api/workflows/shipped/run", {})
    assert response.status_code == 202, response.text
    assert response.json()["workflow"] == {"slug": "shipped", "version": 3}
    assert await rows(shop) == 1
    await shop.acme.admin.post("/api/plugins/toy", {"enabled": False})
    assert (await shop.acme.member.post("/api/workflows/shipped/run", {})).status_code == 404


async def test_a_switched_off_plugin_takes_its_workflow_away_and_brings_it_back(shop):
    admin = shop.acme.admin
    before = await read(admin)
    await admin.post("/api/plugins/toy", {"enabled": False})
    assert await slugs(admin) == []
    assert (await admin.get("/api/workflows/shipped")).status_code == 404
    assert await slugs(shop.globex.admin) == ["shipped"]
    await admin.post("/api/plugins/toy", {"enabled": True})
    assert await read(admin) == before


async def test_a_newer_release_moves_the_teams_current_one_up(shop, brought):
    admin = shop.acme.admin
    before = await read(admin)
    brought.update(version=5, name="Newer")
    after = await read(admin)
    assert (after["version"], after["name"], after["source"]) == (5, "Newer", "toy")
    assert (await admin.get("/api/workflows/shipped?version=3")).json() == before
    brought.update(version=4, name="Older")
    assert (await read(admin))["version"] == 5


async def test_what_the_team_published_stays_whatever_the_plugin_ships(shop, brought):
    admin = shop.acme.admin
    own = {**brought, "name": "Our own"}
    made = (await admin.post("/api/workflows", own)).json()
    assert (made["version"], made["source"]) == (4, None)
    brought.update(version=9, name="Newer")
    assert (await read(admin))["name"] == "Our own"
    await admin.post("/api/plugins/toy", {"enabled": False})
    assert await slugs(admin) == ["shipped"]
    assert (await admin.post("/api/workflows", own)).json()["version"] == 5
    assert (await read(shop.globex.admin))["version"] == 9


@pytest.mark.every_database
async def test_a_first_look_beside_a_publisher_never_hides_what_was_published(shop, brought):
    admin = shop.acme.admin
    own = {**brought, "name": "Our own"}
    looks = [slugs(admin) for _ in range(4)]
    published, *seen = await asyncio.gather(admin.post("/api/workflows", own), *looks)
    assert published.json()["version"] == 4
    assert (await read(admin))["name"] == "Our own"
    assert set(map(tuple, seen)) <= {("shipped",)}


async def test_a_tool_that_is_not_there_is_a_warning_for_who_looks(shop, brought):
    brought["steps"][0]["tool"] = "of_nobody"
    message = "there is no tool of_nobody now; a run fails here"
    assert (await read(shop.acme.viewer))["warnings"] == [{"pointer": "/steps/0/tool", "message": message}]


async def test_what_is_hidden_leaves_no_gap_in_a_page(open_hall, tmp_path):
    hidden = plugin("toy", *(spec(f"b{number}") for number in range(4)))
    other = plugin("other", spec("a"), spec("c"), spec("d"))
    async with open_hall(hidden, other, SERVICE_PLUGINS=str(tmp_path)) as hall:
        admin = hall.acme.admin
        assert await slugs(admin) == ["a", "b0", "b1", "b2", "b3", "c", "d"]
        await admin.post("/api/plugins/toy", {"enabled": False})
        first = (await admin.get("/api/workflows?limit=2")).json()
        assert [one["slug"] for one in first["items"]] == ["a", "c"]
        assert await slugs(admin, f"?limit=2&cursor={first['next_cursor']}") == ["d"]


async def test_a_suspended_company_can_still_look(shop):
    await shop.suspend(shop.acme)
    assert await slugs(shop.acme.viewer) == ["shipped"]
    assert (await read(shop.acme.viewer))["version"] == 3
    refused = await shop.acme.admin.post("/api/workflows", spec())
    assert (refused.status_code, refused.json()["code"]) == (402, "org_suspended")


BAD = {
    "unknown field": ({"steps": [{"name": "find", "kind": "tool", "tool": "x", "oops": 1}]}, "/steps/0/oops"),
    "later step": (
        {"steps": [{"name": "find", "kind": "tool", "tool": "x", "with": {"a": {"$from": "input.a"}}}]},
        "/steps/0/with/a/$from there is no input a",
    ),
    "no version": ({"version": None}, "/version must be a whole number"),
}


@pytest.mark.parametrize(
    "name",
    [
        "later step",
        *(pytest.param(name, marks=pytest.mark.long_form) for name in ("unknown field", "no version")),
    ],
)
async def test_a_directory_plugin_with_a_bad_one_stays_out_and_the_operator_learns_why(
    open_hall, tmp_path, name
):
    change, reason = BAD[name]
    folder = tmp_path / "broken"
    folder.mkdir()
    manifest = {"id": "broken", "name": "B", "version": "1", "description": "x", "entry": "plugin.py"}
    (folder / "plugin.json").write_text(json.dumps(manifest))
    (folder / "plugin.py").write_text(
        "from guildhall_sdk import Workflow, hookimpl\n\n\n@hookimpl\ndef declare_workflows():\n"
        f"    return [Workflow(spec={ {**spec(), **change}!r})]\n"
    )
    async with open_hall(SERVICE_PLUGINS=str(tmp_path)) as hall:
        plugins = (await hall.operator.get("/api/plugins")).json()["items"]
        [broken] = [one for one in plugins if one["id"] == "broken"]
        assert broken["status"] == "quarantined"
        assert f"workflows refuses this workflow: {reason}" in broken["reason"]
        assert await slugs(hall.acme.viewer) == []


async def test_no_two_plugins_ship_the_same_slug(open_hall, tmp_path):
    plugins = [plugin("first", spec()), plugin("second", spec())]
    async with open_hall(*plugins, allow_refused=True, SERVICE_PLUGINS=str(tmp_path)) as hall:
        [refused] = [one for one in hall.registry.refused if one.id == "second"]
        assert "the workflow shipped is declared twice, by first too" in refused.reason

"""The plugins of the hooks page, as they stand there."""

import asyncio
import importlib
import re
import sys
import textwrap
from pathlib import Path

import pytest

from guildhall_sdk.plugin import Features
from guildhall_testing.accounts import principal_for

GUIDE = Path(__file__).resolve().parents[3] / "docs/plugins/hooks.md"


@pytest.mark.hall_databases("sqlite")
async def test_the_plugin_that_streams_what_it_hears(open_hall, tmp_path):
    for name, text in re.findall(
        r"<!-- file: (pulse/\S+) -->\n```\w+\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    async with open_hall(SERVICE_PLUGINS=str(tmp_path)) as hall, asyncio.timeout(60):
        async with hall.acme.member.events("GET", "/api/pulse") as events:
            assert (await anext(events)).event == "ready"
            await hall.globex.member.post("/api/pulse")
            await hall.acme.owner.post("/api/pulse")
            press = await anext(events)
            assert (press.event, press.data) == ("press", {"by": hall.acme.owner.username})
        metrics = (await hall.operator.get("/api/metrics", headers={"Accept": "text/plain"})).text
        assert "\npulse_presses 2" in metrics


@pytest.fixture
def example(tmp_path, monkeypatch):
    """The modules that the reference shows, by name."""
    files = re.findall(r"<!-- file: (\w+)\.py -->\n```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    for name, text in files:
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda name: importlib.import_module(name)
    for name, _ in files:
        sys.modules.pop(name, None)


async def asked(hall, client, plugin_id):
    """What the guide shows of asking by oneself, for this plugin; None where it stopped there."""
    guide = (GUIDE.parent / "index.md").read_text("utf-8")
    text = re.search(r"work, ask:\n\n```python\n(.*?)```", guide, re.DOTALL)[1]
    text = text.replace('"greeter", "greetings"', repr(plugin_id))
    names = {"Features": Features}
    exec("def ask(host, principal):\n" + textwrap.indent(text, "    ") + "    return 'on'", names)
    async with hall.server.data.read() as reader:
        principal = await principal_for(reader, client.token, hall.clock.now_ms(), hall.server.roles)
    return names["ask"](hall.server, principal)


@pytest.mark.any_database
async def test_the_plugins_of_which_one_implements_the_hook_of_the_other(open_hall, example):
    async with open_hall(example("guildhall_kitchen"), example("guildhall_soups")) as hall:

        async def menu(client):
            return (await client.get("/api/x/kitchen/menu")).json()

        assert await menu(hall.acme.member) == [{"name": "tomato soup", "by": "soups"}]
        assert await asked(hall, hall.acme.member, "soups") == "on"
        answer = await hall.acme.admin.post("/api/plugins/soups", {"enabled": False})
        assert answer.json() == {"id": "soups", "name": "Soups", "enabled": False}
        assert await menu(hall.acme.member) == []
        assert await asked(hall, hall.acme.member, "soups") is None
        assert await menu(hall.globex.member) == [{"name": "tomato soup", "by": "soups"}]


@pytest.mark.any_database
async def test_the_plugin_with_a_blueprint(open_hall, example):
    async with open_hall(example("guildhall_polls")) as hall:
        path = "/api/x/polls/polls/lunch"
        assert (await hall.acme.member.get(path)).json()["detail"] == "Nobody voted on this."
        empty = await hall.acme.member.post(path, {})
        assert (empty.status_code, empty.json()["detail"]) == (400, "Say what you vote for: send a vote.")
        voted = await hall.acme.member.post(path, {"vote": "soup"})
        assert (voted.status_code, voted.json()) == (
            201,
            {"voted": [f"{hall.acme.member.username}: soup"]},
        )
        assert (await hall.globex.member.get(path)).status_code == 404
        assert (await hall.acme.viewer.get(path)).status_code == 403

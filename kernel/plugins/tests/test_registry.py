"""What plugins declare is looked up while the server runs, and never searched for."""

from collections import Counter

import pytest

from kernel.registry import LoadedPlugin

pytestmark = pytest.mark.hall_databases("sqlite")


@pytest.fixture
def scans(monkeypatch):
    """`scans(hall)`: counts how often all plugins, or the rows of one, are gone through from now on."""

    def watch(hall):
        counted = Counter()

        class Watched(type(hall.registry.plugins)):
            def __iter__(self):
                counted["plugins"] += 1
                return super().__iter__()

        declared = LoadedPlugin.declared

        def counting(plugin, kind):
            counted[kind.__name__] += 1
            return declared(plugin, kind)

        monkeypatch.setattr(hall.registry, "plugins", Watched(hall.registry.plugins))
        monkeypatch.setattr(LoadedPlugin, "declared", counting)
        return counted

    return watch


async def test_a_note_and_a_turn_with_a_model_scan_no_plugins(hall, scans):
    member = hall.acme.member
    counted = scans(hall)
    assert (await member.post("/api/notes", {"title": "Minutes"})).status_code == 201
    assert (await member.post("/api/ai/chat", {"prompt": "Good morning"})).status_code == 200
    assert (await member.get("/api/search?q=minutes")).status_code == 200
    assert (await member.get("/api/usage")).status_code == 200
    await hall.drain_jobs()
    assert counted == {}

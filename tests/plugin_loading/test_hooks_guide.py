"""The plugin of the hooks page, as it stands there."""

import asyncio
import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[2] / "docs/plugins/hooks.md"


@pytest.mark.hall_databases("sqlite")
async def test_the_plugin_that_streams_what_it_hears(open_hall, tmp_path):
    for name, text in re.findall(
        r"<!-- file: (pulse/\S+) -->\n```\w+\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    async with open_hall(SERVICE_PLUGINS=str(tmp_path)) as hall, asyncio.timeout(20):
        async with hall.acme.member.events("GET", "/api/pulse") as events:
            assert (await anext(events)).event == "ready"
            await hall.globex.member.post("/api/pulse")
            await hall.acme.owner.post("/api/pulse")
            press = await anext(events)
            assert (press.event, press.data) == ("press", {"by": hall.acme.owner.username})
        metrics = (await hall.operator.get("/api/metrics", headers={"Accept": "text/plain"})).text
        assert "\npulse_presses 2" in metrics

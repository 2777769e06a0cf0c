"""Folders of out-of-process plugins, and the wait until one is as the test wants it."""

import asyncio
import json
import shutil
from pathlib import Path

EXAMPLES = Path(__file__).parents[3] / "docs/examples/oop"
HOSTILE = Path(__file__).with_name("hostile_plugin.py")
CAPABILITIES = ["notes:read", "files:read", "model"]


class Programs:
    def __init__(self, root):
        self.root = root
        root.mkdir()

    def example(self, name):
        shutil.copytree(EXAMPLES / name, self.root / name)
        return self

    def add(self, plugin_id, source=None, *, file="main.py", folder=None, **fields):
        """A Python plugin of this source, or the hostile one."""
        place = self.root / (folder or plugin_id)
        place.mkdir()
        (place / file).write_text(HOSTILE.read_text() if source is None else source)
        manifest = {
            "id": plugin_id,
            "name": plugin_id,
            "version": "1",
            "description": "-",
            "command": ["python3", file],
            "capabilities": CAPABILITIES,
        }
        (place / "plugin.json").write_text(json.dumps(manifest | fields))
        return self

    def broken(self, folder, text):
        (self.root / folder).mkdir()
        if text is not None:
            (self.root / folder / "plugin.json").write_text(text)
        return self


async def items_of(hall, who=None):
    answer = await (who or hall.operator).get("/api/oop?limit=200")
    assert answer.status_code == 200, answer.text
    return {item["id"]: item for item in answer.json()["items"]}


async def until(hall, holds):
    """A process comes and goes in its own time: asked until it is as it should be."""
    async with asyncio.timeout(60):
        while not holds(items := await items_of(hall)):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    return items


async def turn_on(hall, *names, who=None):
    for name in names:
        answer = await (who or hall.acme.owner).post(f"/api/tools/{name}", {"enabled": True})
        assert answer.status_code == 200, answer.text


async def grant(hall, plugin_id, *capabilities):
    answer = await hall.operator.post(f"/api/oop/{plugin_id}/grants", {"capabilities": list(capabilities)})
    assert answer.status_code == 200, answer.text
    return answer.json()

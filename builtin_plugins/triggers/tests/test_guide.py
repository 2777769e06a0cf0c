"""The requests of the guide are answered as the guide says."""

import json
import re
from pathlib import Path

import pytest

from guildhall_sdk.dimensions import Quotas

pytestmark = pytest.mark.any_database

GUIDE = Path(__file__).resolve().parents[3] / "docs/triggers.md"
EXAMPLE = re.compile(r"```http\n(\w+) (\S+)\n(.*?)```(?:\n\n```json\n(.*?)```)?", re.DOTALL)


def fits(value, shown):
    """`…` at the end of a text stands for whatever is there."""
    if isinstance(shown, str) and shown.endswith("…"):
        return str(value).startswith(shown[:-1])
    if isinstance(shown, dict):
        return value.keys() == shown.keys() and all(fits(value[name], shown[name]) for name in shown)
    if isinstance(shown, list):
        return len(value) == len(shown) and all(map(fits, value, shown))
    return value == shown


@pytest.mark.usefixtures("tools")
async def test_what_the_guide_shows_is_what_is_answered(hall):
    examples, trigger_id = EXAMPLE.findall(GUIDE.read_text("utf-8")), None
    assert len(examples) == 6
    async with hall.server.data.write() as writer:
        await hall.server.service(Quotas).apply_plan(writer, hall.acme.org_id, "team")
    for method, path, body, shown in examples:
        path = path.replace(":id", str(trigger_id))
        if method == "PUT":
            answer = await hall.acme.owner.put(path, content=body.encode())
            status, said = answer.status_code, answer.json()
            await hall.drain_jobs()
        else:
            status, said = await hall.acme.owner.call(method, path, json.loads(body) if body else None)
        assert status in (200, 201), f"{method} {path}: {said}"
        trigger_id = trigger_id or (said["id"] if path == "/api/doc-triggers" else None)
        if shown:
            assert fits(said, json.loads(shown)), f"{method} {path}: {json.dumps(said, indent=2)}"

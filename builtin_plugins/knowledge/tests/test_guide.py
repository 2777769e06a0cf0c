"""The requests of the guide are answered as the guide says."""

import json
import re
from pathlib import Path

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

GUIDE = Path(__file__).resolve().parents[3] / "docs/knowledge.md"
EXAMPLE = re.compile(r"```http\n(\w+) ([^\n]+)\n([^`]*)```\n\n```json\n([^`]*)```")


def fits(value, shown):
    """`…` at the end of a text stands for whatever is there; an object may have more fields."""
    if isinstance(shown, str) and shown.endswith("…"):
        return str(value).startswith(shown[:-1])
    if isinstance(shown, dict):
        return all(name in value and fits(value[name], shown[name]) for name in shown)
    if isinstance(shown, list):
        return len(value) == len(shown) and all(map(fits, value, shown))
    return value == shown


async def test_what_the_guide_shows_is_what_is_answered(hall, listed):
    owner = hall.acme.owner
    examples = EXAMPLE.findall(GUIDE.read_text("utf-8"))
    assert len(examples) == 5
    for method, path, body, shown in examples:
        for name, one in (await listed(owner)).items():
            path = path.replace(f"{{{name}}}", one["id"])
        _, said = await owner.call(method, path, json.loads(body) if body else None)
        assert fits(said, json.loads(shown)), f"{method} {path}: {json.dumps(said, indent=2)}"
        await hall.drain_jobs()

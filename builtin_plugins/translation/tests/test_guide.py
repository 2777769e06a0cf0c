"""The requests of the guide are answered as the guide says."""

import json
import re
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[3] / "docs/translation.md"
EXAMPLE = re.compile(r"```http\n(\w+) (\S+)\n(.*?)```\n\n```json\n(.*?)```", re.DOTALL)


def fits(value, shown):
    """`…` at the end of a text stands for whatever is there."""
    if isinstance(shown, str) and shown.endswith("…"):
        return str(value).startswith(shown[:-1])
    if isinstance(shown, dict):
        return value.keys() == shown.keys() and all(fits(value[name], shown[name]) for name in shown)
    if isinstance(shown, list):
        return len(value) == len(shown) and all(map(fits, value, shown))
    return value == shown


async def test_what_the_guide_shows_is_what_is_answered(hall):
    examples = EXAMPLE.findall(GUIDE.read_text("utf-8"))
    assert len(examples) == 3
    for method, path, body, shown in examples:
        _, said = await hall.acme.owner.call(method, path, json.loads(body))
        assert fits(said, json.loads(shown)), f"{method} {path}: {json.dumps(said, indent=2)}"

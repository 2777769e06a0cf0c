"""The requests of docs/beta.md are answered as the page says, and its template signs people up."""

import json
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_database

GUIDE = (Path(__file__).resolve().parents[3] / "docs/beta.md").read_text("utf-8")
EXAMPLE = re.compile(r"```http\n(\w+) (\S+)\n(.*?)```(?:\n\n```json\n(.*?)```)?", re.DOTALL)
TEMPLATE = re.compile(r"```html\n(.*?)```", re.DOTALL)


def fits(value, shown):
    """`…` in a text stands for whatever is there, and an object of it for any."""
    if isinstance(shown, str):
        return re.fullmatch(re.escape(shown).replace("…", ".*"), str(value)) is not None
    if isinstance(shown, dict):
        if [*shown] == ["…"]:
            return isinstance(value, dict)
        return value.keys() == shown.keys() and all(fits(value[name], shown[name]) for name in shown)
    if isinstance(shown, list):
        return len(value) == len(shown) and all(map(fits, value, shown))
    return value == shown


async def test_what_the_page_shows_is_what_is_answered(hall):
    examples = EXAMPLE.findall(GUIDE)
    assert len(examples) == 7
    for method, path, body, shown in examples:
        status, said = await hall.operator.call(method, path, json.loads(body) if body else None)
        assert status in (200, 201), f"{method} {path}: {said}"
        if shown:
            assert fits(said, json.loads(shown)), f"{method} {path}: {json.dumps(said, indent=2)}"


@pytest.mark.hall_databases("sqlite")
async def test_the_template_of_the_page_signs_somebody_up_in_its_sandbox(hall, publish, open_page):
    (template,) = TEMPLATE.findall(GUIDE)
    await publish(hall.operator, template=template)
    page = await open_page()
    await page.goto(f"{hall.base_url}/beta/template")
    assert await page.inner_text("h1") == "Ship on time"
    assert await page.evaluate("origin") == "null"
    await page.fill("input", "ada@example.com")
    await page.click("button")
    await page.get_by_text("✓").wait_for()
    (prospect,) = (await hall.operator.get("/api/beta/prospects")).json()["items"]
    assert prospect["fields"] == {"email": "ada@example.com"}

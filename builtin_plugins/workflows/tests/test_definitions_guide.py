"""What the page on workflows shows is what is published, refused and resolved."""

import json
import re
from pathlib import Path

import pytest

from builtin_plugins.workflows.spec.bindings import Values, decide, resolve
from builtin_plugins.workflows.spec.validation import FORMAT

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

GUIDE = (Path(__file__).resolve().parents[3] / "docs/workflows.md").read_text("utf-8")
EXAMPLES = re.findall(r"```http\n(\w+) (\S+)\n(.*?)```\n\n```json\n(.*?)```", GUIDE, re.DOTALL)
SPECS = [json.loads(text) for text in re.findall(r"<!-- spec -->\n```json\n(.*?)```", GUIDE, re.DOTALL)]
VALUES = Values(
    input={"message": "hello", "options": {"lines": [7]}},
    outputs={
        "find": {"result": {"ids": ["a", "b"]}},
        "each": {"results": [{"result": 1}, {"result": 2}]},
    },
    locale="nl",
    run_id="run_1",
    team_id="team_1",
    user_id="usr_1",
    item="obj_1",
    index=0,
)


def rows(heading):
    """The cells of the table below a heading, without its own heading."""
    part = GUIDE.partition(f"# {heading}\n")[2].partition("\n#")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def fits(value, shown):
    """`…` at the end of a text stands for whatever is there."""
    if isinstance(shown, str) and shown.endswith("…"):
        return str(value).startswith(shown[:-1])
    if isinstance(shown, dict):
        return value.keys() == shown.keys() and all(fits(value[name], shown[name]) for name in shown)
    return value == shown


async def test_what_is_posted_is_answered_as_shown(hall):
    assert len(EXAMPLES) == 2
    for method, path, body, shown in EXAMPLES:
        _, said = await hall.acme.admin.call(method, path, json.loads(body))
        assert fits(said, json.loads(shown)), json.dumps(said, indent=2)


async def test_the_example_of_every_kind_of_step_is_published_without_a_warning(hall):
    assert [spec["steps"][0]["kind"] for spec in SPECS] == [
        "tool",
        "map",
        "choice",
        "parallel",
        "approve",
        "wait",
        "workflow",
        "transform",
        "http",
    ]
    for spec in SPECS:
        response = await hall.acme.admin.post("/api/workflows", spec)
        assert (response.status_code, response.json().get("warnings")) == (201, []), response.text


def test_references_give_what_is_shown():
    shown = [(name, given) for cell, given in rows("References") for name in re.findall(r"`(.*?)`", cell)]
    assert len(shown) == 13
    for reference, given in shown:
        values = VALUES
        if reference == "item.id":
            values = Values({}, {}, "", "", "", "", item={"id": "obj_1"})
        assert resolve({"$from": reference}, values) == json.loads(given.strip("`")), reference


def test_predicates_hold_as_shown():
    shown = [[cell.strip("` |") for cell in row] for row in rows("Predicates")]
    assert [name for name, _, _ in shown] == [one["predicate"] for one in FORMAT.description["predicates"]]
    for _, holds, fails in shown:
        assert decide(json.loads(holds), VALUES)
        assert not decide(json.loads(fails), VALUES)


def test_the_limits_are_those_that_are_served():
    shown = {name.strip("`"): int(limit.strip(" |")) for name, limit in rows("Limits")}
    assert {**shown, "default_max_steps": 100} == FORMAT.description["limits"]


@pytest.fixture
def folder(tmp_path):
    """The plugin of the page as a folder."""
    [text] = re.findall(r"<!-- file: reader/plugin.py -->\n```python\n(.*?)```", GUIDE, re.DOTALL)
    manifest = {"id": "reader", "name": "R", "version": "1", "description": "x", "entry": "plugin.py"}
    (tmp_path / "reader").mkdir()
    (tmp_path / "reader/plugin.json").write_text(json.dumps(manifest))
    (tmp_path / "reader/plugin.py").write_text(text)
    return tmp_path


async def test_the_plugin_of_the_page_brings_its_workflow(open_hall, folder):
    async with open_hall(SERVICE_PLUGINS=str(folder)) as hall:
        [item] = (await hall.acme.viewer.get("/api/workflows")).json()["items"]
        assert (item["slug"], item["version"], item["source"]) == ("look", 1, "reader")

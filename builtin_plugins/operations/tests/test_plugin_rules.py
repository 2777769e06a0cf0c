"""The rules of `guildhall plugin check`: each has a page, and each page is of a rule."""

import json

import pytest

from builtin_plugins.operations.plugin_rules import RULES, refusal
from tests import commands
from tests.measures import HOUSE

pytestmark = pytest.mark.any_database

PAGES = HOUSE / "docs/plugins/rules"


def test_every_rule_has_its_page_and_every_page_its_rule():
    assert {path.stem for path in PAGES.iterdir()} == RULES
    listed = (HOUSE / "docs/plugins/index.md").read_text("utf-8")
    for rule in RULES:
        assert f"`[{rule}]`" in (PAGES / f"{rule}.md").read_text("utf-8")
        assert f"[`{rule}`](rules/{rule}.md)" in listed


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("handler-signature", "the handler open is called with (call): missing a required argument: 'box'"),
        ("handler-async", "row GET /api/x/toy/open: the handler open must be async"),
        ("row-without-handler", "the handler toy has no row"),
        ("default-fits-schema", "preference size: its default does not fit its schema: 12 is too much"),
        ("schema", "row POST /api/toy: example does not fit its schema: 12 is no string"),
        ("statement", "queries.sql: the statement titles cannot be prepared: no such column"),
        ("hook-result", "declare_dimensions returns None; return what it declares, or leave it out"),
        ("hook-result", "declare_routes must give Route rows, not dict"),
        ("hook-unknown", "declare_routes lacks the @hookimpl mark"),
        ("id-taken", "the id notes is taken by the distribution guildhall-server: give it another id"),
        ("declared-twice", "the command spin is declared twice, by one too"),
        ("requirement", "requires atlas, which is not loaded"),
        ("migration", "toy: 0001_boxes.sql failed: near TABEL"),
        ("start", "on_start failed: RuntimeError: no boxes today (plugin.py:9)"),
        ("admission", "ModuleNotFoundError: No module named 'atlas' (plugin.py:1)"),
    ],
)
def test_what_a_server_refuses_has_the_name_of_its_rule(rule, reason):
    assert str(refusal(reason)) == f"[{rule}] {reason}"


PROJECT = """
[project]
name = "guildhall-toy"
version = "3.1"
[project.entry-points."guildhall.plugins"]
toy = "guildhall_toy"
"""
PLUGIN = """
import guildhall_testing
from guildhall_sdk import Plugin, hookimpl

PLUGIN = Plugin(id="toy", name="Toy", version="3.1", description="A toy.")

@hookimpl
async def on_start(host):
    pass
"""


def test_a_project_is_checked_from_its_sources_and_says_it_to_programs(tmp_path):
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "guildhall_toy.py").write_text(PLUGIN)
    done = commands.run(commands.bare_environment(), ["plugin", "check", tmp_path, "--json"])
    assert (done.returncode, done.stderr) == (1, "")
    said = json.loads(done.stdout)
    assert (said["id"], said["version"], said["status"]) == ("toy", "3.1", "loaded")
    assert ([one["rule"] for one in said["findings"]], said["hooks"]) == (["forbidden-import"], ["on_start"])
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "toy"\n')
    refused = commands.run(commands.bare_environment(), ["plugin", "check", tmp_path])
    assert (refused.returncode, "names no plugin: say [project.entry-points" in refused.stderr) == (2, True)

"""Proven at boot: a statement or a schema that cannot be right keeps its plugin out, naming the place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import pytest

from guildhall_sdk import JobKind, Metric, Route, SearchSource, Statement
from guildhall_sdk.blobs import BlobReferences
from guildhall_sdk.hooks import Proven, declares, proven
from guildhall_sdk.metrics import measured_by
from kernel.boot import Server
from kernel.db.database import Database

pytestmark = pytest.mark.any_database

GOOD = Statement("good", "SELECT 1", "SELECT 1")
BAD = Statement("bad", "SELECT nothing FROM nowhere", "SELECT nothing FROM nowhere")
QUERIES = """
    from pathlib import Path
    from guildhall_sdk import load_queries

    sql = load_queries(Path(__file__).with_name("queries.sql"))
"""


async def _handler(call):
    return {}


def _source(name="box", readable=GOOD, readable_in_org=GOOD, every=None):
    return SearchSource(name, "search", "/api/boxes/{id}", readable, readable_in_org, every=every)


def _row(**schemas):
    return Route("POST", "boxes", _handler, "A box", permission="search", **schemas)


BROKEN = [
    (
        {"search_sources": [_source(readable=BAD)]},
        "search source box: the statement bad cannot be prepared: ",
    ),
    (
        {"search_sources": [_source("crate", readable_in_org=BAD)]},
        "search source crate: the statement bad cannot be prepared: ",
    ),
    ({"search_sources": [_source("pack", every=BAD)]}, "SearchSource pack: every cannot be prepared: "),
    (
        {"metrics": [Metric("acme_boxes", "Boxes", "gauge", measure=measured_by(BAD))]},
        "Metric acme_boxes: measure cannot be prepared: ",
    ),
    (
        {"blob_references": [BlobReferences("boxes", BAD)]},
        "BlobReferences boxes: statement cannot be prepared: ",
    ),
    (
        {"routes": [_row(body={"type": "strng"})]},
        "row POST /api/x/toy-5/boxes: the schema of body is wrong: ",
    ),
    (
        {"routes": [_row(body={"properties": {"a": {"pattern": "(", "type": "string"}}})]},
        "the schema of body is wrong: not a JSON Schema: $.properties.a.pattern: ",
    ),
    (
        {"routes": [_row(reply={"$ref": "#/$defs/box"})]},
        "the schema of reply is wrong: not a JSON Schema: $: there is no #/$defs/box in it",
    ),
    ({"routes": [_row(query={"a": {"minLength": "1"}})]}, "the schema of ?a is wrong: "),
    (
        {"job_kinds": [JobKind("x.toy-9.box", "A box", handler=_handler, payload={"required": "a"})]},
        "job kind x.toy-9.box: the schema of its payload is wrong: ",
    ),
]


async def test_a_declaration_that_cannot_be_right_keeps_its_plugin_out(open_with, make_plugin, expect_out):
    broken = {f"toy-{number}": one for number, one in enumerate(BROKEN)}
    plugins = [make_plugin(plugin_id, **declared) for plugin_id, (declared, _) in broken.items()]
    async with open_with(*plugins) as hall:
        for plugin_id, (_, reason) in broken.items():
            await expect_out(hall, plugin_id, reason)


@dataclass(frozen=True)
class Recipe:
    name: str
    schema: object
    minutes: object = 1
    find: Statement = GOOD


class KitchenHooks(Protocol):
    @declares(Recipe, label="recipe", name="name")
    def declare_recipes(self) -> Sequence[Recipe]: ...


def _proof(recipe):
    return Proven(
        schemas={"its schema": recipe.schema},
        fitting={"its minutes": (recipe.minutes, {"type": "integer"})},
        statements={recipe.find: recipe.find.respelled(lambda text: f"SELECT 1 FROM ({text}) AS found")},
    )


RECIPES = {
    "good": (Recipe("good", {}), None),
    "lost": (Recipe("lost", {"type": "strng"}), "recipe lost: its schema is wrong: "),
    "slow": (Recipe("slow", {}, "long"), "recipe slow: its minutes does not fit its schema: "),
    "blind": (Recipe("blind", {}, find=BAD), "recipe blind: the statement bad cannot be prepared: "),
    "odd": (Recipe("odd", {}, find=None), "what it declares cannot be proven: AttributeError: "),
}


async def test_a_plugin_that_brings_a_hook_says_what_is_proven_of_its_rows(
    open_with, make_plugin, expect_out
):
    kitchen = make_plugin("kitchen", hooks=[proven(KitchenHooks, declare_recipes=_proof)])
    cooks = [make_plugin(plugin_id, recipes=[recipe]) for plugin_id, (recipe, _) in RECIPES.items()]
    async with open_with(kitchen, *cooks) as hall:
        for plugin_id, (_, reason) in RECIPES.items():
            if reason is None:
                assert plugin_id in hall.registry.plugin_ids()
            else:
                await expect_out(hall, plugin_id, reason)


@pytest.mark.every_database
async def test_a_file_of_statements_is_proven_against_the_tables_of_its_plugin(
    folder, open_with, expect_in, expect_out
):
    home = folder.write(
        "toy",
        QUERIES + "\n    @hookimpl\n    def declare_migrations():\n"
        "        return Migrations(Path(__file__).with_name('migrations'))\n",
    )
    (home / "migrations").mkdir()
    (home / "migrations/0001_boxes.sql").write_text(
        "CREATE TABLE boxes (id $ID PRIMARY KEY, label TEXT NOT NULL)"
    )
    queries = home / "queries.sql"
    queries.write_text(
        "-- name: put\nINSERT INTO boxes (id, label) VALUES (:id, :label)\n"
        "-- name: some [part]\nlabel = :label OR\n"
    )
    async with open_with() as hall:
        await expect_in(hall)
    queries.write_text("-- name: put\nINSERT INTO boxes (id, lable) VALUES (:id, :label)\n")
    async with open_with() as hall:
        await expect_out(hall, "toy", "queries.sql: the statement put cannot be prepared: ")
        assert "lable" in {one.id: one.reason for one in hall.registry.refused}["toy"]


async def test_an_essential_plugin_with_a_wrong_statement_refuses_the_boot(open_with, make_plugin):
    toy = make_plugin("toy", essential=True, search_sources=[_source(readable=BAD)])
    with pytest.raises(
        Exception, match="the plugin toy cannot be loaded and the server needs it: search source"
    ):
        async with open_with(toy):
            pass


async def test_what_was_proven_is_not_proven_again(open_hall, make_plugin, monkeypatch):
    """By content: the same again costs nothing, and one that changed is looked at alone."""
    prepared = []
    prepare = Database.prepare

    async def counted(self, statements):
        prepared.extend(statement.name for statement in statements)
        return await prepare(self, statements)

    async with open_hall():  # whoever comes first waits for the template
        monkeypatch.setattr(Database, "prepare", counted)
    async with open_hall():  # what somebody has imported since then is proven where it is new
        imported_since = [*prepared]
    toy = make_plugin("toy", blob_references=[BlobReferences("boxes", GOOD)])
    prepared.clear()
    async with open_hall(toy) as hall:
        assert sorted(prepared) == sorted([*imported_since, "good"])
        prepared.clear()
        if hall.database == "sqlite":  # one server at a time
            await hall.server.data.disconnect()
        again = Server(hall.server.settings, clock=hall.clock, extra_plugins=[toy])
        await again.start()
        await again.stop()
        assert prepared == []

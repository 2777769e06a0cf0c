"""The generator finds what it is there to find, and leaves a sound plugin alone."""

from asyncio import gather

import pytest

from guildhall_sdk import (
    PAGE_QUERY,
    Auth,
    Factory,
    Feature,
    Forbidden,
    NotFound,
    Reply,
    Route,
    Statement,
    created,
    cut_page,
    new_id,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.schema import listing, obj, shape, string
from guildhall_testing.conformance import ConformanceFailure, cases_for, kinds
from guildhall_testing.conformance.state import Snapshot

pytestmark = pytest.mark.any_database

_TEXT = obj({"text": string(max_length=100)}, required=["text"], example={"text": "hello"})
_ITEM = shape({"id": string(), "text": string()})


def _sql(text):
    return Statement(text, text, text)


class Toy:
    """A plugin about items of a team and their parts, with the flaws it is told to have."""

    def __init__(self, *flaws):
        self.flaws = frozenset(flaws)

    def binds(self, call, flaw):
        """For `(team_id = :team OR :leak = 1)`: the tenant filter, and with the flaw none that filters."""
        return {"team": call.principal.team_id, "leak": int(flaw in self.flaws)}

    async def list_items(self, call):
        before, wanted = page_bounds(call.query)
        statement = _sql(
            "SELECT id, text FROM items WHERE (team_id = :team OR :leak = 1) AND id < :before "
            "ORDER BY id DESC LIMIT :wanted"
        )
        async with call.read() as reader:
            rows = await reader.all(
                statement, before=before or "~", wanted=wanted, **self.binds(call, "leaky list")
            )
        return page(*cut_page([dict(row) for row in rows], wanted, lambda row: row["id"]))

    async def create_item(self, call):
        item = {"id": new_id("itm", call.now_ms), "text": call.body["text"]}
        async with call.write() as writer:
            await writer.run(
                _sql("INSERT INTO items (id, team_id, text) VALUES (:id, :team, :text)"),
                team=call.principal.team_id,
                **item,
            )
        return created(item, f"/api/items/{item['id']}")

    async def read_item(self, call):
        statement = _sql("SELECT id, text FROM items WHERE id = :id AND (team_id = :team OR :leak = 1)")
        item_id = call.params["id"]
        async with call.read() as reader:
            row = await reader.one(statement, id=item_id, **self.binds(call, "leaky read"))
            anywhere = await reader.one(_sql("SELECT id FROM items WHERE id = :id"), id=item_id)
        if row is None and anywhere is not None and "forbids what exists" in self.flaws:
            raise Forbidden("That is not yours.")
        if row is None and anywhere is not None and "tells that it exists" in self.flaws:
            raise NotFound("That is not yours.")
        if row is None:
            raise NotFound
        return Reply(dict(row))

    async def change_item(self, call):
        statement = _sql(
            "UPDATE items SET text = :text WHERE id = :id AND (team_id = :team OR :leak = 1) "
            "RETURNING id, text"
        )
        binds = {"id": call.params["id"], "text": call.body["text"], **self.binds(call, "leaky write")}
        async with call.write() as writer:
            row = await writer.one(statement, **binds)
        if row is None:
            raise NotFound
        return Reply(dict(row))

    async def delete_item(self, call):
        statement = _sql(
            "DELETE FROM items WHERE id = :id AND (team_id = :team OR :leak = 1) RETURNING team_id"
        )
        async with call.write() as writer:
            row = await writer.one(statement, id=call.params["id"], **self.binds(call, "deletes in silence"))
        if row is None or row["team_id"] != call.principal.team_id:
            raise NotFound
        return no_content()

    async def create_part(self, call):
        part = {"id": new_id("prt", call.now_ms), "text": call.body["text"]}
        async with call.write() as writer:
            item_id = await self.own_item(writer, call)
            await writer.run(
                _sql("INSERT INTO parts (id, item_id, text) VALUES (:id, :item, :text)"), item=item_id, **part
            )
        return created(part, f"/api/items/{item_id}/parts/{part['id']}")

    async def read_part(self, call):
        """The flaw: once the item is the caller's own, any part will do."""
        statement = _sql("SELECT id, text FROM parts WHERE id = :id AND (item_id = :item OR :leak = 1)")
        async with call.read() as reader:
            item_id = await self.own_item(reader, call)
            leak = int("own parent, victim's child" in self.flaws)
            row = await reader.one(statement, id=call.params["part"], item=item_id, leak=leak)
        if row is None:
            raise NotFound
        return Reply(dict(row))

    async def own_item(self, reader, call):
        statement = _sql("SELECT id FROM items WHERE id = :id AND team_id = :team")
        row = await reader.one(statement, id=call.params["id"], team=call.principal.team_id)
        if row is None:
            raise NotFound
        return row["id"]

    def routes(self):
        at = "/api/items/:id"
        return [
            Route("GET", "/api/items", "list_items", "Items", permission="notes:read", query=PAGE_QUERY,
                  reply=listing(_ITEM), feature="items"),
            Route("POST", "/api/items", "create_item", "New", permission="notes:write", body=self.body(),
                  reply=_ITEM, status=201),
            Route("GET", at, "read_item", "One", permission="notes:read", reply=_ITEM),
            Route("PUT", at, "change_item", "Change", permission="notes:write", body=_TEXT, reply=_ITEM),
            Route("DELETE", at, "delete_item", "Delete", permission="notes:write", status=204),
            Route("POST", f"{at}/parts", "create_part", "New part", permission="notes:write", body=_TEXT,
                  reply=_ITEM, status=201),
            Route("GET", f"{at}/parts/:part", "read_part", "Part", permission="notes:read", reply=_ITEM),
        ]  # fmt: skip

    def body(self):
        loose = {key: value for key, value in _TEXT.items() if key != "additionalProperties"}
        return loose if "loose body" in self.flaws else _TEXT

    async def make_item(self, client, canary):
        text = "silence" if "silent factory" in self.flaws else canary
        _, item = await client.call("POST", "/api/items", {"text": text})
        return item["id"]

    async def make_part(self, client, canary):
        item = await self.make_item(client, canary)
        _, part = await client.call("POST", f"/api/items/{item}/parts", {"text": canary})
        return f"{item}/{part['id']}"

    def factories(self):
        if "no factory" in self.flaws:
            return []
        return [
            Factory("/api/items/:id", self.make_item),
            Factory("/api/items/:item/parts/:id", self.make_part),
        ]


@pytest.fixture
def toy(make_plugin, tmp_path):
    (tmp_path / "0001_items.sql").write_text(
        "CREATE TABLE items (id $ID PRIMARY KEY, team_id $ID NOT NULL, text TEXT NOT NULL);"
        "CREATE TABLE parts (id $ID PRIMARY KEY, item_id $ID NOT NULL, text TEXT NOT NULL);"
    )

    def make(*flaws):
        toy = Toy(*flaws)
        rows = toy.routes()
        return make_plugin(
            routes=rows,
            handlers={row.handler: getattr(toy, row.handler) for row in rows},
            features=[Feature("items", "Items")],
            factories=toy.factories(),
            migrations=tmp_path,
        )

    return make


async def _failures(hall, kind=None, asking=False):
    """Returns what is found by these cases; with `asking`, by those that a plugin's statements answer."""
    found = {}
    for case in cases_for(hall.registry, {"toy"}):
        if (kind is None or case.kind == kind) and (case.on_every_database or not asking):
            try:
                await case.run(hall)
            except ConformanceFailure as failure:
                found[case.id] = str(failure)
    return found


@pytest.mark.every_database
async def test_a_sound_plugin_passes(open_hall, toy, hall_database):
    async with open_hall(toy()) as hall:
        assert await _failures(hall, asking=hall_database == "postgresql") == {}
        assert "with the feature off" in {case.kind for case in cases_for(hall.registry, {"toy"})}
        found = {case.kind for case in cases_for(hall.registry)}
        assert found == set(kinds()), "a kind that no row has is tested by nobody"


@pytest.mark.every_database
async def test_a_snapshot_tells_what_requests_at_once_have_written_since(hall):
    with Snapshot(hall.server.data) as untouched:
        await hall.acme.member.get("/api/notes")
    assert await untouched.changes() is None
    with Snapshot(hall.server.data) as before:
        await gather(*(hall.acme.member.post("/api/notes", {"title": title}) for title in "ab"))
        changes = await before.changes(but=["audit_events"])
    assert "notes (+2 −0 rows)" in changes.split(", ")
    assert not any(change.startswith("audit_events ") for change in changes.split(", "))


# Each with the kind of case that finds it, the row that is named, and what is said of it.
TOGETHER = [
    ("leaky list", "another tenant's data", "GET /api/items", "shows what another company wrote"),
    ("leaky read", "another tenant's ids", "GET /api/items/:id", "reached somebody of another tenant"),
    ("leaky write", "another tenant's ids", "PUT /api/items/:id", "answered 200"),
    ("deletes in silence", "another tenant's ids", "DELETE /api/items/:id", "items (+0 −1 rows)"),
    (
        "own parent, victim's child",
        "another tenant's ids",
        "GET /api/items/:id/parts/:part",
        "reached somebody of another tenant",
    ),
    ("loose body", "bad body", "POST /api/items", "answered 201"),
]
ALONE = [
    ("tells that it exists", "another tenant's ids", "GET /api/items/:id", "tells that the first"),
    ("forbids what exists", "another tenant's ids", "GET /api/items/:id", "answered 403"),
    ("silent factory", "another tenant's ids", "GET /api/items/:id", "puts its canary nowhere"),
    ("no factory", "declared for testing", "GET /api/items/:id", "Factory('/api/items/:id', make)"),
]


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize(
    "flaws",
    [TOGETHER, [ALONE[0]], *(pytest.param([one], marks=pytest.mark.long_form) for one in ALONE[1:])],
    ids=lambda flaws: flaws[0][0],
)
async def test_a_flaw_is_found_and_its_row_named(open_hall, toy, flaws):
    async with open_hall(toy(*(flaw for flaw, *_ in flaws))) as hall:
        for kind in {kind for _, kind, _, _ in flaws}:
            failures = await _failures(hall, kind)
            wanted = {(row, message) for _, of, row, message in flaws if of == kind}
            for row, message in wanted:
                assert message in failures[f"{row} {kind}"]
                assert f"row {row} of toy" in failures[f"{row} {kind}"]


async def _no_feature_gate(call):
    """Lets everybody through."""


async def _no_permission_gate(call):
    """Lets everybody through."""


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize(
    ("gate", "missing", "kind"),
    [
        ("check_feature", _no_feature_gate, "with the feature off"),
        ("check_permission", _no_permission_gate, "without the permission"),
    ],
)
async def test_a_gate_that_is_missing_is_found(open_hall, toy, monkeypatch, gate, missing, kind):
    monkeypatch.setattr(f"kernel.http.gates.{gate}", missing)
    async with open_hall(toy()) as hall:
        assert "GET /api/items " + kind in await _failures(hall, kind)


async def _nothing(call):
    return Reply({})


@pytest.mark.hall_databases("sqlite")
async def test_a_judged_write_that_forgets_the_scope_is_found(open_hall, make_plugin):
    plain = Route("POST", "/api/toy", "nothing", "Toy")
    judged = Route("POST", "/api/judged", "nothing", "Toy", resource_decides=True)
    reading = Route("GET", "/api/reading", "nothing", "Toy")
    rows = [plain, judged, reading]
    async with open_hall(make_plugin(routes=rows, handlers={"nothing": _nothing})) as hall:
        failures = await _failures(hall, "with an empty scope")
    assert list(failures) == ["POST /api/judged with an empty scope"]
    assert "to a credential whose scope is empty" in failures["POST /api/judged with an empty scope"]


@pytest.mark.hall_databases("sqlite")
async def test_a_body_without_an_example_fails_the_run(open_hall, make_plugin):
    row = Route("POST", "/api/toy", "nothing", "Toy", body=obj({"text": string()}))
    async with open_hall(make_plugin(routes=[row], handlers={"nothing": _nothing})) as hall:
        failures = await _failures(hall)
    assert list(failures) == ["POST /api/toy declared for testing"]
    assert "the body has no example" in failures["POST /api/toy declared for testing"]


@pytest.mark.hall_databases("sqlite")
async def test_an_extension_route_is_tested_like_any_other(open_hall, make_plugin):
    async def word_count(call):
        return {"words": len(str(call.query.get("text", "")).split())}

    async def failing(call):
        return {"words": 1 // len(call.query.get("text", ""))}

    def plugin(handler):
        return make_plugin(
            routes=[Route("GET", "word-count", handler, "Count words", permission="chat:use", query=None)]
        )

    async with open_hall(plugin(word_count)) as hall:
        assert len(cases_for(hall.registry, {"toy"})) > 4
        assert await _failures(hall) == {}
    async with open_hall(plugin(failing)) as hall:
        failures = await _failures(hall)
    assert any("nothing that a caller sends gives a 5xx" in text for text in failures.values())


@pytest.mark.hall_databases("sqlite")
async def test_what_a_row_says_decides_which_cases_it_gets(open_hall, make_plugin):
    """Session, permission and suspension are gates: a row cannot slip past them, only not ask for them."""
    row = Route(
        "POST", "/api/toy", "nothing", "Toy", session_only=True, while_suspended=True, permission="search"
    )
    plain = Route("GET", "/api/plain", "nothing", "Plain", auth=Auth.PUBLIC)
    async with open_hall(make_plugin(routes=[row, plain], handlers={"nothing": _nothing})) as hall:
        assert await _failures(hall) == {}
        cases = cases_for(hall.registry, {"toy"})
    asked = {case.kind for case in cases if case.bound.row is row}
    assert {"with an API token", "while suspended", "without the permission", "bad body"} <= asked
    assert {"other methods", "request id"} <= asked
    assert {case.kind for case in cases if case.bound.row is plain} == {"another tenant's data"}

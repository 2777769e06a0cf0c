"""Pages that plugins describe: what is refused at load, and what each caller is shown."""

import pytest

from builtin_plugins import console
from guildhall_sdk import Feature, Route
from guildhall_sdk.schema import array, integer, listing, nullable, obj, shape, string
from guildhall_sdk.services.pages import Column, ConsolePage, FormPart, TablePart
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import given

pytestmark = pytest.mark.any_database

GUESTS = listing(shape({"id": string(), "name": string(), "host": nullable(shape({"name": string()}))}))
GUEST = obj({"name": string(), "tags": array(string()), "seats": nullable(integer())}, required=["name"])
LIST = TablePart(
    source="/guests", columns=[Column(field="name", label="Name"), Column(field="host.name", label="Host")]
)
SIGN = FormPart(target="/guests", submit="Sign", filled_from="/count", done="Signed")


async def answer(call):
    return {"items": [], "next_cursor": None}


ROUTES = (
    Route("GET", "guests", answer, "Guests", permission="notes:read", query={}, reply=GUESTS),
    Route("POST", "guests", answer, "Sign", permission="notes:write", body=GUEST, query={}, reply=GUESTS),
    Route("GET", "guests/:id", answer, "One", permission="notes:read", query={}, reply=GUESTS),
    Route("GET", "count", answer, "Count", permission="notes:read", query={}, reply=shape({"n": integer()})),
    Route("PUT", "loose", answer, "Loose", permission="notes:write", query={}, body={}),
    Route(
        "PUT",
        "odd",
        answer,
        "Odd",
        permission="notes:write",
        query={},
        body=obj({"deep": obj({"rows": array(obj({"a": string()}))})}),
    ),
)


def page(*parts, name="guests", title="Guests", **more):
    return ConsolePage(name=name, title=title, parts=parts, **more)


@pytest.fixture
def fault_of(make_plugin):
    """Admits a plugin with these pages beside the console; returns why it is out, or None."""

    def fault(*pages):
        acceptor = make_plugin("console", hooks=console.declare_hooks())
        book = make_plugin("book", routes=ROUTES, console_pages=pages)
        admission = Admission([given(acceptor), given(book)])
        return next((one.reason for one in admission.registry.refused if one.id == "book"), None)

    return fault


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (page(LIST, name="Guests!"), "name must be 1 to 40 of a-z, 0-9 and -"),
        (page(LIST, title=" "), "title must be a text of 1 to 120 characters"),
        (page(), "parts must be 1 to 12 tables and forms"),
        (page("table"), "parts[0]: a str is neither a TablePart nor a FormPart"),
        (page(LIST, TablePart(source="/x", columns=[])), "parts[1]: the plugin declares no row GET /x"),
        (
            page(TablePart(source="/api/x/other/guests", columns=LIST.columns)),
            "parts[0]: the plugin declares no row GET /api/x/other/guests",
        ),
        (
            page(TablePart(source="/guests/:id", columns=LIST.columns)),
            "parts[0]: GET /guests/:id has parameters in its path, which nobody fills in here",
        ),
        (
            page(TablePart(source="/count", columns=LIST.columns)),
            "parts[0]: GET /count answers no list: its reply schema has no items",
        ),
        (page(TablePart(source="/guests", columns=[])), "parts[0]: columns must be 1 to 12"),
        (
            page(TablePart(source="/guests", columns=[Column(field="age", label="Age")])),
            "parts[0]: an item of GET /guests has no field age",
        ),
        (
            page(FormPart(target="/guests", submit="")),
            "parts[0]: submit must be a text of 1 to 120 characters",
        ),
        (
            page(FormPart(target="/guests", submit="Go", method="DELETE")),
            "parts[0]: method must be one of POST, PUT, PATCH",
        ),
        (
            page(FormPart(target="/loose", submit="Go", method="PUT")),
            "parts[0]: PUT /loose: the body must be an object with properties",
        ),
        (
            page(FormPart(target="/odd", submit="Go", method="PUT")),
            "parts[0]: PUT /odd: /deep/rows is a list of something else than texts",
        ),
        (
            page(FormPart(target="/guests", submit="Go", answer=[Column(field="age", label="Age")])),
            "parts[0]: the reply of POST /guests has no field age",
        ),
        (
            page(FormPart(target="/guests", submit="Go", filled_from="/nothing")),
            "parts[0]: the plugin declares no row GET /nothing",
        ),
    ],
)
def test_a_wrong_page_keeps_its_plugin_out_and_says_why(fault_of, wrong, reason):
    assert fault_of(wrong) == (f"declare_console_pages[0]: console refuses this page: {reason}")


def test_two_pages_of_one_plugin_have_two_names(fault_of):
    assert fault_of(page(LIST), page(LIST)).endswith("there are two pages named guests")


async def listed(client):
    answer = await client.get("/api/ui")
    assert answer.status_code == 200
    return {item["address"]: item for item in answer.json()["items"]}


def kinds(item):
    return [part["kind"] for part in item["parts"]]


async def test_each_caller_is_shown_what_they_may_use(hall):
    lanes, words = "/x/integrator-demo/lanes", "/x/example-tools"
    owner, member = await listed(hall.acme.owner), await listed(hall.acme.member)
    assert kinds(owner[lanes]) == ["table", "form", "form"]
    assert kinds(member[lanes]) == ["table", "form"]
    assert member[lanes]["title"] == "Shipping lanes"
    table, form = member[lanes]["parts"]
    assert table["source"] == "/api/x/integrator-demo/schedule"
    assert table["columns"][1] == {
        "field": "days",
        "label": "Days",
        "schema": {"type": "integer", "minimum": 0},
    }
    assert (form["method"], form["target"]) == ("POST", "/api/x/integrator-demo/eta")
    assert form["schema"]["properties"]["lane"]["title"] == "Lane"
    (bundle,) = member[words]["parts"]
    assert {"method": "POST", "path": "/api/x/example-tools/word-count"} in bundle["routes"]
    assert {lanes, words} & set(await listed(hall.acme.viewer)) == set()
    assert (await hall.anonymous.get("/api/ui")).status_code == 401


async def test_a_switched_off_plugin_shows_nothing(hall):
    for plugin in ("integrator-demo", "example-tools"):
        await hall.acme.admin.post(f"/api/plugins/{plugin}", {"enabled": False})
    assert {"/x/integrator-demo/lanes", "/x/example-tools"} & set(await listed(hall.acme.owner)) == set()
    assert {"/x/integrator-demo/lanes", "/x/example-tools"} <= set(await listed(hall.globex.owner))


async def test_a_page_behind_a_feature_is_there_with_it(open_hall, make_plugin):
    book = make_plugin(
        "book",
        features=(Feature("lab", "Try", enabled_by_default=False),),
        routes=ROUTES,
        console_pages=(page(LIST, SIGN, feature="lab"), page(SIGN, name="sign")),
    )
    async with open_hall(book) as hall:
        assert "/x/book/guests" not in await listed(hall.acme.member)
        await hall.set_feature(hall.acme, "lab", True)
        member, viewer = await listed(hall.acme.member), await listed(hall.acme.viewer)
        assert kinds(member["/x/book/guests"]) == ["table", "form"]
        assert kinds(viewer["/x/book/guests"]) == ["table"]
        assert "/x/book/sign" not in viewer

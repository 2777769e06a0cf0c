"""`declare_permissions`: rights that plugins bring, and everything that knows of them."""

import pytest

from guildhall_sdk import Permission, Reply, Route, Tool
from guildhall_testing.conformance.access import without_the_permission
from guildhall_testing.conformance.trial import Trial
from kernel.config import Settings
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import discover

pytestmark = pytest.mark.hall_databases("sqlite")

OPEN = "/api/x/boxes/open"


async def handler(call):
    return {}


async def tool(reader, principal, arguments):
    return {}


def row(permission, path="do"):
    return Route("POST", path, handler, "Do it", permission=permission, body={})


def permission(name, roles=("member",), description="Do it"):
    return Permission(name=name, description=description, roles=roles)


async def test_the_plugin_of_the_reference_brings_a_permission(open_hall, documented):
    async with open_hall(documented("boxes")) as hall, open_hall() as without:
        member, viewer = hall.acme.member, hall.acme.viewer
        assert (await member.post(OPEN, {})).json() == {"opened_by": member.username}
        assert (await hall.operator.post(OPEN, {})).status_code == 200
        refused = await viewer.post(OPEN, {})
        assert (refused.status_code, refused.json()["permission"]) == (403, "boxes:open")
        assert "boxes:open" in (await member.get("/api/whoami")).json()["permissions"]
        assert "boxes:open" not in (await viewer.get("/api/whoami")).json()["permissions"]

        body = {"scope": ["notes:read", "boxes:open"]}
        issued = await hall.acme.owner.post("/api/tokens", body)
        assert (issued.status_code, issued.json()["scope"]) == (201, ["boxes:open", "notes:read"])
        assert (await hall.bearer(issued.json()["token"]).post(OPEN, {})).status_code == 200
        narrow = await hall.with_token(hall.acme.owner, scope=["notes:read"])
        assert (await narrow.post(OPEN, {})).json()["permission"] == "boxes:open"
        key = await member.post("/api/s3/credentials", {"scope": {"permissions": ["boxes:open"]}})
        assert key.status_code == 201

        document = (await hall.anonymous.get("/api/openapi.json")).json()
        listed = {one["const"]: one for one in document["components"]["schemas"]["Permission"]["oneOf"]}
        assert listed["boxes:open"] == {
            "const": "boxes:open",
            "description": "Open boxes",
            "x-roles": ["member", "admin", "owner"],
        }
        posted = document["paths"]["/api/tokens"]["post"]["requestBody"]["content"]["application/json"]
        assert posted["schema"]["properties"]["scope"]["items"] == {"$ref": "#/components/schemas/Permission"}

        # Another server of the same process knows nothing of it.
        for path, sent, place in (
            ("/api/tokens", body, "/scope/1"),
            ("/api/s3/credentials", {"scope": {"permissions": ["boxes:open"]}}, "/scope/permissions/0"),
        ):
            unknown = await without.acme.owner.post(path, sent)
            assert (unknown.status_code, unknown.json()["errors"][0]["pointer"]) == (400, place)
        assert "boxes:open" not in (await without.operator.get("/api/whoami")).json()["permissions"]


FAULTS = {
    "boxes:open": "the permission 'boxes:open' must be named bad-name:<verb>",
    "notes:read": "the permission notes:read is declared twice, by notes too",
    "search": "the permission search is declared twice, by search too",
    "bad-name:Open": "must be named bad-name:<verb>",
    "bad-name:open\n": "must be named bad-name:<verb>",
    "bad-name": "must be named bad-name:<verb>",
}


def bad(make_plugin):
    """One plugin for each mistake, and why it is kept out."""
    cases = [
        (make_plugin("bad-name", permissions=[permission(name)]), reason) for name, reason in FAULTS.items()
    ]
    for role in ("worker", "translator", "reviewer", "localizer"):
        cases.append((make_plugin(permissions=[permission("toy:do", [role])]), f"give the role {role}"))
    return [
        *cases,
        (make_plugin("members", permissions=[permission("members:purge")]), "members:* belongs to identity"),
        (
            make_plugin(permissions=[permission("toy:do", ["boss"])]),
            "there is no role 'boss'; known are viewer",
        ),
        (make_plugin(permissions=[permission("toy:do", "member")]), "roles must be a list"),
        (make_plugin(permissions=[permission("toy:do", None)]), "roles must be a list"),
        (make_plugin(permissions=[permission(7)]), "must be text"),
        (make_plugin(permissions=[permission("toy:do", description=" ")]), "say in a line"),
        (make_plugin(permissions=[permission("toy:do", description="a\nb")]), "say in a line"),
        (make_plugin(permissions=[permission("toy:do")] * 2), "the permission toy:do is declared twice"),
        (
            make_plugin(routes=[row("toy:do")]),
            "row POST /api/x/toy/do: there is no permission toy:do",
        ),
        (
            make_plugin(tools=[Tool("toy", "A toy", "toy:do", tool)]),
            "tool toy: there is no permission toy:do",
        ),
    ]


async def test_a_wrong_permission_keeps_its_author_out(admit, make_plugin):
    for plugin, reason in bad(make_plugin):
        refused = admit(plugin)
        assert reason in (refused[plugin.PLUGIN.id] or "let in"), reason


@pytest.mark.parametrize("blocked", ["ai", "api-docs", "branding", "notes", "s3"])
def test_what_ships_can_do_without_what_is_not_essential(blocked):
    admission = Admission(discover(Settings.from_environment({}).plugins), frozenset({blocked}))
    standing_on_it = {
        "ai": {"conversations", "documents", "gateway", "knowledge", "models"}
        | {"translation", "translate-chat"},
        "branding": {"beta"},
    }.get(blocked, set())
    assert {one.id for one in admission.registry.refused} == {blocked, *standing_on_it}
    names = {one.name for one in admission.registry.declared(Permission)}
    assert {"chat:use", "workflows:run", "localization:read"} <= names
    assert ("notes:read" in names) is (blocked != "notes")


async def test_a_plugin_that_goes_takes_its_permissions_and_who_asks_for_them(open_hall, make_plugin):
    async def on_start(host):
        raise RuntimeError("not today")

    toy = make_plugin("toy", permissions=[permission("toy:do", ["viewer"])], on_start=on_start)
    friend = make_plugin("zoo", routes=[row("toy:do")])
    stranger = make_plugin("zebra", routes=[row("notes:read")])
    async with open_hall(toy, friend, stranger, allow_refused=True) as hall:
        refused = {one.id: one.reason for one in hall.registry.refused}
        assert "not today" in refused["toy"]
        assert "row POST /api/x/zoo/do: there is no permission toy:do" in refused["zoo"]
        assert "zebra" not in refused
        scoped = await hall.with_token(hall.operator, scope=["toy:do", "notes:read"])
        assert (await scoped.get("/api/whoami")).json()["permissions"] == ["notes:read"]
        assert (await scoped.post("/api/x/zebra/do", {})).status_code == 200
        again = await hall.acme.owner.post("/api/tokens", {"scope": ["toy:do"]})
        assert again.status_code == 400


@pytest.mark.parametrize("roles", [["viewer"], ["admin"], ["org_reader"], ["org_owner"], []])
async def test_the_conformance_cases_find_who_holds_it(open_hall, make_plugin, roles):
    toy = make_plugin(permissions=[permission("toy:do", roles)], routes=[row("toy:do")])
    async with open_hall(toy) as hall:
        (bound,) = [one for one in hall.registry.routes() if one.plugin_id == "toy"]
        trial = Trial(hall, bound)
        assert (await trial.call(await trial.caller(hall.acme), "/api/x/toy/do")).status == 200
        await without_the_permission(trial)


async def test_a_workers_token_opens_no_row_of_another_plugin(open_hall, make_plugin):
    async def toy(call):
        return Reply({"team": call.principal.team_id})

    toys = Route("GET", "/api/toys", "toy", "A toy", permission="jobs:execute")
    plugin = make_plugin(requires=("jobs",), routes=[toys], handlers={"toy": toy})
    async with open_hall(plugin) as hall:
        executor = (await hall.operator.post("/api/executors", {"name": "gpu", "mode": "pull"})).json()
        worker = hall.bearer(executor["worker_token"])
        refused = await worker.get("/api/toys")
        assert (refused.status_code, refused.json()["code"]) == (403, "permission_denied")
        person = await hall.join(hall.acme, "worker")
        assert (await person.get("/api/toys")).json() == {"team": hall.acme.id}

"""Quart blueprints of plugins: their rules are rows, behind the gates of all rows."""

import json
from types import SimpleNamespace

import pytest
from quart import Blueprint, Response, abort, redirect, request

from guildhall_sdk import Feature, Plugin, UserError, hookimpl
from guildhall_sdk.routes import BlueprintRoutes, current_call

pytestmark = pytest.mark.any_database


def board():
    blueprint = Blueprint("board", __name__, url_prefix="/board")

    @blueprint.route("/echo/<int:number>", methods=["GET", "PUT"])
    async def echo(number):
        """Says it again"""
        body = (await request.get_data()).decode()
        return {
            "number": number,
            "args": request.args.getlist("a"),
            "body": body,
            "at": request.remote_addr,
        }

    @blueprint.get("/echo/new")
    def plain():
        """Is no coroutine"""
        return Response("new", content_type="text/plain", headers={"X-Board": "1"})

    @blueprint.get("/files/<path:name>")
    async def stream(name):
        """Streams"""

        async def pieces():
            yield name.encode()
            yield " end"

        return pieces(), 200, {"Content-Type": "text/plain"}

    @blueprint.post("/notices")
    async def pin():
        """Writes and is audited"""
        call = current_call()
        async with call.write() as writer:
            writer.audit("notice.pinned", ("notice", "n1"))
        return {"by": call.principal.username, "text": (await request.get_json())["text"]}, 201

    @blueprint.get("/fails/<how>")
    async def fail(how):
        """Fails"""
        if how == "user":
            raise UserError("Not like this.")
        if how == "abort":
            abort(418, "A teapot.")
        if how == "redirect":
            return redirect("/api/elsewhere")
        if how == "cookie":
            return Response("", headers={"Set-Cookie": "a=b"})
        raise LookupError("secret detail")

    return blueprint


def plugin_with(blueprint, **more):
    @hookimpl
    def declare_routes():
        return [BlueprintRoutes(blueprint=blueprint, permission="notes:write", **more)]

    @hookimpl
    def declare_features():
        return [Feature("boards", "Boards")]

    manifest = Plugin("wall", "Wall", "1.0", "A wall.")
    return SimpleNamespace(PLUGIN=manifest, declare_routes=declare_routes, declare_features=declare_features)


@pytest.fixture
async def wall(open_hall):
    async with open_hall(plugin_with(board(), feature="boards", max_body=1000)) as hall:
        yield hall


AT = "/api/x/wall/board"


async def test_a_handler_gets_quarts_request_and_answers_as_quart_does(wall):
    member = wall.acme.member
    found = await member.get(f"{AT}/echo/5?a=1&a=2")
    assert found.json() == {"number": 5, "args": ["1", "2"], "body": "", "at": "127.0.0.1"}
    assert (await member.put(f"{AT}/echo/7", {"b": 1})).json()["body"].replace(" ", "") == '{"b":1}'
    plain = await member.get(f"{AT}/echo/new")
    assert (plain.text, plain.headers["content-type"], plain.headers["x-board"]) == ("new", "text/plain", "1")
    streamed = await member.get(f"{AT}/files/a/b.txt")
    assert (streamed.status_code, streamed.text) == (200, "a/b.txt end")


async def test_the_call_of_a_handler_writes_for_the_caller(wall):
    pinned = await wall.acme.member.post(f"{AT}/notices", {"text": "Tea"})
    assert (pinned.status_code, pinned.json()["text"]) == (201, "Tea")
    trail = (await wall.acme.owner.get("/api/audit")).json()["items"]
    assert "notice.pinned" in [event["action"] for event in trail]


async def test_a_repeat_with_a_key_is_answered_from_what_was_kept(wall):
    member = wall.acme.member
    first, again = [
        await member.post(f"{AT}/notices", {"text": "Tea"}, headers={"Idempotency-Key": "once"})
        for _ in range(2)
    ]
    assert (first.status_code, again.status_code, first.json()) == (201, 201, again.json())
    trail = (await wall.acme.owner.get("/api/audit")).json()["items"]
    assert [event["action"] for event in trail].count("notice.pinned") == 1


async def test_the_gates_of_rows_stand_before_it(wall):
    assert (await wall.anonymous.get(f"{AT}/echo/5")).status_code == 401
    denied = await wall.acme.viewer.get(f"{AT}/echo/5")
    assert (denied.status_code, denied.json()["permission"]) == (403, "notes:write")
    large = await wall.acme.member.put(f"{AT}/echo/5", {"a": "x" * 2000})
    assert (large.status_code, large.json()["limit"]) == (413, 1000)
    await wall.acme.owner.post("/api/features/boards", {"enabled": False})
    off = await wall.acme.member.get(f"{AT}/echo/5")
    assert (off.status_code, off.json()["code"]) == (403, "feature_disabled")
    assert (await wall.globex.member.get(f"{AT}/echo/5")).status_code == 200


async def test_a_suspended_company_reads_and_does_not_write(wall):
    await wall.operator.post(f"/api/orgs/{wall.acme.org_id}/suspend", {})
    assert (await wall.acme.member.get(f"{AT}/echo/5")).status_code == 200
    assert (await wall.acme.member.post(f"{AT}/notices", {"text": "Tea"})).status_code == 402


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("fails/user", 400, "invalid_request"),
        ("fails/abort", 418, "i_m_a_teapot"),
        ("fails/any", 500, "internal"),
        ("fails/cookie", 500, "internal"),
        ("echo/no-number", 404, "not_found"),
        ("nowhere", 404, "not_found"),
    ],
)
async def test_what_goes_wrong_is_a_problem_with_the_request_id(wall, path, status, code):
    answer = await wall.acme.member.get(f"{AT}/{path}")
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.status_code, answer.json()["status"], answer.json()["code"]) == (status, status, code)
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    assert "secret detail" not in json.dumps(answer.json())


async def test_a_redirect_is_no_problem(wall):
    moved = await wall.acme.member.get(f"{AT}/fails/redirect")
    assert (moved.status_code, moved.headers["location"]) == (302, "/api/elsewhere")


async def test_its_rules_are_rows_of_the_table(wall):
    paths = (await wall.anonymous.get("/api/openapi.json")).json()["paths"]
    assert {path for path in paths if path.startswith("/api/x/wall")} == {
        f"{AT}/echo/new",
        f"{AT}/echo/{{number}}",
        f"{AT}/fails/{{how}}",
        f"{AT}/files/{{name}}",
        f"{AT}/notices",
    }
    assert {*paths[f"{AT}/echo/{{number}}"]} == {"get", "put"}
    assert paths[f"{AT}/notices"]["post"]["x-permission"] == "notes:write"


def silent(blueprint):
    @blueprint.get("/quiet")
    async def view():
        return ""


def socket(blueprint):
    @blueprint.websocket("/live")
    async def view():
        """Live"""


def serving(blueprint):
    @blueprint.before_app_serving
    async def begin():
        """Begins"""


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (silent, "row GET /api/x/wall/quiet: the doc line is missing"),
        (socket, "the blueprint bad has a websocket; send events instead"),
        (serving, "the blueprint bad runs code when serving begins; use on_start"),
    ],
)
async def test_a_blueprint_that_could_not_be_served_keeps_its_plugin_out(open_hall, spoil, reason):
    blueprint = Blueprint("bad", __name__)
    spoil(blueprint)
    async with open_hall(plugin_with(blueprint), allow_refused=True) as hall:
        (found,) = [one.reason for one in hall.registry.refused if one.id == "wall"]
    assert found == reason

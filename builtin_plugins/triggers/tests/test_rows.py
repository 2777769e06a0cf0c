"""Triggers as they are created, listed, changed and deleted."""

import asyncio

import pytest

from builtin_plugins.triggers import service
from builtin_plugins.triggers.tests.conftest import SLUG
from guildhall_sdk.dimensions import Quotas

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


async def test_a_trigger_is_shown_as_it_was_created(hall, triggers):
    given = {
        "match_prefix": "inbox/",
        "match_types": ["Text/*", "application/pdf"],
        "input": {"a": [1, {"b": None}]},
        "fire_on_derived": True,
    }
    made = await triggers.create(**given)
    assert made["id"].startswith("trg_") and made["created_by"] == hall.acme.owner.user_id
    assert {name: made[name] for name in given} == given and made["workflow_slug"] == SLUG
    assert made["created_at"] == made["updated_at"]
    shown = await triggers.read(made)
    assert shown == {
        **{name: made[name] for name in made if name != "warnings"},
        "fires": [],
        "fires_cursor": None,
    }
    plain = await triggers.create()
    assert (plain["match_prefix"], plain["match_types"], plain["input"], plain["fire_on_derived"]) == (
        "",
        [],
        {},
        False,
    )
    listed = (await hall.acme.viewer.get("/api/doc-triggers")).json()
    assert [one["id"] for one in listed["items"]] == [plain["id"], made["id"]]
    first = (await triggers.admin.get("/api/doc-triggers?limit=1")).json()
    rest = (await triggers.admin.get(f"/api/doc-triggers?limit=1&cursor={first['next_cursor']}")).json()
    assert [*first["items"], *rest["items"]] == listed["items"] and rest["next_cursor"] is None


WRONG = [
    ({"match_types": ["text/plain", "text"]}, "/match_types/1"),
    ({"match_types": ["*"]}, "/match_types/0"),
    ({"match_types": ["*/plain"]}, "/match_types/0"),
    ({"match_types": ["text/plain; charset=utf-8"]}, "/match_types/0"),
    ({"match_types": ["te*/x"]}, "/match_types/0"),
    ({"match_types": "text/plain"}, "/match_types"),
    ({"match_types": ["a/b"] * 51}, "/match_types"),
    ({"match_prefix": "é" * 513}, "/match_prefix"),
    ({"match_prefix": "a\u0000"}, "/match_prefix"),
    ({"input": []}, "/input"),
    ({"input": {"long": "x" * 65_600}}, "/input"),
    ({"fire_on_derived": 1}, "/fire_on_derived"),
    ({"workflow_slug": "nobody-has-it"}, "/workflow_slug"),
    ({"created_by": "usr_1"}, "/created_by"),
]


async def test_what_is_wrong_is_refused_by_its_place_and_changes_nothing(triggers):
    made = await triggers.create(match_prefix="inbox/")
    for wrong, pointer in WRONG:
        for answer in (
            await triggers.admin.post("/api/doc-triggers", {"workflow_slug": SLUG, **wrong}),
            await triggers.admin.patch(f"/api/doc-triggers/{made['id']}", wrong),
        ):
            assert answer.status_code == 400 and pointer in [
                one["pointer"] for one in answer.json()["errors"]
            ]
    assert len((await triggers.admin.get("/api/doc-triggers")).json()["items"]) == 1
    assert (await triggers.read(made))["match_prefix"] == "inbox/"


async def test_what_the_workflow_would_refuse_of_the_input_is_told_and_the_history_says_so(hall, triggers):
    inputs = {"object_id": {"type": "string"}, "pages": {"type": "integer"}}
    await triggers.publish("paged", inputs=inputs)
    made = await triggers.create("paged", input={"pages": "3", "extra": 1})
    assert {one["pointer"] for one in made["warnings"]} == {"/input/pages", "/input/extra"}
    await triggers.upload()
    assert await triggers.reasons(made) == ["invalid_input"]
    answer = await triggers.admin.patch(f"/api/doc-triggers/{made['id']}", {"input": {"pages": 3}})
    assert answer.json()["warnings"] == []
    await triggers.upload("inbox/b.txt")
    assert (await triggers.fires(made))[0]["outcome"] == "started"


async def test_a_change_leaves_alone_what_it_does_not_name(hall, triggers):
    made = await triggers.create(match_prefix="a/", match_types=["text/*"], input={"object_id": "x"})
    hall.clock.advance(seconds=1)
    path = f"/api/doc-triggers/{made['id']}"
    changed = (await triggers.admin.patch(path, {"match_prefix": "b/"})).json()
    assert changed == {**made, "match_prefix": "b/", "updated_at": changed["updated_at"]}
    assert changed["updated_at"] > made["updated_at"]
    assert (await triggers.admin.patch(path, {})).json() == changed
    for key in ("a/x.txt", "b/x.txt"):
        await triggers.upload(key)
    assert [fire["key"] for fire in await triggers.fires(made)] == ["b/x.txt"]


async def test_a_deleted_trigger_is_gone_with_its_history_and_its_runs_remain(hall, triggers, tools):
    made = await triggers.create()
    await triggers.upload()
    (fire,) = await triggers.fires(made)
    assert (await triggers.admin.delete(f"/api/doc-triggers/{made['id']}")).status_code == 204
    for method in ("get", "delete"):
        answer = await getattr(triggers.admin, method)(f"/api/doc-triggers/{made['id']}")
        assert answer.status_code == 404
    assert (await triggers.admin.get(f"/api/runs/{fire['run_id']}")).status_code == 200
    await triggers.upload("inbox/b.txt")
    await hall.drain_jobs()
    assert len(tools.calls) == 1


@pytest.mark.every_database
async def test_a_team_has_so_many_triggers_and_no_more_also_when_they_race(triggers, monkeypatch):
    monkeypatch.setattr(service, "MAX_TRIGGERS", 3)
    await triggers.create()
    new = {"workflow_slug": SLUG}
    answers = await asyncio.gather(*(triggers.admin.post("/api/doc-triggers", new) for _ in range(5)))
    refused = [answer for answer in answers if answer.status_code != 201]
    assert [(one.status_code, one.json()["code"]) for one in refused] == [(409, "too_many_triggers")] * 3


async def test_a_page_of_long_inputs_is_short_and_leads_on(triggers, monkeypatch):
    monkeypatch.setattr(service, "MAX_BYTES_PER_PAGE", 150_000)
    made = [await triggers.create(input={"object_id": "x" * 60_000}) for _ in range(4)]
    seen, cursor = [], ""
    while cursor is not None:
        page = (await triggers.admin.get(f"/api/doc-triggers?{cursor}")).json()
        assert len(page["items"]) <= 3
        seen += [one["id"] for one in page["items"]]
        cursor = page["next_cursor"] and f"cursor={page['next_cursor']}"
    assert seen == [one["id"] for one in reversed(made)]


async def test_the_list_tells_the_tightest_of_the_teams_and_the_companys_ai_budget(hall, triggers):
    async def budget():
        return (await hall.acme.viewer.get("/api/doc-triggers")).json()["budget"]

    unlimited = await budget()
    assert set(unlimited) == {"ai.requests", "ai.tokens.total"}
    for level, limit, window, left in (
        ("team", 10, "day", 10),
        ("org", 4, "hour", 4),
        ("team", 7, "month", 4),
    ):
        subject = hall.acme.id if level == "team" else hall.acme.org_id
        async with hall.server.data.write() as writer:
            quotas = hall.server.service(Quotas)
            await quotas.set_limit(writer, level, subject, "ai.requests", window, limit)
        assert (await budget())["ai.requests"]["remaining"] == left
    answer = await hall.acme.member.post("/api/ai/echo", {"text": "one"})
    assert answer.status_code == 200
    told = (await budget())["ai.requests"]
    assert (told["limit"], told["used"], told["remaining"], told["window"]) == (4, 1, 3, "hour")
    assert told["resets_at"].endswith("Z")


async def test_the_feature_and_the_permissions_stand_before_every_row(hall, triggers):
    made = await triggers.create()
    member = hall.acme.member
    assert (await member.get("/api/doc-triggers")).status_code == 200
    for method, path in (("post", ""), ("patch", f"/{made['id']}")):
        answer = await getattr(member, method)(f"/api/doc-triggers{path}", {"workflow_slug": SLUG})
        assert (answer.status_code, answer.json()["permission"]) == (403, "workflows:write")
    assert (await hall.globex.owner.get(f"/api/doc-triggers/{made['id']}")).status_code == 404
    assert (await hall.globex.owner.get("/api/doc-triggers")).json()["items"] == []
    await hall.set_feature(hall.acme, "workflows", False)
    answer = await triggers.admin.get("/api/doc-triggers")
    assert (answer.status_code, answer.json()["feature"]) == (403, "workflows")

"""A team saves a draft, publishes it, and goes back."""

import asyncio

import pytest

pytestmark = pytest.mark.any_database

EXPERIENCE = "/api/beta/experience"
EMAIL = {"name": "email", "type": "email", "label": "Work e-mail", "required": True}
DOCUMENT = {
    "fields": [EMAIL],
    "copy": {"en": {"title": "Ship on time", "submit": "Join", "thanks": "See you"}},
    "theme": {"radius": 4},
    "judge_prompt": "canary-judge-prompt",
}


async def title_at(hall, host=None, locale="en"):
    headers = {"Host": host} if host else {}
    answer = await hall.anonymous.get(f"/api/beta/config?locale={locale}", headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()["copy"]["title"]


def titled(text):
    return {"en": {**DOCUMENT["copy"]["en"], "title": text}}


async def test_a_draft_is_saved_read_again_and_seen_by_nobody_else(hall):
    before = await title_at(hall)
    first = await hall.operator.get(EXPERIENCE)
    assert (first.status_code, first.json()["version"], first.headers["etag"]) == (200, 0, '"0"')
    saved = await hall.operator.put(EXPERIENCE, DOCUMENT)
    assert saved.status_code == 200, saved.text
    read = (await hall.operator.get(EXPERIENCE)).json()
    assert read == saved.json() and DOCUMENT.items() <= read.items() and read["version"] == 1
    assert await title_at(hall) == before
    assert (await hall.acme.admin.get(EXPERIENCE)).json()["version"] == 0


async def test_fields_that_are_left_out_stay_and_null_takes_the_template_away(hall):
    await hall.operator.put(EXPERIENCE, {**DOCUMENT, "template": "<p>{{title}}</p>"})
    changed = (await hall.operator.put(EXPERIENCE, {"theme": {"radius": 9}})).json()
    assert changed["template"] == "<p>{{title}}</p>" and changed["judge_prompt"] == "canary-judge-prompt"
    assert changed["theme"] == {"radius": 9}
    assert (await hall.operator.put(EXPERIENCE, {"template": None})).json()["template"] is None


async def test_a_draft_can_be_sent_back_as_it_was_read_with_one_field_changed(hall):
    for name, changed in (("judge_prompt", "new"), ("theme", {"radius": 3})):
        read = (await hall.operator.get(EXPERIENCE)).json()
        sent = {**read, name: changed, "saved_by": "usr_somebody", "version": 99}
        answer = await hall.operator.put(EXPERIENCE, sent)
        assert answer.status_code == 200, answer.text
        assert answer.json()[name] == changed and answer.json()["saved_by"] == hall.operator.user_id
        assert answer.json()["version"] == read["version"] + 1


async def test_an_empty_template_is_none(hall, publish):
    published = await publish(hall.operator, template=" \n")
    assert published["template"] is None
    assert "<form" in (await hall.anonymous.get("/beta/template")).text


async def test_what_is_published_is_seen_by_the_next_visitor_and_its_draft_goes_on(hall, publish):
    published = await publish(hall.operator)
    assert (published["version"], published["current"]) == (1, True)
    assert await title_at(hall) == "Ship on time"
    await hall.operator.put(EXPERIENCE, {"copy": titled("Not yet")})
    assert await title_at(hall) == "Ship on time"


async def test_without_a_saved_draft_there_is_nothing_to_publish(hall):
    refused = await hall.operator.post(f"{EXPERIENCE}/publish")
    assert (refused.status_code, refused.json()["code"]) == (409, "no_draft")


async def test_publishing_twice_makes_one_version(hall, publish):
    first = await publish(hall.operator)
    again = await hall.operator.post(f"{EXPERIENCE}/publish")
    assert again.json() == first
    assert len((await hall.operator.get(f"{EXPERIENCE}/versions")).json()["items"]) == 1


async def test_a_hostname_shows_its_companys_and_any_other_the_first_companys(hall, publish, settle_at):
    await settle_at(hall.acme, "acme.example")
    await publish(hall.operator, copy=titled("House"))
    assert await title_at(hall, "acme.example") != "House"
    await publish(hall.acme.admin, copy=titled("Acme"))
    assert await title_at(hall, "ACME.example:8443") == "Acme"
    for other in ("globex.example", "evil.acme.example", "127.0.0.1:1"):
        assert await title_at(hall, other) == "House"


async def test_versions_are_the_teams_own_and_a_team_goes_back(hall, publish):
    for text in ("One", "Two", "Three"):
        await publish(hall.acme.admin, copy=titled(text))
    await publish(hall.acme.second_team.admin, copy=titled("Other team"))
    page = (await hall.acme.admin.get(f"{EXPERIENCE}/versions?limit=2")).json()
    assert [(one["version"], one["current"]) for one in page["items"]] == [(3, False), (2, False)]
    rest = (await hall.acme.admin.get(f"{EXPERIENCE}/versions?cursor={page['next_cursor']}")).json()
    assert [one["version"] for one in rest["items"]] == [1] and rest["next_cursor"] is None
    restored = await hall.acme.admin.post(f"{EXPERIENCE}/restore", {"version": 1})
    assert restored.json()["copy"] == titled("One")
    assert (await hall.acme.admin.post(f"{EXPERIENCE}/publish")).json()["version"] == 5
    for stranger in (hall.acme.admin, hall.globex.admin):
        assert (await stranger.post(f"{EXPERIENCE}/restore", {"version": 4})).status_code == 404
    assert (await hall.acme.admin.get(f"{EXPERIENCE}/versions?cursor=eA")).status_code == 400


async def test_only_who_manages_the_teams_settings_sees_or_changes_it(hall):
    for method, path, body in (
        ("GET", EXPERIENCE, None),
        ("PUT", EXPERIENCE, DOCUMENT),
        ("POST", f"{EXPERIENCE}/publish", None),
        ("GET", f"{EXPERIENCE}/versions", None),
        ("POST", f"{EXPERIENCE}/restore", {"version": 1}),
        ("GET", "/api/beta/assets", None),
    ):
        refused = await hall.acme.member.request(method, path, body)
        assert (refused.status_code, refused.json().get("permission")) == (403, "settings:manage"), path


async def test_a_save_over_what_somebody_else_saved_is_refused_where_the_caller_says_so(hall):
    etag = (await hall.operator.put(EXPERIENCE, DOCUMENT)).headers["etag"]
    await hall.operator.put(EXPERIENCE, {"theme": {"radius": 1}})
    stale = {"If-Match": etag}
    assert (await hall.operator.put(EXPERIENCE, {"theme": {}}, headers=stale)).status_code == 412
    assert (await hall.operator.post(f"{EXPERIENCE}/publish", headers=stale)).status_code == 412
    assert (await hall.operator.get(EXPERIENCE)).json()["theme"] == {"radius": 1}
    assert (await hall.operator.get(f"{EXPERIENCE}/versions")).json()["items"] == []


@pytest.mark.every_database
async def test_saves_and_publishes_at_once_lose_nothing_and_publish_whole_drafts(hall, publish):
    await publish(hall.operator)

    async def save(number):
        key = "title" if number % 2 else "subtitle"
        theme = {"radius": number}
        answer = await hall.operator.put(
            EXPERIENCE, {"copy": {"en": {key: f"{number}"}}, "theme": theme, "judge_prompt": f"{number}"}
        )
        assert answer.status_code in (200, 409), answer.text

    async def put_out():
        answer = await hall.operator.post(f"{EXPERIENCE}/publish")
        assert answer.status_code == 200, answer.text
        found = answer.json()
        if found["theme"] != DOCUMENT["theme"]:
            assert [*found["copy"]["en"].values()] == [f"{found['theme']['radius']}"]
            assert found["judge_prompt"] == f"{found['theme']['radius']}"

    await asyncio.gather(*(one for number in range(1, 9) for one in (save(number), put_out())))
    items = (await hall.operator.get(f"{EXPERIENCE}/versions")).json()["items"]
    versions = [one["version"] for one in items]
    assert (
        versions == sorted(set(versions), reverse=True) and [one["current"] for one in items].count(True) == 1
    )


@pytest.mark.every_database
async def test_two_partial_saves_at_once_keep_what_each_of_them_changed(hall):
    await hall.operator.put(EXPERIENCE, DOCUMENT)
    both = await asyncio.gather(
        hall.operator.put(EXPERIENCE, {"theme": {"radius": 7}}),
        hall.operator.put(EXPERIENCE, {"judge_prompt": "new"}),
    )
    assert [one.status_code for one in both] == [200, 200]
    after = (await hall.operator.get(EXPERIENCE)).json()
    assert (after["theme"], after["judge_prompt"], after["version"]) == ({"radius": 7}, "new", 3)


WRONG_DRAFTS = [
    ({"fields": []}, "invalid_request", "/fields"),
    ({"judge": "x"}, "invalid_request", "/judge"),
    ({"fields": [{**EMAIL, "required": "yes"}]}, "invalid_request", "/fields/0/required"),
    ({"template": "{{{title}}}"}, "invalid_request", "/template"),
    ({"theme": {"text": "#ffffff"}}, "theme_invalid", "/theme/text"),
    ({"assets": {"logo": "ast_00000000000000000000000000"}}, "invalid_request", "/assets/logo"),
]


async def test_a_wrong_draft_is_refused_by_its_place_and_nothing_is_changed(hall):
    await hall.operator.put(EXPERIENCE, DOCUMENT)
    for change, code, pointer in WRONG_DRAFTS:
        refused = await hall.operator.put(EXPERIENCE, change)
        assert refused.status_code == 400, refused.text
        problem = refused.json()
        assert (problem["code"], problem["errors"][0]["pointer"]) == (code, pointer)
        assert (await hall.operator.get(EXPERIENCE)).json()["version"] == 1


async def test_versions_count_as_storage_and_what_does_not_fit_is_not_published(hall, publish):
    await publish(hall.acme.admin)
    limit = {"dimension": "storage.bytes", "limit": 1000, "window": "none"}
    assert (await hall.operator.post(f"/api/orgs/{hall.acme.org_id}/quota", limit)).status_code == 200
    await hall.acme.admin.put(EXPERIENCE, {"copy": titled("x" * 3000)})
    refused = await hall.acme.admin.post(f"{EXPERIENCE}/publish")
    assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")
    assert len((await hall.acme.admin.get(f"{EXPERIENCE}/versions")).json()["items"]) == 1


async def test_saving_and_publishing_are_in_the_trail_without_the_prompt(hall, publish):
    await publish(hall.operator)
    trail = (await hall.operator.get("/api/audit")).text
    assert "experience.saved" in trail and "experience.published" in trail
    assert "canary-judge-prompt" not in trail

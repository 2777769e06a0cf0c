"""A company's branding, over the instance's."""

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

ORG = "/api/org/branding"


def face(response, status=200):
    assert response.status_code == status, response.text
    return {name: value for name, value in response.json().items() if name != "palette"}


async def test_a_company_that_set_none_shows_the_instances(hall, give_logo):
    await hall.operator.put("/api/branding", {"title": "Hall", "tagline": "Together", "theme": {"radius": 3}})
    logo = await give_logo(hall.operator, "hall", at="/api/branding/logo")
    instance = {"title": "Hall", "tagline": "Together", "logo": logo, "theme": {"radius": 3}, "own": False}
    assert face(await hall.acme.org_admin.get(ORG)) == instance
    assert face(await hall.acme.viewer.get("/api/branding")) == instance


@pytest.mark.own_server
async def test_a_company_sets_its_own_for_its_people_alone(hall):
    own = {"title": "Acme", "tagline": "Everything", "theme": {"accent": "#7a1f5c"}}
    answer = face(await hall.acme.org_admin.put(ORG, own))
    assert answer == {**own, "logo": None, "own": True}
    assert face(await hall.acme.reader.get(ORG)) == answer
    for caller in (hall.acme.viewer, hall.acme.second_team.member):
        assert face(await caller.get("/api/branding")) == answer
    for caller in (hall.globex.owner, hall.operator, hall.anonymous):
        assert face(await caller.get("/api/branding"))["title"] == "Guildhall"
    assert face(await hall.globex.org_owner.get(ORG))["own"] is False


async def test_what_a_company_has_not_set_follows_the_instance(hall, give_logo):
    await hall.acme.org_owner.put(ORG, {"title": "Acme"})
    await hall.operator.put("/api/branding", {"title": "Hall", "tagline": "Together", "theme": {"radius": 3}})
    logo = await give_logo(hall.operator, "hall", at="/api/branding/logo")
    assert face(await hall.acme.org_owner.get(ORG)) == {
        "title": "Acme",
        "tagline": "Together",
        "logo": logo,
        "theme": {"radius": 3},
        "own": True,
    }
    assert face(await hall.acme.org_owner.put(ORG, {"logo": None}))["logo"] is None
    assert face(await hall.globex.org_owner.get(ORG))["logo"] == logo


async def test_a_company_theme_stands_over_the_default_and_not_over_the_instances(hall):
    """Its own light text would be read on the instance's dark page, but not on the default's."""
    dark = {"bg": "#000000", "surface": "#111111", "text": "#ffffff", "muted": "#cccccc"}
    contrasting = {"accent": "#8ab4f8", "on-accent": "#000000", "focus": "#ffffff", "danger": "#f2a29b"}
    whole = {**dark, **contrasting, "on-danger": "#000000"}
    assert (await hall.operator.put("/api/branding", {"theme": whole})).status_code == 200
    refused = await hall.acme.org_owner.put(ORG, {"theme": {"text": "#ffffff"}})
    assert (refused.status_code, refused.json()["token"]) == (400, "text")
    answer = (await hall.acme.org_owner.put(ORG, {"theme": {"radius": 1}})).json()
    assert answer["palette"]["bg"] == "#faf7f2"


@pytest.mark.own_server
async def test_dropping_it_brings_the_instances_back(hall, give_logo, rows_of):
    await hall.acme.org_owner.put(ORG, {"title": "Acme"})
    logo = await give_logo(hall.acme.org_owner, "acme")
    for _ in range(2):
        dropped = await hall.acme.org_owner.delete(ORG)
        assert (dropped.status_code, dropped.content) == (204, b"")
    assert face(await hall.acme.org_owner.get(ORG))["own"] is False
    assert (await hall.anonymous.get(logo)).status_code == 404
    assert await rows_of("branding_logos") == [] and await rows_of("brandings") == []


async def test_dropping_one_companys_leaves_the_others_alone(hall, give_logo):
    same = [await give_logo(company.org_owner, "the same mark") for company in (hall.acme, hall.globex)]
    assert same[0] == same[1]
    await hall.acme.org_owner.delete(ORG)
    assert face(await hall.globex.org_owner.get(ORG))["logo"] == same[1]
    assert (await hall.anonymous.get(same[1])).status_code == 200


async def test_an_org_reader_reads_and_does_not_write(hall, upload_of, svg):
    reader = hall.acme.reader
    assert face(await reader.get(ORG))["own"] is False
    for refused in (
        await reader.put(ORG, {"title": "Mine"}),
        await reader.delete(ORG),
        await reader.post(f"{ORG}/logo", upload_of(svg())),
    ):
        assert (refused.status_code, refused.json()["permission"]) == (403, "org:manage")
    assert face(await reader.get(ORG))["own"] is False


async def test_a_team_role_alone_opens_nothing_here(hall):
    for who in ("owner", "admin", "member", "viewer"):
        assert (await hall.acme[who].get(ORG)).status_code == 403, who
        assert (await hall.acme[who].put(ORG, {"title": "Mine"})).status_code == 403, who


async def test_another_companys_logo_cannot_be_taken_over(hall, give_logo):
    """It answers as for a logo that never existed, and the instance's cannot be taken either."""
    theirs = await give_logo(hall.globex.org_owner, "globex")
    instances = await give_logo(hall.operator, "hall", at="/api/branding/logo")
    never = "/api/branding/logos/" + "a" * 64
    same_id = {"headers": {"X-Request-Id": "same"}}
    answers = [
        (await hall.acme.org_owner.put(ORG, {"title": "Acme", "logo": url}, **same_id)).json()
        for url in (theirs, instances, never)
    ]
    assert answers[0] == answers[1] == answers[2]
    assert (answers[0]["status"], answers[0]["errors"][0]["pointer"]) == (400, "/logo")
    assert face(await hall.acme.org_owner.get(ORG))["own"] is False


@pytest.mark.every_database
async def test_a_suspended_company_is_shown_and_cannot_change(hall, give_logo, upload_of, svg, settle_at):
    await hall.acme.org_owner.put(ORG, {"title": "Acme"})
    logo = await give_logo(hall.acme.org_owner, "acme")
    await settle_at(hall.acme, "acme.example")
    await hall.suspend(hall.acme)
    for refused in (
        await hall.acme.org_owner.put(ORG, {"title": "Other"}),
        await hall.acme.org_owner.delete(ORG),
        await hall.acme.org_owner.post(f"{ORG}/logo", upload_of(svg())),
    ):
        assert (refused.status_code, refused.json()["code"]) == (402, "org_suspended")
    assert face(await hall.acme.org_owner.get(ORG))["title"] == "Acme"
    visited = await hall.anonymous.get("/api/branding", headers={"Host": "acme.example"})
    assert face(visited)["title"] == "Acme"
    assert (await hall.anonymous.get(logo)).status_code == 200


@pytest.mark.own_server
async def test_changes_stand_in_the_companys_trail(hall, give_logo, rows_of):
    owner = hall.acme.org_owner
    await owner.put(ORG, {"title": "Acme", "logo": None})
    logo = await give_logo(owner, "acme")
    await owner.delete(ORG)
    await owner.delete(ORG)
    events = (await owner.get("/api/org/audit")).json()["items"]
    mine = [event for event in reversed(events) if event["action"].startswith("branding.")]
    wanted = ["branding.changed", "branding.logo_changed", "branding.dropped"]
    assert [event["action"] for event in mine] == wanted
    assert {event["target"]["id"] for event in mine} == {hall.acme.org_id}
    assert mine[0]["detail"] == {"fields": ["logo", "title"]}
    assert mine[1]["detail"]["digest"] == logo.rpartition("/")[2]
    chains = {event["chain"] for event in await rows_of("audit_events", "action LIKE 'branding.%'")}
    assert chains == {hall.acme.org_id}
    assert "branding." not in (await hall.globex.org_owner.get("/api/org/audit")).text

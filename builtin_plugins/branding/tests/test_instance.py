"""The instance's branding."""

import pytest

pytestmark = pytest.mark.any_database

SHIPPED = {"title": "Guildhall", "tagline": "", "logo": None, "theme": {}, "own": False}
READABLE = {"accent": "#7a1f5c", "dark-accent": "#f2b8d9", "dark-on-accent": "#3a0b2a", "radius": 4}


def face(response, status=200):
    assert response.status_code == status, response.text
    return {name: value for name, value in response.json().items() if name != "palette"}


async def test_an_instance_that_set_nothing_looks_as_shipped(hall):
    response = await hall.anonymous.get("/api/branding")
    assert face(response) == SHIPPED
    palette = response.json()["palette"]
    assert palette["radius"] == 10 and palette["bg"].startswith("#") and len(palette) == 21


async def test_an_operator_sets_it_and_everybody_sees_it(hall):
    change = {"title": "Example Hall", "tagline": "Come in – ¡bienvenidos! 🏛", "theme": READABLE}
    wanted = {**SHIPPED, **change}
    assert face(await hall.operator.put("/api/branding", change)) == wanted
    for caller in (hall.anonymous, hall.operator, hall.acme.viewer, hall.globex.owner):
        assert face(await caller.get("/api/branding")) == wanted
    palette = (await hall.anonymous.get("/api/branding")).json()["palette"]
    assert (palette["accent"], palette["radius"], palette["text"]) == ("#7a1f5c", 4, "#231e19")


async def test_fields_that_are_left_out_stay_as_they_are(hall, give_logo):
    await hall.operator.put("/api/branding", {"title": "One", "tagline": "Two", "theme": {"radius": 2}})
    logo = await give_logo(hall.operator, "mark", at="/api/branding/logo")
    changed = await hall.operator.put("/api/branding", {"tagline": "Three"})
    assert face(changed) == {
        "title": "One",
        "tagline": "Three",
        "logo": logo,
        "theme": {"radius": 2},
        "own": False,
    }
    assert face(await hall.operator.put("/api/branding", {"tagline": ""}))["tagline"] == ""


async def test_a_theme_replaces_the_one_before(hall):
    await hall.operator.put("/api/branding", {"theme": READABLE})
    assert face(await hall.operator.put("/api/branding", {"theme": {"radius": 0}}))["theme"] == {"radius": 0}
    assert face(await hall.operator.put("/api/branding", {"theme": {}}))["theme"] == {}


@pytest.mark.every_database
async def test_an_empty_change_changes_nothing(hall, rows_of):
    assert face(await hall.operator.put("/api/branding", {})) == SHIPPED
    assert await rows_of("brandings") == []
    assert await rows_of("audit_events", "action LIKE 'branding.%'") == []


async def test_only_an_operator_changes_it(hall, upload_of, svg):
    for who in ("owner", "admin", "viewer", "org_owner"):
        caller = hall.acme[who]
        for refused in (
            await caller.put("/api/branding", {"title": "Mine"}),
            await caller.post("/api/branding/logo", upload_of(svg())),
        ):
            assert (refused.status_code, refused.json()["permission"]) == (403, "instance:manage"), who
    assert face(await hall.anonymous.get("/api/branding")) == SHIPPED


BAD_FIELDS = [
    *(
        ("title", text)
        for text in ("", " \u3000\t", "x" * 81, "two\nlines", "tab\there", "\x1b[31mred", "\x85")
    ),
    *(("title", value) for value in ("line\u2028line", "evil\u202egnp.exe", None, 1)),
    *(("tagline", value) for value in ("x" * 201, "bell\x07", "para\u2029para", None)),
    ("logo", "https://evil.example/x.png"),
    ("logo", "/api/branding/logos/" + "0" * 64),
    *(("logo", value) for value in ("/api/branding/logos/../../x", "", 5, "x" * 1000)),
    *(("theme", value) for value in (None, [], "dark")),
    ("own", True),
    ("palette", {}),
    ("org_id", "org_0"),
]


async def test_a_bad_field_is_named_and_nothing_changes(hall):
    for field, value in BAD_FIELDS:
        refused = await hall.operator.put("/api/branding", {"title": "Fine", "tagline": "Fine", field: value})
        assert refused.status_code == 400, (field, value, refused.text)
        assert [error["pointer"] for error in refused.json()["errors"]] == [f"/{field}"], (field, value)
        assert face(await hall.anonymous.get("/api/branding")) == SHIPPED, (field, value)


async def test_words_may_be_as_long_as_they_may(hall):
    change = {"title": "é" * 80, "tagline": "🏛" * 200}
    assert face(await hall.operator.put("/api/branding", change)) == {**SHIPPED, **change}


@pytest.mark.parametrize("path", ["/api/branding", "/api/org/branding"])
async def test_a_theme_that_cannot_be_read_names_the_token_and_the_ratio(hall, path):
    refused = await hall.operator.put(path, {"title": "New", "theme": {"dark-muted": "#444444"}})
    assert refused.status_code == 400
    problem = refused.json()
    assert (problem["code"], problem["token"]) == ("theme_invalid", "dark-muted")
    assert (problem["ratio"], problem["floor"], problem["against"]) == (1.9, 4.5, "dark-bg")
    assert [error["pointer"] for error in problem["errors"]] == ["/theme/dark-muted"] * 2
    assert face(await hall.operator.get(path)) == SHIPPED


BAD_THEMES = [
    ({"colour": "#ffffff"}, "colour"),
    ({"bg": "white"}, "bg"),
    ({"radius": 25}, "radius"),
    ({"radius": True}, "radius"),
    ({"text": "#ffffff"}, "text"),
    ({"bg": "#231e19"}, "bg"),
    ({"on-danger": "#b3261e"}, "on-danger"),
    ({"x" * 100_000: 1}, "x" * 80),
]


async def test_a_refused_theme_is_400_theme_invalid(hall):
    for theme, token in BAD_THEMES:
        refused = await hall.operator.put("/api/branding", {"theme": theme})
        assert (refused.status_code, refused.json()["code"]) == (400, "theme_invalid"), token
        assert refused.json()["token"] == token


async def test_the_logo_is_removed_by_null_and_kept_by_its_own_url(hall, give_logo, rows_of):
    logo = await give_logo(hall.operator, "mark", at="/api/branding/logo")
    assert face(await hall.anonymous.get("/api/branding"))["logo"] == logo
    assert face(await hall.operator.put("/api/branding", {"logo": logo}))["logo"] == logo
    assert face(await hall.operator.put("/api/branding", {"logo": None}))["logo"] is None
    assert (await hall.anonymous.get(logo)).status_code == 404
    assert await rows_of("branding_logos") == []
    assert (await hall.operator.put("/api/branding", {"logo": logo})).status_code == 400


async def test_changes_stand_in_the_instances_trail_and_in_no_companys(hall, give_logo, rows_of):
    await hall.operator.put("/api/branding", {"title": "Hall", "theme": {}})
    await give_logo(hall.operator, "mark", at="/api/branding/logo")
    events = await rows_of("audit_events", "action LIKE 'branding.%' ORDER BY seq")
    assert [(event["chain"], event["action"]) for event in events] == [
        ("instance", "branding.changed"),
        ("instance", "branding.logo_changed"),
    ]
    assert {event["actor_id"] for event in events} == {hall.operator.user_id}
    assert all(event["request_id"] for event in events)
    assert events[0]["detail"] == '{"fields":["theme","title"]}'
    trail = (await hall.operator.get("/api/org/audit")).text
    assert "branding." not in trail

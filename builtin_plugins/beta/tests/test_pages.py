"""The root, and a team's own template."""

import re

import pytest

pytestmark = pytest.mark.any_database

HOSTILE = '"><script>alert(1)</script>&'


@pytest.fixture
async def funnel(open_hall):
    async with open_hall(SERVICE_HOME="beta") as opened:
        yield opened


async def test_the_page_stands_there_whole_in_the_visitors_language_before_any_script_runs(funnel, publish):
    copy = {"en": {"title": "Ship"}, "ar": {"title": "شحن", "subtitle": "على الوقت", "submit": "انضم"}}
    await publish(funnel.operator, copy=copy, theme={"accent": "#7a1f5c"})
    page = await funnel.anonymous.get("/?locale=ar")
    assert page.status_code == 200 and page.headers["content-type"] == "text/html; charset=utf-8"
    for piece in (
        '<html lang="ar" dir="rtl">',
        "شحن",
        "على الوقت",
        "انضم",
        "--accent:#7a1f5c",
        'name="email"',
    ):
        assert piece in page.text
    assert '<html lang="en" dir="ltr">' in (await funnel.anonymous.get("/")).text
    again = await funnel.anonymous.get("/?locale=ar", headers={"If-None-Match": page.headers["etag"]})
    assert again.status_code == 304


async def test_nothing_that_a_team_wrote_is_taken_for_html(funnel, publish):
    field = {"name": "email", "type": "email", "label": HOSTILE, "required": True}
    pick = {"name": "pick", "type": "select", "label": "Pick", "options": [HOSTILE]}
    keys = ("title", "subtitle", "submit", "thanks", "help_email", "option_pick_1", "footer", "privacy")
    await publish(funnel.operator, fields=[field, pick], copy={"en": dict.fromkeys(keys, HOSTILE)})
    text = (await funnel.anonymous.get("/")).text
    assert "<script>alert" not in text and "&lt;script&gt;alert(1)&lt;/script&gt;&amp;" in text
    await publish(funnel.operator, template='<a title="{{title}}">{{subtitle}}</a>')
    text = (await funnel.anonymous.get("/beta/template")).text
    assert "<script>alert" not in text


async def test_a_template_is_localized_and_sandboxed_and_any_page_may_frame_it(funnel, publish):
    template = (
        '<html lang="{{locale}}" dir="{{dir}}"><h1>{{title}}</h1>{{note}}{{absent}}<img src="{{hero}}">'
    )
    copy = {"en": {"title": "Ship", "note": "Note"}, "nl": {"title": "Verzend"}}
    hero = {"hero": "/beta/bundle/beta-onboarding/hero.svg"}
    await publish(funnel.operator, template=template, copy=copy, assets=hero)
    for path in ("/beta/template?locale=nl", "/?locale=nl"):
        page = await funnel.anonymous.get(path)
        assert '<html lang="nl" dir="ltr"><h1>Verzend</h1>Note<img src="/beta/bundle/' in page.text
        policy = page.headers["content-security-policy"]
        assert policy.startswith("sandbox allow-scripts allow-forms;") and "frame-ancestors *" in policy
        assert "allow-same-origin" not in policy and page.headers["vary"] == "Host, Accept-Language"
        assert "access-control-allow-origin" not in page.headers
    await publish(funnel.operator, template=None, copy=copy)
    page = await funnel.anonymous.get("/beta/template?locale=nl")
    assert "Verzend" in page.text and "sandbox" in page.headers["content-security-policy"]
    assert "sandbox" not in (await funnel.anonymous.get("/")).headers["content-security-policy"]


async def test_a_template_that_its_texts_make_too_long_is_refused_or_gives_way_to_the_default_page(
    funnel, publish
):
    copy = {"en": {"title": "x" * 5_000, "note": "Note"}, "nl": {"note": "", "subtitle": "Nog hier"}}
    repeated = "{{title}}" * 5_000
    refused = await funnel.operator.put("/api/beta/experience", {"copy": copy, "template": repeated})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/template")
    await publish(funnel.operator, template=f"<p>{{{{^note}}}}{repeated}{{{{/note}}}}</p>", copy=copy)
    assert (await funnel.anonymous.get("/?locale=en")).text == "<p></p>"
    for path in ("/?locale=nl", "/beta/template?locale=nl"):
        page = await funnel.anonymous.get(path)
        assert page.status_code == 200 and "Nog hier" in page.text


async def test_a_page_follows_the_branding_and_the_languages_that_it_was_filled_with(funnel, publish):
    await publish(funnel.operator, theme={}, copy={"en": {"title": "Ship"}, "nl": {"submit": "Doe mee"}})
    assert "· Guildhall</title>" in (await funnel.anonymous.get("/?locale=nl")).text
    await funnel.operator.put("/api/branding", {"title": "Hall", "theme": {"radius": 23}})
    text = (await funnel.anonymous.get("/?locale=nl")).text
    assert "Ship · Hall</title>" in text and "--radius:23px" in text and "Doe mee" in text


async def test_every_file_that_the_page_loads_is_there_and_a_sandboxed_page_may_load_it(funnel):
    text = (await funnel.anonymous.get("/")).text
    files = re.findall(r'<(?!a )[^>]*(?:src|href)="(/[^"]+)"', text)
    assert "/beta-sdk.js" in files
    for path in files:
        answer = await funnel.anonymous.get(path)
        assert answer.status_code == 200, path
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin", path


async def test_before_there_is_a_company_the_page_is_there_already(open_hall):
    async with open_hall(populated=False, SERVICE_HOME="beta") as fresh:
        config = await fresh.anonymous.get("/api/beta/config")
        assert (config.status_code, config.json()["published"], config.json()["version"]) == (200, False, 0)
        assert config.json()["copy"]["title"] in (await fresh.anonymous.get("/")).text

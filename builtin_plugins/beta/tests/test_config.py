"""What anybody may read of an experience, in one language."""

import pytest

from guildhall_sdk import Auth

pytestmark = pytest.mark.any_database

CONFIG = "/api/beta/config"
COPY = {
    "en": {
        "title": "Ship",
        "submit": "Join",
        "thanks": "Bye",
        "note": "Only here",
        "label_size": "Teams",
    },
    "nl": {"title": "Verzend", "label_email": "E-mailadres", "option_size_2": "Meer"},
    "nl-BE": {"title": "Zend"},
    "ar": {"title": "شحن"},
}
FIELDS = [
    {"name": "email", "type": "email", "label": "Work e-mail", "required": True},
    {"name": "size", "type": "select", "label": "Size", "options": ["1", "2+"]},
]


async def config(hall, query="", **headers):
    answer = await hall.anonymous.get(f"{CONFIG}{query}", headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
async def shown(hall, publish):
    await publish(hall.operator, copy=COPY, fields=FIELDS)
    return hall


async def test_each_text_comes_from_the_first_language_of_the_chain_that_has_it(shown):
    found = await config(shown, "?locale=nl-be")
    assert (found["locale"], found["dir"], found["version"]) == ("nl-BE", "ltr", 1)
    assert found["copy"]["title"] == "Zend" and found["copy"]["note"] == "Only here"
    email, size = found["fields"]
    assert (email["label"], size["label"]) == ("E-mailadres", "Teams")
    assert (size["options"], size["option_labels"]) == (["1", "2+"], ["1", "Meer"])
    assert [one["code"] for one in found["locales"]] == ["en", "nl", "nl-BE", "ar"]
    assert found["locales"][1]["name"] == "Nederlands"


LANGUAGES = [
    ("", "", "en"),
    ("", "nl;q=0.5, ar;q=0.9, en;q=0", "ar"),
    ("", "nl-NL, en;q=0.5", "nl"),
    ("", "fr, *;q=0.1", "en"),
    ("", "nl;q=2, ;;;,,\u00e9", "en"),
    ("?locale=ar", "nl", "ar"),
    ("?locale=fr", "", "en"),
    ("?locale=not_a_tag!", "", "en"),
]


async def test_the_language_is_the_one_in_the_address_else_the_browsers(shown):
    for query, accept, locale in LANGUAGES:
        headers = {"Accept-Language": accept.encode()} if accept else {}
        found = await config(shown, query, **headers)
        assert (found["locale"], found["dir"]) == (locale, "rtl" if locale == "ar" else "ltr")


async def test_where_people_may_not_choose_the_browsers_language_does_not_matter(shown):
    assert (await shown.operator.put("/api/i18n", {"switching": False})).status_code == 200
    assert (await config(shown, **{"Accept-Language": "nl"}))["locale"] == "en"


async def test_an_experience_without_words_speaks_with_ours(hall, publish):
    await publish(hall.operator, copy={})
    found = await config(hall, "?locale=nl")
    assert (found["locale"], found["copy"]["submit"], found["copy"]["subtitle"]) == (
        "nl",
        "Toegang vragen",
        "",
    )


async def test_who_comes_again_with_the_tag_gets_nothing_new_until_the_next_publish(shown, publish):
    first = await shown.anonymous.get(CONFIG)
    assert first.headers["cache-control"] == "no-cache" and "Host" in first.headers["vary"]
    again = {"If-None-Match": first.headers["etag"]}
    assert (await shown.anonymous.get(CONFIG, headers=again)).status_code == 304
    await publish(shown.operator, theme={"radius": 1})
    assert (await shown.anonymous.get(CONFIG, headers=again)).status_code == 200


async def test_every_other_origin_may_read_it(shown):
    answer = await shown.anonymous.get(CONFIG, headers={"Origin": "null"})
    assert answer.headers["access-control-allow-origin"] == "*"
    preflight = await shown.anonymous.request(
        "OPTIONS", CONFIG, headers={"Origin": "null", "Access-Control-Request-Method": "GET"}
    )
    assert preflight.status_code in (200, 204)


async def test_every_other_origin_may_read_that_a_method_is_not_possible(hall):
    for method, path in (("GET", "/api/beta/signup"), ("POST", "/api/beta/challenge"), ("PUT", CONFIG)):
        refused = await hall.anonymous.request(method, path, headers={"Origin": "https://other.example"})
        assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (405, "*")
    closed = await hall.anonymous.request("PATCH", "/api/beta/prospects", headers={"Origin": "null"})
    assert closed.status_code == 405 and "access-control-allow-origin" not in closed.headers


async def test_an_experience_without_a_theme_looks_like_its_companys_branding(hall, publish, settle_at):
    await settle_at(hall.acme, "acme.example")
    await hall.acme.org_owner.put("/api/org/branding", {"title": "Acme Ltd", "theme": {"radius": 21}})
    await publish(hall.acme.admin, theme={})
    found = await config(hall, Host="acme.example")
    assert (found["theme"]["radius"], found["brand"]) == (21, "Acme Ltd")
    await publish(hall.acme.admin, theme={"radius": 2})
    assert (await config(hall, Host="acme.example"))["theme"]["radius"] == 2


async def test_nothing_of_the_judge_prompt_is_on_any_public_row(hall, publish):
    await publish(hall.operator, template="<p>{{title}}{{judge_prompt}}</p>")
    published = (await hall.operator.get("/api/beta/experience/versions")).json()["items"][0]
    rows = [bound.row for bound in hall.registry.routes()]
    public = {row.path for row in rows if row.auth is Auth.PUBLIC and not {":", "*"} & {*row.path}}
    assert {CONFIG, "/", "/beta/template", "/api/beta/challenge"} <= public
    for path in public:
        text = (await hall.anonymous.get(path)).text
        assert "canary-judge-prompt" not in text and published["published_by"] not in text, path

"""What a fresh server shows: a page that reads well in every language that ships, and its picture."""

import re

import pytest

pytestmark = pytest.mark.any_database

LANGUAGES = ("en", "es", "nl", "is")


@pytest.fixture
async def fresh(open_hall):
    async with open_hall(populated=False, SERVICE_HOME="beta") as opened:
        yield opened


async def test_it_is_the_experience_of_a_fresh_server_in_every_shipped_language(fresh):
    seen = []
    for language in LANGUAGES:
        found = (await fresh.anonymous.get(f"/api/beta/config?locale={language}")).json()
        assert (found["locale"], found["published"]) == (language, False)
        assert [one["code"] for one in found["locales"]] == [*LANGUAGES]
        assert [field["name"] for field in found["fields"]] == ["name", "email", "team_size", "goal"]
        page = (await fresh.anonymous.get(f"/?locale={language}")).text
        for text in (found["copy"]["title"], found["copy"]["submit"], found["fields"][3]["label"]):
            assert text in page
        seen.append(found["copy"])
    # Nothing is left in the source language but names.
    for key, text in seen[0].items():
        alike = [copy[key] for copy in seen[1:] if copy[key] == text]
        assert not alike or key == "brand", key


NO_MAIL = {
    "en": "No mail is sent now",
    "es": "Ahora no se envía ningún correo",
    "nl": "Er wordt nu geen e-mail verstuurd",
    "is": "Enginn tölvupóstur er sendur núna",
}


async def test_it_promises_no_mail_that_nobody_sends(fresh):
    for language, words in NO_MAIL.items():
        copy = (await fresh.anonymous.get(f"/api/beta/config?locale={language}")).json()["copy"]
        assert words in copy["thanks"]


@pytest.mark.every_database
async def test_its_picture_is_there_and_judged_as_any_other(fresh):
    hero = (await fresh.anonymous.get("/api/beta/config")).json()["assets"]["hero"]
    picture = await fresh.anonymous.get(hero)
    assert (picture.status_code, picture.headers["content-type"].partition(";")[0]) == (200, "image/svg+xml")
    assert not re.search("<script|href=|url\\(", picture.text)

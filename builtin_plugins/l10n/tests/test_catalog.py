"""The catalog that screens read: its chain, its texts and how it is cached."""

import json
import os

import pytest

from builtin_plugins.l10n import catalogs
from builtin_plugins.l10n.catalogs.files import read_catalogs
from builtin_plugins.l10n.catalogs.policy import bump_revision
from builtin_plugins.l10n.tests.emptying import empty
from guildhall_sdk import Plugin, Statement, hookimpl
from guildhall_sdk.services.localization import Localization, MessageCatalogs

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

CATALOG = "/api/i18n/catalog"
_OPEN = "INSERT INTO l10n_locales (code, opened_at) VALUES (:code, 0)"
OPEN = Statement("open", _OPEN, _OPEN)


async def read(client, locale=None, status=200):
    answer = await client.get(CATALOG, params={} if locale is None else {"locale": locale})
    assert answer.status_code == status, answer.text
    return answer.json()


@pytest.fixture
async def hall(hall):
    await empty(hall)
    return hall


@pytest.fixture
def overlay(hall, served):
    """`await overlay("nl", {…})`: a file below the data folder, read at the next change."""
    folder = hall.server.settings.data / "locales"

    async def write(locale, content):
        folder.mkdir(exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"{locale}.json").write_text(text, "utf-8")
        async with hall.server.data.write() as writer:
            await bump_revision(writer)
        await served.settle()

    return write


async def test_anybody_reads_the_texts_of_screens(hall):
    found = await read(hall.anonymous)
    assert (found["locale"], found["chain"], found["messages"]["nav.notes"]) == ("en", ["en"], "Notes")
    dutch = await read(hall.anonymous, "nl")
    assert (dutch["chain"], dutch["messages"]["nav.notes"]) == (["nl", "en"], "Notities")
    assert dutch["messages"].keys() == found["messages"].keys()


async def test_a_text_is_looked_for_along_the_chain(hall):
    await hall.operator.put("/api/i18n", {"default_locale": "is"})
    found = await read(hall.anonymous, "nl-be")
    assert (found["locale"], found["chain"]) == ("nl-BE", ["nl-BE", "nl", "is", "en"])
    assert found["messages"]["nav.notes"] == "Notities"
    unknown = await read(hall.anonymous, "xx-YY")
    assert (unknown["locale"], unknown["chain"]) == ("xx-YY", ["xx-YY", "xx", "is", "en"])
    assert unknown["messages"] == (await read(hall.anonymous, "is"))["messages"]
    assert (await read(hall.anonymous))["locale"] == "is"


NO_TAGS = ["", "n", "nl_BE", "nl BE", "nl-", "../en", "nl\0", "x" * 36]


async def test_what_is_no_language_tag_is_refused_by_name(hall):
    for locale in NO_TAGS:
        answer = await hall.anonymous.get(CATALOG, params={"locale": locale})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
        assert "locale" in answer.json()["errors"][0]["pointer"]


async def test_who_has_the_catalog_is_answered_304(hall, approve):
    first = await hall.anonymous.get(CATALOG, params={"locale": "nl"})
    assert first.headers["cache-control"] == "no-cache"
    held = {"If-None-Match": first.headers["etag"]}
    again = await hall.anonymous.get(CATALOG, params={"locale": "nl"}, headers=held)
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    await approve("nl", "nav.notes", "Kladjes")
    changed = await hall.anonymous.get(CATALOG, params={"locale": "nl"}, headers=held)
    assert (changed.status_code, changed.json()["messages"]["nav.notes"]) == (200, "Kladjes")
    region = await hall.anonymous.get(CATALOG, params={"locale": "nl-BE"}, headers=held)
    assert region.status_code == 200


async def test_the_catalog_without_a_wish_changes_its_tag_with_the_default(hall):
    first = await hall.anonymous.get(CATALOG)
    await hall.operator.put("/api/i18n", {"default_locale": "es"})
    again = await hall.anonymous.get(CATALOG, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.json()["locale"]) == (200, "es")


async def test_an_approved_text_stands_before_the_file_while_it_fits_the_source(hall, approve, overlay):
    await approve("nl", "nav.notes", "Kladjes van nu")
    assert (await read(hall.anonymous, "nl"))["messages"]["nav.notes"] == "Kladjes van nu"
    await overlay("en", {"nav.notes": "Notes of {name}"})
    assert (await read(hall.anonymous, "en"))["messages"]["nav.notes"] == "Notes of {name}"
    assert (await read(hall.anonymous, "nl"))["messages"]["nav.notes"] == "Notes of {name}"


async def test_a_file_below_the_data_folder_lies_over_the_shipped_one(hall, overlay):
    shipped = (await read(hall.anonymous, "is"))["messages"]
    await overlay("is", {"nav.notes": "Glósur", "nav.unheard": "Enginn þekkir þetta"})
    assert (await read(hall.anonymous, "is"))["messages"] == {**shipped, "nav.notes": "Glósur"}


async def test_a_file_for_a_new_language_makes_it_one_to_choose(hall, overlay):
    await overlay("ar", {"nav.notes": "ملاحظات"})
    policy = (await hall.anonymous.get("/api/config")).json()["localization"]
    assert policy["locales"][-1] == {"code": "ar", "name": "العربية", "dir": "rtl"}
    assert (await read(hall.anonymous, "ar-EG"))["messages"]["nav.notes"] == "ملاحظات"


async def test_a_link_a_pipe_and_a_huge_file_are_not_read(hall, overlay, caplog, tmp_path):
    folder = hall.server.settings.data / "locales"
    folder.mkdir(exist_ok=True)
    (tmp_path / "secret.json").write_text('{"nav.notes": "Secret"}')
    (folder / "nl.json").symlink_to(tmp_path / "secret.json")
    with (folder / "is.json").open("wb") as huge:
        huge.truncate(8 * 1024 * 1024 + 1)
    os.mkfifo(folder / "es.json")
    await overlay("en", {"nav.notes": "{"})
    for locale, text in {"nl": "Notities", "is": "Minnispunktar", "es": "Notas", "en": "Notes"}.items():
        assert (await read(hall.anonymous, locale))["messages"]["nav.notes"] == text
    assert all(record.fields["problem"] for record in caplog.records if record.message == "l10n.file_refused")
    refused = [record.fields["file"] for record in caplog.records if record.message == "l10n.file_refused"]
    assert sorted(refused) == ["en.json", "es.json", "is.json", "nl.json"]


async def test_a_tag_that_nobody_translates_takes_no_memory(hall, served):
    await read(hall.anonymous, "nl")
    for number in range(10):
        await read(hall.anonymous, f"nl-x-{number}")
        await read(hall.anonymous, f"qq-{number:03}")
    edition = served._edition
    assert {*edition.catalogs} == {("nl", "en"), ("en",)} and {*edition.replies} == {"nl"}


# The policy


async def test_the_policy_counts_from_the_next_request(hall):
    answer = await hall.operator.put("/api/i18n", {"default_locale": "NL", "switching": False})
    assert answer.status_code == 200, answer.text
    assert (answer.json()["default_locale"], answer.json()["switching"]) == ("nl", False)
    assert [one["code"] for one in answer.json()["locales"]] == ["en", "es", "nl", "is"]
    assert (await hall.anonymous.get("/api/config")).json()["localization"] == answer.json()
    again = await hall.operator.put("/api/i18n", {"switching": True})
    assert (again.json()["default_locale"], again.json()["switching"]) == ("nl", True)


@pytest.mark.every_database
async def test_a_language_without_texts_can_be_the_default_once_it_is_opened(hall, served):
    refused = await hall.operator.put("/api/i18n", {"default_locale": "fr"})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
    assert refused.json()["errors"][0]["pointer"] == "/default_locale"
    async with hall.server.data.write() as writer:
        await writer.run(OPEN, code="fr")
        await bump_revision(writer)
    await served.settle()
    codes = [one.code for one in (await served.policy()).locales]
    assert "fr" not in codes
    answer = await hall.operator.put("/api/i18n", {"default_locale": "fr"})
    assert answer.json()["locales"][-1] == {"code": "fr", "name": "Français", "dir": "ltr"}


APPROVE_SOME = """
    UPDATE l10n_messages SET text = 'x', approved_text = 'x', status = 'approved'
    WHERE locale = 'fr' AND key IN (
        SELECT key FROM l10n_messages WHERE locale = 'fr' ORDER BY key LIMIT :count
    )
"""


@pytest.mark.long_form
async def test_a_language_is_offered_when_four_fifths_of_it_are_approved(hall, served):
    localizer = await hall.join(hall.acme, "localizer")
    for body in ({}, {"locale": "fr"}):
        assert (await localizer.post("/api/l10n/import", body)).status_code == 200
    listed = (await localizer.get("/api/l10n/coverage")).json()["items"]
    total = next(one["total"] for one in listed if one["locale"] == "fr")
    enough = -(-total * 4 // 5)
    for count, is_offered in ((1, False), (enough - 1, False), (enough, True)):
        async with hall.server.data.write() as writer:
            await writer.run(Statement("approve_some", APPROVE_SOME, APPROVE_SOME), count=count)
            await bump_revision(writer)
        await served.settle()
        offered = (await hall.anonymous.get("/api/config")).json()["localization"]["locales"]
        assert ("fr" in [one["code"] for one in offered]) is is_offered


BAD_POLICIES = [
    ({"default_locale": "xx"}, "/default_locale"),
    ({"default_locale": "nl_NL"}, "/default_locale"),
    ({"default_locale": None}, "/default_locale"),
    ({"switching": "yes"}, "/switching"),
    ({"locales": ["nl"]}, "/locales"),
]


async def test_a_bad_policy_is_refused_with_its_place(hall):
    for body, pointer in BAD_POLICIES:
        before = (await hall.anonymous.get("/api/config")).json()
        answer = await hall.operator.put("/api/i18n", body)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
        assert answer.json()["errors"][0]["pointer"] == pointer
        assert (await hall.anonymous.get("/api/config")).json() == before


@pytest.mark.every_database
@pytest.mark.own_server
async def test_only_an_operator_sets_the_policy_and_the_trail_says_what_changed(hall, rows):
    for who in ("owner", "admin", "org_owner"):
        answer = await hall.acme[who].put("/api/i18n", {"switching": False})
        assert (answer.status_code, answer.json()["permission"]) == (403, "instance:manage")
    assert (await hall.anonymous.put("/api/i18n", {"switching": False})).status_code == 401
    await hall.operator.put("/api/i18n", {})
    await hall.operator.put("/api/i18n", {"default_locale": "en", "switching": False})
    await hall.operator.put("/api/i18n", {"switching": False})
    [event] = await rows("audit_events", "action = 'localization.changed'")
    assert json.loads(event["detail"]) == {"from": {"switching": True}, "to": {"switching": False}}


# Plugins


def plugin_with(folder, namespace="harbour", plugin_id="harbour"):
    class Harbour:
        PLUGIN = Plugin(id=plugin_id, name="Harbour", version="1.0", description="Ships.", requires=("l10n",))

        @staticmethod
        @hookimpl
        def declare_catalogs():
            return [MessageCatalogs(namespace=namespace, folder=folder)]

    return Harbour


def write_catalogs(folder, **catalogs):
    for locale, texts in catalogs.items():
        (folder / f"{locale}.json").write_text(json.dumps(texts))


async def test_a_plugin_brings_the_texts_of_its_screens(open_hall, tmp_path):
    source = {"harbour.ships": "{count, plural, one {# ship} other {# ships}}", "harbour.title": "Harbour"}
    write_catalogs(tmp_path, en=source, nl={"harbour.title": "Haven"}, fr={"harbour.title": "Port"})
    async with open_hall(plugin_with(tmp_path)) as hall:
        dutch = (await read(hall.anonymous, "nl"))["messages"]
        assert (dutch["harbour.title"], dutch["harbour.ships"]) == ("Haven", source["harbour.ships"])
        assert dutch["nav.notes"] == "Notities"
        # French is no language to choose by one plugin's texts, and they are there for who asks.
        assert (await read(hall.anonymous, "fr"))["messages"]["harbour.title"] == "Port"
        policy = (await hall.anonymous.get("/api/config")).json()["localization"]
        assert [one["code"] for one in policy["locales"]] == ["en", "es", "nl", "is"]
        refused = await hall.operator.put("/api/i18n", {"default_locale": "fr"})
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/default_locale")
        localization = hall.server.service(Localization)
        own = await localization.messages("nl-BE", "harbour")
        assert own == {"harbour.title": "Haven", "harbour.ships": source["harbour.ships"]}
        assert await localization.chain("nl-BE") == ("nl-BE", "nl", "en")
        assert await localization.chain("no tag!") == ("en",)


async def test_a_plugin_with_bad_catalogs_stays_out_with_the_place(open_hall, tmp_path):
    write_catalogs(tmp_path, en={"harbour.title": "Harbour"}, nl={"harbour.tilte": "Haven"})
    async with open_hall(plugin_with(tmp_path), allow_refused=True) as hall:
        items = (await hall.operator.get("/api/plugins")).json()["items"]
        [status] = [item for item in items if item["id"] == "harbour"]
        assert status["status"] == "quarantined"
        assert "nl.json has the key harbour.tilte, which en.json has not" in status["reason"]


async def test_files_are_read_again_only_where_one_has_changed(hall, approve, overlay, monkeypatch):
    reads = []

    def counted(*places):
        reads.append(places)
        return read_catalogs(*places)

    await read(hall.anonymous, "nl")
    monkeypatch.setattr(catalogs.served, "read_catalogs", counted)
    for text in ("Kladjes", "Krabbels", "Aantekeningen"):
        await approve("nl", "nav.notes", text)
        assert (await read(hall.anonymous, "nl"))["messages"]["nav.notes"] == text
    assert reads == []
    for text in ("Een", "Bis"):
        await overlay("nl", {"nav.files": text})
        assert (await read(hall.anonymous, "nl"))["messages"]["nav.files"] == text
    assert len(reads) == 2

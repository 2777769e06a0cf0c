"""Import: what the files say, and never instead of what a person wrote."""

import asyncio
import json
import shutil

import pytest

from builtin_plugins.l10n.messages.tests.conftest import SOURCES, TEXTS
from libs import fair_slots

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

NONE = {"imported": 0, "updated": 0, "stale": 0}


async def test_texts_of_files_are_approved_and_the_rest_is_missing(imported):
    found = await imported.messages()
    assert {key: (item["status"], item["text"]) for key, item in found.items()} == {
        **{key: ("approved", text) for key, text in TEXTS.items()},
        "demo.upper": ("missing", None),
    }
    title = found["demo.title"]
    assert title["id"].startswith("msg_") and title["ns"] == "demo" and title["origin"] == "file"
    assert [entry["action"] for entry in await imported.history(title)] == ["imported"]


async def test_importing_again_changes_nothing(imported):
    before = await imported.messages()
    assert await imported.import_all() == NONE
    assert await imported.messages() == before


@pytest.mark.parametrize(("given", "locale"), [("nl-be", "nl-BE"), ("qq", "qq"), ("ca-valencia",) * 2])
async def test_a_new_language_is_opened_with_everything_missing(imported, given, locale):
    answer = await imported.import_all(locale=given)
    coverage = await imported.coverage(locale)
    assert answer["imported"] == coverage["total"] == coverage["missing"] > 0
    assert await imported.import_all() == NONE


NO_TARGETS = ["en", "n", "nl_BE", "n l", "toolonglanguage", "nl-"]


async def test_what_is_no_target_is_refused_by_name(bureau):
    for locale in NO_TARGETS:
        status, answer = await bureau.localizer.call("POST", "/api/l10n/import", {"locale": locale})
        assert (status, answer["code"]) == (400, "invalid_request")
        assert answer["errors"][0]["pointer"] == "/locale"
        assert await bureau.coverage("nl") is None


async def test_a_changed_source_makes_a_text_stale_and_keeps_the_old_source_beside_the_new(imported):
    imported.put_file("en", {**SOURCES, "demo.title": "Welcome back", "demo.upper": "SCHOOL"})
    assert await imported.import_all(locale="nl") == {"imported": 0, "updated": 1, "stale": 1}
    found = await imported.messages()
    title, upper = found["demo.title"], found["demo.upper"]
    assert (title["status"], title["text"]) == ("stale", "Welkom")
    assert (title["previous_source"], title["source"]) == ("Welcome", "Welcome back")
    assert (upper["status"], upper["source"], upper["previous_source"]) == ("missing", "SCHOOL", None)
    assert await imported.import_all(locale="nl") == NONE
    imported.put_file("en", SOURCES)
    await imported.import_all()
    title = await imported.message()
    assert (title["status"], title["previous_source"]) == ("approved", None)


async def test_a_text_that_changed_with_its_source_is_no_stale_one(imported):
    imported.put_file("en", {**SOURCES, "demo.title": "Welcome back"})
    imported.put_file("nl", {**TEXTS, "demo.title": "Welkom terug"})
    assert await imported.import_all(locale="nl") == {"imported": 0, "updated": 1, "stale": 0}
    title = await imported.message()
    assert (title["status"], title["approved_text"]) == ("approved", "Welkom terug")


async def test_a_text_of_a_person_is_never_replaced(imported):
    found = await imported.messages()
    for key, text in (("demo.title", "Hoi"), ("demo.upper", "SCHOOL"), ("demo.hello", "Dag {name}")):
        assert (await imported.submit(found[key], text))[0] == 200
    await imported.review(found["demo.upper"])
    await imported.review(found["demo.hello"], "return", comment="Te stijf")
    imported.put_file("nl", dict.fromkeys(["demo.title", "demo.upper"], "Van de schijf"))
    assert await imported.import_all(locale="nl") == NONE
    imported.put_file("en", {key: f"{text}!" for key, text in SOURCES.items()})
    assert (await imported.import_all(locale="nl"))["stale"] == 4
    found = await imported.messages()
    assert {key: item["text"] for key, item in found.items()} == {
        **TEXTS,
        "demo.title": "Hoi",
        "demo.upper": "SCHOOL",
        "demo.hello": "Dag {name}",
    }
    assert {item["status"] for item in found.values()} == {"stale"}
    assert found["demo.upper"]["approved_text"] == "SCHOOL"


async def test_a_file_text_that_does_not_fit_its_source_stays_missing_with_the_reason(bureau):
    bureau.put_file("nl", {"demo.hello": "Hallo {naam}", "demo.notes": "{count, plural, one {1}}"})
    await bureau.import_all()
    found = await bureau.messages()
    assert {found[key]["status"] for key in ("demo.hello", "demo.notes")} == {"missing"}
    assert "nl.json" in found["demo.hello"]["problem"] and "{name}" in found["demo.hello"]["problem"]
    bureau.put_file("nl", TEXTS)
    await bureau.import_all()
    hello = await bureau.message("demo.hello")
    assert (hello["status"], hello["problem"]) == ("approved", None)


async def test_the_reason_why_a_file_text_was_not_taken_comes_and_goes_with_it(bureau):
    async def problems(**texts):
        bureau.put_file("nl", {f"demo.{key}": text for key, text in texts.items()})
        counts = await bureau.import_all(locale="nl")
        found = await bureau.messages()
        return counts["updated"], found["demo.hello"]["problem"], found["demo.title"]["problem"]

    bureau.put_file("nl", {"demo.hello": "Hallo {naam}"})
    await bureau.import_all()
    assert await problems(hello="Hallo {name}", title="Welkom") == (2, None, None)
    updated, hello, title = await problems(hello="Hallo {naam}", title="{x}")
    assert updated == 0 and "{name}" in hello and "{x}" in title
    assert (await bureau.message())["text"] == "Welkom"
    assert await problems(hello="Hallo {naam}", title="{x}") == (0, hello, title)
    assert await problems(hello="Hallo {name}", title="Welkom") == (0, None, None)


async def test_a_text_for_an_opened_message_that_does_not_fit_is_said_too(imported):
    imported.put_file("nl", {**TEXTS, "demo.upper": "{x}"})
    assert await imported.import_all() == NONE
    upper = await imported.message("demo.upper")
    assert upper["status"] == "missing" and "{x}" in upper["problem"]
    assert await imported.import_all() == NONE


async def test_a_key_that_left_the_source_is_neither_listed_nor_counted_and_comes_back_as_it_was(imported):
    title = await imported.message()
    await imported.submit(title, "Hoi")
    total = (await imported.coverage())["total"]
    imported.put_file("en", {key: text for key, text in SOURCES.items() if key != "demo.title"})
    await imported.import_all()
    assert (await imported.coverage())["total"] == total - 1
    assert "demo.title" not in await imported.messages()
    assert (await imported.submit(title, "Hallo"))[0] == 404
    imported.put_file("en", SOURCES)
    await imported.import_all()
    back = await imported.message()
    assert (back["id"], back["status"], back["text"]) == (title["id"], "submitted", "Hoi")
    actions = [entry["action"] for entry in await imported.history(back)]
    assert actions == ["restored", "removed", "submitted", "imported"]


@pytest.mark.parametrize("file", ["nl", "en"])
async def test_a_broken_file_is_named_and_nothing_is_imported(imported, file):
    before = await imported.messages()
    imported.put_file("en", {**SOURCES, "demo.title": "Changed"})
    (imported.folder / f"{file}.json").write_text('{"demo.title": ', "utf-8")
    for body in ({}, {"locale": "nl"}):
        status, answer = await imported.localizer.call("POST", "/api/l10n/import", body)
        assert (status, answer["code"]) == (409, "catalog_unreadable")
        assert f"{file}.json" in answer["detail"]
    assert await imported.messages() == before


@pytest.mark.parametrize("body", [{}, {"locale": "nl"}])
async def test_a_folder_that_cannot_be_read_is_named_and_no_key_of_it_counts_as_gone(
    imported, body, tmp_path
):
    before = await imported.messages()
    shutil.move(imported.folder, tmp_path)
    imported.folder.write_text("no folder", "utf-8")
    status, answer = await imported.localizer.call("POST", "/api/l10n/import", body)
    assert (status, answer["code"]) == (409, "catalog_unreadable")
    assert "locales cannot be read" in answer["detail"]
    assert await imported.messages() == before != {}


async def test_a_link_out_of_the_folder_is_not_followed(imported, tmp_path):
    (tmp_path / "elsewhere.json").write_text(json.dumps({"demo.title": "Gestolen"}), "utf-8")
    (imported.folder / "nl.json").unlink()
    (imported.folder / "nl.json").symlink_to(tmp_path / "elsewhere.json")
    assert (await imported.localizer.call("POST", "/api/l10n/import", {}))[0] == 409
    assert (await imported.message())["text"] == "Welkom"


@pytest.mark.every_database
async def test_what_somebody_submits_during_an_import_stands(imported, monkeypatch):
    title, meanwhile = await imported.message(), ["Hoi"]

    async def run(_holder, work, *arguments):
        result = work(*arguments)
        if getattr(work, "func", work).__name__ == "compare" and meanwhile:
            assert (await imported.submit(title, meanwhile.pop()))[0] == 200
        return result

    imported.put_file("nl", {**TEXTS, "demo.title": "Van de schijf", "demo.upper": "SCHOOL"})
    monkeypatch.setattr(fair_slots.TEXTS, "run", run)
    await imported.import_all(locale="nl")
    found = await imported.messages()
    assert (found["demo.title"]["text"], found["demo.title"]["status"]) == ("Hoi", "submitted")
    assert (found["demo.upper"]["text"], found["demo.upper"]["status"]) == ("SCHOOL", "approved")


@pytest.mark.every_database
async def test_racing_imports_agree(bureau):
    answers = await asyncio.gather(*(bureau.import_all(locale="nl") for _ in range(4)))
    coverage = await bureau.coverage()
    assert sum(answer["imported"] for answer in answers) == coverage["total"]

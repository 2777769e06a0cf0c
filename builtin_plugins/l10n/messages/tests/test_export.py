"""Export, and discarding what machines wrote."""

import asyncio
import json
import stat
import threading

import pytest

from builtin_plugins.l10n.messages import export as exporting
from builtin_plugins.l10n.messages.tests.conftest import SOURCES, TEXTS
from guildhall_sdk import Statement

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

DRAFT = (
    "UPDATE l10n_messages SET status = 'machine', origin = 'machine', text = :text, version = version + 1"
    " WHERE id = :id"
)


async def export(bureau, locale="nl"):
    return await bureau.localizer.call("POST", "/api/l10n/export", {"locale": locale})


async def draft(bureau, message, text):
    async with bureau.hall.server.data.write() as writer:
        await writer.run(Statement("draft", DRAFT, DRAFT), id=message["id"], text=text)


def exported(bureau, locale="nl"):
    return json.loads((bureau.folder / f"{locale}.json").read_text("utf-8"))


async def test_the_approved_texts_are_written_and_read_back_as_they_are(imported):
    found = await imported.messages()
    await imported.submit(found["demo.upper"], "SKÓLI „þú“")
    await imported.review(found["demo.upper"])
    await imported.submit(found["demo.title"], "Nog niet goedgekeurd")
    status, answer = await export(imported)
    texts = exported(imported)
    assert (status, answer) == (200, {"locale": "nl", "written": len(texts)})
    assert {key: text for key, text in texts.items() if key.startswith("demo.")} == {
        **TEXTS,
        "demo.upper": "SKÓLI „þú“",
    }
    path = imported.folder / "nl.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert await imported.import_all() == {"imported": 0, "updated": 0, "stale": 0}


async def test_what_is_stale_is_not_exported_as_a_translation_of_the_new_source(imported):
    imported.put_file("en", {**SOURCES, "demo.title": "Welcome back"})
    await imported.import_all()
    await imported.submit(await imported.message(), "Welkom terug")
    await export(imported)
    assert "demo.title" not in exported(imported)


async def test_nothing_approved_is_refused_and_no_file_appears(imported):
    await imported.import_all(locale="fy")
    for locale in ("fy", "is-IS"):
        status, answer = await export(imported, locale)
        assert (status, answer["code"]) == (409, "nothing_approved")
        assert not (imported.folder / f"{locale}.json").exists()
    assert (await export(imported, "en"))[0] == 400


@pytest.mark.parametrize(("limit", "most"), [("MAX_FILE_BYTES", 1_000), ("MAX_MEMBERS", 20)])
async def test_what_no_import_could_read_is_not_written(imported, monkeypatch, limit, most):
    before = exported(imported)
    monkeypatch.setattr(exporting, limit, most)
    status, answer = await export(imported)
    assert (status, answer["code"]) == (409, "catalog_too_large")
    assert exported(imported) == before
    assert {path.name for path in imported.folder.glob("*nl*")} == {"nl.json"}


async def test_a_link_at_the_place_of_the_file_is_replaced_and_not_written_through(imported, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("untouched", "utf-8")
    for name in ("nl.json", ".nl.json.new"):
        (imported.folder / name).unlink(missing_ok=True)
        (imported.folder / name).symlink_to(elsewhere)
    assert (await export(imported))[0] == 200
    assert elsewhere.read_text("utf-8") == "untouched"
    assert not (imported.folder / "nl.json").is_symlink()


@pytest.mark.every_database
async def test_exports_at_once_leave_one_whole_file(imported):
    answers = await asyncio.gather(*(export(imported) for _ in range(6)))
    assert {status for status, _ in answers} == {200}
    assert exported(imported)["demo.title"] == "Welkom"
    left = {path.name for path in imported.folder.iterdir()}
    assert left == {"en.json", "nl.json", ".lock"}


async def test_an_export_that_is_cancelled_lets_the_next_one_in_when_its_thread_is_done(
    imported, monkeypatch
):
    write_aside, begun, go_on, ends = exporting._write_aside, threading.Event(), threading.Event(), []

    def slowly(*arguments):
        if not begun.is_set():
            begun.set()
            assert go_on.wait(60)
        write_aside(*arguments)
        ends.append(threading.get_ident())

    def started():
        data = imported.hall.server.data
        return asyncio.create_task(exporting.export_locale(data.read, data.write, imported.folder, "nl"))

    monkeypatch.setattr(exporting, "_write_aside", slowly)
    first = started()
    assert await asyncio.to_thread(begun.wait, 30)
    first.cancel()
    second = started()
    await asyncio.wait([second], timeout=0.1)
    assert not ends
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert await second == len(exported(imported))
    assert len(ends) == 2


async def test_a_disk_that_cannot_be_written_is_said_in_words_and_the_file_is_as_it_was(imported):
    before = exported(imported)
    (imported.folder / ".nl.json.new").mkdir()
    status, answer = await export(imported)
    assert (status, answer["code"]) == (503, "export_failed")
    assert exported(imported) == before


async def test_discarding_removes_machine_work_and_nobodys_own(imported):
    await imported.import_all(locale="fy")
    found = await imported.messages("fy")
    for key in ("demo.hello", "demo.title", "demo.upper"):
        await draft(imported, found[key], "{name}")
    await imported.submit(found["demo.title"], "Wolkom")
    await imported.review(found["demo.upper"])
    status, answer = await imported.localizer.call("POST", "/api/l10n/discard", {"locale": "fy"})
    assert (status, answer) == (200, {"discarded": 1})
    found = await imported.messages("fy")
    assert {key: (item["status"], item["text"]) for key, item in found.items()} == {
        "demo.hello": ("missing", None),
        "demo.notes": ("missing", None),
        "demo.title": ("submitted", "Wolkom"),
        "demo.upper": ("approved", "{name}"),
    }
    status, answer = await imported.localizer.call("POST", "/api/l10n/discard", {"locale": "fy"})
    assert answer == {"discarded": 0}


async def test_a_draft_that_its_source_left_behind_is_discarded_too_and_can_be_drafted_anew(imported):
    await imported.import_all(locale="fy")
    found = await imported.messages("fy")
    for key in ("demo.title", "demo.upper"):
        await draft(imported, found[key], "Wolkom")
    await imported.review(found["demo.upper"], "return")
    imported.put_file("en", {**SOURCES, "demo.title": "Welcome back", "demo.upper": "SCHOOL"})
    await imported.import_all()
    assert (await imported.message(locale="fy"))["status"] == "stale"
    _, answer = await imported.localizer.call("POST", "/api/l10n/discard", {"locale": "fy"})
    assert answer == {"discarded": 1}
    found = await imported.messages("fy")
    title, upper = found["demo.title"], found["demo.upper"]
    assert (title["status"], title["text"], title["previous_source"]) == ("missing", None, None)
    assert (upper["status"], upper["text"]) == ("stale", "Wolkom")


@pytest.mark.every_database
async def test_whoever_takes_up_a_draft_is_its_author(imported):
    await imported.import_all(locale="fy")
    title = await imported.message(locale="fy")
    await draft(imported, title, "Wolkom")
    await imported.submit(title, "Wolkom", by=imported.reviewer)
    assert (await imported.review(title))[1]["code"] == "own_translation"

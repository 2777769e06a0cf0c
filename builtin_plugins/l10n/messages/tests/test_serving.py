"""What the manager changes is what screens are served; and a large import keeps nobody waiting."""

import asyncio

import pytest

from builtin_plugins.l10n.messages.tests.conftest import SOURCES
from guildhall_testing.heartbeat import quietest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

MANY = 3_000


async def served(bureau, locale="nl"):
    answer = await bureau.hall.anonymous.get("/api/i18n/catalog", params={"locale": locale})
    return answer.json()["messages"]


async def test_an_approved_text_is_served_with_the_next_request_and_a_submitted_one_is_not(imported):
    title = await imported.message()
    assert (await served(imported))["demo.title"] == "Welkom"
    await imported.submit(title, "Hoi")
    assert (await served(imported))["demo.title"] == "Welkom"
    await imported.review(title)
    assert (await served(imported))["demo.title"] == "Hoi"


async def test_a_stale_text_is_served_while_its_arguments_fit_the_new_source(imported):
    imported.put_file("en", {**SOURCES, "demo.title": "Welcome back", "demo.hello": "Hello {first} {last}"})
    await imported.import_all()
    messages = await served(imported)
    assert (messages["demo.title"], messages["demo.hello"]) == ("Welkom", "Hello {first} {last}")


async def test_a_new_key_of_the_source_is_served_once_it_is_imported(imported):
    assert "demo.new" not in await served(imported)
    imported.put_file("en", {**SOURCES, "demo.new": "New"})
    await imported.import_all()
    assert (await served(imported))["demo.new"] == "New"


async def test_an_import_reads_files_that_the_table_knows_already(imported):
    """They came to this host later than to the one that imported them."""
    imported.put_file("en", {**SOURCES, "demo.new": "New"})
    await imported.import_all()
    imported.put_file("en", SOURCES)
    await imported.hall.operator.put("/api/i18n", {"switching": False})
    assert "demo.new" not in await served(imported)
    imported.put_file("en", {**SOURCES, "demo.new": "New"})
    assert await imported.import_all() == {"imported": 0, "updated": 0, "stale": 0}
    assert (await served(imported))["demo.new"] == "New"


async def test_a_large_import_holds_neither_the_loop_nor_other_writers(bureau):
    bureau.put_file("en", {f"demo.k{number}": f"Text {number} of {{name}}" for number in range(MANY)})
    locales = iter(("fy", "fr", "de"))
    member, written = bureau.hall.acme.member, []

    async def act():
        locale = next(locales)
        bureau.put_file(locale, {f"demo.k{number}": f"Tekst {number} {{name}}" for number in range(MANY)})
        written.clear()
        importing = asyncio.create_task(bureau.import_all(locale=locale))
        while not importing.done():
            written.append((await member.call("POST", "/api/notes", {"title": "Meanwhile"}))[0])
        return await importing

    answer, held_ms = await quietest(act, 100)
    assert answer["imported"] >= MANY
    assert held_ms < 100
    assert len(written) > MANY / 500 and {*written} == {201}


async def test_an_import_repeated_by_its_key_is_answered_as_the_first_time(bureau):
    key = {"Idempotency-Key": "the import of today"}
    first, again = [await bureau.localizer.call("POST", "/api/l10n/import", {}, **key) for _ in range(2)]
    assert first == again and first[1]["imported"] > 0

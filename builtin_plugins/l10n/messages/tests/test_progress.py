"""How far a language is: counted as its messages change, so that nobody's request counts them."""

import asyncio

import pytest

from builtin_plugins.l10n.messages.tests.conftest import SOURCES
from guildhall_sdk import Statement

pytestmark = pytest.mark.shared_server

COUNTED = "SELECT approved, total FROM l10n_progress WHERE locale = 'fr'"
THERE = """
    SELECT COUNT(approved_text) AS approved, COUNT(*) AS total FROM l10n_messages
    WHERE locale = 'fr' AND status <> 'gone'
"""
APPROVE_ALL_BUT_DEMO = """
    UPDATE l10n_messages SET text = 'x', approved_text = 'x', status = 'approved'
    WHERE locale = 'fr' AND ns <> 'demo'
"""
REMOVE_DEMO = (
    "DELETE FROM l10n_history WHERE message_id IN (SELECT id FROM l10n_messages WHERE ns = 'demo')",
    "DELETE FROM l10n_messages WHERE ns = 'demo'",
)


@pytest.fixture
async def french(imported):
    await imported.import_all(locale="fr")
    return imported


async def run(bureau, *texts):
    async with bureau.hall.server.data.write() as writer:
        for text in texts:
            await writer.run(Statement("given", text, text))


async def progress(bureau):
    """Returns what is counted, which is what is there."""
    async with bureau.hall.server.data.read() as reader:
        counted, there = [
            dict(await reader.one(Statement("progress", text, text))) for text in (COUNTED, THERE)
        ]
    assert counted == there
    return counted["approved"], counted["total"]


async def is_offered(bureau):
    answer = await bureau.hall.anonymous.get("/api/config")
    return "fr" in [one["code"] for one in answer.json()["localization"]["locales"]]


async def approve(bureau, message):
    for status, _ in (await bureau.submit(message, message["source"]), await bureau.review(message)):
        assert status == 200


async def test_the_counts_follow_whatever_is_done_to_messages(french):
    none, total = await progress(french)
    assert none == 0
    messages = list((await french.messages("fr")).values())
    await asyncio.gather(*(approve(french, message) for message in messages))
    assert await progress(french) == (len(SOURCES), total)
    await approve(french, messages[0])
    await french.submit(messages[1], messages[1]["source"])
    await french.review(messages[1], "return")
    assert await progress(french) == (len(SOURCES), total)

    french.put_file("en", {key: text for key, text in SOURCES.items() if key != "demo.title"})
    await french.import_all()
    assert await progress(french) == (len(SOURCES) - 1, total - 1)
    french.put_file("en", {**SOURCES, "demo.new": "New"})
    await french.import_all()
    assert await progress(french) == (len(SOURCES), total + 1)

    await run(french, *REMOVE_DEMO)
    assert await progress(french) == (0, total - len(SOURCES))


async def test_the_approval_that_makes_it_four_fifths_offers_a_language_at_once(french):
    french.put_file("en", {**SOURCES, **{f"demo.k{number}": "Text" for number in range(200)}})
    await french.import_all()
    await run(french, APPROVE_ALL_BUT_DEMO)
    approved, total = await progress(french)
    # Of the test's own keys, as many leave the source as makes it one approval too few.
    spare = total - (approved + 1) * 5 // 4
    kept = {f"demo.k{number}": "Text" for number in range(200 - spare)}
    french.put_file("en", {**SOURCES, **kept})
    await french.import_all()
    assert not await is_offered(french)
    await approve(french, await french.message("demo.hello", "fr"))
    assert await is_offered(french)

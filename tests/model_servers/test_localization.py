"""Drafts of translations by a model server that is none of ours: `@copilotkit/aimock`."""

import json

import pytest

from builtin_plugins.l10n.tests.drafts.conftest import add_messages, draft, messages
from tests.model_servers.aimock import running_aimock, settings_for

__all__ = ["add_messages", "draft", "messages"]

pytestmark = pytest.mark.hall_databases("sqlite")

ANSWERS = {
    "Nobody reads": {
        "x.count (count is 0)": "Nessuno legge {folder}",
        "x.count (count is one such as 1)": "{count} persona legge {folder}",
        "x.count (count is many such as 1000000)": "{count} di persone leggono {folder}",
        "x.count (count is other such as 0, 2, 3, 4)": "{count} persone leggono {folder}",
    },
    "Goodbye": {"x.bye": "Arrivederci"},
    "Save": {"x.save": "<b>Salva</b>"},
}


@pytest.fixture
async def hall(open_hall, tmp_path):
    replies = [
        {"match": {"userMessage": said}, "response": {"content": json.dumps({"messages": answer})}}
        for said, answer in ANSWERS.items()
    ]
    fixtures = tmp_path / "fixtures.json"
    fixtures.write_text(json.dumps({"fixtures": replies}))
    async with running_aimock(fixtures) as url, open_hall(**settings_for(url)) as opened:
        yield opened


async def test_drafts_keep_their_frames_and_what_loses_a_placeholder_stays_missing(
    hall, add_messages, draft, messages
):
    sources = {
        "x.count": "{count, plural, =0 {Nobody reads} one {# person reads} other {# people read}} {folder}",
        "x.bye": "Goodbye, {name}",
        "x.save": "Save",
    }
    await add_messages(hall, "it", sources)
    queued = await draft(hall, await hall.join(hall.acme, "localizer"), "it")
    assert (queued["queued"], queued["remaining"]) == (3, 0)
    found = await messages(hall, "it")
    assert {key: row["status"] for key, row in found.items()} == {
        "x.bye": "missing",
        "x.count": "machine",
        "x.save": "missing",
    }
    assert found["x.count"]["text"] == (
        "{count, plural, =0 {Nessuno legge {folder}} one {# persona legge {folder}} "
        "many {# di persone leggono {folder}} other {# persone leggono {folder}}}"
    )
    assert "lacks the argument {name}" in found["x.bye"]["problem"]
    assert "other tags" in found["x.save"]["problem"]

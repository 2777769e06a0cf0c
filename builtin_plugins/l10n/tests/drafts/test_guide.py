"""What the page on drafts shows is what happens."""

import json
import re
from pathlib import Path

import pytest

from builtin_plugins.l10n.drafts import BATCH
from builtin_plugins.l10n.segments import MAX_CHARACTERS, MAX_TEXTS, take_apart

pytestmark = pytest.mark.any_database

GUIDE = (Path(__file__).resolve().parents[4] / "docs/localization-drafts.md").read_text("utf-8")
EXAMPLE = re.compile(r"```http\n(\w+) (\S+)\n(.*?)```\n\n```json\n(.*?)```", re.DOTALL)


async def test_the_requests_of_the_page_are_answered_as_it_shows(hall):
    examples = EXAMPLE.findall(GUIDE)
    assert len(examples) == 2
    for method, path, body, shown in examples:
        response, said = await hall.operator.call(method, path, json.loads(body))
        assert said.keys() == json.loads(shown).keys(), response.text
    assert 1 <= said["queued"] == len(said["jobs"]) <= BATCH


def test_the_texts_that_the_page_shows_are_those_that_a_model_sees():
    (source,) = re.findall(r"```\n(You have .*)\n```", GUIDE)
    shown = dict(re.findall(r"^\| `(inbox\..*)` \| (.*) \|$", GUIDE, re.MULTILINE))
    assert take_apart("inbox.notes", source, "pl").texts == shown
    assert f"{MAX_TEXTS}\ntexts or {MAX_CHARACTERS:,} characters" in GUIDE

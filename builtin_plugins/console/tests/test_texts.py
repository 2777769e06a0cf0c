"""The texts that the console brings itself: every language has each, and takes the same arguments."""

import json
from pathlib import Path

import pytest

from libs.icu_messages import argument_differences, parse_message

pytestmark = pytest.mark.any_database
TEXTS = Path(__file__).parents[1] / "texts"


@pytest.mark.parametrize("locale", ["es", "nl", "is"])
def test_a_language_has_every_text(locale):
    source, texts = (json.loads((TEXTS / f"{one}.json").read_text("utf-8")) for one in ("en", locale))
    assert [*texts] == sorted(source)
    for key, text in texts.items():
        assert argument_differences(parse_message(source[key]), parse_message(text)) == [], (locale, key)

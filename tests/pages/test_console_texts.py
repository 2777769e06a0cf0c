"""The console's words come from the catalog: every key that it uses is there in all languages that ship."""

import re
from pathlib import Path

import pytest

from libs.strict_json import decode_json

HOUSE = Path(__file__).parents[2]
#: The shell, the kit, and the screens beside the server code of their features.
SOURCES = (
    HOUSE / "console/src",
    HOUSE / "console/packages",
    *sorted((HOUSE / "builtin_plugins").glob("*/console")),
)
#: What plugins declare: titles of screens, kinds of notifications, and the words that letters begin with.
DECLARATIONS = [
    path
    for house in ("builtin_plugins", "sdk")
    for path in sorted((HOUSE / house).glob("*/**/*.py"))
    if not {"tests", "scaffold"} & {*path.parts}
]
#: Namespaces whose keys are named by what the server answers, by another page, or by a plugin.
NAMED_ELSEWHERE = {"beta", "error", "state"}

_CALLS = re.compile(r"""\bt\(\s*["']([^"'$]+)["']""")
_KEYS = re.compile(r"""["'`]([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+)["'`]""")
_OF_LETTERS = re.compile(r"_(?:subject|text|action)$")
_PREFIXES = re.compile(r"""(?:`([a-z][a-z0-9_]*\.[a-z0-9_.]*)\$\{|f"([a-z][a-z0-9_]*\.[a-z0-9_.]+)\{)""")


def sources():
    return [
        path.read_text("utf-8")
        for folder in SOURCES
        for path in folder.rglob("*.ts*")
        if path.name != "schema.ts" and not path.name.endswith(".test.ts")
    ]


def keys_of(locale):
    catalogs = (HOUSE / "builtin_plugins").glob(f"*/texts/{locale}.json")
    return {key for catalog in catalogs for key in decode_json(catalog.read_bytes())}


@pytest.mark.parametrize("locale", ["en", "es", "nl", "is"])
def test_every_key_that_the_console_uses_has_a_text(locale):
    used = {key for text in sources() for key in _CALLS.findall(text)}
    assert len(used) > 100
    assert sorted(used - keys_of(locale)) == []


def test_no_text_of_the_console_is_without_a_use():
    texts = [*sources(), *(path.read_text("utf-8") for path in DECLARATIONS)]
    used = {key for text in texts for key in _KEYS.findall(text)}
    begun = tuple({one or other for text in texts for one, other in _PREFIXES.findall(text)})
    idle = {
        key
        for key in keys_of("en") - used
        if not key.startswith(begun)
        and key.split(".")[0] not in NAMED_ELSEWHERE
        and _OF_LETTERS.sub("", key) not in used
    }
    assert sorted(idle) == [], "use them, or take them out of all four catalogs"

"""A plugin brings its own texts: left out, it takes them along, and what stays is whole without it."""

import json
import re
from importlib import import_module
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_database

HOUSE = Path(__file__).parents[1]
PLUGINS = {
    path.parent.name: import_module(f"builtin_plugins.{path.parent.name}").PLUGIN
    for path in sorted((HOUSE / "builtin_plugins").glob("*/__init__.py"))
}
FOLDERS = {plugin.id: folder for folder, plugin in PLUGINS.items()}
OWNER = {
    key: path.parents[1].name
    for path in (HOUSE / "builtin_plugins").glob("*/texts/en.json")
    for key in json.loads(path.read_text("utf-8"))
}
#: What makes pages of others, with words that stand in for theirs.
SHELL = "console"
_KEY = re.compile(r"""["'`]([a-z0-9_-]+(?:\.[a-z0-9_-]+)+)["'`]""", re.ASCII)


def with_what_it_requires(folder):
    found, left = {folder}, [folder]
    while left:
        new = {FOLDERS[one] for one in PLUGINS[left.pop()].requires} - found
        found |= new
        left += new
    return found


ALWAYS = {SHELL, "l10n"}.union(
    *(with_what_it_requires(folder) for folder, plugin in PLUGINS.items() if plugin.essential)
)


def keys_in(folder):
    """Returns the keys that the scripts in a folder name, each with the file."""
    for path in sorted(folder.rglob("*.ts*")):
        if ".test." not in path.name and "node_modules" not in path.parts:
            for key in _KEY.findall(path.read_text("utf-8")):
                if key in OWNER:
                    yield key, path.relative_to(HOUSE).as_posix()


@pytest.mark.parametrize(
    "folder", [one for one in PLUGINS if (HOUSE / "builtin_plugins" / one / "console").is_dir()]
)
def test_the_screens_of_a_plugin_have_their_words_whatever_else_is_left_out(folder):
    there = ALWAYS | with_what_it_requires(folder)
    others = {
        (key, path)
        for key, path in keys_in(HOUSE / "builtin_plugins" / folder / "console")
        if OWNER[key] not in there
    }
    assert others - LOOKED_FOR == set()


#: Words that are shown where they are there.
LOOKED_FOR = {
    ("nav.notes", "builtin_plugins/admin/console/team/Settings.tsx"),
    ("nav.notes", "builtin_plugins/branding/console/company/BrandingPreview.tsx"),
    ("nav.chat", "builtin_plugins/branding/console/company/BrandingPreview.tsx"),
}


def test_the_shell_and_its_kit_have_their_words_whatever_is_left_out():
    parts = ("console/src", "console/packages/kit/src")
    assert {
        (key, path) for part in parts for key, path in keys_in(HOUSE / part) if OWNER[key] not in ALWAYS
    } == set()


async def test_a_plugin_that_is_left_out_takes_its_texts_along(open_hall):
    async with open_hall(SERVICE_PLUGINS_BLOCKED="notes") as hall:
        messages = (await hall.anonymous.get("/api/i18n/catalog?locale=nl")).json()["messages"]
    assert {key for key in messages if OWNER.get(key) == "notes"} == set()
    assert messages.keys() == {key for key, owner in OWNER.items() if owner != "notes"}
    assert messages["nav.files"] == "Bestanden"


@pytest.mark.parametrize("locale", ["en", "nl", "es", "is"])
def test_every_plugin_that_ships_has_its_name_and_what_it_does_in_each_language(locale):
    said = set()
    for path in (HOUSE / "builtin_plugins").glob(f"*/texts/{locale}.json"):
        said |= json.loads(path.read_text("utf-8")).keys()
    folders = [json.loads(path.read_text("utf-8"))["id"] for path in HOUSE.glob("plugins/*/plugin.json")]
    ids = [one.replace("-", "_") for one in (*FOLDERS, *folders)]
    assert {f"plugins.{what}_{one}" for one in ids for what in ("name", "about")} - said == set()

"""The texts that ship: every language is whole, compiles, and counts as its speakers do."""

import json
import re

import pytest
from babel import Locale

from builtin_plugins.l10n.catalogs.files import SHIPPED, namespace_of, read_catalogs
from guildhall_sdk.services.localization import MessageCatalogs
from libs.fair_slots import finished
from libs.icu_messages import argument_differences, parse_message

TRANSLATIONS = ("es", "nl", "is")
#: The texts of each plugin that ships.
FOLDERS = sorted(SHIPPED.parents[1].glob("*/texts"))
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_ENDS = re.compile(r"(…|:|\?|\.)?$")


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    contributed = [(one.parent.name, MessageCatalogs(namespace="", folder=one)) for one in FOLDERS]
    found = finished(read_catalogs(contributed, tmp_path_factory.mktemp("no overlay")))
    assert found.faults == ()
    assert {*found.locales} == {"en", *TRANSLATIONS}
    return found.texts


def words_of(text):
    """The words that a reader sees."""
    return [word for begin, end in parse_message(text).texts for word in _LETTERS.findall(text[begin:end])]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_language_has_every_text_and_no_other(folder):
    shipped = {
        locale: json.loads((folder / f"{locale}.json").read_text("utf-8")) for locale in ("en", *TRANSLATIONS)
    }
    for locale in TRANSLATIONS:
        assert shipped[locale].keys() == shipped["en"].keys(), locale
    for locale, found in shipped.items():
        assert [*found] == sorted(found), f"{locale}.json is not in the order of its keys"


def test_each_text_is_of_one_plugin_alone():
    keys = [key for folder in FOLDERS for key in json.loads((folder / "en.json").read_text("utf-8"))]
    assert sorted({*keys}) == sorted(keys)


@pytest.mark.parametrize("locale", TRANSLATIONS)
def test_every_text_takes_the_arguments_of_its_source(texts, locale):
    for key, source in texts["en"].items():
        given = texts[locale][key]
        assert not argument_differences(parse_message(source), parse_message(given)), (locale, key)


@pytest.mark.parametrize("locale", ["en", *TRANSLATIONS])
def test_plurals_have_the_categories_of_their_language_and_no_other(texts, locale):
    language, plurals = Locale(locale), 0
    for key, text in texts[locale].items():
        for argument in parse_message(text).arguments:
            if argument.kind in ("plural", "selectordinal"):
                rule = language.plural_form if argument.kind == "plural" else language.ordinal_form
                named = {one for one in argument.selectors if not one.startswith("=")}
                assert named == {*rule.tags, "other"}, (locale, key)
                plurals += 1
    assert plurals > 20


@pytest.mark.parametrize("locale", ["en", *TRANSLATIONS])
def test_texts_are_set_with_care(texts, locale):
    for key, text in texts[locale].items():
        assert text == text.strip() and "  " not in text, (locale, key)
        # What is mailed has paragraphs.
        broken = "" if "mail_" in key else "\n"
        assert not {*text} & {*"!'\"\t", *broken}, (
            f"{locale} {key}: no shouting, and quotation marks of the language"
        )
        assert "..." not in text, f"{locale} {key}: an ellipsis is one sign"


@pytest.mark.parametrize("locale", TRANSLATIONS)
def test_a_translation_ends_as_its_source_and_is_no_copy_of_it(texts, locale):
    for key, source in texts["en"].items():
        given = texts[locale][key]
        assert _ENDS.search(source)[0] == _ENDS.search(given)[0], (locale, key)
        assert given != source or len(words_of(source)) < 3, f"{locale} {key} is not translated"


def test_keys_are_named_for_their_screens(texts):
    assert len(texts["en"]) >= 350
    shown = {"nav", "action", "state", "error", "beta", "notes", "files", "chat", "l10n", "runs", "role"}
    assert shown <= {namespace_of(key) for key in texts["en"]}
    assert all(re.fullmatch(r"[a-z0-9]+(\.[a-z0-9_]+)+", key) for key in texts["en"])


def test_every_plugin_that_ships_has_a_name_in_every_language(texts):
    """In English the one that it declares, so that neither is forgotten when the other changes."""
    declared = {}
    for path in sorted(SHIPPED.parents[1].glob("*/__init__.py")):
        [plugin] = re.findall(r'Plugin\(\n    id="([^"]+)",\n    name="([^"]+)"', path.read_text("utf-8"))[:1]
        declared[f"plugins.name_{plugin[0].replace('-', '_')}"] = plugin[1]
    for path in SHIPPED.parents[2].glob("plugins/*/plugin.json"):
        plugin = json.loads(path.read_text("utf-8"))
        declared[f"plugins.name_{plugin['id'].replace('-', '_')}"] = plugin["name"]
    named = {key: text for key, text in texts["en"].items() if key.startswith("plugins.name_")}
    assert named == declared

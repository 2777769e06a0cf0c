"""Files of catalogs: what is taken of them, and what is said about the rest."""

import json

import pytest

from builtin_plugins.l10n.catalogs.files import MAX_KEY, MAX_TEXT, contribution_fault, read_catalogs
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.services.localization import MessageCatalogs
from libs.fair_slots import finished

DECLARER = Declarer(id="harbour", routes=(), rows={})
SHIPPED = {"nav.notes": "Notes", "nav.people": "{count, plural, one {# person} other {# people}}"}


@pytest.fixture
def folders(tmp_path):
    """A folder of shipped files, and one over it."""
    shipped, overlay = tmp_path / "shipped", tmp_path / "overlay"
    for folder in (shipped, overlay):
        folder.mkdir()
    write(shipped, en=SHIPPED, nl={"nav.notes": "Notities"})
    return shipped, overlay


def write(folder, **catalogs):
    for locale, content in catalogs.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"{locale}.json").write_text(text, "utf-8")


def test_the_overlay_lies_over_what_is_shipped_key_by_key(folders):
    shipped, overlay = folders
    write(overlay, en={"nav.notes": "My notes"}, nl={"nav.gone": "Weg"}, **{"nl-BE": {"nav.notes": "Nota's"}})
    found = finished(read_catalogs([], overlay, shipped))
    assert found.source == {**SHIPPED, "nav.notes": "My notes"}
    assert found.texts["nl"] == {"nav.notes": "Notities"}
    assert found.texts["nl-BE"] == {"nav.notes": "Nota's"}
    assert (found.locales, found.faults) == (("en", "nl", "nl-BE"), ())


def test_without_an_overlay_there_is_what_is_shipped(folders, tmp_path):
    assert finished(read_catalogs([], tmp_path / "nothing", folders[0])).source == SHIPPED


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("nl", '{"nav.notes": ', "is no JSON"),
        ("nl", '{"nav.a": "x", "nav.a": "y"}', "is no JSON"),
        ("nl", "[]", "one object"),
        ("nl", {"nav.notes": 5}, "something else than a text at nav.notes"),
        ("nl", {"nav.notes": ""}, "something else than a text at nav.notes"),
        ("nl", {"notes": "x"}, "is not like nav.notes"),
        ("nl", {"nav." + MAX_KEY * "x": "x"}, "is not like nav.notes"),
        ("nl", {"nav.notes": (MAX_TEXT + 1) * "x"}, "more than 10,000 characters"),
        ("nl_NL", {"nav.notes": "x"}, "is not a language tag"),
        ("nl-be", {"nav.notes": "x"}, "is written nl-BE"),
        ("en", {"nav.notes": "{"}, "no ICU message"),
    ],
)
def test_a_broken_file_is_named_and_what_is_below_it_stands(folders, name, content, words):
    shipped, overlay = folders
    write(overlay, **{name: content})
    found = finished(read_catalogs([], overlay, shipped))
    [fault] = found.faults
    assert fault.file == f"{name}.json" and words in str(fault)
    assert found.texts == {"en": SHIPPED, "nl": {"nav.notes": "Notities"}}


def test_what_is_written_beside_a_file_while_it_is_replaced_is_none(folders):
    shipped, overlay = folders
    (overlay / ".nl.json.tmp").write_text("half")
    (overlay / ".nl.json").write_text("half")
    (overlay / "README").write_text("words")
    assert finished(read_catalogs([], overlay, shipped)).faults == ()


@pytest.mark.parametrize(
    ("catalogs", "namespace", "words"),
    [
        ({"nl": {"harbour.title": "Haven"}}, "harbour", "there is no en.json"),
        ({"en": {"nav.title": "Harbour"}}, "harbour", "does not begin with harbour."),
        ({"en": {"harbour.a": "A"}, "nl": {"harbour.b": "B"}}, "harbour", "which en.json has not"),
        ({"en": {"harbour.a": "{a"}}, "harbour", "cannot be shown"),
        ({"en": {"harbour.a": "{a}"}, "nl": {"harbour.a": "{b}"}}, "harbour", "lacks the argument {a}"),
        ({"en": {"harbour.a": "A"}, "nl": "{"}, "harbour", "nl.json is no JSON"),
        ({"en": {"nav.a": "A"}}, "nav", "one of Guildhall's own"),
        ({"en": {"harbour.a": "A"}}, "a.b", "not a plugin's id"),
    ],
)
def test_catalogs_that_a_plugin_cannot_bring(tmp_path, catalogs, namespace, words):
    write(tmp_path, **catalogs)
    assert words in contribution_fault(MessageCatalogs(namespace=namespace, folder=tmp_path), DECLARER)


def test_a_folder_that_is_no_path_is_refused_in_words(tmp_path):
    fault = contribution_fault(MessageCatalogs(namespace="harbour", folder=str(tmp_path)), DECLARER)
    assert "must be a Path" in fault


def test_a_plugin_speaks_for_itself_alone(folders, tmp_path):
    shipped, overlay = folders
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder, text in ((ours, "Harbour"), (theirs, "Pirates")):
        folder.mkdir()
        write(folder, en={"harbour.title": text})
    contributed = [
        ("harbour", MessageCatalogs(namespace="harbour", folder=ours)),
        ("pirates", MessageCatalogs(namespace="harbour", folder=theirs)),
    ]
    found = finished(read_catalogs(contributed, overlay, shipped))
    assert found.source["harbour.title"] == "Harbour"
    [fault] = found.faults
    assert "cannot be the namespace of the plugin pirates" in str(fault)

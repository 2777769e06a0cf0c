"""No page that we ship has words of its own: what people read comes from the catalog."""

import re
from pathlib import Path

import pytest

from libs.strict_json import decode_json
from tests.pages.texts import words_in, words_in_html, words_in_script

ROOT = Path(__file__).parents[2]

#: Folders of pages beside their texts, each with the namespace that its keys are without.
PAGES = {"builtin_plugins/beta/page": "beta."}
SUFFIXES = {".html", ".js", ".mjs", ".ts", ".tsx"}
#: For pages of others which load the script and gave it no texts: what it says then is English.
WITHOUT_CATALOG = {
    "beta-sdk.js": {
        "Stopped. Nothing was sent.",
        "The server cannot be reached. Try again.",
        "Too many sign-ups came from your network. Try again in  minute.",
        "The server answered .",
        "This page is too old for the server. Load it again.",
    }
}
_KEYS = re.compile(r"""\b(?:t|text|say|texts\.get)\(\s*["'`]([a-z][a-z0-9_.]*)["'`]""")


def files_of(folder, *more):
    return [path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in {*SUFFIXES, *more}]


@pytest.mark.parametrize("folder", PAGES)
def test_no_text_of_a_page_bypasses_the_catalog(folder):
    found = {
        path.name: bypassing
        for path in files_of(folder)
        if (bypassing := {*words_in(path)} - WITHOUT_CATALOG.get(path.name, set()))
    }
    assert not found, f"give each a key in the texts beside {folder}"


@pytest.mark.parametrize(("folder", "prefix"), PAGES.items())
def test_pages_use_keys_that_there_are_and_no_text_is_without_a_use(folder, prefix):
    files = [path.read_text("utf-8") for path in files_of(folder, ".py")]
    source = decode_json((ROOT / folder).with_name("texts").joinpath("en.json").read_bytes())
    assert {prefix + key for text in files for key in _KEYS.findall(text)} <= source.keys()
    own = [key.removeprefix(prefix) for key in source if key.startswith(prefix)]
    own = [
        key for key in own if not key.startswith("mail_")
    ]  # of letters, which a plugin names by their beginning
    assert [key for key in own if not any(f'"{key}"' in text for text in files)] == []


# What finds them


def test_texts_and_read_attributes_of_html_are_found_and_slots_are_not():
    page = """
        <title>{{title}}</title><meta name="description" content="Words"><meta name="a" content="width">
        <h1>Hello there</h1><input{{#required}} required{{/required}} placeholder="Your name" name="words">
        <img alt="A picture" src="a.png"><a aria-label="{{label}}" href="/somewhere">{{#a}}{{b}}{{/a}}</a>
        <div aria-hidden="true">Unseen <input placeholder="Unseen"></div><p>·</p>
        <script>const shown = "Not here";</script>
    """
    assert [*words_in_html(page)] == ["Words", "Hello there", "Your name", "A picture"]


def test_words_in_scripts_are_found_and_names_are_not():
    script = """
        // A comment: it's "Nothing here".
        const path = /^\\/fields\\/"(x)/, kind = "text/javascript", rule = "input:not([type=checkbox]), a";
        error.textContent = "Wrong"; box.setAttribute("aria-label", 'Close'); say("error.title");
        throw new Failure("code", "The server is away."); const big = `Try again in ${n} minutes`;
    """
    assert [*words_in_script(script)] == ["Wrong", "Close", "The server is away.", "Try again in  minutes"]


def test_words_between_tags_of_jsx_are_found():
    source = 'return <Button aria-label="Close" onPress={() => go()}>Try again</Button>;'
    assert sorted(words_in_script(source)) == ["Close", "Try again"]

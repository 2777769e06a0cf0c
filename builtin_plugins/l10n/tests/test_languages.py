"""Language tags and chains, for whatever a browser or a person may write."""

import re
from dataclasses import asdict

import pytest
from babel import localedata
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.l10n.catalogs.files import fits
from builtin_plugins.l10n.catalogs.tags import chain_of, locale_name, tag_fault
from libs.names import LOCALE_PATTERN, locale_fault, spelt_locale

TAGS = st.from_regex(re.compile(LOCALE_PATTERN, re.ASCII), fullmatch=True).filter(
    lambda tag: locale_fault(tag) is None
)
DEFAULTS = st.sampled_from(["en", "nl", "is", "pt-BR", "zh-Hant-TW"])
#: As CLDR names them: language, script and region, without variants.
KNOWN = sorted(
    tag
    for tag in (identifier.replace("_", "-") for identifier in localedata.locale_identifiers())
    if re.fullmatch(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2}|-[0-9]{3})?", tag)
)


@given(TAGS, DEFAULTS)
def test_a_chain_goes_from_the_wish_over_the_default_to_english(wish, default):
    chain = chain_of(wish, default)
    assert (chain[0], chain[-1]) == (spelt_locale(wish), "en")
    assert default in chain and len({*chain}) == len(chain)
    assert all(locale_fault(tag) is None for tag in chain)
    behind = [tag for tag in chain if spelt_locale(wish).startswith(tag)]
    assert [len(tag) for tag in behind] == sorted((len(tag) for tag in behind), reverse=True)
    assert spelt_locale(wish).partition("-")[0] in behind


@given(TAGS, DEFAULTS)
def test_a_tag_has_one_spelling_however_it_is_written(wish, default):
    assert chain_of(wish.upper(), default) == chain_of(wish.lower(), default) == chain_of(wish, default)
    assert spelt_locale(spelt_locale(wish)) == spelt_locale(wish)


@given(st.text() | st.none(), DEFAULTS)
def test_what_is_no_tag_leads_to_the_default(wish, default):
    if wish is None or locale_fault(wish):
        assert chain_of(wish, default) == chain_of(None, default)
        assert chain_of(wish, default)[0] == default


@given(st.text() | TAGS)
def test_whatever_is_written_as_a_tag_is_checked_in_words(tag):
    fault = tag_fault(tag)
    if fault is None:
        assert tag == spelt_locale(tag) and locale_name(tag).name
    else:
        assert fault.startswith("is ")


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.long_form)], ids=["some", "every"])
def test_every_language_that_cldr_knows_can_be_opened_and_has_a_name(step):
    assert len(KNOWN) > 500
    for tag in KNOWN[::step]:
        assert tag_fault(tag) is None, tag
        name = locale_name(tag)
        assert name.code == tag and name.name and name.dir in ("ltr", "rtl")


@pytest.mark.parametrize(
    ("tag", "name", "direction"),
    [
        ("nl-BE", "Nederlands (België)", "ltr"),
        ("is", "Íslenska", "ltr"),
        ("zh-Hant-TW", "中文 (繁體, 台灣)", "ltr"),
        ("sr-Latn", "Srpski (latinica)", "ltr"),
        ("ur-IN", "اردو (بھارت)", "rtl"),
        ("he", "עברית", "rtl"),
        ("ka", "ქართული", "ltr"),
    ],
)
def test_a_language_is_named_in_itself(tag, name, direction):
    assert asdict(locale_name(tag)) == {"code": tag, "name": name, "dir": direction}


@given(st.text(alphabet="ab{}',# plural otherone=01", max_size=40), st.text(alphabet="ab{}', ", max_size=40))
def test_any_text_fits_its_source_or_does_not(source, text):
    assert fits(source, text) in (True, False)
    assert fits(source, source) or "{" in source or "}" in source

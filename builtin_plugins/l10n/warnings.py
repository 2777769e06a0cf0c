"""Warnings: what in a translation is often a slip, and sometimes right, such as letters of another script."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from builtin_plugins.l10n.patterns import Frame, Pattern, Slot, Text, frames_of
from libs.icu_messages import PLURAL_CATEGORIES, knows_plurals, plural_categories

# By the codes of ISO 15924, as Unicode names the letters of each.
_LETTERS = {
    "Latn": "LATIN",
    "Cyrl": "CYRILLIC",
    "Grek": "GREEK",
    "Arab": "ARABIC",
    "Hebr": "HEBREW",
    "Armn": "ARMENIAN",
    "Geor": "GEORGIAN",
    "Deva": "DEVANAGARI",
    "Beng": "BENGALI",
    "Guru": "GURMUKHI",
    "Gujr": "GUJARATI",
    "Orya": "ORIYA",
    "Taml": "TAMIL",
    "Telu": "TELUGU",
    "Knda": "KANNADA",
    "Mlym": "MALAYALAM",
    "Sinh": "SINHALA",
    "Thai": "THAI",
    "Laoo": "LAO",
    "Tibt": "TIBETAN",
    "Mymr": "MYANMAR",
    "Khmr": "KHMER",
    "Ethi": "ETHIOPIC",
    "Hans": "CJK BOPOMOFO",
    "Hant": "CJK BOPOMOFO",
    "Jpan": "CJK HIRAGANA KATAKANA",
    "Kore": "HANGUL CJK",
}
_KNOWN = frozenset(name for names in _LETTERS.values() for name in names.split())

# Ways through a message that are compared, so that the time does not grow with the square of its length.
_MAX_READINGS = 24
_MAX_WARNINGS = 20
_SLOT = "\ufffc"
_DIGITS = re.compile(r"\d+")
_TAG = re.compile(r"<(/?[A-Za-z][^<>]*)>")
_CLOSING = " \t\r\n\"'”’»“)]}』」"
_MARKS = {
    **dict.fromkeys(".。．｡।。۔", "."),
    **dict.fromkeys("!！", "!"),
    **dict.fromkeys("?？؟", "?"),
    **dict.fromkeys(":：", ":"),
    "…": "…",
}
# Languages whose sentences end without a full stop.
_WITHOUT_STOPS = ("th", "lo", "km", "my")


def foreign_scripts(source: str, text: str, locale: str) -> str:
    """Says what in the letters of a translation is not of its language; empty where nothing is."""
    expected = scripts_of(locale)
    if not expected:
        return ""
    of_source, of_text = _scripts(source), _scripts(text)
    if foreign := sorted(of_text - of_source - expected):
        return f"has {foreign[0].capitalize()} letters, which {locale} is not written with"
    if of_text and not of_text & expected and text != source:
        return f"has no letter that {locale} is written with"
    return ""


@lru_cache(maxsize=512)
def scripts_of(locale: str) -> frozenset[str]:
    """Returns the scripts of a locale; none where they are not known here."""
    from babel.core import get_global

    language, *others = locale.split("-")
    said = next((one.capitalize() for one in others if len(one) == 4 and one.isalpha()), "")
    likely = get_global("likely_subtags")
    region = next((one.upper() for one in others if len(one) == 2), "")
    tag = likely.get(f"{language}_{region}") or likely.get(language) or ""
    script = said or next((one for one in tag.split("_")[1:] if len(one) == 4), "")
    return frozenset(_LETTERS.get(script, "").split())


def _scripts(text: str) -> frozenset[str]:
    names = (unicodedata.name(char, "").partition(" ")[0] for char in {*text} if char.isalpha())
    return frozenset(name for name in names if name in _KNOWN)


class TextWarning(NamedTuple):
    """Something that a translator may want to look at again."""

    code: str
    message: str

    def public(self) -> dict[str, Any]:
        """Returns the warning as the API shows it."""
        return {"code": self.code, "message": self.message}


class _Reading(NamedTuple):
    """What is read of a message when some form of an argument is chosen, and `other` of all the others."""

    form: str
    text: str
    names: frozenset[str]

    @property
    def where(self) -> str:
        return f" in the form {self.form}" if self.form else ""


def find_warnings(source: Pattern, text: Pattern, locale: str) -> Sequence[TextWarning]:
    """Compares what readers of both see, form by form."""
    found: dict[TextWarning, None] = dict.fromkeys(_missing_forms(text, locale))
    for number, (before, after) in enumerate(_readings(source, text)):
        warnings = [*_compare_ends(before, after, locale)]
        # Which numbers a category is for differs by language, and so what has to be said in it.
        if after.form not in PLURAL_CATEGORIES:
            warnings += _compare_contents(before, after, locale)
        if number == 0:
            warnings += _compare_length(before.text, after.text)
        found |= dict.fromkeys(warnings)
    return [*found][:_MAX_WARNINGS]


def _missing_forms(text: Pattern, locale: str) -> Iterator[TextWarning]:
    if not knows_plurals(locale):
        return
    for frame in frames_of(text):
        if frame.plural:
            wanted = plural_categories(locale, ordinal=frame.kind == "selectordinal") - {*frame.forms}
            for form in (one for one in PLURAL_CATEGORIES if one in wanted):
                yield TextWarning(
                    "plural_form", f"{{{frame.name}}} has no form {form}, which {locale} has: other is used"
                )


def _readings(source: Pattern, text: Pattern) -> Iterator[tuple[_Reading, _Reading]]:
    yield _read(source, "", ""), _read(text, "", "")
    forms = {
        (frame.name, form): None
        for pattern in (source, text)
        for frame in frames_of(pattern)
        for form in frame.forms
        if form != "other"
    }
    for name, form in [*forms][:_MAX_READINGS]:
        yield _read(source, name, form), _read(text, name, form)


def _read(pattern: Pattern, name: str, form: str) -> _Reading:
    pieces: list[str] = []
    names: set[str] = set()

    def read(part: Pattern) -> None:
        for piece in part:
            if isinstance(piece, Text):
                pieces.append(piece.text)
            elif isinstance(piece, Slot):
                pieces.append(_SLOT)
                names.add(piece.name)
            else:
                read(_chosen(piece, name, form))

    read(pattern)
    return _Reading(form, "".join(pieces), frozenset(names))


def _chosen(frame: Frame, name: str, form: str) -> Pattern:
    return frame.forms[form if frame.name == name and form in frame.forms else "other"]


def _compare_ends(before: _Reading, after: _Reading, locale: str) -> Iterator[TextWarning]:
    for where, own, others in (
        ("begins", _leading(before.text), _leading(after.text)),
        ("ends", _trailing(before.text), _trailing(after.text)),
    ):
        if own != others:
            yield TextWarning("spaces", f"{where} with other spaces than the source{after.where}")
    if locale.partition("-")[0] not in _WITHOUT_STOPS:
        own, others = _last_mark(before.text, ""), _last_mark(after.text, locale)
        if own != others:
            yield TextWarning(
                "punctuation",
                f"ends with {others or 'no mark'}, the source with {own or 'none'}{after.where}",
            )


def _compare_contents(before: _Reading, after: _Reading, locale: str) -> Iterator[TextWarning]:
    wanted, given = (Counter(_numbers(one.text)) for one in (before, after))
    if wanted != given:
        differing = sorted({*(wanted - given), *(given - wanted)})
        yield TextWarning("numbers", f"has other numbers than the source: {_few(differing)}{after.where}")
    if lost := sorted(before.names - after.names):
        yield TextWarning("placeholder", f"does not say {{{lost[0]}}}{after.where}")
    wanted, given = (Counter(_TAG.findall(one.text)) for one in (before, after))
    if wanted != given:
        differing = sorted({*(wanted - given), *(given - wanted)})
        yield TextWarning("markup", f"has other tags than the source: <{_few(differing)}>{after.where}")
    if script := foreign_scripts(before.text, after.text, locale):
        yield TextWarning("script", f"{script}{after.where}")


def _compare_length(before: str, after: str) -> Iterator[TextWarning]:
    if len(after) > 3 * len(before) + 20:
        yield TextWarning("length", "is much longer than the source: it may not fit where that stands")
    elif 6 * len(after) + 12 < len(before):
        yield TextWarning("length", "is much shorter than the source: something may be left out")


def _leading(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def _trailing(text: str) -> str:
    return text[len(text.rstrip()) :]


def _last_mark(text: str, locale: str) -> str:
    """Returns the mark that a text ends with, whatever script it is of."""
    ending = text.rstrip(_CLOSING)[-3:]
    if ending == "...":
        return "…"
    if locale.partition("-")[0] == "el" and ending.endswith((";", "\u037e")):
        return "?"
    return _MARKS.get(ending[-1:], "")


def _numbers(text: str) -> Iterator[str]:
    """Yields the digits in order; signs between thousands or before decimals differ by language."""
    for found in _DIGITS.finditer(text):
        yield "".join(str(unicodedata.digit(char)) for char in found[0])


def _few(values: Sequence[str]) -> str:
    return ", ".join(value[:40] for value in values[:5])

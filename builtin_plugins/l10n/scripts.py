"""Scripts: which letters a language is written with."""

import unicodedata
from functools import lru_cache

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
    """The scripts of a locale; none where they are not known here."""
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

"""Plural categories: which of them the numbers of a language fall into, as the Unicode CLDR has it."""

PLURAL_CATEGORIES = ("zero", "one", "two", "few", "many", "other")

_LANGUAGES = {
    "other": "bm bo dz id ig ii ja jv km ko lo ms my nqo sah sg su tg th to vi wo yo yue zh",
    "one other": (
        "af ak am an as asa ast az bal bem bez bg bho bn brx ce ceb cgg chr ckb csw da de doi dv ee el en "
        "eo et eu fa ff fi fil fo fur fy gl gsw gu guw ha haw hi hu hy ia io is jgo jmc ka kab kaj kcg kk "
        "kkj kl kn ks ksb ku ky lb lg lij ln mas mg mgo mk ml mn mr nb nd ne nl nn nnh no nr nso ny nyn "
        "om or os pa pap pcm ps rm rof rwk saq sc sd sdh seh si sn so sq ss ssy st sv sw syr ta te teo ti "
        "tig tk tl tn tr ts tzm ug ur uz ve vo vun wa wae xh xog yi zu"
    ),
    "one many other": "ca es fr ht it lld pt scn vec",
    "one two other": "he iu naq sat se sma smj smn sms",
    "one few other": "bs hr mo ro sh shi sr",
    "zero one other": "blo ksh lag lv prg",
    "one few many other": "be cs lt pl ru sk uk",
    "one two few other": "dsb gd hsb sl",
    "one two few many other": "br ga gv mt",
    "zero one two few many other": "ar ars cy kw",
}
# Of ordinal numbers; a language that is known above and not listed here has `other` alone.
_ORDINALS = {
    "few other": "be tk uk",
    "many other": "it kk lij lld sc scn vec",
    "one few many other": "az",
    "one many other": "ka kw sq",
    "one other": "bal fil fr ga ht hu hy lo ms ne ro sv vi",
    "one two few many other": "as bn gu hi or",
    "one two few other": "ca en gd mr",
    "one two many other": "mk",
    "zero one few other": "blo",
    "zero one two few many other": "cy",
}


def _by_language(groups: dict[str, str]) -> dict[str, frozenset[str]]:
    return {
        language: frozenset(categories.split())
        for categories, languages in groups.items()
        for language in languages.split()
    }


_BY_LANGUAGE, _ORDINALS_BY_LANGUAGE = _by_language(_LANGUAGES), _by_language(_ORDINALS)


def plural_categories(locale: str, *, ordinal: bool = False) -> frozenset[str]:
    """Returns the categories of a locale's cardinal or `ordinal` numbers; all six of an unknown language."""
    language = _language(locale)
    if language not in _BY_LANGUAGE:
        return frozenset(PLURAL_CATEGORIES)
    if ordinal:
        return _ORDINALS_BY_LANGUAGE.get(language, frozenset({"other"}))
    return _BY_LANGUAGE[language]


def knows_plurals(locale: str) -> bool:
    """Tells whether the categories of a locale's numbers are known here."""
    return _language(locale) in _BY_LANGUAGE


def _language(locale: str) -> str:
    return locale.partition("-")[0].lower()

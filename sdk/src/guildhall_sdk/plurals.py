"""Plural categories: which of them the numbers of a language fall into, as the Unicode CLDR has it."""

PLURAL_CATEGORIES = ("zero", "one", "two", "few", "many", "other")

_LANGUAGES = {
    "other": "bm bo dz id ig ii ja jv km ko lo ms my nqo sah sg su th to vi wo yo yue zh",
    "one other": (
        "af ak am an as asa ast az bg bn brx ceb chr ckb da de dv ee el en eo et eu fa ff fi fil fo fur "
        "fy gl gsw gu guw ha haw hi hu hy ia is jgo ka kk kl kn ks ku ky lb lg ln mg mk ml mn mr nb ne "
        "nl nn no nso ny om or os pa ps rm sc sd si sn so sq ss st sv sw ta te tg ti tk tl tn tr ts ug "
        "ur uz ve vo wa xh yi zu"
    ),
    "one many other": "ca es fr it pt",
    "one two other": "he iu se smn",
    "one few other": "bs hr mo ro sh shi sr",
    "zero one other": "ksh lag lv prg",
    "one few many other": "be cs lt pl ru sk uk",
    "one two few other": "dsb gd hsb sl",
    "one two few many other": "br ga gv mt",
    "zero one two few many other": "ar ars cy kw",
}
_BY_LANGUAGE = {
    language: frozenset(categories.split())
    for categories, languages in _LANGUAGES.items()
    for language in languages.split()
}


def plural_categories(locale: str) -> frozenset[str]:
    """The categories of a locale's cardinal numbers; all six where the language is not known here."""
    return _BY_LANGUAGE.get(locale.partition("-")[0].lower(), frozenset(PLURAL_CATEGORIES))

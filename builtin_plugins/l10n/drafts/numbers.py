"""Which numbers a plural form is for, so that a model knows what it writes."""

from collections.abc import Sequence
from functools import lru_cache

_TRIED = (*range(200), 1_000_000)
_SAMPLES = 4


@lru_cache(maxsize=1024)
def numbers_of(locale: str, category: str, *, ordinal: bool) -> Sequence[int]:
    """The first few whole numbers of a category; none where the language is not known."""
    from babel import Locale, UnknownLocaleError

    try:
        found = Locale.parse(locale.partition("-")[0])
    except (UnknownLocaleError, ValueError):
        return ()
    rule = found.ordinal_form if ordinal else found.plural_form
    numbers = (number for number in _TRIED if rule(number) == category)
    return tuple(number for number, _ in zip(numbers, range(_SAMPLES), strict=False))

"""Whether a text can stand for its source on a screen that fills the arguments in."""

import re
from functools import lru_cache

from libs.icu_messages import MessageFault, argument_differences, parse_message

_BARE = re.compile(r"\{([A-Za-z]\w{0,63})\}", re.ASCII)


def fits(source: str, text: str) -> bool:
    """Tells whether a text compiles and takes the arguments of its source."""
    # Every change of one text asks again for all of them: most are told without taking them apart.
    if not ("{" in source or "{" in text or "}" in source or "}" in text):
        return True
    wanted, given = bare_arguments(source), bare_arguments(text)
    if wanted is None or given is None:
        return misfit(source, text) is None
    return wanted == given


def bare_arguments(text: str) -> set[str] | None:
    """Returns the arguments of a text that has none but bare ones, such as `{name}`; None for any other."""
    if "'" in text:
        return None
    pieces = _BARE.split(text)
    beside = "".join(pieces[::2])
    return None if "{" in beside or "}" in beside else {*pieces[1::2]}


@lru_cache(32_768)
def misfit(source: str, text: str) -> str | None:
    """Returns why a text cannot stand for its source, or None."""
    try:
        differences = argument_differences(parse_message(source), parse_message(text))
    except MessageFault as fault:
        return str(fault)
    return differences[0] if differences else None

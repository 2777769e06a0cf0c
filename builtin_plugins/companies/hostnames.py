"""Hostnames as companies register them: lower case, ASCII, without a port."""

import re

LONGEST = 253

_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_ACE = "xn--"


def parse_hostname(text: str) -> str | None:
    """Returns the name as it is stored and compared, or None for what is no hostname.

    An address is none, nor is a name with a port. An international name becomes its ASCII form where the two
    are one another's only spelling; else it must be given in that form.
    """
    name = text.lower() if text.isascii() else _to_ascii(text)
    name = name.removesuffix(".")
    labels = name.split(".")
    if len(name) > LONGEST or not all(map(_is_label, labels)) or labels[-1].isdigit():
        return None
    return name


def _is_label(label: str) -> bool:
    if _LABEL.fullmatch(label) is None:
        return False
    return not label.startswith(_ACE) or _decodes(label)


def _decodes(label: str) -> bool:
    try:
        decoded = label.removeprefix(_ACE).encode().decode("punycode")
    except (UnicodeError, ValueError):
        return False
    return not decoded.isascii()


def _to_ascii(text: str) -> str:
    """Returns the ASCII form; empty where Python's older rules and a browser's may differ, as for `ß`."""
    try:
        name = text.lower().encode("idna")
        return name.decode() if name.decode("idna") == text.lower() else ""
    except (UnicodeError, ValueError):
        return ""

"""Addresses of electronic mail, as they are given, compared and written into a header."""

import re

EMAIL_MAX = 254
# What every mail server takes: no quotes, no comments, no address of a network, nothing beyond ASCII.
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_LOCAL_MAX = 64


def email_fault(address: str) -> str | None:
    """Returns what is wrong with an address, or None."""
    local, at, domain = address.rpartition("@")
    labels = domain.split(".")
    if (
        len(address) <= EMAIL_MAX
        and at
        and len(local) <= _LOCAL_MAX
        and _LOCAL.fullmatch(local)
        and all(map(_LABEL.fullmatch, labels))
        and not labels[-1].isdigit()
    ):
        return None
    return "is no e-mail address such as ada@example.com; write an international domain as xn--"


def email_key(address: str) -> str:
    """Returns an address as addresses are compared: without case."""
    return address.lower()

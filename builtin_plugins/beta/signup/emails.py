"""E-mail addresses: whether one can be written to, and when two are the same."""

import re
import unicodedata
from functools import cache
from pathlib import Path

from libs.names import username_key

MAX_EMAIL = 254
_MAX_LOCAL = 64
# What stands before the @, unquoted: letters of any script, digits and the signs of RFC 5322.
_LOCAL = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})


def email_key(email: str) -> str | None:
    """Returns what addresses are compared by, or None for what is no address.

    The domain is its ASCII form, the rest is compared without case: `Ann@EXAMPLE.com` is `ann@example.com`.
    """
    if len(email) > MAX_EMAIL or any(unicodedata.category(char) in _UNSEEN for char in email):
        return None
    local, _, domain = email.rpartition("@")
    folded, name = username_key(local), _ascii_domain(domain)
    if not 0 < len(folded) <= _MAX_LOCAL or _LOCAL.fullmatch(folded) is None or name is None:
        return None
    return f"{folded}@{name}"


def _ascii_domain(domain: str) -> str | None:
    """Returns the name in the form that DNS knows; None for an address and for a name without a dot."""
    import idna

    try:
        name = idna.encode(domain, uts46=True).decode().lower().removesuffix(".")
    except (idna.IDNAError, UnicodeError):
        return None
    last = name.rpartition(".")[2]
    return name if "." in name and not last.isdigit() else None


def is_disposable(key: str, domains: frozenset[str]) -> bool:
    """Tells whether a key's domain, or one above it, is of those that give out addresses to throw away."""
    labels = key.rpartition("@")[2].split(".")
    return any(".".join(labels[start:]) in domains for start in range(len(labels) - 1))


@cache
def shipped_domains() -> frozenset[str]:
    """Returns the shipped list of domains that give out addresses to throw away."""
    return read_domains(Path(__file__).with_name("disposable_domains.txt").read_text("utf-8"))


def read_domains(text: str) -> frozenset[str]:
    """Reads a list: one domain a line, in any spelling; `#` begins a remark. Raises `ValueError`."""
    domains = set()
    for number, line in enumerate(text.splitlines(), 1):
        name = line.partition("#")[0].strip()
        if not name:
            continue
        domain = _ascii_domain(name)
        if domain is None:
            raise ValueError(f"line {number} is no domain")
        domains.add(domain)
    return frozenset(domains)

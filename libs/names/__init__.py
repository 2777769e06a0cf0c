"""The rules for names of people and places. Each `…_fault` returns what is wrong, or None."""

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Iterator

USERNAME_MAX = 64
NAME_MAX = 128
LOCALE_MAX = 35
LOCALE_PATTERN = "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"

_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,63}")
_LOCALE = re.compile(LOCALE_PATTERN)
_HOST = re.compile(r"([a-z0-9.-]{1,253})(?::[0-9]*)?")
_BUCKET_NAME_MAX = 63
_COMPANY_PART_MAX = 30
_UNIQUE_SUFFIX_MAX = 7
_NUMBERED_SLUGS = 9
# Amazon's clients take a bucket whose name ends in --x-s3 and the like for one of another kind.
_ENDS_LIKE_AMAZONS_OWN = re.compile(r"[a-z]+-s3")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_LINE_BREAKING = frozenset({"Cc", "Cs", "Zl", "Zp"})
_UNSEEN = _LINE_BREAKING | {"Cf", "Co", "Cn"}
# Letters and marks that draw nothing: with one of them two names can look the same.
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_DIRECTION_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def identifier_fault(label: str, name: str) -> str | None:
    """Checks a name that a plugin declares: 1..64 small letters, digits and `_`."""
    if _IDENTIFIER.fullmatch(name):
        return None
    return f"the {label} {name!r} must be small letters, digits and _"


def username_key(username: str) -> str:
    """Returns what usernames are compared by: `ａdmin`, `ADMIN` and `admin` are one person."""
    folded = unicodedata.normalize("NFKC", username).casefold()
    return unicodedata.normalize("NFKC", folded)


def account_lock(key: str) -> str:
    """Returns the key that a write locks while it changes how the person of a username key signs in."""
    return f"account:{key}"


def username_fault(username: str) -> str | None:
    """Checks for 1..64 visible characters without a space at either end, before and after folding."""
    if not 1 <= len(username) <= USERNAME_MAX:
        return f"takes 1 to {USERNAME_MAX} characters"
    for text in (username, username_key(username)):
        if any(char in _BLANK_LETTERS or unicodedata.category(char) in _UNSEEN for char in text):
            return "must not hold control or invisible characters"
        if not text or text != text.strip():
            return "must not begin or end with a space"
    return None


def name_fault(name: str) -> str | None:
    """Checks the name of a person, company or team: 1..128 characters on one line, not blank."""
    if not 1 <= len(name) <= NAME_MAX or not name.strip():
        return f"takes 1 to {NAME_MAX} characters, not all of them blank"
    if any(char in _DIRECTION_OVERRIDES or unicodedata.category(char) in _LINE_BREAKING for char in name):
        return "must not hold line breaks, control characters or direction overrides"
    return None


def locale_fault(locale: str) -> str | None:
    """Checks for a language tag such as `en` or `nl-BE`."""
    if len(locale) > LOCALE_MAX or _LOCALE.fullmatch(locale) is None:
        return "is not a language tag such as en or nl-BE"
    return None


def spelt_locale(locale: str) -> str:
    """Returns a language tag as it is usually written: `nl-be` is `nl-BE`."""
    language, *rest = locale.split("-")
    return "-".join([language.lower(), *map(_spelt_subtag, rest)])


def _spelt_subtag(given: str) -> str:
    if len(given) == 4 and given.isalpha():
        return given.title()
    return given.upper() if len(given) == 2 and given.isalpha() else given.lower()


def folded(text: str) -> str:
    """Returns a text as it is compared: without case, width and other spellings of one letter."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def hostname_of(host_header: str) -> str:
    """Returns the name in a `Host` header, without case and port; empty for what no company can have."""
    match = _HOST.fullmatch(host_header.lower())
    return match[1] if match else ""


def slug_of(name: str, fallback: str) -> str:
    """Makes a slug of a name: 3..56 of [a-z0-9-], which leaves room for a suffix that makes it unique."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = _NOT_SLUG.sub("-", plain).strip("-")[:56].strip("-")
    if len(slug) >= 3:
        return slug
    return f"{fallback}-{slug}" if slug else fallback


def team_slug_of(org_slug: str, org_id: str, name: str) -> str:
    """Makes a team's slug, `company--team`, fit for a bucket's name; no other company's begins so.

    It tells nothing about other companies. A slug by itself holds single dashes only, so that the first two
    in a row end the company's part. One that is too long for that is cut and told apart by its id, and then
    longer than any that is not cut.
    """
    company = org_slug
    if len(company) > _COMPANY_PART_MAX:
        head = company[:20].rstrip("-")
        digest = hashlib.sha256(org_id.encode()).hexdigest()
        company = f"{head}-{digest[: _COMPANY_PART_MAX - len(head)]}"
    team = slug_of(name, "team")
    if _ENDS_LIKE_AMAZONS_OWN.fullmatch(team):
        team = f"team-{team}"
    room = _BUCKET_NAME_MAX - _UNIQUE_SUFFIX_MAX - len(company) - 2
    return f"{company}--{team[:room].rstrip('-')}"


def free_slugs(base: str) -> Iterator[str]:
    """Yields the slug itself, then numbered, then with chance: the last cannot all be taken."""
    yield base
    for number in range(2, _NUMBERED_SLUGS + 1):
        yield f"{base}-{number}"
    while True:
        yield f"{base}-{secrets.token_hex(3)}"


TOOL_NAME_MAX = 64
_HEAD = 53
_NOT_IN_TOOL_NAMES = re.compile(r"[^a-z0-9_]")


def foreign_tool_name(source: str, origin: str, tool: str) -> str:
    """Names a tool of somebody else by where it comes from: `<source>__<origin>__<tool>` in small letters.

    Every other sign is `_`; a name that would be too long ends in a digest of the whole.
    """
    whole = f"{source}__{_plain_name(origin)}__{_plain_name(tool)}"
    if len(whole) <= TOOL_NAME_MAX:
        return whole
    return f"{whole[:_HEAD]}_{hashlib.sha256(whole.encode()).hexdigest()[:10]}"


def is_foreign_tool_of(name: str, source: str, origin: str) -> bool:
    """Tells whether `foreign_tool_name` could have given this name to a tool of this origin."""
    prefix = f"{source}__{_plain_name(origin)}__"
    return name[:_HEAD].startswith(prefix[:_HEAD])


def _plain_name(text: str) -> str:
    return _NOT_IN_TOOL_NAMES.sub("_", text.lower())

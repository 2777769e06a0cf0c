"""Settings: what an operator decides about a plugin, and how the text of each is parsed.

A parser is a plain function: it takes the text and returns the value, or raises `ValueError` with words that
follow the name of the setting, such as "takes a whole number from 1 to 100". Write your own where none fits.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

Value = TypeVar("Value")

#: Behind the variable of a secret: names a file that holds it, as container platforms bring secrets.
FILE_SUFFIX = "_FILE"
MAKE_ONE = "make one by chance, such as with: openssl rand -base64 32"

_MAX_NUMBER = 10**9
_MAX_FILE = 64 * 1024
_MIN_BITS = 70
_PLACEHOLDERS = (
    *("changeme", "changethis", "replaceme", "placeholder", "yoursecret", "yourkey", "example", "insecure"),
    *("password", "secretkey", "supersecret", "topsecret", "default", "letmein", "guildhall"),
    *("0123456789", "1234567890", "abcdefgh", "qwertyui", "deadbeef"),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setting(Generic[Value]):
    """A setting, read from `SERVICE_<PLUGIN>_<NAME>` at the boot; `host.setting(…)` returns its value."""

    #: Small letters, digits and `_`: `page_size` of `book-shelf` is `SERVICE_BOOK_SHELF_PAGE_SIZE`.
    name: str
    #: One line for the operator, as `guildhall serve --help` prints it.
    help: str
    #: What holds where the variable is not set. It is neither parsed nor checked.
    default: Value
    parse: Callable[[str], Value]
    #: Why a value that was parsed is refused all the same, in words that follow the setting's name, or None.
    check: Callable[[Value], str | None] | None = None
    #: Never printed: `guildhall doctor` says only that it is set.
    secret: bool = False
    #: Another name than the plugin's own prefix gives; for plugins that ship with the server.
    variable: str | None = None


def as_text(value: object) -> str:
    """Returns a value as an operator would write it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple | frozenset):
        return ",".join(sorted(map(str, value)))
    return str(value)


def text(given: str) -> str:
    """Parses any text that is not blank."""
    if not given.strip():
        raise ValueError("is empty; unset it or give it a value")
    return given


def secret_text(given: str) -> str:
    """Parses text that is long enough not to be guessed, and no word that stands in for one."""
    if len(given) < 16:
        raise ValueError("is too short; give it at least 16 characters of chance")
    if any(word in _letters(given) for word in _PLACEHOLDERS):
        raise ValueError(f"can be guessed; {MAKE_ONE}")
    return given


def guessable(secret: str) -> str | None:
    """Returns why others may guess a secret, in words that follow its name, or None."""
    if looks_like_path(secret):
        return "looks like the path of a file, not like what is in it"
    if any(word in _letters(secret) for word in _PLACEHOLDERS) or _bits(secret) < _MIN_BITS:
        return "can be guessed"
    return None


def looks_like_path(given: str) -> bool:
    """Tells whether a secret is rather the path of a file; one of chance may begin with a slash too."""
    if not given.startswith(("/", "./", "../", "~/")):
        return False
    kinds = (str.islower, str.isupper, str.isdigit)
    by_chance = all(any(map(kind, given)) for kind in kinds)
    return not by_chance or Path(given).expanduser().is_file()


def secret_from(environment: Mapping[str, str], variable: str) -> str | None:
    """Returns a secret from its variable, or from the file that `<variable>_FILE` names; None without either.

    Raises `ValueError` with words that follow the name of the variable.
    """
    by_file = f"{variable}{FILE_SUFFIX}"
    if by_file not in environment:
        return environment.get(variable)
    if variable in environment:
        raise ValueError(f"is set, and so is {by_file}: leave one out")
    if not environment[by_file]:
        raise ValueError(f"{by_file} names no file: unset it, or give it a path")
    try:
        # Some editors begin a text with a mark, which is none of it.
        with Path(environment[by_file]).open(encoding="utf-8-sig") as file:
            content = file.read(_MAX_FILE + 1).strip()
    except OSError as error:
        raise ValueError(f"the file that {by_file} names cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"the file that {by_file} names holds no text") from None
    if not content or len(content) > _MAX_FILE:
        raise ValueError(f"the file that {by_file} names is {'too long' if content else 'empty'}")
    return content


def _letters(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum())


def _bits(text: str) -> float:
    """Returns how much chance there is in a text, by how often it repeats its own characters."""
    return -sum(times * log2(times / len(text)) for times in Counter(text).values())


def boolean(given: str) -> bool:
    """Parses 1/0, true/false, on/off or yes/no, in small letters or capitals."""
    word = given.strip().lower()
    if word in {"1", "true", "on", "yes"}:
        return True
    if word in {"0", "false", "off", "no"}:
        return False
    raise ValueError("takes 1/0, true/false, on/off or yes/no")


def whole(low: int = 0, high: int = _MAX_NUMBER, what: str | None = None) -> Callable[[str], int]:
    """Returns a parser of whole numbers within these bounds; `what` names them in the refusal."""
    bounds = f"a whole number, {low} or more" if high == _MAX_NUMBER else f"a whole number, {low} to {high}"

    def parse(given: str) -> int:
        if not re.fullmatch(r"[0-9]{1,10}", given.strip()) or not low <= int(given) <= high:
            raise ValueError(f"takes {what or bounds}")
        return int(given)

    return parse


seconds = whole(1, what="a number of seconds, 1 or more")


def one_of(*words: str) -> Callable[[str], str]:
    """Returns a parser that takes one of these words."""

    def parse(given: str) -> str:
        if given not in words:
            raise ValueError(f"takes one of {', '.join(words)}")
        return given

    return parse


def address(given: str) -> str:
    """Parses the address of a listener: `host:port`."""
    host, _, port = given.rpartition(":")
    if not host or not re.fullmatch(r"[0-9]{1,5}", port) or int(port) > 65535:
        raise ValueError("takes host:port, such as 127.0.0.1:8080")
    return given


def web_url(given: str) -> str:
    """Parses an http or https address, without a slash at its end."""
    parts = urlsplit(given)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("takes an http:// or https:// address")
    return given.rstrip("/")


def path(given: str) -> Path:
    """Parses the path of a file or a folder; whether it exists is not checked."""
    return Path(text(given))


def json_value(given: str) -> Any:
    """Parses any JSON; its shape is not checked."""
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        raise ValueError("takes JSON") from None

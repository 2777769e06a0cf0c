"""Secrets as an operator gives them: in a variable or in a file, and strong enough or not."""

from collections import Counter
from collections.abc import Callable, Mapping
from math import log2
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

#: Behind the variable of a secret: names a file that holds it, as container platforms bring secrets.
FILE_SUFFIX = "_FILE"
_MAX_FILE = 64 * 1024
_MIN_BITS = 70
_MIN_LENGTH = 16
_PLACEHOLDERS = (
    *("changeme", "changethis", "replaceme", "placeholder", "yoursecret", "yourkey", "example", "insecure"),
    *("password", "secretkey", "supersecret", "topsecret", "default", "letmein"),
    *("0123456789", "1234567890", "abcdefgh", "qwertyui", "deadbeef"),
)

MAKE_ONE = "make one by chance, such as with: openssl rand -base64 32"


def guessable(secret: str, *words: str) -> str | None:
    """Returns why others may guess a secret, in words that follow its name, or None.

    `words` are such as are guessed for this program alone: its own name.
    """
    if looks_like_path(secret):
        return "looks like the path of a file, not like what is in it"
    if _is_placeholder(secret, *words) or _bits(secret) < _MIN_BITS:
        return "can be guessed"
    return None


def secret_text(*words: str) -> Callable[[str], str]:
    """Returns a parser of text that is long enough not to be guessed and no word that stands in for one."""

    def parse(given: str) -> str:
        if len(given) < _MIN_LENGTH:
            raise ValueError(f"is too short; give it at least {_MIN_LENGTH} characters of chance")
        if _is_placeholder(given, *words):
            raise ValueError(f"can be guessed; {MAKE_ONE}")
        return given

    return parse


def _is_placeholder(secret: str, *words: str) -> bool:
    letters = "".join(sign for sign in secret.lower() if sign.isalnum())
    return any(word in letters for word in (*_PLACEHOLDERS, *words))


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


def with_password(url: str) -> str:
    """Returns a URL that may hold a password; raises `ValueError` where that ends its first part early.

    The rest would pass for a name, and be told. A URL without a host, such as a file's, holds none.
    """
    try:
        parts = urlsplit(url)
        behind = parts.path if "@" in parts.netloc else parts.path + parts.query + parts.fragment
        cut = bool(parts.netloc) and "@" in behind
    except ValueError:
        cut = True
    if cut:
        raise ValueError("is not well formed; percent-encode what is special in its password")
    return url


def parsed(
    given: str, parse: Callable[[str], Any], check: Callable[[Any], str | None] | None, *, secret: bool
) -> Any:
    """Returns a value that an operator gives, once `check` has no refusal of it.

    Raises `ValueError` with one line that follows the name of the variable and never repeats a secret.
    """
    try:
        value = parse(given)
        refusal = None if check is None else check(value)
    except ValueError as error:
        refusal = str(error) or "is malformed"
    if refusal is None:
        return value
    line = " ".join(refusal.split())
    if secret and given.strip() and given.strip() in line:
        line = "is malformed"
    raise ValueError(line)


def as_text(value: object) -> str:
    """Returns a value as an operator would write it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple | frozenset):
        return ",".join(sorted(map(str, value)))
    return str(value)


def _bits(text: str) -> float:
    """Returns how much chance there is in a text, by how often it repeats its own characters."""
    return -sum(times * log2(times / len(text)) for times in Counter(text).values())

"""What a trigger matches: the beginning of a key, and media types with wildcards."""

import re
from collections.abc import Sequence

from guildhall_sdk import InvalidRequest

MAX_PREFIX_BYTES = 1024
MAX_TYPES = 50
MAX_TYPE = 255
ANY = "*/*"
_WORD = r"[A-Za-z0-9!#$&^_.+-]+"
_TYPE = re.compile(rf"\*/\*|{_WORD}/(?:\*|{_WORD})")


def check_prefix(prefix: str) -> str:
    """Raises `InvalidRequest` for what no key can begin with."""
    try:
        length = len(prefix.encode())
    except UnicodeEncodeError:
        raise InvalidRequest.at("/match_prefix", "is not UTF-8") from None
    if length > MAX_PREFIX_BYTES or "\0" in prefix:
        raise InvalidRequest.at(
            "/match_prefix", f"takes {MAX_PREFIX_BYTES} bytes of UTF-8 without U+0000, as a key does"
        )
    return prefix


def check_types(types: Sequence[str]) -> Sequence[str]:
    """Raises `InvalidRequest` that names every type which is none."""
    wrong = [number for number, one in enumerate(types) if not _TYPE.fullmatch(one)]
    if wrong:
        message = "must be a media type such as text/plain, text/* or */*, without parameters"
        errors = [{"pointer": f"/match_types/{number}", "message": message} for number in wrong]
        raise InvalidRequest(f"{errors[0]['pointer']}: {message}", errors=errors)
    return types


def spellings(types: Sequence[str]) -> list[str]:
    """Returns the types as they are looked up, each once; no type is any."""
    return sorted({one.lower() for one in types}) or [ANY]

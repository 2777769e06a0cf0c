"""Keys, filenames and content types: what is taken, and what is made of a key where nothing was said."""

import re
from functools import cache, lru_cache
from mimetypes import MimeTypes

from guildhall_sdk import InvalidRequest, UserError

LONGEST_KEY = 1024
LONGEST_FILENAME = 255
LONGEST_CONTENT_TYPE = 255
MARKDOWN = "text/markdown"
UNKNOWN = "application/octet-stream"

_CONTENT_TYPE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_OTHER_TYPES = {".md": MARKDOWN, ".markdown": MARKDOWN, ".avif": "image/avif"}


def check_key(key: str) -> None:
    """Raises `UserError` `invalid_key`."""
    try:
        length = len(key.encode())
    except UnicodeEncodeError:
        fault = "is not UTF-8"
    else:
        if not 1 <= length <= LONGEST_KEY:
            fault = f"must have 1 to {LONGEST_KEY} bytes of UTF-8"
        elif "\0" in key:
            fault = "must not hold U+0000"
        elif not {".", ".."}.isdisjoint(key.split("/")):
            fault = "must not have a segment . or .."
        else:
            return
    raise UserError(f"The key {fault}.", code="invalid_key")


def filename_of(key: str) -> str:
    """Returns the last segment that is not empty."""
    return (key.rstrip("/").rpartition("/")[2] or "file")[-LONGEST_FILENAME:]


def content_type_of(filename: str) -> str:
    named = filename.lstrip(".")
    return _type_of_endings(named[named.index(".") :]) if "." in named else UNKNOWN


@lru_cache(maxsize=1024)
def _type_of_endings(endings: str) -> str:
    return _types().guess_type(f"name{endings}", strict=False)[0] or UNKNOWN


@cache
def _types() -> MimeTypes:
    """Returns Python's own types and ours, not those of the machine."""
    types = MimeTypes(filenames=())
    for extension, content_type in _OTHER_TYPES.items():
        types.add_type(content_type, extension)
    return types


def check_filename(filename: str) -> str:
    if not 1 <= len(filename) <= LONGEST_FILENAME or "\0" in filename:
        raise InvalidRequest.at("?filename", f"takes 1 to {LONGEST_FILENAME} characters")
    return filename


def check_content_type(content_type: str) -> str:
    if len(content_type) > LONGEST_CONTENT_TYPE or not _CONTENT_TYPE.fullmatch(content_type):
        raise InvalidRequest("Content-Type is not one: it takes printable ASCII, such as text/plain.")
    return content_type


def media_type(content_type: str) -> str:
    """Returns the type without parameters, in small letters."""
    return content_type.partition(";")[0].strip().lower()

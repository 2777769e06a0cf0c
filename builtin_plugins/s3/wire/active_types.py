"""Content types that a browser runs or renders as a page.

A link to the console's own origin gives none of them: its pages load scripts from there, and whoever stores a
file chooses its type.
"""

import re
from collections.abc import Mapping

_INERT = "application/octet-stream"
# Browsers take the last of several types: what is not plainly one type is not judged by its first.
_ONE_TYPE = re.compile(r"([\w!#$&^.+-]+)/([\w!#$&^.+-]+)[ \t]*(?:;[^,]*)?", re.ASCII)
_SCRIPTS = re.compile(r"(?:x-)?(?:java|ecma|live)script(?:1\.\d)?|jscript|css|wasm|x-shockwave-flash")
_CARRIERS = frozenset({"multipart", "message"})


def is_active(content_type: str) -> bool:
    """Tells whether a browser would run, apply or render as a page what is of this type."""
    one = _ONE_TYPE.fullmatch(content_type.strip().lower())
    if one is None or one[1] in _CARRIERS:
        return True
    subtype = one[2]
    return (
        "html" in subtype
        or subtype.startswith("svg")
        or subtype.endswith(("xml", "xsl", "xslt"))
        or _SCRIPTS.fullmatch(subtype) is not None
    )


def as_download(headers: Mapping[str, str]) -> dict[str, str]:
    """Returns the headers of an answer, in which what is active is only bytes to be saved."""
    named = {name.lower(): value for name, value in headers.items()}
    if not is_active(named.get("content-type", "")):
        return dict(headers)
    _, semicolon, parameters = named.get("content-disposition", "").partition(";")
    others = {
        name: value
        for name, value in headers.items()
        if name.lower() not in ("content-type", "content-disposition")
    }
    return {
        **others,
        "Content-Type": _INERT,
        "Content-Disposition": f"attachment{semicolon}{parameters}",
    }

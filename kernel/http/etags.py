"""Entity tags: comparing what a caller holds with what is there."""

import re

_TAG = re.compile(r'\s*(W/)?"([^"]*)"\s*(?:,|$)')


def etag_matches(header: str, etag: str, *, weak: bool) -> bool:
    """Whether a list of tags, or `*`, holds this one. A weak tag matches only where weak will do."""
    if header.strip() == "*":
        return True
    bare = etag.removeprefix("W/").strip('"')
    position = 0
    while match := _TAG.match(header, position):
        if match[2] == bare and (weak or not match[1]):
            return True
        position = match.end()
    return False

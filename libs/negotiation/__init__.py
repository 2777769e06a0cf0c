"""What a caller would rather have (`Accept`, RFC 9110, 12.5.1) and has already (entity tags, 8.8.3)."""

import re
from collections.abc import Sequence

_TAG = re.compile(r'\s*(W/)?"([^"]*)"\s*(?:,|$)')
_WEIGHT = re.compile(r"[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")


def preferred(accept: str, offered: Sequence[str]) -> str:
    """Returns the heaviest, then the one that is named most exactly, then the one offered first.

    A caller who would take none of them gets the first all the same.
    """
    ranges = [_range(part) for part in accept.split(",")]
    ranked = [(_wish(content_type, ranges), -place) for place, content_type in enumerate(offered)]
    wish, place = max(ranked)
    return offered[-place] if wish[0] > 0 else offered[0]


def _range(part: str) -> tuple[str, float]:
    """Returns a media range and its weight; other parameters, such as a version, do not matter here."""
    media_range, *parameters = (piece.strip() for piece in part.split(";"))
    weights = [match[1] for text in parameters if (match := _WEIGHT.fullmatch(text))]
    return media_range.lower(), float(weights[0]) if weights else 1.0


def _wish(content_type: str, ranges: Sequence[tuple[str, float]]) -> tuple[float, int]:
    """Returns how much a content type is wanted, and by how exact a name: that one decides."""
    by_exactness = (content_type, content_type.partition("/")[0] + "/*", "*/*")
    for place, name in enumerate(by_exactness):
        weights = [weight for media_range, weight in ranges if media_range == name]
        if weights:
            return max(weights), len(by_exactness) - place
    return 0.0, 0


def etag_matches(header: str, etag: str, *, weak: bool) -> bool:
    """Tells whether a list of tags, or `*`, holds this one; a weak tag matches only where weak will do."""
    if header.strip() == "*":
        return True
    bare = etag.removeprefix("W/").strip('"')
    position = 0
    while match := _TAG.match(header, position):
        if match[2] == bare and (weak or not match[1]):
            return True
        position = match.end()
    return False

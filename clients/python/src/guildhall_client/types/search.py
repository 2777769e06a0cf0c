"""What the API says about search."""

from typing import Literal, NotRequired, TypedDict


class SearchHitPassagePlace(TypedDict):
    heading: NotRequired[str]
    line: NotRequired[int]
    page: NotRequired[int]
    sheet: NotRequired[str]


class SearchHitPassage(TypedDict):
    place: SearchHitPassagePlace
    #: A piece of the text as it stands there
    text: str


class SearchHit(TypedDict):
    found_by: list[Literal["words", "meaning"]]
    id: str
    passage: SearchHitPassage
    #: From 0 to 1; the best come first
    score: float
    #: Hits stand between U+0001 and U+0002
    snippet: str
    title: str
    type: str
    url: str


class SearchHitPage(TypedDict):
    items: list[SearchHit]
    next_cursor: str | None
    #: Types that could not be searched just now; the log says why
    unavailable: list[str]


__all__ = ["SearchHit", "SearchHitPage", "SearchHitPassage", "SearchHitPassagePlace"]

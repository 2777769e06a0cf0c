"""Checks of what people upload to be shown to others: pictures and themes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from guildhall_sdk.data import Reader
from guildhall_sdk.errors import InvalidRequest
from guildhall_sdk.replies import Reply

MAX_PICTURE_BYTES = 512 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture that was checked. `digest` is the SHA-256 of its bytes."""

    content_type: str
    digest: str
    size: int
    content: bytes = field(repr=False)


class Pictures(Protocol):
    """Checks of PNG, JPEG, WebP, GIF and SVG, recognized by their content and not by their name."""

    async def judge(
        self, holder: str, content_type: str, data: str, *, max_bytes: int = MAX_PICTURE_BYTES
    ) -> Picture:
        """Checks a picture in base64, on a thread in the turn of its holder, such as a company's id.

        Raises `TooLarge`, or `InvalidRequest` at `/data` or `/content_type`. An SVG that could run or load
        something is refused.
        """

    def reply(self, picture: Picture, *, filename: str = "picture") -> Reply:
        """Returns the picture as an answer: it can run nothing, and is cached for ever.

        So let its address name its content. `filename` goes without an extension.
        """


class ThemeInvalid(InvalidRequest):
    """Raised for a theme that cannot be used."""

    code = "theme_invalid"
    title = "The theme cannot be used"


class Themes(Protocol):
    """Colours and shapes of a page, by token."""

    def judge(self, theme: Mapping[str, Any]) -> None:
        """Raises `ThemeInvalid` for tokens that are unknown, malformed or hard to read."""

    def palette(self, theme: Mapping[str, Any]) -> Mapping[str, str | int]:
        """Returns every token with its value: the theme over the default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A branding as visitors see it. `logo` is its address, `palette` every token with its value."""

    title: str
    tagline: str
    logo: str | None
    palette: Mapping[str, str | int]


class Brandings(Protocol):
    """How the instance and its companies look."""

    async def at(self, reader: Reader, hostname: str) -> Look:
        """Returns the branding of the company that has this hostname, else the instance's."""

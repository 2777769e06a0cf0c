"""What the API says about branding."""

from typing import Any, TypedDict


class Brand(TypedDict):
    logo: str | None
    #: Whether a company's own is shown, and not the instance's
    own: bool
    #: Every token: the theme over the default
    palette: dict[str, Any]
    tagline: str
    #: The tokens that were set
    theme: dict[str, Any]
    title: str


__all__ = ["Brand"]

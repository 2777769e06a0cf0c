"""What an owner has set, in words of one line without invisible characters, and what is shown of it."""

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple

from guildhall_sdk import Row
from guildhall_sdk.services.pages import ThemeInvalid
from libs.themes import Theme, palette, refusal

TITLE_MAX = 80
TAGLINE_MAX = 200
_LINE_BREAKING = frozenset({"Cc", "Cs", "Zl", "Zp"})
_DIRECTION_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def title_fault(title: str) -> str | None:
    """Returns what is wrong with a title, or None."""
    return tagline_fault(title) if title.strip() else "must not be blank"


def tagline_fault(tagline: str) -> str | None:
    for char in tagline:
        if char in _DIRECTION_OVERRIDES or unicodedata.category(char) in _LINE_BREAKING:
            return "must not hold line breaks, control characters or direction overrides"
    return None


LOGO_PATH = "/api/branding/logos/"
_LOGO_URL = re.compile(re.escape(LOGO_PATH) + "([0-9a-f]{64})")


class BrandingOwner(NamedTuple):
    """Whose branding it is; without a company, the instance's."""

    org_id: str | None = None

    @property
    def key(self) -> str:
        return self.org_id or "instance"


INSTANCE = BrandingOwner()


class Branding(NamedTuple):
    """A branding as stored: None for what was never set, and a logo that may be set to none."""

    title: str | None = None
    tagline: str | None = None
    theme: Theme | None = None
    logo_set: bool = False
    logo_digest: str | None = None

    @classmethod
    def from_row(cls, row: Row) -> "Branding":
        return cls(
            row["title"],
            row["tagline"],
            None if row["theme"] is None else json.loads(row["theme"]),
            bool(row["logo_set"]),
            row["logo_digest"],
        )

    def over(self, below: "Branding") -> "Branding":
        """Returns this branding where it is set, else what is below it."""
        with_logo = self if self.logo_set else below
        return Branding(
            below.title if self.title is None else self.title,
            below.tagline if self.tagline is None else self.tagline,
            below.theme if self.theme is None else self.theme,
            with_logo.logo_set,
            with_logo.logo_digest,
        )


SHIPPED = Branding("Guildhall", "", {})


def branding_json(brandings: Mapping[str, Branding], org_id: str | None) -> dict[str, Any]:
    """Returns the company's branding over the instance's; `own` says whether the company has set any."""
    own = None if org_id is None else brandings.get(org_id)
    branding = (own or Branding()).over(brandings.get(INSTANCE.key, Branding()).over(SHIPPED))
    return {
        "title": branding.title,
        "tagline": branding.tagline,
        "logo": None if branding.logo_digest is None else LOGO_PATH + branding.logo_digest,
        "theme": branding.theme,
        "palette": palette(branding.theme or {}),
        "own": own is not None,
    }


def digest_in(url: str) -> str | None:
    """Returns the digest that a logo's URL names; None for any other text."""
    match = _LOGO_URL.fullmatch(url)
    return match[1] if match else None


def check_theme(theme: Mapping[str, Any]) -> None:
    """Raises `ThemeInvalid` for tokens that do not exist, are malformed, or cannot be told apart."""
    if (refused := refusal(theme)) is not None:
        raise ThemeInvalid(**refused)

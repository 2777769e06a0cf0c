"""Themes: which tokens there are, what they look like by default, and which themes can be read.

The one set of rules for every page: of branding, of the beta funnel, of a plugin's own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

Theme = Mapping[str, str | int]

DARK = "dark-"
RADIUS = "radius"
MAX_RADIUS = 24
_LIGHT_COLOURS = {
    "bg": "#faf7f2",
    "surface": "#ffffff",
    "text": "#231e19",
    "muted": "#655b4f",
    "border": "#e0d8cb",
    "accent": "#1f6a4e",
    "on-accent": "#ffffff",
    "danger": "#b3261e",
    "on-danger": "#ffffff",
    "focus": "#1f6a4e",
}
_DARK_COLOURS = {
    "bg": "#161310",
    "surface": "#1f1b17",
    "text": "#f1ebe3",
    "muted": "#b6ab9c",
    "border": "#40382f",
    "accent": "#86d3b1",
    "on-accent": "#05281a",
    "danger": "#f2a29b",
    "on-danger": "#3b0906",
    "focus": "#86d3b1",
}
DEFAULT: Theme = MappingProxyType(
    {
        **_LIGHT_COLOURS,
        **{DARK + token: colour for token, colour in _DARK_COLOURS.items()},
        RADIUS: 10,
    }
)

# Foreground, background, and how far apart they must stand: WCAG's floors for text and for controls.
FLOORS: Sequence[tuple[str, str, float]] = (
    ("text", "bg", 4.5),
    ("text", "surface", 4.5),
    ("muted", "bg", 4.5),
    ("muted", "surface", 4.5),
    ("on-accent", "accent", 4.5),
    ("on-danger", "danger", 4.5),
    ("accent", "bg", 3.0),
    ("focus", "bg", 3.0),
    ("danger", "bg", 3.0),
)

_WEIGHTS = (0.2126, 0.7152, 0.0722)
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_SHOWN_NAME = 80
_MAX_ERRORS = 20


class _Fault(NamedTuple):
    token: str
    message: str
    measured: Mapping[str, Any]

    def error(self) -> dict[str, str]:
        escaped = self.token.replace("~", "~0").replace("/", "~1")
        return {"pointer": f"/theme/{escaped}", "message": self.message}


def palette(theme: Theme) -> dict[str, str | int]:
    """Returns every token with its value: the theme over the default."""
    return {**DEFAULT, **theme}


def refusal(theme: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the fields of a problem: tokens that do not exist, are malformed, or cannot be told apart.

    `token` is the first; below a contrast floor the ratio, the floor and the other colour stand beside it.
    """
    faults = list(islice(_malformed(theme), _MAX_ERRORS)) or list(_too_close(theme))
    if not faults:
        return None
    first = faults[0]
    return {
        "detail": f"{first.token}: {first.message}",
        "errors": [fault.error() for fault in faults],
        "token": first.token,
        **first.measured,
    }


def _malformed(theme: Mapping[str, Any]) -> Iterator[_Fault]:
    for name, value in theme.items():
        if name not in DEFAULT:
            yield _Fault(name[:_SHOWN_NAME], "there is no such token", {})
        elif name == RADIUS:
            if not (type(value) is int and 0 <= value <= MAX_RADIUS):
                yield _Fault(name, f"must be a whole number from 0 to {MAX_RADIUS}", {})
        elif not (isinstance(value, str) and _COLOUR.fullmatch(value)):
            yield _Fault(name, "must be a colour such as #1a2b3c", {})


def _too_close(theme: Mapping[str, Any]) -> Iterator[_Fault]:
    colours = palette(theme)
    for mode in ("", DARK):
        for foreground, background, floor in FLOORS:
            pair = mode + foreground, mode + background
            ratio = contrast(str(colours[pair[0]]), str(colours[pair[1]]))
            if ratio < floor:
                # The one that was set is the one to change; of two, the foreground.
                named, other = pair if pair[0] in theme else pair[::-1]
                rounded = int(ratio * 100) / 100  # never rounded up to the floor
                yield _Fault(
                    named,
                    f"stands at {rounded}:1 against {other}, where {floor}:1 is the least",
                    {"ratio": rounded, "floor": floor, "against": other},
                )


def luminance(colour: str) -> float:
    """Returns the relative luminance of `#rrggbb` by WCAG 2: 0 for black, 1 for white."""
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return sum(weight * _linear(channel) for weight, channel in zip(_WEIGHTS, channels, strict=True))


def contrast(one: str, other: str) -> float:
    """Returns the contrast, from 1, no difference, to 21, black and white; the order does not matter."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)

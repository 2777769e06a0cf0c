"""Bodies that come in and answers that go out."""

from builtin_plugins.branding.logos.upload import CONTENT_TYPES, MAX_BYTES
from builtin_plugins.branding.wording import TAGLINE_MAX, TITLE_MAX
from guildhall_sdk.schema import anything, boolean, enum, nullable, obj, shape, string
from libs.themes import DARK, DEFAULT, MAX_RADIUS, RADIUS

_COLOURS = ", ".join(token for token in DEFAULT if not token.startswith(DARK) and token != RADIUS)
_TOKENS = f"Colours as #rrggbb: {_COLOURS}, and each with {DARK} in front; {RADIUS}: 0 to {MAX_RADIUS}"
# Its tokens are judged by the theme's own rules: they name the token and measure the contrast.
_THEME = anything(type="object", description=_TOKENS)
_URL = string(max_length=200, description="The URL of a logo uploaded before by the same owner")

CHANGE = obj(
    {
        "title": string(min_length=1, max_length=TITLE_MAX),
        "tagline": string(max_length=TAGLINE_MAX),
        "logo": nullable(_URL),
        "theme": _THEME,
    },
    example={
        "title": "Acme",
        "tagline": "Everything, delivered",
        "theme": {"accent": "#7a1f5c", "dark-accent": "#f2b8d9", "dark-on-accent": "#3a0b2a", "radius": 4},
    },
)

# A picture of one pixel.
_EXAMPLE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGMAAQAABQABDQottAAAAABJRU5ErkJggg=="
UPLOAD = obj(
    {
        "content_type": enum(*CONTENT_TYPES, description="Must be what the data is by its content"),
        "data": string(min_length=1, description=f"The picture in base64, at most {MAX_BYTES} bytes"),
    },
    required=["content_type", "data"],
    example={"content_type": "image/png", "data": _EXAMPLE},
)

BRANDING = shape(
    {
        "title": string(),
        "tagline": string(),
        "logo": nullable(string()),
        "theme": anything(type="object", description="The tokens that were set"),
        "palette": anything(type="object", description="Every token: the theme over the default"),
        "own": boolean(description="Whether a company's own is shown, and not the instance's"),
    }
)

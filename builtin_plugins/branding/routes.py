"""The rows of branding, what they take and answer, and a logo for the conformance tests."""

import base64

from builtin_plugins.branding.branding import TAGLINE_MAX, TITLE_MAX
from builtin_plugins.branding.upload import CONTENT_TYPES, MAX_BYTES
from guildhall_sdk import Auth, Factory, Route, SampleClient
from guildhall_sdk.schema import anything, boolean, enum, nullable, obj, shape, string
from libs.themes import DARK, DEFAULT, MAX_RADIUS, RADIUS

_COLOURS = ", ".join(token for token in DEFAULT if not token.startswith(DARK) and token != RADIUS)
_TOKENS = f"Colours as #rrggbb: {_COLOURS}, and each with {DARK} in front; {RADIUS}: 0 to {MAX_RADIUS}"
# Its tokens are checked by the theme's own rules: they name the token and measure the contrast.
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


ROUTES = (
    Route(
        "GET",
        "/api/branding",
        "read_branding",
        "The branding to show here: of the caller's company, of the hostname's, else the instance's.",
        Auth.PUBLIC,
        reply=BRANDING,
    ),
    Route(
        "PUT",
        "/api/branding",
        "change_instance_branding",
        "Set the instance's branding; fields that are left out stay as they are.",
        permission="instance:manage",
        body=CHANGE,
        reply=BRANDING,
    ),
    Route(
        "POST",
        "/api/branding/logo",
        "upload_instance_logo",
        "Upload the instance's logo.",
        permission="instance:manage",
        body=UPLOAD,
        reply=BRANDING,
    ),
    Route(
        "GET",
        "/api/branding/logos/:digest",
        "serve_logo",
        "A logo by the SHA-256 of its bytes.",
        Auth.PUBLIC,
        content_type="image/*",
    ),
    Route(
        "GET",
        "/api/org/branding",
        "read_company_branding",
        "The company's branding; what it has not set is the instance's.",
        Auth.ORG_ADMIN,
        permission="org:read",
        reply=BRANDING,
    ),
    Route(
        "PUT",
        "/api/org/branding",
        "change_company_branding",
        "Set the company's branding; fields that are left out stay as they are.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        body=CHANGE,
        reply=BRANDING,
    ),
    Route(
        "DELETE",
        "/api/org/branding",
        "drop_company_branding",
        "Drop the company's branding, its logo too.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        status=204,
    ),
    Route(
        "POST",
        "/api/org/branding/logo",
        "upload_company_logo",
        "Upload the company's logo.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        body=UPLOAD,
        reply=BRANDING,
    ),
)


async def make_logo(client: SampleClient, canary: str) -> str:
    """Makes a logo and returns its digest; the canary is in the company's title and in the logo itself."""
    picture = f'<svg xmlns="http://www.w3.org/2000/svg"><title>{canary}</title></svg>'
    upload = {"content_type": "image/svg+xml", "data": base64.b64encode(picture.encode()).decode()}
    await client.call("PUT", "/api/org/branding", {"title": canary, "tagline": canary})
    _, branding = await client.call("POST", "/api/org/branding/logo", upload)
    return str(branding["logo"]).rpartition("/")[2]


FACTORIES = (Factory("/api/branding/logos/:digest", make_logo),)

"""The rows of assets."""

from builtin_plugins.beta.assets.fonts import CONTENT_TYPES as FONTS
from builtin_plugins.beta.assets.service import MAX_BYTES, PATH
from builtin_plugins.beta.experiences.document import ASSET_KINDS
from guildhall_sdk import PAGE_QUERY, Auth, Route
from guildhall_sdk.schema import enum, integer, listing, nullable, obj, shape, string, time

_PICTURES = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml")
# In base64, with room for the other fields.
_MAX_BODY = MAX_BYTES // 3 * 4 + 16 * 1024
_EXAMPLE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGMAAQAABQABDQottAAAAABJRU5ErkJggg=="

UPLOAD = obj(
    {
        "kind": enum(*ASSET_KINDS),
        "content_type": enum(*_PICTURES, *FONTS, description="Must be what the data is by its content"),
        "data": string(min_length=1, description=f"In base64, at most {MAX_BYTES} bytes"),
        "filename": string(min_length=1, max_length=255),
    },
    required=["kind", "content_type", "data"],
    example={"kind": "logo", "content_type": "image/png", "data": _EXAMPLE, "filename": "logo.png"},
)
ASSET = shape(
    {
        "id": string(),
        "kind": enum(*ASSET_KINDS),
        "url": string(),
        "content_type": string(),
        "size": integer(),
        "filename": nullable(string()),
        "sha256": string(),
        "created_by": string(),
        "created_at": time(),
    }
)

ROUTES = (
    Route(
        "POST",
        "/api/beta/assets",
        "add_asset",
        "Upload a logo, a hero picture or a font for the team's experience.",
        permission="settings:manage",
        body=UPLOAD,
        reply=ASSET,
        status=201,
        max_body=_MAX_BODY,
    ),
    Route(
        "GET",
        "/api/beta/assets",
        "list_assets",
        "The team's assets, newest first.",
        permission="settings:manage",
        query=PAGE_QUERY,
        reply=listing(ASSET),
    ),
    Route(
        "GET",
        f"{PATH}:id",
        "serve_asset",
        "A picture or a font by its id.",
        Auth.PUBLIC,
        content_type="*/*",
    ),
    Route(
        "DELETE",
        f"{PATH}:id",
        "delete_asset",
        "Delete an asset; a page that shows it goes on without it.",
        permission="settings:manage",
        status=204,
    ),
)

"""The rows of pages."""

from builtin_plugins.beta.experiences.schemas import LOCALE_QUERY
from builtin_plugins.beta.home.preview import PATH, PERMISSION
from guildhall_sdk import Auth, Route
from guildhall_sdk.schema import shape, string, time

ROUTES = (
    Route(
        "GET",
        "/beta/template",
        "template",
        "The team's template in one language, in a sandbox; without one the default page",
        Auth.PUBLIC,
        query=LOCALE_QUERY,
        content_type="text/html",
    ),
    Route(
        "POST",
        "/api/beta/experience/preview",
        "issue_preview",
        "An address at which the team's saved draft can be looked at, in a frame, for ten minutes.",
        permission=PERMISSION,
        reply=shape({"url": string(), "expires_at": time()}),
    ),
    Route(
        "GET",
        f"{PATH}:ticket",
        "preview_page",
        "A team's draft as visitors would see it; it signs nobody up.",
        Auth.PUBLIC,
        query=LOCALE_QUERY,
        content_type="text/html",
    ),
)

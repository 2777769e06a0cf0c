"""The rows of experiences."""

from builtin_plugins.beta.experiences import schemas
from guildhall_sdk import PAGE_QUERY, Auth, Route

ROUTES = (
    Route(
        "GET",
        "/api/beta/config",
        "read_config",
        "What the funnel of this hostname asks and says, in one language.",
        Auth.PUBLIC,
        query=schemas.LOCALE_QUERY,
        reply=schemas.SLICE,
        cors=True,
    ),
    Route(
        "GET",
        "/api/beta/experience",
        "read_draft",
        "The team's draft, its judge prompt too; before the first save, what is shown without one.",
        permission="settings:manage",
        reply=schemas.DRAFT,
    ),
    Route(
        "PUT",
        "/api/beta/experience",
        "save_draft",
        "Save the team's draft; fields that are left out stay as they are.",
        permission="settings:manage",
        body=schemas.CHANGE,
        reply=schemas.DRAFT,
        max_body=schemas.MAX_BODY,
    ),
    Route(
        "POST",
        "/api/beta/experience/publish",
        "publish_experience",
        "Publish the saved draft: the next visitor sees it.",
        permission="settings:manage",
        reply=schemas.PUBLISHED,
    ),
    Route(
        "GET",
        "/api/beta/experience/versions",
        "list_versions",
        "What the team has published, newest first.",
        permission="settings:manage",
        query=PAGE_QUERY,
        reply=schemas.VERSIONS,
    ),
    Route(
        "POST",
        "/api/beta/experience/restore",
        "restore_version",
        "Save a version that the team has published, or what a plugin offers, as its draft.",
        permission="settings:manage",
        body=schemas.RESTORE,
        reply=schemas.DRAFT,
    ),
)

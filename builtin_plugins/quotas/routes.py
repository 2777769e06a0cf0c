"""The rows of this plugin."""

from builtin_plugins.quotas import schemas
from guildhall_sdk import Route
from guildhall_sdk.schema import listing

ROUTES = (
    Route(
        "GET",
        "/api/usage",
        "usage",
        "What the team and its company have used of each quota dimension",
        reply=listing(schemas.USAGE),
    ),
    Route(
        "POST",
        "/api/quota",
        "set_quota",
        "Set or lift a limit of the caller's team",
        permission="instance:manage",
        body=schemas.SET_QUOTA,
        reply=schemas.USAGE,
    ),
)

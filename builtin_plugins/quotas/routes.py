"""The rows of this plugin."""

from builtin_plugins.quotas import schemas
from builtin_plugins.quotas.tables import CSV
from guildhall_sdk import PAGE_QUERY, Route

ROUTES = (
    Route(
        "GET",
        "/api/usage",
        "usage",
        "What the team and its company have used of each quota dimension; with by, who used how much",
        query={**schemas.USAGE_QUERY, **PAGE_QUERY},
        reply=schemas.USAGES,
        also_answers=(CSV,),
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

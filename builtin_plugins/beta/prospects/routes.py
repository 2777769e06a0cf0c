"""The rows of prospects."""

from builtin_plugins.beta.prospects import schemas
from builtin_plugins.beta.prospects.tables import CSV
from guildhall_sdk import Route

MANAGE = "settings:manage"

ROUTES = (
    Route(
        "GET",
        "/api/beta/prospects",
        "list_prospects",
        "Who signed up on the team's page, newest first, with signals and verdicts; also as CSV.",
        permission=MANAGE,
        query=schemas.LIST_QUERY,
        reply=schemas.PROSPECTS,
        also_answers=(CSV,),
    ),
    Route(
        "GET",
        "/api/beta/prospects/:id",
        "read_prospect",
        "One who signed up, with signals and verdict.",
        permission=MANAGE,
        reply=schemas.PROSPECT,
    ),
    Route(
        "POST",
        "/api/beta/prospects/:id/decide",
        "decide_prospect",
        "Accept or decline a prospect; another decision takes the place of the first.",
        permission=MANAGE,
        body=schemas.DECIDE,
        reply=schemas.PROSPECT,
    ),
    Route(
        "DELETE",
        "/api/beta/prospects/:id",
        "erase_prospect",
        "Erase all that is known of a prospect.",
        permission=MANAGE,
        status=204,
    ),
)

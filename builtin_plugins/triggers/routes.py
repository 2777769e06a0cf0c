"""The rows of triggers."""

from builtin_plugins.triggers import schemas
from guildhall_sdk import PAGE_QUERY, Route

READ, WRITE, FEATURE = "workflows:read", "workflows:write", "workflows"
# A character may be written as two escapes of six bytes.
_MAX_BODY = 1024 * 1024

ROUTES = (
    Route(
        "GET",
        "/api/doc-triggers",
        "list_triggers",
        "The team's triggers, newest first, and what is left of its AI budget",
        permission=READ,
        feature=FEATURE,
        query=PAGE_QUERY,
        reply=schemas.TRIGGERS,
    ),
    Route(
        "POST",
        "/api/doc-triggers",
        "create_trigger",
        "Start a workflow for every object that is written from now on and matches",
        permission=WRITE,
        feature=FEATURE,
        body=schemas.CREATE,
        reply=schemas.WRITTEN,
        status=201,
        max_body=_MAX_BODY,
    ),
    Route(
        "GET",
        "/api/doc-triggers/:id",
        "get_trigger",
        "A trigger with what became of the versions that it matched, newest first",
        permission=READ,
        feature=FEATURE,
        query=schemas.FIRES_QUERY,
        reply=schemas.TRIGGER_WITH_FIRES,
    ),
    Route(
        "PATCH",
        "/api/doc-triggers/:id",
        "change_trigger",
        "Change a trigger; what is left out stays",
        permission=WRITE,
        feature=FEATURE,
        body=schemas.CHANGE,
        reply=schemas.WRITTEN,
        max_body=_MAX_BODY,
    ),
    Route(
        "DELETE",
        "/api/doc-triggers/:id",
        "delete_trigger",
        "Delete a trigger with its history; runs that it started remain",
        permission=WRITE,
        feature=FEATURE,
        status=204,
    ),
)

"""The rows of out-of-process plugins."""

from builtin_plugins.oop import schemas
from guildhall_sdk import PAGE_QUERY, Route

ROUTES = (
    Route(
        "GET",
        "/api/oop",
        "list_programs",
        "Out-of-process plugins, how closed they are, and the capabilities that they may request",
        query=PAGE_QUERY,
        reply=schemas.PROGRAMS,
    ),
    Route(
        "POST",
        "/api/oop/:id/grants",
        "grant",
        "Grant an out-of-process plugin these of its requested capabilities, and no others",
        permission="instance:manage",
        body=schemas.GRANTS,
        reply=schemas.PROGRAM,
    ),
)

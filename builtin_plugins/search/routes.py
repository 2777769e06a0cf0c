"""The row of search."""

from builtin_plugins.search import schemas
from guildhall_sdk import PAGE_QUERY, Route

ROUTES = (
    Route(
        "GET",
        "/api/search",
        "search",
        "What the caller may read, by the words in it, best first; scope=org spans the company.",
        permission="search",
        query={**PAGE_QUERY, "q": schemas.TYPED, "type": schemas.TYPE, "scope": schemas.SCOPE},
        reply=schemas.FOUND,
    ),
)

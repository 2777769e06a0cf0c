"""The row of search: what is asked, what is found, and its handler."""

from guildhall_sdk import PAGE_QUERY, Call, Reply, Route, page
from guildhall_sdk.schema import array, enum, integer, listing, number, shape, string
from guildhall_sdk.services.search import Search

MAX_TYPED = 1_000

TYPED = string(
    max_length=MAX_TYPED,
    default="",
    description='Words, all of which must be there; "a phrase"; -without. The last word may be a beginning',
)
TYPE = string(max_length=64, description="Only this type: note, object, entity")
MODE = enum(
    "words",
    "meaning",
    "hybrid",
    description="How to find; without it hybrid where there are embeddings, else words",
)
SCOPE = enum("team", "org", default="team", description="org: what is visible to any team of the company")

FOUND = listing(
    shape(
        {
            "type": string(),
            "id": string(),
            "title": string(),
            "snippet": string(description="Hits stand between U+0001 and U+0002"),
            "score": number(description="From 0 to 1; the best come first"),
            "url": string(),
            "found_by": array(enum("words", "meaning")),
            "passage": shape(
                {
                    "text": string(description="A piece of the text as it stands there"),
                    "place": shape(
                        {"heading": string(), "page": integer(1), "sheet": string(), "line": integer(1)},
                        optional=("heading", "page", "sheet", "line"),
                    ),
                }
            ),
        }
    ),
    unavailable=array(string(), description="Types that could not be searched just now; the log says why"),
)


ROUTES = (
    Route(
        "GET",
        "/api/search",
        "search",
        "What the caller may read, by the words in it, best first; scope=org spans the company.",
        permission="search",
        query={**PAGE_QUERY, "q": TYPED, "type": TYPE, "scope": SCOPE, "mode": MODE},
        reply=FOUND,
    ),
)


async def search(call: Call) -> Reply:
    query = call.query
    found = await call.service(Search).find(
        call.principal,
        query["q"],
        type=query.get("type"),
        across_company=query["scope"] == "org",
        cursor=query.get("cursor"),
        limit=query["limit"],
        mode=query.get("mode"),
    )
    return page(list(found.items), found.next_cursor, unavailable=list(found.unavailable))


HANDLERS = {"search": search}

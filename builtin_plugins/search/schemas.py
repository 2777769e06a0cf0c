"""What is asked, and what is found."""

from guildhall_sdk.schema import array, enum, listing, number, shape, string

MAX_TYPED = 1_000

TYPED = string(
    max_length=MAX_TYPED,
    default="",
    description='Words, all of which must be there; "a phrase"; -without. The last word may be a beginning',
)
TYPE = string(max_length=64, description="Only this type: note, object, entity")
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
        }
    ),
    unavailable=array(string(), description="Types that could not be searched just now; the log says why"),
)

"""Bodies that come in and answers that go out."""

from builtin_plugins.knowledge.graph import MAX_DEPTH
from builtin_plugins.knowledge.names import MAX_NAME, TYPES
from guildhall_sdk import PAGE_QUERY
from guildhall_sdk.schema import (
    anything,
    array,
    boolean,
    enum,
    integer,
    listing,
    number,
    obj,
    shape,
    string,
    time,
)

MAX_ALIASES, MAX_MERGED = 50, 50
_type = enum(*TYPES)
_name = string(min_length=1, max_length=MAX_NAME)
_id = string(min_length=1, max_length=64)
_ids = array(_id, minItems=1, maxItems=MAX_MERGED)

SCOPE = enum("team", "org", default="team", description="org: what is visible to any team of the company")
LIST_QUERY = {
    **PAGE_QUERY,
    "q": string(max_length=MAX_NAME, default="", description="Part of a name or alias"),
    "type": _type,
    "object": string(max_length=64, description="Only what this document speaks of"),
    "scope": SCOPE,
}
GRAPH_QUERY = {
    "depth": integer(1, MAX_DEPTH, default=1, description="How many steps away from the entity"),
    "scope": SCOPE,
}

CHANGE = obj(
    {"name": _name, "type": _type, "aliases": array(_name, maxItems=MAX_ALIASES)},
    example={"name": "Acme Shipping"},
)
MERGE = obj({"from": _ids}, required=["from"], example={"from": ["ent_0123456789"]})
UNMERGE = obj({"from": _ids}, example={})
EXTRACT = obj(
    {"include_derived": boolean(description="Also what was made from other documents, such as translations")},
    example={},
)

_summary = shape({"id": string(), "name": string(), "type": _type})
_mention = shape({"object_id": string(), "key": string(), "snippet": string(), "name": string()})
_relation = shape({"predicate": string(), "direction": enum("out", "in"), "entity": _summary})
ENTITY = shape(
    {
        "id": string(),
        "name": string(),
        "type": _type,
        "aliases": array(string()),
        "mentions": array(_mention),
        "relations": array(_relation),
        "merged": array(shape({"id": string(), "name": string(), "type": _type, "merged_at": time()})),
    },
    optional=["merged"],
)
ENTITIES = listing(ENTITY)
GRAPH = shape(
    {
        "nodes": array(shape({"id": string(), "name": string(), "type": _type, "distance": integer(0)})),
        "edges": array(shape({"source": string(), "predicate": string(), "target": string()})),
        "hidden": integer(0),
    }
)
TWINS = listing(
    shape(
        {
            "id": string(),
            "name": string(),
            "type": _type,
            "aliases": array(string()),
            "mentions": array(_mention),
            "score": number(),
            "reasons": array(enum("same_name", "shared_alias", "close", "contained", "initials")),
        }
    ),
    partial=boolean(description="There were more likely twins than are compared at once"),
)
RUN = shape({"id": string(), "state": string(), "workflow": anything()})

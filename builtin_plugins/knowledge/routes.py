"""The rows of the knowledge graph, what they take and answer, and entities for the conformance tests."""

from builtin_plugins.knowledge.graphs import MAX_DEPTH, MAX_NODES
from builtin_plugins.knowledge.names import MAX_NAME, TYPES
from builtin_plugins.knowledge.statements import READ, WRITE
from guildhall_sdk import PAGE_QUERY, Factory, Route, SampleClient
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
_types = string(max_length=100, description="Some of the types, with commas between; all without it")
LIST_QUERY = {
    **PAGE_QUERY,
    "q": string(max_length=MAX_NAME, default="", description="Part of a name or alias"),
    "type": _type,
    "types": {**_types, "description": "In the order connected: some of the types, with commas between"},
    "order": enum(
        "newest",
        "connected",
        default="newest",
        description="connected: what documents relate to most others first; without q and object alone",
    ),
    "object": string(max_length=64, description="Only what this document speaks of"),
    "scope": SCOPE,
}
OVERVIEW_QUERY = {
    "types": _types,
    "limit": integer(1, MAX_NODES, default=60, description="How many entities"),
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
        "related": integer(
            0, description="How many others it is related to, of the newest 100 relations each way"
        ),
    },
    optional=["merged", "related"],
)
ENTITIES = listing(ENTITY)
GRAPH = shape(
    {
        "nodes": array(shape({"id": string(), "name": string(), "type": _type, "distance": integer(0)})),
        "edges": array(shape({"source": string(), "predicate": string(), "target": string()})),
        "hidden": integer(0),
    }
)
OVERVIEW = shape(
    {
        "nodes": array(shape({"id": string(), "name": string(), "type": _type, "related": integer(0)})),
        "edges": array(shape({"source": string(), "predicate": string(), "target": string()})),
        "more": boolean(),
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

_ENTITY = "/api/kg/entities/:id"

ROUTES = (
    Route(
        "GET",
        "/api/kg/entities",
        "list_entities",
        "Who and what the documents speak of that the caller can read, newest or most connected first.",
        permission=READ,
        query=LIST_QUERY,
        reply=ENTITIES,
    ),
    Route(
        "GET",
        "/api/kg/graph",
        "read_overview",
        "The most connected entities, to be drawn, with what relates them to one another.",
        permission=READ,
        query=OVERVIEW_QUERY,
        reply=OVERVIEW,
    ),
    Route(
        "GET",
        _ENTITY,
        "read_entity",
        "One entity with its relations and mentions.",
        permission=READ,
        query={"scope": SCOPE},
        reply=ENTITY,
        resource_decides=True,
    ),
    Route(
        "PATCH",
        _ENTITY,
        "change_entity",
        "Change the name, the type or the aliases of an entity; what is left out stays as it is.",
        permission=WRITE,
        body=CHANGE,
        reply=ENTITY,
    ),
    Route(
        "GET",
        f"{_ENTITY}/graph",
        "read_graph",
        "The neighbourhood of an entity, to be drawn: at most 200 nodes.",
        permission=READ,
        query=GRAPH_QUERY,
        reply=GRAPH,
        resource_decides=True,
    ),
    Route(
        "GET",
        f"{_ENTITY}/similar",
        "list_similar",
        "Likely twins of an entity with their passages, best first.",
        permission=READ,
        reply=TWINS,
        resource_decides=True,
    ),
    Route(
        "POST",
        f"{_ENTITY}/merge",
        "merge_entities",
        "Make other entities part of this one.",
        permission=WRITE,
        body=MERGE,
        reply=ENTITY,
    ),
    Route(
        "POST",
        f"{_ENTITY}/unmerge",
        "unmerge_entities",
        "Undo the last merge into this entity, or that of the entities named, within 30 days.",
        permission=WRITE,
        body=UNMERGE,
        reply=ENTITY,
    ),
    Route(
        "POST",
        "/api/kg/extract",
        "extract_knowledge",
        "Run index-knowledge over the documents that were not extracted yet, those just uploaded included.",
        permission="workflows:run",
        feature="workflows",
        body=EXTRACT,
        reply=RUN,
        status=202,
    ),
)


async def make_entity(client: SampleClient, canary: str) -> str:
    body = f"Anna {canary} works for Acme Shipping B.V. in Rotterdam."
    document = {"title": canary, "body": body, "visibility": "team"}
    _, made = await client.call("POST", "/api/documents", document)
    prompt = 'Call kg_extract of "{}".'.format(made["id"])
    await client.call("POST", "/api/agent", {"prompt": prompt, "tools": ["kg_extract"]})
    _, found = await client.call("GET", "/api/kg/entities?q=acme")
    return str(found["items"][0]["id"])


FACTORIES = (Factory("/api/kg/entities/:id", make_entity),)

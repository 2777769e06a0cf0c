"""The rows of the knowledge graph."""

from builtin_plugins.knowledge import schemas
from builtin_plugins.knowledge.statements import READ, WRITE
from guildhall_sdk import Route

_ENTITY = "/api/kg/entities/:id"

ROUTES = (
    Route(
        "GET",
        "/api/kg/entities",
        "list_entities",
        "Who and what the documents speak of that the caller can read, newest first.",
        permission=READ,
        query=schemas.LIST_QUERY,
        reply=schemas.ENTITIES,
    ),
    Route(
        "GET",
        _ENTITY,
        "read_entity",
        "One entity with its relations and mentions.",
        permission=READ,
        query={"scope": schemas.SCOPE},
        reply=schemas.ENTITY,
        resource_decides=True,
    ),
    Route(
        "PATCH",
        _ENTITY,
        "change_entity",
        "Change the name, the type or the aliases of an entity; what is left out stays as it is.",
        permission=WRITE,
        body=schemas.CHANGE,
        reply=schemas.ENTITY,
    ),
    Route(
        "GET",
        f"{_ENTITY}/graph",
        "read_graph",
        "The neighbourhood of an entity, to be drawn: at most 200 nodes.",
        permission=READ,
        query=schemas.GRAPH_QUERY,
        reply=schemas.GRAPH,
        resource_decides=True,
    ),
    Route(
        "GET",
        f"{_ENTITY}/similar",
        "list_similar",
        "Likely twins of an entity with their passages, best first.",
        permission=READ,
        reply=schemas.TWINS,
        resource_decides=True,
    ),
    Route(
        "POST",
        f"{_ENTITY}/merge",
        "merge_entities",
        "Make other entities part of this one.",
        permission=WRITE,
        body=schemas.MERGE,
        reply=schemas.ENTITY,
    ),
    Route(
        "POST",
        f"{_ENTITY}/unmerge",
        "unmerge_entities",
        "Undo the last merge into this entity, or that of the entities named, within 30 days.",
        permission=WRITE,
        body=schemas.UNMERGE,
        reply=schemas.ENTITY,
    ),
    Route(
        "POST",
        "/api/kg/extract",
        "extract_knowledge",
        "Run index-knowledge over the documents that were not extracted yet, those just uploaded included.",
        permission="workflows:run",
        feature="workflows",
        body=schemas.EXTRACT,
        reply=schemas.RUN,
        status=202,
    ),
)

"""Tools: what waits to be extracted, and extracting it."""

from builtin_plugins.knowledge.extraction import extract, list_unextracted
from builtin_plugins.knowledge.statements import READ
from guildhall_sdk import Parameter, Tool

TOOLS = (
    Tool(
        name="kg_list_unextracted",
        description="Lists the ids of up to 40 documents of the team that the knowledge graph has not read.",
        permission=READ,
        hosted=list_unextracted,
        parameters=[
            Parameter(
                "include_derived", "boolean", "Also those that were made from other documents", optional=True
            )
        ],
    ),
    Tool(
        name="kg_extract",
        description="Reads a document for the knowledge graph: who and what it speaks of.",
        permission=READ,
        hosted=extract,
        parameters=[Parameter("object", "string", "The id of the document")],
    ),
)

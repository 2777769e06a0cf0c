"""The tools as a model and a workflow see them."""

from builtin_plugins.documents.fields import extract_fields
from builtin_plugins.documents.forms import render_form
from builtin_plugins.documents.texts import read_document
from builtin_plugins.documents.translations import translate_document
from guildhall_sdk import Parameter, Tool
from guildhall_sdk.schema import string

READ, WRITE = "files:read", "files:write"
TRANSLATE = "translate"

_OBJECT = string(min_length=1, max_length=64, description="The id of the document")
_RUN = string(min_length=1, max_length=64, description="The id of the run that this is a step of")
_STEP = string(min_length=1, max_length=64, description="The name of the step, which the output is named by")

TOOLS = (
    Tool(
        name="doc_text",
        description="Reads the text of a document.",
        permission=READ,
        hosted=read_document,
        writes=False,
        parameters=[Parameter("object", "string", "The id of the document")],
    ),
    Tool(
        name="doc_extract_fields",
        description="Takes fields from a document by a JSON Schema, and keeps them in a document beside it.",
        permission=WRITE,
        hosted=extract_fields,
        schema={
            "type": "object",
            "properties": {
                "object": _OBJECT,
                "schema": {"type": "object", "description": "The JSON Schema that the fields must fit"},
                "text": {
                    "type": ["string", "object"],
                    "description": "The text to read, or what doc_text gave; the document's own unless given",
                },
                "run": _RUN,
                "step": _STEP,
            },
            "required": ["object", "schema"],
            "additionalProperties": False,
        },
    ),
    Tool(
        name="doc_render",
        description="Fills a Mustache template with data, as a Markdown document beside another document.",
        permission=WRITE,
        hosted=render_form,
        schema={
            "type": "object",
            "properties": {
                "object": _OBJECT,
                "template": {"type": "string", "description": "Markdown with {{names}} of the data"},
                "data": {"type": ["object", "array"], "description": "The data to fill it with"},
                "run": _RUN,
                "step": _STEP,
            },
            "required": ["object", "template", "data"],
            "additionalProperties": False,
        },
    ),
    Tool(
        name="doc_translate",
        description="Translates a document, as a Markdown document beside it.",
        permission=WRITE,
        hosted=translate_document,
        feature=TRANSLATE,
        parameters=[
            Parameter("object", "string", "The id of the document"),
            Parameter("locale", "string", "The language to translate into, such as nl or pt-BR"),
            Parameter("run", "string", "The id of the run that this is a step of", optional=True),
            Parameter("step", "string", "The name of the step", optional=True),
        ],
    ),
)

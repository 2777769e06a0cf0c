"""What the rows of conversations take and answer."""

from builtin_plugins.conversations.conversation import MAX_NAME, MAX_SYSTEM, MAX_TITLE
from builtin_plugins.conversations.tools import AUTO, MAX_NAMED
from guildhall_sdk import PAGE_QUERY
from guildhall_sdk.schema import (
    anything,
    array,
    boolean,
    enum,
    integer,
    listing,
    nullable,
    number,
    obj,
    shape,
    string,
    time,
)
from guildhall_sdk.services.models import EXECUTOR_NAME_MAX

MAX_CHARACTERS = 100_000
_MAX_PARTS = 64
_MAX_PICTURE = 4 * 1024 * 1024
_MAX_SAID = 2_000
#: A picture may be written into a prompt.
MAX_PROMPT = 8 * 1024 * 1024

_id = string(min_length=1, max_length=64)
_model = string(min_length=1, max_length=64, description="A model by its name: see GET /api/models")
_title = string(max_length=MAX_TITLE, description="Empty, it is made of the first question")
_fields = {
    "title": _title,
    "folder_id": nullable(_id),
    "pinned": boolean(description="Pinned ones stand first in the list"),
    "model": nullable(_model),
    "system": nullable(string(max_length=MAX_SYSTEM, description="How the model is to answer")),
}
CREATE = obj(
    {
        **_fields,
        "messages": array(
            obj(
                {
                    "role": enum("user", "assistant"),
                    "text": string(min_length=1, max_length=MAX_CHARACTERS),
                },
                required=["role", "text"],
            ),
            maxItems=_MAX_SAID,
            description="What was said elsewhere, oldest first",
        ),
    },
    example={"title": "Berths in winter"},
)
CHANGE = obj(
    {**_fields, "current_id": {**_id, "description": "A message whose branch is shown from now on"}},
    example={"title": "Berths in winter", "pinned": True},
)
LIST_QUERY = {
    **PAGE_QUERY,
    "q": string(max_length=200, description="Words of the title or of a message"),
    "folder": string(max_length=64, description="Those in this folder of one's own"),
    "shared": enum("0", "1", default="0", description="1: only what others share with the caller"),
}
MESSAGES_QUERY = {
    **PAGE_QUERY,
    "branch": string(
        max_length=64, description="Only the branch that ends with this message, the newest first page"
    ),
}
EXPORT_QUERY = {"format": enum("md", "json", default="md")}

_sources = {
    "anyOf": [
        enum("workspace"),
        array(
            obj(
                {
                    "type": enum("folder", "object", "note", "entity"),
                    "id": string(min_length=1, max_length=1024),
                    "key": string(max_length=1024, description="Of a folder or an object"),
                },
                required=["type"],
            ),
            minItems=1,
            maxItems=64,
        ),
    ],
    "description": "Where passages are looked for that the answer is made of, and that it cites",
}
_tools = {
    "anyOf": [enum(AUTO), array(string(min_length=1, max_length=64), maxItems=MAX_NAMED)],
    "description": "Tools that the model may call; one that writes waits for a confirmation",
}
_part = {
    "anyOf": [
        obj({"type": enum("text"), "text": string(max_length=MAX_CHARACTERS)}, required=["type", "text"]),
        obj(
            {
                "type": enum("image_url"),
                "image_url": obj(
                    {
                        "url": string(
                            max_length=_MAX_PICTURE,
                            pattern="^data:image/",
                            description="The picture itself as a data: address",
                        ),
                        "detail": enum("auto", "low", "high"),
                    },
                    required=["url"],
                ),
            },
            required=["type", "image_url"],
        ),
        obj(
            {
                "type": enum("object"),
                "object_id": _id,
                "name": string(max_length=1024, description="What it is called here"),
            },
            required=["type", "object_id"],
            description="A document of the repository that the caller may read",
        ),
    ]
}
_response_format = {
    "anyOf": [
        obj({"type": enum("text", "json_object")}, required=["type"]),
        obj(
            {
                "type": enum("json_schema"),
                "json_schema": obj(
                    {
                        "name": string(min_length=1, max_length=64),
                        "schema": anything(description="JSON Schema 2020-12 without recursion"),
                    },
                    required=["name", "schema"],
                ),
            },
            required=["type", "json_schema"],
        ),
    ],
    "description": "How the answer must be laid out; with tools it is as the model likes",
}
ASK = obj(
    {
        "prompt": {
            "anyOf": [
                string(min_length=1, max_length=MAX_CHARACTERS),
                array(_part, minItems=1, maxItems=_MAX_PARTS),
            ]
        },
        "parent_id": nullable(
            {
                **_id,
                "description": "The answer that it follows; null begins anew, absent is the current branch",
            }
        ),
        "sources": _sources,
        "tools": _tools,
        "model": _model,
        "executor": string(
            min_length=1, max_length=EXECUTOR_NAME_MAX, description="By name; needs instance:manage"
        ),
        "temperature": number(minimum=0, maximum=2),
        "response_format": _response_format,
    },
    required=["prompt"],
    example={"prompt": "What is a guild?"},
)
REGENERATE = obj({"sources": _sources, "tools": _tools, "model": _model}, example={"model": "default"})
DECIDE = obj(
    {
        "decision": enum(
            "once",
            "always",
            "deny",
            description="always: this tool needs no more asking in this conversation",
        )
    },
    required=["decision"],
    example={"decision": "once"},
)
FORK = obj({"message_id": _id}, required=["message_id"], example={"message_id": "msg_0123456789"})

_person = shape({"id": string(), "name": string()})
_conversation = {
    "id": string(),
    "title": string(),
    "folder_id": nullable(string()),
    "pinned": boolean(),
    "model": nullable(string()),
    "system": nullable(string()),
    "owner": _person,
    "team_id": string(),
    "permissions": array(enum("edit", "manage", "view")),
    "current_id": nullable(string(description="The last message of the branch that is shown")),
    "message_count": integer(0),
    "created_at": time(),
    "updated_at": time(),
}
CONVERSATION = shape(_conversation)
_citation = shape(
    {
        "n": integer(1),
        "type": enum("object", "note", "entity", "message"),
        "id": nullable(string(description="null where the reader may not read it any more")),
        "title": string(),
        "key": string(),
        "version": integer(1),
        "place": shape(
            {"heading": string(), "page": integer(), "sheet": string(), "line": integer()},
            optional=["heading", "page", "sheet", "line"],
        ),
        "quote": nullable(string()),
    },
    optional=["title", "key", "version"],
)
_TOOL_STATES = ("queued", "waiting", "allowed", "running", "done", "failed", "denied", "stopped")
_tool = shape(
    {
        "name": string(),
        "arguments": anything(description="null for others than who asked"),
        "result": anything(description="null for others than who asked"),
        "state": enum(*_TOOL_STATES),
        "error": shape({"code": string(), "message": string()}),
        "artifact": anything(),
        "cut": boolean(description="The model read the beginning alone"),
        "after": integer(0, description="How many parts of the answer were said before it"),
    },
    optional=["error", "artifact", "cut", "after"],
)
MESSAGE = shape(
    {
        "id": string(),
        "parent_id": nullable(string()),
        "role": enum("user", "assistant"),
        "parts": array(
            anything(
                description="Of an answer texts; `unsupported` are its sentences, by begin and end, that no "
                "passage proves"
            )
        ),
        "model": nullable(string()),
        "usage": nullable(anything()),
        "tools": array(_tool),
        "citations": array(_citation),
        "state": enum("queued", "running", "waiting", "done", "stopped", "failed"),
        "error": nullable(shape({"code": string(), "message": string()})),
        "reasoning": nullable(string(description="What the model said to itself, where it did")),
        "finish_reason": nullable(string(description="length: it reached the longest that it may be")),
        "asked": anything(
            description="What an answer was asked with, for who asked: sources, tools, model …"
        ),
        "author": {**_person, "description": "Who wrote it, or asked for it"},
        "job": nullable(shape({"id": string()})),
        "siblings": array(string(), description="The messages that stand at this place, this one among them"),
        "created_at": time(),
    }
)
WHOLE = shape(
    {
        **_conversation,
        "messages": array(MESSAGE, description="The end of the current branch, oldest first"),
        "earlier": nullable(string(description="The message before them: GET …/messages?branch=")),
        "last_event_id": string(description="The event behind which this was read"),
    }
)
ASKED = shape({"message": MESSAGE, "job": nullable(shape({"id": string()}))})
STOPPED = shape({"message": MESSAGE})

_principal_type = enum("user", "team")
_capability = enum("view", "edit", description="edit: go on with it")
_holder = {"principal_type": _principal_type, "principal_id": _id, "user_id": _id}
SHARE = obj(
    {**_holder, "capability": _capability, "expires_at": nullable(string(max_length=40))},
    example={"principal_type": "user", "principal_id": "usr_0123456789", "capability": "view"},
    description="{user_id} alone means view",
)
UNSHARE = obj(_holder, example={"principal_type": "user", "principal_id": "usr_0123456789"})
GRANTS = listing(
    shape(
        {
            "principal_type": _principal_type,
            "principal_id": string(),
            "name": string(),
            "capability": _capability,
            "permissions": array(string()),
            "granted_by": string(),
            "granted_by_name": string(),
            "granted_at": time(),
            "expires_at": nullable(time()),
            "expired": boolean(),
        }
    )
)
FOLDER = shape({"id": string(), "name": string(), "created_at": time()})
NAME_FOLDER = obj(
    {"name": string(min_length=1, max_length=MAX_NAME)}, required=["name"], example={"name": "Harbour"}
)

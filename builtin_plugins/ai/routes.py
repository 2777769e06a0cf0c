"""The rows of AI, what they take and what they answer."""

from builtin_plugins.ai.agent.types import DEFAULT_MAX_STEPS, MAX_MAX_STEPS, MAX_NAMED_TOOLS
from guildhall_sdk import Route
from guildhall_sdk.replies import EVENT_STREAM
from guildhall_sdk.schema import (
    anything,
    array,
    boolean,
    enum,
    integer,
    nullable,
    number,
    obj,
    shape,
    string,
    time,
)
from guildhall_sdk.services.models import EXECUTOR_NAME_MAX, MAX_MAX_TOKENS, MODEL_ROLES

MAX_CHARACTERS = 100_000
MAX_PARTS = 64
MAX_HISTORY = 200
_MAX_URL = 8 * 1024 * 1024

USAGE = shape(
    {
        "prompt_tokens": integer(0),
        "completion_tokens": integer(0),
        "total_tokens": integer(0),
        "estimated": boolean(description="There where the model did not count"),
    },
    optional=["estimated"],
)

ECHO = obj(
    {"text": string(min_length=1, max_length=MAX_CHARACTERS)},
    required=["text"],
    example={"text": "Is anybody there?"},
)
ECHOED = shape({"text": string(), "usage": USAGE})

_picture = string(
    min_length=1,
    max_length=_MAX_URL,
    pattern="^(https?://|data:image/)",
    description="The picture itself as a data: address; one by http where the operator lets it be fetched",
)
_part = {
    "anyOf": [
        obj({"type": enum("text"), "text": string()}, required=["type", "text"]),
        obj(
            {
                "type": enum("image_url"),
                "image_url": obj(
                    {"url": _picture, "detail": enum("auto", "low", "high")},
                    required=["url"],
                ),
            },
            required=["type", "image_url"],
        ),
        obj(
            {"type": enum("object"), "object_id": string(min_length=1, max_length=64)},
            required=["type", "object_id"],
            description="A document of the repository that the caller may read",
        ),
    ]
}
PROMPT = {
    "anyOf": [string(min_length=1), array(_part, minItems=1, maxItems=MAX_PARTS)],
    "description": "A text, or a list of parts",
}
HISTORY = array(
    obj(
        {"role": enum("user", "assistant"), "text": string(min_length=1, max_length=MAX_CHARACTERS)},
        required=["role", "text"],
    ),
    maxItems=MAX_HISTORY,
    description="What was said before, oldest first; the server keeps no conversation",
)
RESPONSE_FORMAT = {
    "anyOf": [
        obj({"type": enum("text", "json_object")}, required=["type"]),
        obj(
            {
                "type": enum("json_schema"),
                "json_schema": obj(
                    {
                        "name": string(min_length=1, max_length=64),
                        "schema": anything(description="JSON Schema 2020-12 without recursion"),
                        "strict": boolean(),
                        "description": string(),
                    },
                    required=["name", "schema"],
                ),
            },
            required=["type", "json_schema"],
        ),
    ],
    "description": "How the answer must be laid out, as OpenAI's API has it",
}
EXECUTOR = string(
    min_length=1, max_length=EXECUTOR_NAME_MAX, description="An executor by name; needs instance:manage"
)
MODEL_NAME = string(min_length=1, max_length=64, description="A model by its name: see GET /api/models")
_turn = {
    "prompt": PROMPT,
    "history": HISTORY,
    "system": string(min_length=1),
    "response_format": RESPONSE_FORMAT,
    "executor": EXECUTOR,
    "model": MODEL_NAME,
    "max_tokens": integer(1, MAX_MAX_TOKENS),
    "temperature": number(minimum=0, maximum=2),
}
_question = {"prompt": "What is a guild?"}
BACKGROUND = boolean(description="Answers 202 with a job; GET /api/jobs/:id/events follows it")
CHAT = obj({**_turn, "background": BACKGROUND}, required=["prompt"], example=_question)
STREAMED_CHAT = obj(_turn, required=["prompt"], example=_question)
ANSWERED = shape(
    {
        "reply": string(),
        "parsed": anything(description="The reply as a value, where response_format asked for JSON"),
        "model": string(),
        "executor": string(),
        "simulated": boolean(),
        "finish_reason": string(),
        "usage": USAGE,
        "repaired": boolean(description="It took a second turn to fit response_format"),
        "reasoning": string(description="What the model said to itself, where it did"),
    },
    optional=["parsed", "reasoning", "repaired"],
)
# Of the job that background asks for, GET /api/jobs/:id describes the rest.
_queued = anything(
    type="object",
    properties={"id": string(), "kind": string(), "state": string()},
    required=["id", "kind", "state"],
)
ANSWERED_OR_QUEUED = {"anyOf": [ANSWERED, _queued]}

AGENT = obj(
    {
        "prompt": PROMPT,
        "history": HISTORY,
        "tools": array(
            string(min_length=1, max_length=64),
            maxItems=MAX_NAMED_TOOLS,
            description="The tools to offer, by name; without it those that match the prompt best",
        ),
        "max_steps": integer(
            1,
            MAX_MAX_STEPS,
            default=DEFAULT_MAX_STEPS,
            description="How many turns of the model may call tools; in each it may call several",
        ),
        "system": string(min_length=1),
        "executor": EXECUTOR,
        "model": MODEL_NAME,
        "max_tokens": integer(1, MAX_MAX_TOKENS, description="Of each turn"),
        "background": BACKGROUND,
    },
    required=["prompt"],
    example={"prompt": "How many words has: we meet at noon?"},
)
_step = shape(
    {
        "tool": string(),
        "arguments": anything(
            description="What the tool was given; as the model wrote it where that is no JSON"
        ),
        "result": anything(),
        "error": shape({"code": string(), "message": string()}),
        "artifact": shape({"kind": string(), "title": string()}),
        "cut": boolean(description="The model read a part of the result"),
    },
    optional=["result", "error", "artifact", "cut"],
)
AGENT_RESULT = shape(
    {
        "reply": string(),
        "steps": array(_step),
        "usage": USAGE,
        "model": string(),
        "executor": string(),
        "simulated": boolean(),
        "stopped": enum("max_steps", "max_tokens", "max_seconds", description="The limit that ended it"),
        "not_offered": array(string(), description="Enabled tools that match the prompt less well"),
    },
    optional=["stopped", "not_offered"],
)
AGENT_RESULT_OR_QUEUED = {"anyOf": [AGENT_RESULT, _queued]}

_health = shape(
    {
        "status": enum("ok", "down", "unknown"),
        "checked_at": nullable(time()),
        "detail": nullable(string()),
    }
)
MODEL = shape(
    {
        "model": string(),
        "executor": string(),
        "simulated": boolean(),
        "url": nullable(string(description="For operators")),
        "health": _health,
    }
)

_executor_name = nullable(string(min_length=1, max_length=EXECUTOR_NAME_MAX))
SET_ROLES = obj(
    {"roles": obj(dict.fromkeys(MODEL_ROLES, _executor_name))},
    required=["roles"],
    example={"roles": {"utility": None}},
)
ROLES = shape(
    {
        "roles": shape(dict.fromkeys(MODEL_ROLES, nullable(string())), optional=("embedding",)),
        "default": shape(dict.fromkeys(MODEL_ROLES, string()), optional=("embedding",)),
    }
)

# A picture may be written into a prompt.
_MAX_PROMPT = 8 * 1024 * 1024

ROUTES = (
    Route(
        "POST",
        "/api/ai/echo",
        "echo",
        "The text again, metered as a turn of a model would be",
        permission="chat:use",
        body=ECHO,
        reply=ECHOED,
    ),
    Route(
        "POST",
        "/api/ai/chat",
        "chat",
        "One turn of a model; with background, a job that does it",
        permission="chat:use",
        feature="chat",
        body=CHAT,
        reply=ANSWERED_OR_QUEUED,
        also_statuses=(202,),
        max_body=_MAX_PROMPT,
    ),
    Route(
        "POST",
        "/api/ai/chat/stream",
        "stream_chat",
        "One turn of a model as server-sent events: delta, then done or error",
        permission="chat:use",
        feature="chat",
        body=STREAMED_CHAT,
        content_type=EVENT_STREAM,
        max_body=_MAX_PROMPT,
    ),
    Route(
        "POST",
        "/api/agent",
        "agent",
        "A model in a loop with the team's tools; as server-sent events step, delta, then done or error",
        permission="chat:use",
        feature="agent",
        body=AGENT,
        reply=AGENT_RESULT_OR_QUEUED,
        also_statuses=(202,),
        also_answers=(EVENT_STREAM,),
        max_body=_MAX_PROMPT,
    ),
    Route(
        "GET",
        "/api/ai/model",
        "read_model",
        "The instance's own model, or that the simulated one is in its place",
        reply=MODEL,
    ),
    Route(
        "GET",
        "/api/model-roles",
        "read_roles",
        "The executor of each role, and the instance's default",
        reply=ROLES,
    ),
    Route(
        "PUT",
        "/api/model-roles",
        "set_roles",
        "Give roles to executors; null goes back to the instance's default",
        permission="settings:manage",
        body=SET_ROLES,
        reply=ROLES,
    ),
)

"""The rows of AI."""

from builtin_plugins.ai import schemas
from guildhall_sdk import Route
from guildhall_sdk.replies import EVENT_STREAM

# A picture may be written into a prompt.
_MAX_PROMPT = 8 * 1024 * 1024

ROUTES = (
    Route(
        "POST",
        "/api/ai/echo",
        "echo",
        "The text again, metered as a turn of a model would be",
        permission="chat:use",
        body=schemas.ECHO,
        reply=schemas.ECHOED,
    ),
    Route(
        "POST",
        "/api/ai/chat",
        "chat",
        "One turn of a model; with background, a job that does it",
        permission="chat:use",
        feature="chat",
        body=schemas.CHAT,
        reply=schemas.ANSWERED_OR_QUEUED,
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
        body=schemas.STREAMED_CHAT,
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
        body=schemas.AGENT,
        reply=schemas.AGENT_RESULT_OR_QUEUED,
        also_statuses=(202,),
        also_answers=(EVENT_STREAM,),
        max_body=_MAX_PROMPT,
    ),
    Route(
        "GET",
        "/api/ai/model",
        "read_model",
        "The instance's own model, or that the simulated one is in its place",
        reply=schemas.MODEL,
    ),
    Route(
        "GET",
        "/api/model-roles",
        "read_roles",
        "The executor of each role, and the instance's default",
        reply=schemas.ROLES,
    ),
    Route(
        "PUT",
        "/api/model-roles",
        "set_roles",
        "Give roles to executors; null goes back to the instance's default",
        permission="settings:manage",
        body=schemas.SET_ROLES,
        reply=schemas.ROLES,
    ),
)

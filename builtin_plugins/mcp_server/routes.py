"""The row of the MCP server."""

from builtin_plugins.mcp_server import schemas
from guildhall_sdk import Body, Route

# Each message is judged by itself: by the tool that it calls, by the note or document that it reads. So the
# row names no permission, takes what a scope leaves, and leaves suspension to what a message does.
ROUTES = (
    Route(
        "POST",
        "/api/mcp/server",
        "answer_message",
        "The Model Context Protocol over streamable HTTP, without sessions: one JSON-RPC message",
        body=schemas.MESSAGE,
        body_kind=Body.WHOLE,
        reply=schemas.ANSWER,
        resource_decides=True,
        while_suspended=True,
        also_answers=("text/plain",),  # of a notification: nothing
        also_statuses=(202, 400, 402, 404),
    ),
)

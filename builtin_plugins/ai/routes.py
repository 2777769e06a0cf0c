"""The rows of AI."""

from builtin_plugins.ai import schemas
from guildhall_sdk import Route

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
)

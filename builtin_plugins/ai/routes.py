"""The rows of AI."""

from guildhall_sdk import Route
from guildhall_sdk.schema import integer, obj, shape, string

MOST_CHARACTERS = 100_000

USAGE = shape(
    {"prompt_tokens": integer(0), "completion_tokens": integer(0), "total_tokens": integer(0)},
    description="Estimated where no model counts",
)

ROUTES = (
    Route(
        "POST",
        "/api/ai/echo",
        "echo",
        "The text again, metered as a turn of a model would be",
        permission="chat:use",
        body=obj(
            {"text": string(min_length=1, max_length=MOST_CHARACTERS)},
            required=["text"],
            example={"text": "Is anybody there?"},
        ),
        reply=shape({"text": string(), "usage": USAGE}),
    ),
)

"""What AI takes and gives."""

from guildhall_sdk.schema import integer, obj, shape, string

MAX_CHARACTERS = 100_000

_usage = shape(
    {"prompt_tokens": integer(0), "completion_tokens": integer(0), "total_tokens": integer(0)},
    description="Estimated where no model counts",
)

ECHO = obj(
    {"text": string(min_length=1, max_length=MAX_CHARACTERS)},
    required=["text"],
    example={"text": "Is anybody there?"},
)
ECHOED = shape({"text": string(), "usage": _usage})

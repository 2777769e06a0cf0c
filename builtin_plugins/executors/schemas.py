"""Executors as they are asked for and shown."""

from builtin_plugins.executors.quirks import QUIRKS
from guildhall_sdk.schema import array, boolean, enum, listing, nullable, obj, shape, string, time
from guildhall_sdk.services.executors import (
    CAPABILITY_PATTERN,
    EXECUTOR_NAME_MAX,
    EXECUTOR_NAME_PATTERN,
    MAX_CAPABILITIES,
)

_new_mode = enum("pull", "push", description="pull: a worker claims jobs; push: work is sent to url")
_fields = {
    "name": string(min_length=1, max_length=EXECUTOR_NAME_MAX, pattern=EXECUTOR_NAME_PATTERN),
    "mode": _new_mode,
    "model": string(min_length=1, max_length=200),
    "url": string(
        description="Of an OpenAI-compatible endpoint, with its /v1; /chat/completions is put behind it"
    ),
    "key": string(min_length=1, max_length=4096, description="Sent to url as a bearer token; never shown"),
    "capabilities": array(
        string(min_length=1, max_length=64, pattern=CAPABILITY_PATTERN), maxItems=MAX_CAPABILITIES
    ),
}
_org_id = string(min_length=1, max_length=64, description="Offers it to the teams of this company alone")
_example = {"name": "gpu-1", "mode": "pull", "model": "llama-3.1-8b", "capabilities": ["chat", "tools"]}

CREATE = obj({**_fields, "org_id": _org_id}, required=["name", "mode"], example=_example)
CREATE_FOR_COMPANY = obj(_fields, required=["name", "mode"], example={**_example, "name": "our-gpu"})

_health = shape(
    {
        "status": enum("ok", "down", "unknown"),
        "checked_at": nullable(time()),
        "detail": nullable(string()),
    }
)
_quirks = shape(
    dict.fromkeys(QUIRKS, boolean()),
    optional=QUIRKS,
    description="What its endpoint was found not to take; who may see url sees this",
)
_executor_fields = {
    "id": string(),
    "name": string(),
    "mode": enum("local", "push", "pull"),
    "model": nullable(string()),
    "url": string(description="For operators, and for who manages the company that it is bound to"),
    "capabilities": array(string()),
    "org_id": nullable(string(description="The company that it is bound to; null is for everybody")),
    "source": enum("local", "env", "api"),
    "health": _health,
    "quirks": _quirks,
}
EXECUTORS = listing(shape(_executor_fields, optional=["url", "quirks"]))
CREATED = shape(
    {
        **_executor_fields,
        "worker_token": string(description="Of one that pulls; shown here and never again"),
        "worker_token_expires_at": time(description="Of one that was made with an API token that ends"),
    },
    optional=["url", "quirks", "worker_token", "worker_token_expires_at"],
)
PROBED = shape(
    {
        "health": _health,
        "quirks": _quirks,
        "turn": nullable(
            shape(
                {"ok": boolean(), "detail": nullable(string(description="Why it failed"))},
                description="How a short turn went; null where none was tried",
            )
        ),
    }
)

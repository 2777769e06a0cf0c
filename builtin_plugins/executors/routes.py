"""The rows of executors, what they take and answer, and an executor for the conformance tests."""

import secrets

from builtin_plugins.executors.quirks import QUIRKS
from builtin_plugins.executors.records import CAPABILITY_PATTERN, EXECUTOR_NAME_PATTERN, MAX_CAPABILITIES
from guildhall_sdk import PAGE_QUERY, Auth, Factory, Route, SampleClient
from guildhall_sdk.schema import array, boolean, enum, listing, nullable, obj, shape, string, time
from guildhall_sdk.services.models import EXECUTOR_NAME_MAX

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

ROUTES = (
    Route(
        "GET",
        "/api/executors",
        "list_executors",
        "The executors that the caller's company may use, the local one first; for operators, all of them.",
        query=PAGE_QUERY,
        reply=EXECUTORS,
    ),
    Route(
        "POST",
        "/api/executors",
        "create_executor",
        "Create an executor, for everybody or bound to a company. The token of one that pulls is shown once.",
        permission="instance:manage",
        body=CREATE,
        reply=CREATED,
        status=201,
    ),
    Route(
        "DELETE",
        "/api/executors/:id",
        "retire_executor",
        "Retire an executor: its token ends, and the jobs that it holds return to the queue.",
        permission="instance:manage",
        status=204,
    ),
    Route(
        "POST",
        "/api/executors/:id/probe",
        "probe_executor",
        "Ask an executor's endpoint for a short turn: how it is, and what it does not take. One that is not "
        "the company's own wants instance:manage.",
        permission="org:manage",
        reply=PROBED,
    ),
    Route(
        "POST",
        "/api/org/executors",
        "create_company_executor",
        "Create an executor bound to the caller's company. Where work is pushed to must be public.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        body=CREATE_FOR_COMPANY,
        reply=CREATED,
        status=201,
    ),
)


async def make_executor(client: SampleClient, canary: str) -> str:
    body = {"name": f"{canary[:40]}-{secrets.token_hex(6)}", "mode": "pull", "model": canary}
    _, answer = await client.call("POST", "/api/org/executors", body)
    return str(answer["id"])


FACTORIES = (Factory("/api/executors/:id", make_executor),)

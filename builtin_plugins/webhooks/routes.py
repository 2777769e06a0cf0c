"""The rows of webhooks both ways, what they take and answer, and one of each for the conformance tests."""

from typing import get_args

from builtin_plugins.webhooks.receiving import MAX_BODY
from builtin_plugins.webhooks.signatures import SCHEMES
from builtin_plugins.webhooks.webhook import FEATURE, READ, WRITE, DeliveryState
from guildhall_sdk import PAGE_QUERY, Factory, Route, SampleClient
from guildhall_sdk.routes import Auth, Body
from guildhall_sdk.schema import (
    Schema,
    anything,
    array,
    boolean,
    enum,
    integer,
    listing,
    nullable,
    obj,
    shape,
    string,
    time,
)

_SECRET = string(description="Shown here and never again")
_owner = shape({"id": string(), "name": nullable(string())}, description="The person whom it acts as")
_stop = shape({"code": string(), "message": string(), "at": time()})
_STOPPED = nullable({**_stop, "description": "Why it cannot go on until somebody turns it on again"})

_webhook_fields: dict[str, Schema] = {
    "url": string(min_length=1, max_length=2048, description="Where events are sent, by POST"),
    "events": array(
        string(min_length=1, max_length=200),
        minItems=1,
        maxItems=100,
        description="Names of events, such as object.written",
    ),
    "filter": {
        "type": "object",
        "maxProperties": 20,
        "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
        "description": "Members of the data with the value that they must have",
    },
    "ordered": boolean(description="One after the other, in the order in which they happened"),
    "enabled": boolean(description="Off, nothing is sent, and what happens meanwhile is not sent later"),
}
NEW_WEBHOOK = obj(
    _webhook_fields,
    required=["url", "events"],
    example={"url": "https://example.com/guildhall", "events": ["note.changed"], "ordered": False},
)
CHANGED_WEBHOOK = obj(_webhook_fields, example={"enabled": True})
_webhook = {
    "id": string(),
    "url": string(),
    "events": array(string()),
    "filter": {"type": "object"},
    "ordered": boolean(),
    "enabled": boolean(),
    "owner": _owner,
    "failing_since": nullable(time(description="When the first of the attempts failed that fail since")),
    "old_secret_until": nullable(time(description="Until when the secret before signs too")),
    "stopped": _STOPPED,
    "created_at": time(),
    "updated_at": time(),
}
WEBHOOK = shape(_webhook)
WEBHOOK_WITH_SECRET = shape({**_webhook, "secret": _SECRET})
DELIVERY = shape(
    {
        "id": string(description="The webhook-id of its message, the same at each attempt"),
        "event": string(),
        "event_id": string(),
        "state": enum(*get_args(DeliveryState), description="Of skipped ones the owner may not know"),
        "attempts": integer(0),
        "request": shape({"body": string()}),
        "response": nullable(shape({"status": integer(), "body": nullable(string())})),
        "status": nullable(integer(description="The status of the last answer")),
        "error": nullable(string(description="Why the last attempt failed")),
        "duration_ms": nullable(integer(0)),
        "next_at": nullable(time()),
        "last_at": nullable(time()),
        "created_at": time(),
        "finished_at": nullable(time()),
    }
)
EVENT = shape({"name": string(), "doc": string(description="When it happens")})

_hook_fields: dict[str, Schema] = {
    "workflow_slug": string(min_length=1, max_length=200, description="The workflow to start"),
    "scheme": enum(*SCHEMES, description="Whose way to sign a message"),
    "schema": nullable({"type": "object", "description": "A JSON Schema that a body must fit"}),
    "wait_seconds": integer(0, 30, description="For how long a sender waits for the run's output"),
    "enabled": boolean(description="Off, the address answers 404"),
    "secret": string(
        min_length=1,
        max_length=256,
        description="The secret that the sender gave you; left out, you get one to give to the sender",
    ),
}
NEW_HOOK = obj(
    _hook_fields,
    required=["workflow_slug", "scheme"],
    example={"workflow_slug": "index-documents", "scheme": "standard", "wait_seconds": 0},
)
CHANGED_HOOK = obj(_hook_fields, example={"enabled": True})
_hook = {
    "id": string(),
    "url": string(description="Where to send messages, by POST"),
    "workflow_slug": string(),
    "scheme": enum(*SCHEMES),
    "schema": nullable({"type": "object"}),
    "wait_seconds": integer(0, 30),
    "enabled": boolean(),
    "owner": _owner,
    "last_at": nullable(time(description="When a message started its workflow last")),
    "stopped": _STOPPED,
    "created_at": time(),
    "updated_at": time(),
}
HOOK = shape(_hook)
NEW_HOOK_REPLY = shape({**_hook, "secret": nullable(_SECRET)})
CHANGED_HOOK_REPLY = shape({**_hook, "secret": _SECRET}, optional=["secret"])
INCOMING = shape(
    {
        "id": string(),
        "delivery_key": nullable(string(description="The sender's own id, by which a repeat is known")),
        "state": enum("started", "refused"),
        "run_id": nullable(string()),
        "replay_of": nullable(string()),
        "error": nullable(string(description="Why it was refused")),
        "size": integer(0),
        "body": nullable(string(description="For whoever may change workflows; in a list its beginning")),
        "created_at": time(),
    }
)
STARTED = shape({"delivery_id": string(), "run_id": string()})


def _row(method: str, path: str, handler: str, doc: str, **more: object) -> Route:
    permission = READ if method == "GET" else WRITE
    return Route(method, path, handler, doc, permission=permission, feature=FEATURE, **more)  # type: ignore[arg-type]


ROUTES = (
    _row(
        "GET",
        "/api/webhooks",
        "list_webhooks",
        "The addresses that the team's events are sent to, newest first",
        query=PAGE_QUERY,
        reply=listing(WEBHOOK),
    ),
    _row(
        "POST",
        "/api/webhooks",
        "create_webhook",
        "Have events sent to an address, signed by a secret that is shown once",
        body=NEW_WEBHOOK,
        reply=WEBHOOK_WITH_SECRET,
        status=201,
    ),
    _row("GET", "/api/webhooks/:id", "get_webhook", "A webhook", reply=WEBHOOK),
    _row(
        "PATCH",
        "/api/webhooks/:id",
        "change_webhook",
        "Change a webhook; what is left out stays",
        body=CHANGED_WEBHOOK,
        reply=WEBHOOK,
    ),
    _row(
        "DELETE",
        "/api/webhooks/:id",
        "delete_webhook",
        "Delete a webhook with its deliveries; what waits is not sent any more",
        status=204,
    ),
    _row(
        "POST",
        "/api/webhooks/:id/rotate",
        "rotate_webhook",
        "Another secret, shown once; the one before signs too for a day",
        reply=WEBHOOK_WITH_SECRET,
    ),
    _row(
        "POST",
        "/api/webhooks/:id/test",
        "test_webhook",
        "Have a message sent that says nothing",
        reply=DELIVERY,
        status=202,
    ),
    _row(
        "GET",
        "/api/webhooks/:id/deliveries",
        "list_webhook_deliveries",
        "What was sent and answered, newest first",
        query=PAGE_QUERY,
        reply=listing(DELIVERY),
    ),
    _row(
        "POST",
        "/api/webhooks/:id/deliveries/:delivery_id/redeliver",
        "redeliver",
        "Have a delivery sent again, under its id",
        reply=DELIVERY,
        status=202,
    ),
    _row(
        "GET",
        "/api/webhook-events",
        "list_webhook_events",
        "The events that a webhook may want",
        reply=listing(EVENT),
    ),
    _row(
        "GET",
        "/api/hooks-in",
        "list_hooks_in",
        "The addresses that start workflows of the team, newest first",
        query=PAGE_QUERY,
        reply=listing(HOOK),
    ),
    _row(
        "POST",
        "/api/hooks-in",
        "create_hook_in",
        "An address at which messages start a workflow; its secret is shown once",
        body=NEW_HOOK,
        reply=NEW_HOOK_REPLY,
        status=201,
    ),
    _row("GET", "/api/hooks-in/:id", "get_hook_in", "An incoming webhook", reply=HOOK),
    _row(
        "PATCH",
        "/api/hooks-in/:id",
        "change_hook_in",
        "Change an incoming webhook; another scheme has another secret, shown once",
        body=CHANGED_HOOK,
        reply=CHANGED_HOOK_REPLY,
    ),
    _row(
        "DELETE",
        "/api/hooks-in/:id",
        "delete_hook_in",
        "Delete an incoming webhook with its history; runs that it started remain",
        status=204,
    ),
    _row(
        "GET",
        "/api/hooks-in/:id/deliveries",
        "list_hook_in_deliveries",
        "What came in, newest first",
        query=PAGE_QUERY,
        reply=listing(INCOMING),
    ),
    _row(
        "GET",
        "/api/hooks-in/:id/deliveries/:delivery_id",
        "get_hook_in_delivery",
        "What came in once, with its whole body",
        reply=INCOMING,
    ),
    _row(
        "POST",
        "/api/hooks-in/:id/deliveries/:delivery_id/replay",
        "replay_hook_in_delivery",
        "Start the workflow again with what came in once",
        reply=STARTED,
        status=202,
    ),
    Route(
        "POST",
        "/hooks/:id",
        "receive_hook",
        "Take a message of another service, and start the workflow of this address",
        Auth.PUBLIC,
        body_kind=Body.RAW,
        max_body=MAX_BODY,
        query=None,
        reply=anything(description="`{delivery_id, run_id}`, or with 200 the output of the run"),
        status=202,
        also_statuses=(200,),
        limit=1_200,
    ),
)

_SLUG = "sample-of-webhooks"
_STEP = {"name": "find", "kind": "tool", "tool": "repo_list_unindexed"}


async def make_webhook(client: SampleClient, canary: str) -> str:
    body = {"url": f"https://hooks.example.invalid/{canary}", "events": ["note.changed"]}
    _, answer = await client.call("POST", "/api/webhooks", body)
    return str(answer["id"])


async def make_delivery(client: SampleClient, canary: str) -> str:
    webhook_id = await make_webhook(client, canary)
    _, answer = await client.call("POST", f"/api/webhooks/{webhook_id}/test")
    return f"{webhook_id}/{answer['id']}"


async def make_hook(client: SampleClient, canary: str) -> str:
    inputs = {"note": {"type": "string", "required": False, "default": ""}}
    spec = {"slug": _SLUG, "inputs": inputs, "start": "find", "steps": [_STEP]}
    await client.call("POST", "/api/workflows", spec)
    body = {"workflow_slug": _SLUG, "scheme": "none", "schema": {"title": canary, "type": "object"}}
    _, answer = await client.call("POST", "/api/hooks-in", body)
    return str(answer["id"])


async def make_incoming(client: SampleClient, canary: str) -> str:
    hook_id = await make_hook(client, canary)
    _, answer = await client.call("POST", f"/hooks/{hook_id}", {"note": canary})
    return f"{hook_id}/{answer['delivery_id']}"


FACTORIES = (
    Factory("/api/webhooks/:id", make_webhook),
    Factory("/api/webhooks/:id/deliveries/:delivery_id", make_delivery),
    Factory("/api/hooks-in/:id", make_hook),
    Factory("/api/hooks-in/:id/deliveries/:delivery_id", make_incoming),
    Factory("/hooks/:id", make_hook, tenant=False),
)

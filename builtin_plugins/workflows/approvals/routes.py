"""The rows of approvals and of waits for a call, and samples for the conformance tests."""

import hashlib

from builtin_plugins.workflows.definitions import READ, RUN, WORKFLOWS
from builtin_plugins.workflows.kinds.wait import HOOK_PATH
from guildhall_sdk import PAGE_QUERY, Auth, Body, Factory, Route, SampleClient
from guildhall_sdk.schema import anything, enum, listing, nullable, obj, shape, string, time

MAX_COMMENT = 2_000
MAX_HOOK_BYTES = 1024 * 1024
_FIELDS = {
    "id": string(),
    "title": string(),
    "body": nullable(string()),
    "form": nullable({"type": "object", "description": "JSON Schema of what to fill in"}),
    "run_id": string(),
    "step": string(),
    "requested_at": time(),
    "expires_at": nullable(time()),
}
APPROVALS = listing(shape(_FIELDS))
DECIDED = shape(
    {
        **_FIELDS,
        "decision": nullable(enum("approve", "reject")),
        "by": nullable(string()),
        "comment": nullable(string()),
        "decided_at": nullable(time()),
    }
)
DECIDE = obj(
    {
        "decision": enum("approve", "reject"),
        "form": anything(description="What the form asks for"),
        "comment": string(max_length=MAX_COMMENT),
    },
    required=["decision"],
    example={"decision": "approve", "comment": "Fine."},
)

APPROVAL_ROUTES: tuple[Route, ...] = (
    Route(
        "GET",
        "/api/approvals",
        "list_approvals",
        "What waits for the caller's decision, and what the caller's own runs wait for; newest first",
        permission=READ,
        feature=WORKFLOWS,
        query={**PAGE_QUERY, "mine": enum("1", description="What waits for the caller alone")},
        reply=APPROVALS,
    ),
    Route(
        "POST",
        "/api/approvals/:id",
        "decide_approval",
        "Decide; the run goes on at once, and nobody can decide again",
        permission=RUN,
        feature=WORKFLOWS,
        # Whoever is asked may decide, whatever their role.
        resource_decides=True,
        body=DECIDE,
        reply=DECIDED,
    ),
    Route(
        "POST",
        f"{HOOK_PATH}:id",
        "call_wait",
        "Have a step go on that waits for this call; its body becomes the step's result",
        auth=Auth.PUBLIC,
        body_kind=Body.WHOLE,
        max_body=MAX_HOOK_BYTES,
        reply=shape({}),
        status=202,
        limit=600,
        instead="Send it by POST.",
    ),
)


async def make_approval(client: SampleClient, canary: str) -> str:
    """Starts a run that asks its starter for a decision; the canary is what it is about."""
    _, who = await client.call("GET", "/api/whoami")
    slug = f"ask-{hashlib.sha256(canary.encode()).hexdigest()[:20]}"
    step = {"name": "ask", "kind": "approve", "people": [who["user"]["id"]], "title": canary}
    await client.call("POST", "/api/workflows", {"slug": slug, "start": "ask", "steps": [step]})
    await client.call("POST", f"/api/workflows/{slug}/run", {})
    while True:
        _, listed = await client.call("GET", "/api/approvals?mine=1")
        for one in listed["items"]:
            if one["title"] == canary:
                return str(one["id"])


async def make_hook(client: SampleClient, canary: str) -> str:
    """Returns an address that nobody waits at: whoever calls one learns nothing of it."""
    return hashlib.sha256(canary.encode()).hexdigest()[:32]


APPROVAL_FACTORIES = (Factory("/api/approvals/:id", make_approval), Factory(f"{HOOK_PATH}:id", make_hook))

"""The rows, what they take and answer, and a way for the conformance tests."""

import hashlib
from collections.abc import Sequence
from typing import Any

from builtin_plugins.sign_in import domains, handlers
from guildhall_sdk import PAGE_QUERY, Auth, Factory, Route, SampleClient
from guildhall_sdk.principal import TEAM_ROLES
from guildhall_sdk.routes import Handler
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
from libs.names import NAME_MAX
from libs.names.emails import EMAIL_MAX

COMPANY, INSTANCE = "org:manage", "instance:manage"
_role = enum(*(role for role in TEAM_ROLES if role != "worker"))
_id = string(min_length=1, max_length=64)
_rule = obj(
    {
        "claim": string(min_length=1, max_length=200, description="A name, or names with dots between them"),
        "contains": string(min_length=1, max_length=500, description="The value, whole, or one of several"),
        "role": _role,
        "team": nullable(_id),
    },
    required=["claim", "contains", "role"],
)
_fields: dict[str, Schema] = {
    "label": string(min_length=1, max_length=NAME_MAX, description="What people press to sign in by it"),
    "domains": array(
        string(min_length=1, max_length=253), maxItems=50, description="Of the e-mail addresses let in by it"
    ),
    "team": nullable(_id),
    "default_role": nullable({**_role, "description": "Of who no rule names; null lets nobody else in"}),
    "create_people": boolean(description="Whether somebody new is made a person here"),
    "rules": array(_rule, maxItems=100),
    "required": boolean(description="Whether passwords do no more, but for those in break_glass"),
    "break_glass": array(_id, maxItems=20, description="People who may still use their password"),
}
_OPEN: dict[str, Any] = {
    "additionalProperties": True,
    "description": "And the settings of the kind, such as issuer",
}
EXAMPLE = {
    "kind": "oidc",
    "label": "Example",
    "issuer": "https://id.example.invalid",
    "client_id": "guildhall",
    "client_secret": "from the provider",
    "domains": ["example.invalid"],
    "default_role": "member",
}
NEW_WAY = obj(
    {"kind": string(min_length=1, max_length=64), **_fields},
    required=["kind"],
    example=EXAMPLE,
    maxProperties=60,
    **_OPEN,
)
CHANGED_WAY = obj(
    {"kind": string(max_length=64), **_fields}, example={"label": "Example"}, maxProperties=60, **_OPEN
)
WAY = shape(
    {
        "id": string(),
        "kind": string(),
        "label": string(),
        "domains": array(string()),
        "team": nullable(string()),
        "default_role": nullable(string()),
        "create_people": boolean(),
        "rules": array(anything()),
        "required": boolean(),
        "break_glass": array(string()),
        "secrets_set": array(string(), description="Secrets that are there; none is ever shown"),
        "addresses": shape({}, description="What the other side wants to know of this server"),
        "created_at": time(),
    }
)
WAYS = listing(WAY, kinds=array(shape({"name": string(), "fields": anything()})))
OFFERED = listing(
    shape(
        {
            "id": string(),
            "kind": string(),
            "label": string(),
            "start": string(description="Where a browser goes to begin"),
            "takes_password": boolean(description="Whether POST /api/login takes it as way"),
        },
        optional=("start",),
    )
)
TESTED = shape(
    {
        "ok": boolean(),
        "steps": array(shape({"name": string(), "ok": boolean(), "detail": string()})),
    }
)
PREVIEW = obj(
    {"claims": shape({}, maxProperties=500, description="What the other side would say of somebody")},
    required=["claims"],
    example={"claims": {"sub": "248289761001", "email": "ada@example.invalid", "groups": ["staff"]}},
)
PREVIEWED = shape(
    {
        "outcome": enum("sign_in", "create", "link", "refuse"),
        "code": nullable(string()),
        "because": nullable(string()),
        "user": nullable(anything()),
        "username": nullable(string()),
        "email": nullable(string()),
        "teams": array(shape({"team": anything(), "role": string(), "rule": nullable(integer(0))})),
    }
)


def _managed(path: str, permission: str, whose: str, called: dict[str, Handler]) -> Sequence[Route]:
    """Returns the rows by which ways are set up, of a company or for everybody."""
    return (
        Route(
            "GET",
            path,
            called["list"],
            f"The ways to sign in elsewhere {whose}, and the kinds that can be set up.",
            permission=permission,
            query=PAGE_QUERY,
            reply=WAYS,
        ),
        Route(
            "POST",
            path,
            called["create"],
            f"Set up a way to sign in elsewhere {whose}.",
            permission=permission,
            body=NEW_WAY,
            reply=WAY,
            status=201,
        ),
        Route(
            "GET",
            f"{path}/:id",
            called["get"],
            f"A way to sign in elsewhere {whose}, without its secrets.",
            permission=permission,
            reply=WAY,
        ),
        Route(
            "PATCH",
            f"{path}/:id",
            called["change"],
            f"Change a way to sign in elsewhere {whose}; what is not named stays.",
            permission=permission,
            body=CHANGED_WAY,
            reply=WAY,
        ),
        Route(
            "DELETE",
            f"{path}/:id",
            called["delete"],
            f"Delete a way to sign in elsewhere {whose}; who came in by it stays a person here.",
            permission=permission,
            status=204,
        ),
        Route(
            "POST",
            f"{path}/:id/test",
            called["test"],
            f"Try a way to sign in elsewhere {whose} without a person; each step says what came back.",
            permission=permission,
            reply=TESTED,
        ),
        Route(
            "POST",
            f"{path}/:id/preview",
            called["preview"],
            f"What would happen to somebody who comes in by a way {whose} with these claims; nothing does.",
            permission=permission,
            body=PREVIEW,
            reply=PREVIEWED,
        ),
    )


ROUTES = (
    Route(
        "GET",
        "/api/auth/ways",
        handlers.list_ways,
        "How one can sign in, at a hostname or with an e-mail address.",
        auth=Auth.PUBLIC,
        query={
            "host": string(max_length=260, description="The hostname that the browser shows"),
            "email": string(max_length=EMAIL_MAX, description="Of which the domain alone counts"),
        },
        reply=OFFERED,
        limit=120,
    ),
    Route(
        "POST",
        "/api/auth/logout",
        handlers.sign_out,
        "End this session, and say where the one on the other side is ended.",
        reply=shape({"url": nullable(string())}),
        session_only=True,
        while_suspended=True,
    ),
    *_managed(
        "/api/org/sign-in",
        COMPANY,
        "of the company",
        {
            "list": handlers.list_company_ways,
            "create": handlers.create_company_way,
            "get": handlers.get_company_way,
            "change": handlers.change_company_way,
            "delete": handlers.delete_company_way,
            "test": handlers.test_company_way,
            "preview": handlers.preview_company_way,
        },
    ),
    *_managed(
        "/api/admin/sign-in",
        INSTANCE,
        "for everybody",
        {
            "list": handlers.list_instance_ways,
            "create": handlers.create_instance_way,
            "get": handlers.get_instance_way,
            "change": handlers.change_instance_way,
            "delete": handlers.delete_instance_way,
            "test": handlers.test_instance_way,
            "preview": handlers.preview_instance_way,
        },
    ),
)

_claim: dict[str, Schema] = {
    "domain": string(),
    "way_id": string(),
    "contested": boolean(description="Whether another company's people had addresses there before"),
    "claimed_at": time(),
    "confirmed_at": nullable(time()),
}
_CLAIM = shape({**_claim, "org": shape({"id": string(), "name": string()})})
_OWN_CLAIM = shape(
    {
        **_claim,
        "way": string(description="The label of the way that claims it"),
        "released_at": nullable(time(description="When an operator took it: it leads nobody here")),
    }
)
_CLAIMS = "/api/admin/email-domains"
ROUTES += (
    Route(
        "GET",
        "/api/org/email-domains",
        domains.list_company_claims,
        "The e-mail domains that the company claims by its ways; one contested waits for the operator.",
        permission=COMPANY,
        query=PAGE_QUERY,
        reply=listing(_OWN_CLAIM),
    ),
    Route(
        "GET",
        _CLAIMS,
        domains.list_claims,
        "The e-mail domains that companies claim; contested are those that another company's people use too.",
        permission=INSTANCE,
        query=PAGE_QUERY,
        reply=listing(_CLAIM),
    ),
    Route(
        "PUT",
        f"{_CLAIMS}/:domain",
        domains.confirm_claim,
        "Confirm that a domain is the company's that claims it.",
        permission=INSTANCE,
        body=obj({"org_id": _id}, required=["org_id"], example={"org_id": "org_1"}),
        status=204,
    ),
    Route(
        "DELETE",
        f"{_CLAIMS}/:domain",
        domains.release_claim,
        "Take a domain from the company that claims it.",
        permission=INSTANCE,
        status=204,
    ),
)


async def claim_domain(client: SampleClient, canary: str) -> str:
    domain = f"{hashlib.sha256(canary.encode()).hexdigest()[:20]}.example"
    await client.call("POST", "/api/org/sign-in", {**EXAMPLE, "label": "Claims", "domains": [domain]})
    return domain


async def make_way(client: SampleClient, canary: str) -> str:
    body = {**EXAMPLE, "label": canary, "domains": []}
    _, answer = await client.call("POST", "/api/org/sign-in", body)
    return str(answer["id"])


async def make_instance_way(client: SampleClient, canary: str) -> str:
    body = {**EXAMPLE, "label": canary, "domains": [], "team": None}
    _, answer = await client.call("POST", "/api/admin/sign-in", body)
    return str(answer["id"])


FACTORIES = (
    Factory("/api/org/sign-in/:id", make_way),
    Factory("/api/admin/sign-in/:id", make_instance_way, tenant=False),
    Factory(f"{_CLAIMS}/:domain", claim_domain, tenant=False),
)

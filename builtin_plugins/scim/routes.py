"""The rows of SCIM, in SCIM's own words and shape, and the tokens of directories."""

import secrets
from functools import partial

from builtin_plugins.scim import bulk, discovery, handlers, tokens
from builtin_plugins.scim.answers import CONTENT_TYPE, refusal
from builtin_plugins.scim.tokens import MANAGE, PREFIX
from guildhall_sdk import PAGE_QUERY, Auth, Factory, Route, SampleClient
from guildhall_sdk.schema import anything, array, integer, listing, nullable, shape, string, time

_row = partial(Route, auth=Auth.ORG_ADMIN, permission=MANAGE, refusal=refusal, content_type=CONTENT_TYPE)
_ATTRIBUTES = {
    "attributes": string(max_length=2000, description="The names of those to show, with commas between"),
    "excludedAttributes": string(max_length=2000, description="The names of those to leave out"),
}
_LIST_QUERY = {
    "filter": string(max_length=2000, description='Such as userName eq "ada"'),
    "startIndex": integer(-(2**31), 2**31, description="The first to show; 1 unless told"),
    "count": integer(-(2**31), 2**31, description="How many at the most; 200 unless told"),
    **_ATTRIBUTES,
}
_ANY = anything()
_NAMES = array(string(max_length=200), maxItems=100)


def _document(example: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "additionalProperties": True, "examples": [example]}


_USER = _document({"userName": "ada", "displayName": "Ada Lovelace", "active": True})
_GROUP = _document({"displayName": "Harbour", "members": []})
_PATCH = _document({"Operations": [{"op": "replace", "path": "externalId", "value": "x-1"}]})
_SEARCH = {
    **_document({"count": 10}),
    "properties": {
        "filter": string(max_length=2000),
        "startIndex": integer(-(2**31), 2**31),
        "count": integer(-(2**31), 2**31),
        "attributes": _NAMES,
        "excludedAttributes": _NAMES,
    },
}
_BULK = {
    **_document({"Operations": [{"method": "POST", "path": "/Users", "bulkId": "a", "data": {}}]}),
    "properties": {"Operations": array(_ANY), "failOnErrors": integer(0, 2**31)},
    "required": ["Operations"],
}
_SHOWN = shape({"schemas": array(string()), "id": string()}, optional=("id",))
_LISTED = shape({"schemas": array(string()), "totalResults": integer(), "Resources": array(_ANY)})
_TOKEN = shape(
    {
        "id": string(),
        "name": nullable(string()),
        "prefix": nullable(string()),
        "user": shape({"id": string(), "username": string()}),
        "created_at": time(),
        "last_used_at": nullable(time()),
        "expires_at": nullable(time()),
    }
)


def _kind_rows(path: str, one: str, many: str, body: dict[str, object]) -> tuple[Route, ...]:
    base, item = f"{PREFIX}/{path}", f"{PREFIX}/{path}/:id"
    return (
        _row("GET", base, f"list_{many}", f"SCIM: {many}, by filter", query=_LIST_QUERY, reply=_LISTED),
        _row(
            "POST",
            base,
            f"create_{one}",
            f"SCIM: create a {one}",
            query=_ATTRIBUTES,
            body=body,
            reply=_SHOWN,
            status=201,
        ),
        _row(
            "POST",
            f"{base}/.search",
            f"search_{many}",
            f"SCIM: {many}, by filter in the body",
            body=_SEARCH,
            reply=_LISTED,
        ),
        _row("GET", item, f"read_{one}", f"SCIM: a {one}", query=_ATTRIBUTES, reply=_SHOWN),
        _row(
            "PUT",
            item,
            f"replace_{one}",
            f"SCIM: put a {one} in place of what is there",
            query=_ATTRIBUTES,
            body=body,
            reply=_SHOWN,
        ),
        _row(
            "PATCH",
            item,
            f"patch_{one}",
            f"SCIM: change parts of a {one}",
            query=_ATTRIBUTES,
            body=_PATCH,
            reply=_SHOWN,
            also_statuses=(204,),
        ),
        _row("DELETE", item, f"delete_{one}", f"SCIM: take a {one} away", status=204),
    )


_DISCOVERY = (
    _row(
        "GET",
        f"{PREFIX}/ServiceProviderConfig",
        "service_provider_config",
        "SCIM: what is supported here",
        reply=_SHOWN,
    ),
    _row("GET", f"{PREFIX}/ResourceTypes", "resource_types", "SCIM: people and groups", reply=_LISTED),
    _row("GET", f"{PREFIX}/ResourceTypes/:id", "resource_type", "SCIM: a kind of resource", reply=_SHOWN),
    _row("GET", f"{PREFIX}/Schemas", "schemas", "SCIM: how people and groups look", reply=_LISTED),
    _row("GET", f"{PREFIX}/Schemas/:id", "schema", "SCIM: how one of them looks", reply=_SHOWN),
)
_REST = (
    _row(
        "POST",
        f"{PREFIX}/.search",
        "search_everything",
        "SCIM: people and groups by filter",
        body=_SEARCH,
        reply=_LISTED,
    ),
    _row(
        "POST",
        f"{PREFIX}/Bulk",
        "run_bulk",
        "SCIM: up to 1,000 operations at once",
        body=_BULK,
        reply=shape({"schemas": array(string()), "Operations": array(_ANY)}),
        max_body=discovery.MAX_BODY,
    ),
    *(
        _row(
            method,
            f"{PREFIX}/*rest",
            "unknown",
            "SCIM: /Me, and what no other row takes, refused in SCIM's shape",
            body=_ANY if method in ("POST", "PUT", "PATCH") else None,
            last=True,
        )
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
    ),
)
_TOKENS = (
    Route(
        "GET",
        "/api/org/scim-tokens",
        "list_scim_tokens",
        "The tokens of the company's directories, newest first.",
        Auth.ORG_ADMIN,
        permission=MANAGE,
        query=PAGE_QUERY,
        reply=listing(_TOKEN),
    ),
    Route(
        "DELETE",
        "/api/org/scim-tokens/:id",
        "delete_scim_token",
        "Revoke the token of a directory.",
        Auth.ORG_ADMIN,
        permission=MANAGE,
        status=204,
    ),
)

ROUTES = (
    *_DISCOVERY,
    *_kind_rows("Users", "user", "users", _USER),
    *_kind_rows("Groups", "group", "groups", _GROUP),
    *_TOKENS,
    *_REST,
)
_PREFIXED = {"list_scim_tokens": tokens.list_tokens, "delete_scim_token": tokens.delete_token}
HANDLERS = {
    "run_bulk": bulk.run_bulk,
    **_PREFIXED,
    **{
        handler.__name__: handler
        for handler in (
            discovery.service_provider_config,
            discovery.resource_types,
            discovery.resource_type,
            discovery.schemas,
            discovery.schema,
            handlers.list_users,
            handlers.search_users,
            handlers.read_user,
            handlers.create_user,
            handlers.replace_user,
            handlers.patch_user,
            handlers.delete_user,
            handlers.list_groups,
            handlers.search_groups,
            handlers.read_group,
            handlers.create_group,
            handlers.replace_group,
            handlers.patch_group,
            handlers.delete_group,
            handlers.search_everything,
            handlers.unknown,
        )
    },
}


async def make_user(client: SampleClient, canary: str) -> str:
    body = {"userName": f"{canary[:40]}-{secrets.token_hex(6)}", "displayName": canary}
    _, answer = await client.call("POST", f"{PREFIX}/Users", body)
    return str(answer["id"])


async def make_group(client: SampleClient, canary: str) -> str:
    body = {"displayName": f"{canary[:80]} {secrets.token_hex(6)}"}
    _, answer = await client.call("POST", f"{PREFIX}/Groups", body)
    return str(answer["id"])


async def make_scim_token(client: SampleClient, canary: str) -> str:
    _, answer = await client.call("POST", "/api/tokens", {"kind": "scim", "name": canary})
    return str(answer["id"])


async def name_resource_type(client: SampleClient, canary: str) -> str:
    return "User"


async def name_schema(client: SampleClient, canary: str) -> str:
    return "urn:ietf:params:scim:schemas:core:2.0:User"


async def name_nothing(client: SampleClient, canary: str) -> str:
    return "Me"


FACTORIES = (
    Factory(f"{PREFIX}/Users/:id", make_user),
    Factory(f"{PREFIX}/Groups/:id", make_group),
    Factory("/api/org/scim-tokens/:id", make_scim_token),
    # The same for every company.
    Factory(f"{PREFIX}/ResourceTypes/:id", name_resource_type, tenant=False),
    Factory(f"{PREFIX}/Schemas/:id", name_schema, tenant=False),
    Factory(f"{PREFIX}/*rest", name_nothing, tenant=False),
)

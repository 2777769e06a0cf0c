"""What SCIM's clients find out first: what is supported, and how people and groups look."""

from typing import Any

from builtin_plugins.scim.answers import list_of, nobody, scim_reply
from builtin_plugins.scim.attributes import ENTERPRISE, ENTERPRISE_ATTRIBUTES, KINDS, Attribute
from builtin_plugins.scim.tokens import PREFIX
from guildhall_sdk import Call, Reply

MAX_RESULTS = 200
MAX_BULK_OPERATIONS = 1000
MAX_BODY = 1024 * 1024
_CONFIG = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"
_RESOURCE_TYPE = "urn:ietf:params:scim:schemas:core:2.0:ResourceType"
_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Schema"


def _meta(call: Call, kind: str, path: str) -> dict[str, str]:
    return {"resourceType": kind, "location": f"{call.host.settings.base_url}{PREFIX}{path}"}


async def service_provider_config(call: Call) -> Reply:
    supported, not_supported = {"supported": True}, {"supported": False}
    config = {
        "schemas": [_CONFIG],
        "patch": supported,
        "bulk": {**supported, "maxOperations": MAX_BULK_OPERATIONS, "maxPayloadSize": MAX_BODY},
        "filter": {**supported, "maxResults": MAX_RESULTS},
        "changePassword": not_supported,
        "sort": not_supported,
        "etag": supported,
        "authenticationSchemes": [
            {
                "type": "oauthbearertoken",
                "name": "Bearer token",
                "description": "A token of kind scim, from POST /api/tokens",
                "primary": True,
            }
        ],
        "meta": _meta(call, "ServiceProviderConfig", "/ServiceProviderConfig"),
    }
    return scim_reply(config)


def _resource_types(call: Call) -> list[dict[str, Any]]:
    return [
        {
            "schemas": [_RESOURCE_TYPE],
            "id": kind.name,
            "name": kind.name,
            "endpoint": kind.endpoint,
            "schema": kind.schema,
            "schemaExtensions": [{"schema": urn, "required": False} for urn in kind.extensions],
            "meta": _meta(call, "ResourceType", f"/ResourceTypes/{kind.name}"),
        }
        for kind in KINDS
    ]


def _schemas(call: Call) -> list[dict[str, Any]]:
    main = [(kind.schema, kind.name, kind.attributes) for kind in KINDS]
    return [
        _schema(call, urn, name, attributes)
        for urn, name, attributes in [*main, (ENTERPRISE, "EnterpriseUser", ENTERPRISE_ATTRIBUTES)]
    ]


def _schema(call: Call, urn: str, name: str, attributes: tuple[Attribute, ...] | Any) -> dict[str, Any]:
    return {
        "schemas": [_SCHEMA],
        "id": urn,
        "name": name,
        "description": name,
        "attributes": [attribute.described() for attribute in attributes],
        "meta": _meta(call, "Schema", f"/Schemas/{urn}"),
    }


def _all(found: list[dict[str, Any]]) -> Reply:
    return scim_reply(list_of(found, len(found), 1))


def _one(found: list[dict[str, Any]], wanted: str) -> Reply:
    for one in found:
        if one["id"] == wanted:
            return scim_reply(one)
    raise nobody()


async def resource_types(call: Call) -> Reply:
    return _all(_resource_types(call))


async def resource_type(call: Call) -> Reply:
    return _one(_resource_types(call), call.params["id"])


async def schemas(call: Call) -> Reply:
    return _all(_schemas(call))


async def schema(call: Call) -> Reply:
    return _one(_schemas(call), call.params["id"])

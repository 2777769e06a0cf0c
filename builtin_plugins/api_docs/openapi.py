"""The route table as OpenAPI 3.1: what the docs show and clients are made from."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from guildhall_sdk import Auth, Body, Host, NotFound, Permission, Reply, Route
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.principal import ORG_ROLES, TEAM_ROLES, role_includes
from guildhall_sdk.replies import EVENT_STREAM
from guildhall_sdk.schema import PERMISSION

_PROBLEM = {
    "type": "object",
    "description": "RFC 9457 problem. `code` is stable and made for programs.",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "request_id": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"pointer": {"type": "string"}, "message": {"type": "string"}},
                "required": ["pointer", "message"],
            },
        },
        "gate": {
            "description": "Of a 403 or 429: the gate that refused.",
            "enum": ["rate", "suspension", "feature", "permission", "scope", "quota"],
        },
        "rule": {"type": "string", "description": "What that gate goes by, such as a permission's name."},
        "who": {"type": "string", "description": "Who can lift it, in words."},
    },
    "required": ["type", "title", "status", "detail", "code", "request_id"],
}
# Generators of clients know bytes by this format.
_BYTES = {"type": "string", "format": "binary"}
_PLANE = {
    Auth.PUBLIC: "Public: no credential.",
    Auth.BEARER: "Bearer: a session or API token.",
    Auth.PROVISION: "Provision plane: the hosted-mode provisioning token.",
    Auth.SUPERADMIN: "Superadmin plane: an operator's token.",
    Auth.ORG_ADMIN: "Company plane: a token of someone with an org role.",
}


class RouteTableDescription:
    """The whole route table as OpenAPI 3.1, made when it is first read."""

    def __init__(self, host: Host) -> None:
        self._plugins = host.service(Plugins)
        self._settings = host.settings

    @cached_property
    def _document(self) -> Mapping[str, Any]:
        rows, permissions = self._plugins.route_table(), self._plugins.declared(Permission)
        return describe(rows, self._settings.version, self._settings.base_url, permissions)

    def openapi(self) -> Mapping[str, Any]:
        return self._document


def describe(
    rows: Sequence[tuple[str, Route]], version: str, base_url: str, permissions: Sequence[Permission] = ()
) -> Mapping[str, Any]:
    """Returns the document of rows, each with the id of its plugin."""
    paths: dict[str, dict[str, Any]] = {}
    for plugin_id, row in rows:
        paths.setdefault(_template(row.path), {})[row.method.lower()] = _operation(plugin_id, row)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Guildhall", "version": version, "license": {"name": "Apache-2.0"}},
        "servers": [{"url": base_url}],
        "paths": paths,
        "components": {
            "schemas": {"Problem": _PROBLEM, "Permission": _permission_names(permissions)},
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _permission_names(permissions: Sequence[Permission]) -> dict[str, Any]:
    """Describes each permission with its line of text, and the roles that hold it; operators hold all."""
    names = [
        {
            "const": permission.name,
            "description": permission.description,
            "x-roles": [
                role
                for role in (*TEAM_ROLES, *ORG_ROLES)
                if any(role_includes(role, lowest) for lowest in permission.roles)
            ],
        }
        for permission in permissions
    ]
    return {"type": "string", **({"oneOf": names} if names else {})}


def naming_permissions(schema: Any) -> Any:
    """Returns the schema, in which each name of a permission is one of those that there are."""
    if isinstance(schema, Mapping):
        if schema.get("format") == PERMISSION:
            return {"$ref": "#/components/schemas/Permission"}
        return {name: naming_permissions(part) for name, part in schema.items()}
    return [naming_permissions(part) for part in schema] if isinstance(schema, list | tuple) else schema


def _template(path: str) -> str:
    return re.sub(r"[:*](\w+)", r"{\1}", path)


def _operation(plugin_id: str, row: Route) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": _operation_id(row),
        "tags": [plugin_id],
        "summary": row.doc,
        "description": _PLANE[row.auth],
        "parameters": [*_path_parameters(row.path), *_query_parameters(row.query or {})],
        "responses": _responses(row),
        "security": [] if row.auth is Auth.PUBLIC else [{"bearer": []}],
        "x-auth": row.auth.value,
        "x-permission": row.permission,
        "x-feature": row.feature,
    }
    if row.body:
        operation["requestBody"] = {
            "required": bool(row.body.get("required")),
            "content": {"application/json": {"schema": naming_permissions(row.body)}},
        }
    elif row.body_kind is not Body.JSON:
        operation["requestBody"] = {
            "description": "The bytes as they are, in a request of whatever `Content-Type` they have.",
            "required": True,
            "content": {"application/octet-stream": {"schema": _BYTES}},
        }
    return operation


def _operation_id(row: Route) -> str:
    words = re.sub(r"[^a-z0-9]+", "_", row.path.lower()).strip("_")
    return f"{row.method.lower()}_{words or 'root'}"


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "minLength": 1},
            **({"description": "Takes the rest of the path, slashes and all."} if mark == "*" else {}),
        }
        for mark, name in re.findall(r"/([:*])(\w+)", path)
    ]


def _query_parameters(query: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "schema": {key: value for key, value in schema.items() if key != "description"},
            **({"description": schema["description"]} if "description" in schema else {}),
        }
        for name, schema in query.items()
    ]


def _responses(row: Route) -> dict[str, Any]:
    good: dict[str, Any] = {"description": row.doc}
    if row.status != 204:
        # A reader of the document may judge each event of a stream by its schema, and not the text of all.
        also = {
            content_type: {"schema": {} if content_type == EVENT_STREAM else {"type": "string"}}
            for content_type in row.also_answers
        }
        good["content"] = {row.content_type: {"schema": dict(row.reply or {})}, **also}
    problem: dict[str, Any] = {
        "description": "A refusal",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    own = None if row.refusal is None else row.refusal(NotFound())
    if isinstance(own, Reply):
        problem["content"][own.content_type] = {"schema": {}}
    # A row with refusals of its own meets those of the gates too.
    refused = {**problem, "content": {**good.get("content", {}), **problem["content"]}}
    others = {
        str(status): {"description": "Nothing"} if status == 204 else refused if status >= 400 else good
        for status in row.also_statuses
    }
    return {str(row.status): good, **others, "default": problem}

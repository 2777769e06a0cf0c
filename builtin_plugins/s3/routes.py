"""The rows about S3, what they take and give, and keys for the conformance tests."""

from guildhall_sdk import PAGE_QUERY, Factory, Route, SampleClient
from guildhall_sdk.schema import (
    array,
    enum,
    integer,
    listing,
    nullable,
    obj,
    permissions,
    shape,
    string,
    time,
)

LONGEST_LINK = 7 * 24 * 3600

_scope = obj(
    {
        "prefix": string(
            min_length=1, max_length=1024, description="keys that do not begin so are out of reach"
        ),
        "permissions": permissions(),
    }
)
_CENTURY = 100 * 365 * 24 * 3600
ISSUE = obj(
    {
        "scope": _scope,
        "ttl": {
            "anyOf": [integer(1, _CENTURY), enum("never")],
            "description": "Seconds; `never` unless told, or with the API token that issues it",
        },
    },
    example={"scope": {"prefix": "inbox/", "permissions": ["files:read", "files:write"]}},
)
PRESIGN = obj(
    {
        "expires_in": integer(1, LONGEST_LINK, description="seconds; 900 unless told otherwise"),
        "method": enum("GET", "PUT", description="what the link is for; GET unless told otherwise"),
        "version": integer(1, 2**53 - 1, description="of a version to GET; the newest unless told otherwise"),
    },
    example={"expires_in": 3600},
)

_scope_fields = shape(
    {"prefix": string(), "permissions": array(string())}, optional=["prefix", "permissions"]
)
_place = {"endpoint": string(), "region": string(), "bucket": string()}
KEYS = listing(
    shape(
        {
            "id": string(),
            "access_key_id": string(),
            "scope": _scope_fields,
            "created_at": time(),
            "last_used_at": nullable(time()),
            "expires_at": nullable(time()),
        }
    ),
    **_place,
)
ISSUED = shape(
    {
        "id": string(),
        "access_key_id": string(),
        "secret_access_key": string(),
        "scope": _scope_fields,
        "expires_at": nullable(time()),
        **_place,
    }
)
LINK = shape({"url": string(), "expires_at": time()})


ROUTES = (
    Route(
        "GET",
        "/api/s3/credentials",
        "list_keys",
        "The caller's S3 access keys, without their secrets, and where to use them.",
        query=PAGE_QUERY,
        reply=KEYS,
    ),
    Route(
        "POST",
        "/api/s3/credentials",
        "issue_key",
        "Issue an S3 access key, its secret shown once. A scope narrows it to a prefix and to permissions.",
        body=ISSUE,
        reply=ISSUED,
        status=201,
        resource_decides=True,
    ),
    Route(
        "DELETE",
        "/api/s3/credentials/:id",
        "revoke_key",
        "Revoke an S3 access key, and with it every link that it signed.",
        status=204,
        resource_decides=True,
    ),
    Route(
        "POST",
        "/api/repo-obj/:id/presign",
        "presign_object",
        "A link to an object for a while, signed with the caller's newest S3 key.",
        permission="files:read",
        body=PRESIGN,
        reply=LINK,
        resource_decides=True,
    ),
)


async def make_key(client: SampleClient, canary: str) -> str:
    _, answer = await client.call("POST", "/api/s3/credentials", {"scope": {"prefix": f"{canary}/"}})
    return str(answer["id"])


FACTORIES = (Factory("/api/s3/credentials/:id", make_key),)

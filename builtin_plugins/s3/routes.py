"""The rows about S3."""

from builtin_plugins.s3 import schemas
from guildhall_sdk import PAGE_QUERY, Route

ROUTES = (
    Route(
        "GET",
        "/api/s3/credentials",
        "list_keys",
        "The caller's S3 access keys, without their secrets, and where to use them.",
        query=PAGE_QUERY,
        reply=schemas.KEYS,
    ),
    Route(
        "POST",
        "/api/s3/credentials",
        "issue_key",
        "Issue an S3 access key, its secret shown once. A scope narrows it to a prefix and to permissions.",
        body=schemas.ISSUE,
        reply=schemas.ISSUED,
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
        body=schemas.PRESIGN,
        reply=schemas.LINK,
        resource_decides=True,
    ),
)

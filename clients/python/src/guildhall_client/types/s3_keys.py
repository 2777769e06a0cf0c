"""What the API says about s3 keys."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from guildhall_client.types.permissions import Permission


class S3KeyScope(TypedDict):
    permissions: NotRequired[list[str]]
    prefix: NotRequired[str]


class S3Key(TypedDict):
    access_key_id: str
    created_at: str
    expires_at: str | None
    id: str
    last_used_at: str | None
    scope: S3KeyScope


class S3KeyPage(TypedDict):
    bucket: str
    endpoint: str
    items: list[S3Key]
    next_cursor: str | None
    region: str


class CreatedS3Key(TypedDict):
    access_key_id: str
    bucket: str
    endpoint: str
    expires_at: str | None
    id: str
    region: str
    scope: S3KeyScope
    secret_access_key: str


class CreateS3KeyScope(TypedDict):
    permissions: NotRequired[Sequence[Permission]]
    #: keys that do not begin so are out of reach
    prefix: NotRequired[str]


__all__ = ["CreateS3KeyScope", "CreatedS3Key", "S3Key", "S3KeyPage", "S3KeyScope"]

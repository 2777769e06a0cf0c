"""The rows of s3 keys."""

from typing import Literal

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.s3_keys import CreatedS3Key, CreateS3KeyScope, S3Key, S3KeyPage


class S3Keys:
    """Calls of s3 keys."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
        self, *, scope: CreateS3KeyScope | Omitted = OMITTED, ttl: Literal["never"] | int | Omitted = OMITTED
    ) -> CreatedS3Key:
        """Issue an S3 access key, its secret shown once. A scope narrows it to a prefix and to
        permissions.

        `ttl`: Seconds; `never` unless told, or with the API token that issues it
        """
        reply: CreatedS3Key = self._api.call(
            "POST", "/api/s3/credentials", fields={"scope": scope, "ttl": ttl}
        )
        return reply

    def delete(self, id: str) -> None:
        """Revoke an S3 access key, and with it every link that it signed."""
        self._api.call("DELETE", f"/api/s3/credentials/{segment(id)}")

    def list(self, *, page_size: int | None = None) -> Pages[S3Key, S3KeyPage]:
        """The caller's S3 access keys, without their secrets, and where to use them."""
        return Pages(self._api, "/api/s3/credentials", query={"limit": page_size})

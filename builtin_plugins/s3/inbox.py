"""The body of a request to S3, and how it is refused."""

from collections.abc import Mapping
from typing import Any, ClassVar

from builtin_plugins.s3.wire.errors import EntityTooLarge, RequestTimeout
from guildhall_sdk.inbox import Inbox
from guildhall_sdk.mounts import Receive


class S3Inbox(Inbox):
    patience_seconds: ClassVar[float] = 20.0

    def __init__(self, receive: Receive, scope: Mapping[str, Any]) -> None:
        framed = any(
            name == b"transfer-encoding" or _announces(name, value) for name, value in scope["headers"]
        )
        later = scope.get("http_version", "1.1") not in ("1.0", "1.1")
        waits = any(name == b"expect" for name, _ in scope["headers"])
        super().__init__(receive, announced=framed or later, on_request=waits)

    def too_large(self, limit: int) -> Exception:
        return EntityTooLarge()

    def too_slow(self) -> Exception:
        return RequestTimeout()


def _announces(name: bytes, value: bytes) -> bool:
    return name == b"content-length" and value != b"0"

"""What an operator decides about S3."""

import re
from collections.abc import Sequence
from typing import Any

from guildhall_sdk import Setting
from guildhall_sdk.settings import address, whole

_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")


def domain(given: str) -> str:
    """Parses a host name in small letters, with a port where it has one."""
    name, colon, port = given.partition(":")
    if _NAME.fullmatch(name) is None or (
        colon and not (re.fullmatch(r"[0-9]{1,5}", port) and int(port) <= 65535)
    ):
        raise ValueError("takes a name in small letters, such as s3.example.com or s3.localhost:8081")
    return given


BIND = Setting(name="bind", help="where the S3 listener goes", default="127.0.0.1:8081", parse=address)
DOMAIN: Setting[str | None] = Setting(
    name="domain", help="base name for virtual-host style S3", default=None, parse=domain
)
RATE_LIMIT = Setting(
    name="rate_limit",
    help="S3 requests per access key and minute, SlowDown beyond; 0 is off",
    default=60_000,
    parse=whole(),
)

#: Where the buckets are said to be; a client may name any other.
REGION = "local"

SETTINGS: Sequence[Setting[Any]] = (BIND, DOMAIN, RATE_LIMIT)

"""Which bucket, where, and with which key: from `S3_*`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from guildhall_sdk import BlobStoreRefused

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_REGION = re.compile(r"[A-Za-z0-9-]{1,64}")


@dataclass(frozen=True, slots=True)
class StoreSettings:
    endpoint: str
    bucket: str
    region: str
    access_key_id: str
    secret_access_key: str = field(repr=False)
    prefix: str


def read_settings(environment: Mapping[str, str]) -> StoreSettings:
    """Raises `BlobStoreRefused` with one line that names the variable."""
    region = environment.get("S3_REGION", "us-east-1")
    endpoint = environment.get("S3_ENDPOINT", f"https://s3.{region}.amazonaws.com").rstrip("/")
    bucket = _needed(environment, "S3_BUCKET")
    if not _BUCKET.fullmatch(bucket):
        raise BlobStoreRefused("S3_BUCKET: takes the name of a bucket")
    if not _REGION.fullmatch(region):
        raise BlobStoreRefused("S3_REGION: takes the name of a region")
    address = urlsplit(endpoint)
    if address.scheme not in {"http", "https"} or not address.hostname or address.query or address.username:
        raise BlobStoreRefused("S3_ENDPOINT: takes an address such as https://minio.example:9000")
    return StoreSettings(
        endpoint,
        bucket,
        region,
        _needed(environment, "S3_ACCESS_KEY_ID"),
        _needed(environment, "S3_SECRET_ACCESS_KEY"),
        environment.get("S3_PREFIX", ""),
    )


def _needed(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "")
    if not value:
        raise BlobStoreRefused(f"{name}: must be set for the store s3")
    return value

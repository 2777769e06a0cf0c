"""Which bucket, where, and with which key: from `S3_*`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from guildhall_sdk import Setting
from guildhall_sdk.blobs import BlobStoreRefused
from libs.secret_values import looks_like_path, secret_from

_BUCKET_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_REGION_NAME = re.compile(r"[A-Za-z0-9-]{1,64}")


def _declare(name: str, help_line: str, default: str = "", *, secret: bool = False) -> Setting[str]:
    """Takes any text: the variables may be there for other programs, so only an opened store checks them."""
    variable = f"S3_{name.upper()}"
    return Setting(name=name, help=help_line, default=default, parse=str, secret=secret, variable=variable)


BUCKET = _declare("bucket", "the bucket of the store s3; it must exist")
ACCESS_KEY_ID = _declare("access_key_id", "a key that may list the bucket and read, write and delete in it")
SECRET_ACCESS_KEY = _declare("secret_access_key", "the secret of that key", secret=True)
REGION = _declare("region", "the region that requests to the store s3 are signed for", "us-east-1")
ENDPOINT = _declare(
    "endpoint", "where the store s3 answers, by path-style addresses; AWS in the region unless set"
)
PREFIX = _declare("prefix", "what every key in the store s3 begins with, such as guildhall/")
SETTINGS: Sequence[Setting[str]] = (BUCKET, ACCESS_KEY_ID, SECRET_ACCESS_KEY, REGION, ENDPOINT, PREFIX)


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
    region = _text(environment, REGION)
    endpoint = environment.get(ENDPOINT.variable or "", f"https://s3.{region}.amazonaws.com").rstrip("/")
    bucket = _required(environment, BUCKET)
    if not _BUCKET_NAME.fullmatch(bucket):
        raise BlobStoreRefused("S3_BUCKET: takes the name of a bucket")
    if not _REGION_NAME.fullmatch(region):
        raise BlobStoreRefused("S3_REGION: takes the name of a region")
    address = urlsplit(endpoint)
    if address.scheme not in {"http", "https"} or not address.hostname or address.query or address.username:
        raise BlobStoreRefused("S3_ENDPOINT: takes an address such as https://minio.example:9000")
    return StoreSettings(
        endpoint,
        bucket,
        region,
        _required(environment, ACCESS_KEY_ID),
        _secret(environment),
        _text(environment, PREFIX),
    )


def _required(environment: Mapping[str, str], setting: Setting[str]) -> str:
    value = _text(environment, setting)
    if not value:
        raise BlobStoreRefused(f"{setting.variable}: must be set for the store s3")
    return value


def _secret(environment: Mapping[str, str]) -> str:
    """Returns the key's secret from its variable, or from the file that S3_SECRET_ACCESS_KEY_FILE names."""
    variable = SECRET_ACCESS_KEY.variable or ""
    try:
        found = secret_from(environment, variable)
    except ValueError as error:
        raise BlobStoreRefused(f"{variable}: {error}") from None
    if found and looks_like_path(found):
        raise BlobStoreRefused(f"{variable}: looks like a path; name the file in {variable}_FILE instead")
    return found or _required(environment, SECRET_ACCESS_KEY)


def _text(environment: Mapping[str, str], setting: Setting[str]) -> str:
    return environment.get(setting.variable or "", setting.default)

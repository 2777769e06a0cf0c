"""AWS Signature Version 4, as S3 wants it."""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import quote

EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()
_ALGORITHM = "AWS4-HMAC-SHA256"


def encode_path(path: str) -> str:
    return quote(path, safe="/-_.~")


def encode_query(query: Mapping[str, str]) -> str:
    """As it is sent and as it is signed: encoded, then sorted."""
    pairs = sorted((quote(name, safe="-_.~"), quote(value, safe="-_.~")) for name, value in query.items())
    return "&".join(f"{name}={value}" for name, value in pairs)


def signed_headers(
    *,
    method: str,
    host: str,
    encoded_path: str,
    encoded_query: str,
    payload_sha256: str,
    at: datetime,
    region: str,
    access_key_id: str,
    secret_access_key: str,
) -> dict[str, str]:
    """The headers to send; the payload's digest is signed with the rest."""
    stamp = at.strftime("%Y%m%dT%H%M%SZ")
    scope = f"{stamp[:8]}/{region}/s3/aws4_request"
    headers = {"host": host, "x-amz-content-sha256": payload_sha256, "x-amz-date": stamp}
    names = ";".join(headers)
    lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
    canonical = "\n".join((method, encoded_path, encoded_query, lines, names, payload_sha256))
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    key = f"AWS4{secret_access_key}".encode()
    for part in (stamp[:8], region, "s3", "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, "\n".join((_ALGORITHM, stamp, scope, digest)).encode(), "sha256").hex()
    credential = f"Credential={access_key_id}/{scope}"
    headers["authorization"] = f"{_ALGORITHM} {credential}, SignedHeaders={names}, Signature={signature}"
    return headers

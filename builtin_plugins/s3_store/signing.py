"""Requests to an object store, signed with AWS Signature Version 4."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import quote

from awscrt.auth import (  # type: ignore[import-untyped]
    AwsCredentialsProvider,
    AwsSignedBodyHeaderType,
    AwsSigningConfig,
    aws_sign_request,
)
from awscrt.http import HttpHeaders, HttpRequest  # type: ignore[import-untyped]

EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()


def encode_path(path: str) -> str:
    return quote(path, safe="/-_.~")


def encode_query(query: Mapping[str, str]) -> str:
    """Encodes, then sorts: a query is sent in the form that is signed."""
    pairs = sorted((quote(name, safe="-_.~"), quote(value, safe="-_.~")) for name, value in query.items())
    return "&".join(f"{name}={value}" for name, value in pairs)


class Signer:
    """Signs for one key and one region."""

    def __init__(self, access_key_id: str, secret_access_key: str, region: str) -> None:
        self._credentials = AwsCredentialsProvider.new_static(access_key_id, secret_access_key)
        self._region = region

    def sign(self, method: str, host: str, target: str, sha256: str, at: datetime) -> dict[str, str]:
        """Gives the headers to send; the digest of the body is signed with them.

        A fixed key needs no waiting: the future is done when it comes, and no thread is involved.
        """
        config = AwsSigningConfig(
            credentials_provider=self._credentials,
            region=self._region,
            service="s3",
            date=at,
            use_double_uri_encode=False,
            should_normalize_uri_path=False,
            signed_body_value=sha256,
            signed_body_header_type=AwsSignedBodyHeaderType.X_AMZ_CONTENT_SHA_256,
        )
        request = HttpRequest(method, target, HttpHeaders([("host", host)]))
        return dict(aws_sign_request(request, config).result(timeout=0).headers)

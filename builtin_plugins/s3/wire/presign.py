"""Links that carry their signature: whoever holds one may do this one thing until it lapses."""

from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from builtin_plugins.s3.wire.request import Pairs, percent_encode
from builtin_plugins.s3.wire.sigv4 import (
    ALGORITHM,
    MAX_EXPIRY_S,
    UNSIGNED_PAYLOAD,
    SigningScope,
    canonical_query,
    canonical_request,
    sign,
    signing_key,
    string_to_sign,
)

MADE_WITH = "X-Guildhall-Made-With"
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, repr=False)
class SigningCredentials:
    """An access key with its secret; it prints as nothing."""

    access_key_id: str
    secret_access_key: str
    region: str


def presign(
    method: str,
    endpoint: str,
    bucket: str,
    key: str,
    credentials: SigningCredentials,
    *,
    now_ms: int,
    expires_s: int,
    version_id: str | None = None,
    made_with: str | None = None,
) -> str:
    """Returns a path-style URL below `endpoint`, which may have a path of its own.

    `made_with` names the API token that asked for it, without which the link is dead.
    """
    if not 1 <= expires_s <= MAX_EXPIRY_S:
        raise ValueError(f"a link lasts 1 to {MAX_EXPIRY_S} seconds")
    base = urlsplit(endpoint)
    host = _sent_host(base.scheme, base.hostname or "", base.port)
    path = f"{base.path.rstrip('/')}/{percent_encode(bucket)}/{percent_encode(key, safe='/')}"
    timestamp = datetime.fromtimestamp(now_ms // 1000, UTC).strftime("%Y%m%dT%H%M%SZ")
    scope = SigningScope(timestamp, credentials.region)
    query: Pairs = (
        ("X-Amz-Algorithm", ALGORITHM),
        ("X-Amz-Credential", f"{credentials.access_key_id}/{scope}"),
        ("X-Amz-Date", timestamp),
        ("X-Amz-Expires", str(expires_s)),
        ("X-Amz-SignedHeaders", "host"),
        *((("versionId", version_id),) if version_id is not None else ()),
        *(((MADE_WITH, made_with),) if made_with is not None else ()),
    )
    canonical = canonical_request(method, path, query, f"host:{host}\n", ("host",), UNSIGNED_PAYLOAD)
    key_of_day = signing_key(credentials.secret_access_key, scope.date, scope.region)
    signature = sign(key_of_day, string_to_sign(scope, canonical))
    return f"{base.scheme}://{host}{path}?{canonical_query(query)}&X-Amz-Signature={signature}"


def _sent_host(scheme: str, host: str, port: int | None) -> str:
    """Returns the Host header of a client that follows the link: without the scheme's own port."""
    bare = f"[{host}]" if ":" in host else host
    return bare if port in (None, _DEFAULT_PORTS.get(scheme)) else f"{bare}:{port}"

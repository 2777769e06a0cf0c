"""Signature Version 4: who signed a request, and whether this is the request they signed.

A claim is read without the secret; the caller looks the key up; `verify` then judges. Any region will do.
"""

import hashlib
import hmac
from dataclasses import dataclass

from builtin_plugins.s3.wire.claims import ALGORITHM, Claim, SigningScope
from builtin_plugins.s3.wire.errors import SignatureDoesNotMatch
from builtin_plugins.s3.wire.percent import canonical_path, encode
from builtin_plugins.s3.wire.request import Headers, Pairs, S3Request
from builtin_plugins.s3.wire.signing_key import signing_key


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature that held: what the chunks of a streamed body are signed after."""

    access_key_id: str
    scope: SigningScope
    key: bytes
    value: str
    payload: str
    presigned: bool

    def __repr__(self) -> str:
        return f"Signature(access_key_id={self.access_key_id!r}, scope={self.scope!r})"


def verify(request: S3Request, claim: Claim, secret: str) -> Signature:
    query = tuple(pair for pair in request.query if not claim.presigned or pair[0] != "X-Amz-Signature")
    canonical = canonical_request(
        request.method,
        canonical_path(request.raw_path),
        query,
        canonical_headers(request.headers, claim.signed_headers),
        claim.signed_headers,
        claim.payload,
    )
    key = signing_key(secret, claim.scope.date, claim.scope.region)
    expected = sign(key, string_to_sign(claim.scope, canonical))
    if not hmac.compare_digest(expected.encode(), claim.signature.encode()):
        raise SignatureDoesNotMatch(AWSAccessKeyId=claim.access_key_id)
    return Signature(claim.access_key_id, claim.scope, key, expected, claim.payload, claim.presigned)


def canonical_request(
    method: str, path: str, query: Pairs, headers: str, signed_headers: tuple[str, ...], payload: str
) -> str:
    return "\n".join((method, path, canonical_query(query), headers, ";".join(signed_headers), payload))


def canonical_query(query: Pairs) -> str:
    """Sorted by what is sent, not by what it means."""
    encoded = sorted((encode(name), encode(value)) for name, value in query)
    return "&".join(f"{name}={value}" for name, value in encoded)


def canonical_headers(headers: Headers, signed: tuple[str, ...]) -> str:
    lines = (",".join(_trimmed(value) for value in headers.lines(name)) for name in signed)
    return "".join(f"{name}:{line}\n" for name, line in zip(signed, lines, strict=True))


def string_to_sign(scope: SigningScope, canonical: str) -> str:
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    return f"{ALGORITHM}\n{scope.timestamp}\n{scope}\n{digest}"


def sign(key: bytes, text: str) -> str:
    return hmac.digest(key, text.encode(), "sha256").hex()


def _trimmed(value: str) -> str:
    return b" ".join(value.encode().split()).decode()

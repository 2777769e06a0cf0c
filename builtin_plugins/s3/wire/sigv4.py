"""Signature Version 4: who signed a request, and whether this is the request they signed.

A claim is read without the secret; the caller looks the key up; `verify` then judges. Any region will do.
"""

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes, urlsplit

from builtin_plugins.s3.wire.errors import (
    AccessDenied,
    AuthorizationHeaderMalformed,
    AuthorizationQueryParametersError,
    InvalidArgument,
    InvalidRequest,
    RequestTimeTooSkewed,
    S3Error,
    SignatureDoesNotMatch,
)
from builtin_plugins.s3.wire.request import Headers, Pairs, S3Request, percent_encode

ALGORITHM = "AWS4-HMAC-SHA256"
UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD"
MAX_SKEW_MS = 15 * 60 * 1000
MAX_EXPIRY_S = 7 * 24 * 3600

_MAX_CREDENTIAL = 512
TIMESTAMP = re.compile(r"\d{8}T\d{6}Z", re.ASCII)
_EXPIRY = re.compile(r"[1-9][0-9]{0,5}")
_SIGNATURE = re.compile(r"[0-9a-f]{64}")
VERSION_2 = (
    "Signature Version 2 is not supported. Sign with Signature Version 4 (AWS4-HMAC-SHA256); "
    "boto3 does so for presigned URLs with signature_version='s3v4'."
)
_UNRESERVED = re.compile(rb"[A-Za-z0-9/_.~-]*")
_UNITS = re.compile(rb"%[0-9A-Fa-f]{2}|[^%]+")


class SigningScope(NamedTuple):
    """Day, region, service: what the signing key is good for."""

    timestamp: str
    region: str

    def __str__(self) -> str:
        return f"{self.timestamp[:8]}/{self.region}/s3/aws4_request"


class SignatureClaim(NamedTuple):
    """`payload` is what the client says of the body: its digest, or how it is framed."""

    access_key_id: str
    scope: SigningScope
    signed_headers: tuple[str, ...]
    signature: str
    payload: str
    presigned: bool


def read_claim(request: S3Request, now_ms: int) -> SignatureClaim | None:
    """Reads a request's signature, or None if it has none; refuses one that is stale or malformed."""
    authorization = (request.headers.get("authorization") or "").strip()
    arguments = request.arguments
    if "AWSAccessKeyId" in arguments and "Signature" in arguments:
        raise InvalidRequest(VERSION_2)
    if "X-Amz-Algorithm" in arguments or "X-Amz-Signature" in arguments:
        if authorization:
            raise InvalidArgument("A request is signed in its header or in its query, not in both.")
        return _from_query(request, now_ms)
    return _from_header(request, authorization, now_ms) if authorization else None


def _from_header(request: S3Request, authorization: str, now_ms: int) -> SignatureClaim:
    scheme, _, rest = authorization.partition(" ")
    if scheme == "AWS":
        raise InvalidRequest(VERSION_2)
    if scheme != ALGORITHM:
        raise InvalidArgument(f"The authorization must be {ALGORITHM}.", ArgumentName="Authorization")
    fields: dict[str, str] = {}
    for part in rest.split(","):
        name, _, value = part.strip().partition("=")
        fields[name] = value
    if not {"Credential", "SignedHeaders", "Signature"} <= fields.keys():
        raise AuthorizationHeaderMalformed("Credential, SignedHeaders and Signature are needed.")
    timestamp = _header_timestamp(request)
    access_key_id, scope = parse_credential(fields["Credential"], timestamp, AuthorizationHeaderMalformed)
    if abs(moment_ms(timestamp) - now_ms) > MAX_SKEW_MS:
        raise RequestTimeTooSkewed(RequestTime=timestamp)
    payload = request.headers.get("x-amz-content-sha256")
    if payload is None:
        raise InvalidRequest("The header x-amz-content-sha256 is missing.")
    return SignatureClaim(
        access_key_id,
        scope,
        _parse_signed_headers(request, fields["SignedHeaders"], AuthorizationHeaderMalformed),
        checked_signature(fields["Signature"], AuthorizationHeaderMalformed),
        payload,
        presigned=False,
    )


def _from_query(request: S3Request, now_ms: int) -> SignatureClaim:
    arguments, malformed = request.arguments, AuthorizationQueryParametersError
    needed = ("Algorithm", "Credential", "Date", "Expires", "SignedHeaders", "Signature")
    missing = [f"X-Amz-{name}" for name in needed if f"X-Amz-{name}" not in arguments]
    if missing:
        raise malformed(f"{missing[0]} is missing.")
    if arguments["X-Amz-Algorithm"] != ALGORITHM:
        raise malformed(f"X-Amz-Algorithm must be {ALGORITHM}.")
    timestamp = arguments["X-Amz-Date"]
    if not TIMESTAMP.fullmatch(timestamp):
        raise malformed("X-Amz-Date must look like 20130524T000000Z.")
    access_key_id, scope = parse_credential(arguments["X-Amz-Credential"], timestamp, malformed)
    _require_live(moment_ms(timestamp), arguments["X-Amz-Expires"], now_ms)
    return SignatureClaim(
        access_key_id,
        scope,
        _parse_signed_headers(request, arguments["X-Amz-SignedHeaders"], malformed),
        checked_signature(arguments["X-Amz-Signature"], malformed),
        request.headers.get("x-amz-content-sha256", UNSIGNED_PAYLOAD),
        presigned=True,
    )


def _require_live(issued_ms: int, expires: str, now_ms: int) -> None:
    if not _EXPIRY.fullmatch(expires) or int(expires) > MAX_EXPIRY_S:
        raise AccessDenied(f"X-Amz-Expires must be between 1 and {MAX_EXPIRY_S} seconds.")
    if issued_ms - now_ms > MAX_SKEW_MS:
        raise AccessDenied("The request is not valid yet.")
    if now_ms >= issued_ms + int(expires) * 1000:
        raise AccessDenied("Request has expired")


def parse_credential(credential: str, timestamp: str, malformed: type[S3Error]) -> tuple[str, SigningScope]:
    parts = credential.rsplit("/", 4)
    if len(credential) > _MAX_CREDENTIAL or len(parts) != 5 or not parts[0]:
        raise malformed("The credential must be KEY/DATE/REGION/s3/aws4_request.")
    access_key_id, date, region, service, terminator = parts
    if service != "s3" or terminator != "aws4_request":
        raise malformed("The credential must be for the service s3 and end in aws4_request.")
    if date != timestamp[:8]:
        raise malformed("The credential is for another day than the request.")
    return access_key_id, SigningScope(timestamp, region)


def _parse_signed_headers(request: S3Request, text: str, malformed: type[S3Error]) -> tuple[str, ...]:
    """Parses the signed headers; the host and every x-amz header must be among them."""
    names = _signed_names(text)
    if not names:
        raise malformed("SignedHeaders must be sorted, in lower case, and contain host.")
    unsigned = []
    for name in request.headers:
        if name.startswith("x-amz-") and name not in names:
            unsigned.append(name)
    if unsigned:
        named = ", ".join(sorted(unsigned))
        raise AccessDenied("There are headers that were not signed.", HeadersNotSigned=named)
    return names


# A client signs the same headers each time, and many requests within a second.
@lru_cache(maxsize=64)
def _signed_names(text: str) -> tuple[str, ...]:
    """Returns the names in `SignedHeaders`; none where the list is malformed."""
    names = tuple(text.split(";"))
    is_sound = "host" in names and list(names) == sorted(set(text.lower().split(";")))
    return names if is_sound else ()


def checked_signature(signature: str, malformed: type[S3Error]) -> str:
    if not _SIGNATURE.fullmatch(signature):
        raise malformed("A signature is 64 hexadecimal digits.")
    return signature


def _header_timestamp(request: S3Request) -> str:
    date_header = request.headers.get("x-amz-date") or request.headers.get("date") or ""
    if TIMESTAMP.fullmatch(date_header):
        return date_header
    try:
        return parsedate_to_datetime(date_header).astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    except (ValueError, TypeError, OverflowError):
        raise AccessDenied("The request needs a valid x-amz-date or Date header.") from None


@lru_cache(maxsize=1024)
def moment_ms(timestamp: str) -> int:
    """Parses `20130524T000000Z` to milliseconds; a day that no calendar has is refused."""
    try:
        return int(datetime.fromisoformat(timestamp).timestamp()) * 1000
    except ValueError:
        raise AccessDenied("The time of the signature is not a time.") from None


@lru_cache(maxsize=1024)
def signing_key(secret: str, date: str, region: str) -> bytes:
    """Derives the signing key, cached by the secret itself: one that was replaced finds nothing."""
    key = f"AWS4{secret}".encode()
    for step in (date, region, "s3", "aws4_request"):
        key = hmac.digest(key, step.encode(), "sha256")
    return key


class Signature(NamedTuple):
    """A signature that held: what the chunks of a streamed body are signed after."""

    access_key_id: str
    scope: SigningScope
    key: bytes
    value: str
    payload: str
    presigned: bool

    def __repr__(self) -> str:
        return f"Signature(access_key_id={self.access_key_id!r}, scope={self.scope!r})"


def verify(request: S3Request, claim: SignatureClaim, secret: str) -> Signature:
    query = request.query
    if claim.presigned:
        query = tuple(pair for pair in query if pair[0] != "X-Amz-Signature")
    canonical = canonical_request(
        request.method,
        canonical_path(request.raw_path),
        query,
        canonical_headers(request.headers, claim.signed_headers),
        claim.signed_headers,
        claim.payload,
    )
    key = signing_key(secret, claim.scope.timestamp[:8], claim.scope.region)
    expected = sign(key, string_to_sign(claim.scope, canonical))
    if not hmac.compare_digest(expected.encode(), claim.signature.encode()):
        raise SignatureDoesNotMatch(AWSAccessKeyId=claim.access_key_id)
    return Signature(claim.access_key_id, claim.scope, key, expected, claim.payload, claim.presigned)


def canonical_request(
    method: str, path: str, query: Pairs, headers: str, signed_headers: tuple[str, ...], payload: str
) -> str:
    query_text = canonical_query(query) if query else ""
    return "\n".join((method, path, query_text, headers, ";".join(signed_headers), payload))


def canonical_query(query: Pairs) -> str:
    """Returns the query sorted by what is sent, not by what it means."""
    encoded = sorted((percent_encode(name), percent_encode(value)) for name, value in query)
    return "&".join(f"{name}={value}" for name, value in encoded)


def canonical_headers(headers: Headers, signed: tuple[str, ...]) -> str:
    lines = ""
    for name in signed:
        values = []
        for value in headers.lines.get(name, ()):
            values.append(b" ".join(value.encode().split()).decode())
        lines += f"{name}:{','.join(values)}\n"
    return lines


def string_to_sign(scope: SigningScope, canonical: str) -> str:
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    return f"{ALGORITHM}\n{scope.timestamp}\n{scope}\n{digest}"


def sign(key: bytes, text: str) -> str:
    return hmac.digest(key, text.encode(), "sha256").hex()


def canonical_path(raw: bytes) -> str:
    """Returns the path as it is signed; `%2F`, `//` and `..` stay what they are."""
    if _UNRESERVED.fullmatch(raw):
        return raw.decode()
    return "".join(map(_canonical_unit, _UNITS.findall(raw)))


def _canonical_unit(unit: bytes) -> str:
    if unit[:1] == b"%":
        return "%2F" if unit.upper() == b"%2F" else quote(unquote_to_bytes(unit))
    return quote(unit, safe="/")


MADE_WITH = "X-Guildhall-Made-With"
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, repr=False)
class SigningCredentials:
    """An access key with its secret; it prints as nothing.

    `made_with` names the API token that asked for the links it signs, without which they are dead.
    """

    access_key_id: str
    secret_access_key: str
    region: str
    made_with: str | None = None


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
) -> str:
    """Returns a path-style URL below `endpoint`, which may have a path of its own."""
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
        *(((MADE_WITH, credentials.made_with),) if credentials.made_with is not None else ()),
    )
    canonical = canonical_request(method, path, query, f"host:{host}\n", ("host",), UNSIGNED_PAYLOAD)
    key_of_day = signing_key(credentials.secret_access_key, timestamp[:8], scope.region)
    signature = sign(key_of_day, string_to_sign(scope, canonical))
    return f"{base.scheme}://{host}{path}?{canonical_query(query)}&X-Amz-Signature={signature}"


def _sent_host(scheme: str, host: str, port: int | None) -> str:
    """Returns the Host header of a client that follows the link: without the scheme's own port."""
    bare = f"[{host}]" if ":" in host else host
    return bare if port in (None, _DEFAULT_PORTS.get(scheme)) else f"{bare}:{port}"

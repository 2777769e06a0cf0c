"""An S3 request as the client sent it, before anything is believed."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from builtin_plugins.s3.wire.errors import InvalidArgument, InvalidRequest, InvalidURI, KeyTooLongError

_BROKEN_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
MAX_KEY_BYTES = 1024
MAX_ARGUMENTS = 1000

Pairs = tuple[tuple[str, str], ...]


class Headers(dict[str, str]):
    """Headers in the order they came; names in lower case. Lines of one name are one list."""

    def __init__(self, lines: Iterable[tuple[str, str]]) -> None:
        super().__init__()
        #: Each name's values, one for each line.
        self.lines: dict[str, list[str]] = {}
        for name, value in lines:
            self.lines.setdefault(name.lower(), []).append(value)
        for name, values in self.lines.items():
            self[name] = ",".join(values)


@dataclass(frozen=True)
class S3Request:
    """`raw_path` and `query` are what was signed, a mount's prefix included; `bucket` and `key` are decoded.

    A bucket without a key has an empty `key`; the service itself an empty `bucket`. `mounted` is whether it
    came to the main listener, which is the origin of the console.
    """

    method: str
    scheme: str
    host: str
    raw_path: bytes
    query: Pairs
    headers: Headers
    bucket: str
    key: str
    mounted: bool = False

    @cached_property
    def arguments(self) -> Mapping[str, str]:
        """The query by name; where a name stands twice, the first counts."""
        return dict(reversed(self.query))

    @cached_property
    def extensions(self) -> Mapping[str, str]:
        """The x-amz headers; a presigned link may carry them in its query instead."""
        queried = {name.lower(): value for name, value in reversed(self.query)}
        hoisted = queried if "x-amz-signature" in queried else {}
        return {name: value for name, value in (hoisted | dict(self.headers)).items() if name[:6] == "x-amz-"}

    @property
    def content_length(self) -> int | None:
        length = self.headers.get("content-length")
        if length is None:
            return None
        if not (length.isascii() and length.isdigit()):
            raise InvalidRequest("Content-Length is not a number.")
        return int(length)


def parse_request(scope: Mapping[str, Any], domain: str | None = None) -> S3Request:
    """Parses an ASGI scope. With `domain`, hosts below it name the bucket."""
    headers = Headers((name.decode("latin-1"), header_text(value)) for name, value in scope["headers"])
    raw_path = bytes(scope["raw_path"])
    path = _below(raw_path, scope.get("root_path", "").rstrip("/").encode())
    host = headers.get("host") or ""
    bucket = bucket_of_host(host, domain)
    raw_key = path[1:]
    if bucket is None:
        raw_bucket, _, raw_key = raw_key.partition(b"/")
        bucket = percent_decode(raw_bucket)
    key = percent_decode(raw_key)
    if len(key.encode()) > MAX_KEY_BYTES:
        raise KeyTooLongError()
    return S3Request(
        method=scope["method"],
        scheme=scope.get("scheme", "http"),
        host=host,
        raw_path=raw_path,
        query=parse_query(bytes(scope["query_string"])),
        headers=headers,
        bucket=bucket,
        key=key,
        mounted=bool(scope.get("root_path")),
    )


def header_text(value: bytes) -> str:
    """Decodes a header as UTF-8, which clients that know only Latin-1 sign all the same."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def parse_query(raw: bytes) -> Pairs:
    """Pairs in the order they came; `?uploads` has an empty value."""
    if not raw:
        return ()
    if raw.count(b"&") >= MAX_ARGUMENTS:
        raise InvalidRequest(f"A query has at most {MAX_ARGUMENTS} arguments.")
    return tuple(
        (percent_decode(name, plus_is_space=True), percent_decode(value, plus_is_space=True))
        for name, _, value in (pair.partition(b"=") for pair in raw.split(b"&") if pair)
    )


def bucket_of_host(host: str, domain: str | None) -> str | None:
    """Returns `team` for `team.s3.example.org:8081` below `s3.example.org`; None if the path names it."""
    if not domain:
        return None
    name, _, port = host.rpartition(":")
    bare = (name if port.isdigit() else host).lower()
    suffix = f".{domain.lower()}"
    return bare.removesuffix(suffix) if bare.endswith(suffix) and bare != suffix else None


def _below(raw_path: bytes, prefix: bytes) -> bytes:
    path = raw_path.removeprefix(prefix)
    if not raw_path.startswith(prefix) or path[:1] not in (b"", b"/"):
        raise InvalidURI()
    return path or b"/"


@dataclass(frozen=True, slots=True)
class CopySource:
    """The source of a copy."""

    bucket: str
    key: str
    version_id: str | None


def parse_copy_source(header: str) -> CopySource:
    """Parses `[/]bucket/key[?versionId=…]`, percent-encoded; a `+` is a plus."""
    path, mark, version = header.partition("?versionId=")
    try:
        bucket, _, key = percent_decode(path.encode()).removeprefix("/").partition("/")
        source = CopySource(bucket, key, percent_decode(version.encode()) if mark else None)
    except InvalidURI:
        source = CopySource("", "", None)
    if not source.bucket or not source.key or source.version_id == "":
        raise InvalidArgument(
            "x-amz-copy-source must be bucket/key, percent-encoded, perhaps with ?versionId=.",
            ArgumentName="x-amz-copy-source",
        )
    return source


def percent_decode(raw: bytes, *, plus_is_space: bool = False) -> str:
    if _BROKEN_ESCAPE.search(raw):
        raise InvalidURI()
    try:
        return unquote_to_bytes(raw.replace(b"+", b" ") if plus_is_space else raw).decode()
    except UnicodeDecodeError:
        raise InvalidURI() from None


def percent_encode(text: str, safe: str = "") -> str:
    """Encodes as S3 signs it: once, in capitals, everything but the unreserved characters."""
    return quote(text, safe=safe)

"""An S3 request as the client sent it, before anything is believed."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote, unquote_to_bytes

from builtin_plugins.s3.wire.errors import InvalidArgument, InvalidRequest, InvalidURI, KeyTooLongError

_BROKEN_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
MAX_KEY_BYTES = 1024
MAX_ARGUMENTS = 1000

Pairs = tuple[tuple[str, str], ...]


class Headers(dict[str, str]):
    """Headers in the order they came, in UTF-8; names in lower case. Lines of one name are one list."""

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        super().__init__()
        #: The lines as they came.
        self.raw = raw
        #: Each name's values, one for each line.
        self.lines: dict[str, list[str]] = {}
        for raw_name, value in raw:
            name = raw_name.decode("latin-1").lower()
            try:
                text = value.decode()
            except UnicodeDecodeError:  # of a client that knows only Latin-1, and signs it all the same
                text = value.decode("latin-1")
            if name in self:
                self.lines[name].append(text)
                self[name] += f",{text}"
            else:
                self.lines[name] = [text]
                self[name] = text


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
        given, found = self._hoisted | self.headers if self.query else self.headers, dict[str, str]()
        for name, value in given.items():
            if name[:6] == "x-amz-":
                found[name] = value
        return found

    @property
    def _hoisted(self) -> dict[str, str]:
        """The query of a presigned link, names in lower case."""
        queried = {name.lower(): value for name, value in reversed(self.query)}
        return queried if "x-amz-signature" in queried else {}

    @cached_property
    def raw_headers(self) -> Mapping[str, str]:
        """The headers in Latin-1, lines of one name joined, and x-amz ones that a link has in its query."""
        found: dict[str, str] = {}
        for raw_name, value in self.headers.raw:
            name, text = raw_name.decode("latin-1").lower(), value.decode("latin-1")
            found[name] = f"{found[name]},{text}" if name in found else text
        for name, hoisted in self._hoisted.items() if self.query else ():
            if name[:6] == "x-amz-":
                found.setdefault(name, hoisted.encode().decode("latin-1"))
        return found

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
    headers = Headers(scope["headers"])
    raw_path = bytes(scope["raw_path"])
    prefix = scope.get("root_path", "").rstrip("/").encode()
    path = raw_path.removeprefix(prefix)
    if not raw_path.startswith(prefix) or path[:1] not in (b"", b"/"):
        raise InvalidURI()
    host = headers.get("host") or ""
    bucket = bucket_of_host(host, domain) if domain else None
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
        query=parse_query(scope["query_string"]) if scope["query_string"] else (),
        headers=headers,
        bucket=bucket,
        key=key,
        mounted=bool(scope.get("root_path")),
    )


def parse_query(raw: bytes) -> Pairs:
    """Pairs in the order they came; `?uploads` has an empty value."""
    if raw.count(b"&") >= MAX_ARGUMENTS:
        raise InvalidRequest(f"A query has at most {MAX_ARGUMENTS} arguments.")
    return tuple(
        (percent_decode(name, plus_is_space=True), percent_decode(value, plus_is_space=True))
        for name, _, value in (pair.partition(b"=") for pair in raw.split(b"&") if pair)
    )


def bucket_of_host(host: str, domain: str) -> str | None:
    """Returns `team` for `team.s3.example.org:8081` below `s3.example.org`; None if the path names it."""
    name, _, port = host.rpartition(":")
    bare = (name if port.isdigit() else host).lower()
    suffix = f".{domain.lower()}"
    return bare.removesuffix(suffix) if bare.endswith(suffix) and bare != suffix else None


class CopySource(NamedTuple):
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

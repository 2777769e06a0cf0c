"""A form that uploads a file: its fields, which come first and are few, and the file as it streams in."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from typing import Any

from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

from builtin_plugins.s3.wire.errors import (
    InvalidArgument,
    KeyTooLongError,
    MalformedPOSTRequest,
    MaxPostPreDataLengthExceeded,
)
from builtin_plugins.s3.wire.request import MAX_KEY_BYTES, S3Request

MEDIA_TYPE = "multipart/form-data"
# As Amazon: all that stands before the file's first byte, boundaries included.
MAX_FORM_BYTES = 20 * 1024
_FILE = "file"
# RFC 2046.
_MAX_BOUNDARY = 70
_SHORT = 64 * 1024

# The parser has no types: a segment where one begins, some of its bytes, and None at its end.
_Event = Any


def is_form(request: S3Request) -> bool:
    """Tells whether the request is an upload by a form; never one signed elsewhere, or with a query."""
    return (
        request.method == "POST"
        and bool(request.bucket)
        and not request.key
        and not request.query
        and "authorization" not in request.headers
        and _media_type(request)[0] == MEDIA_TYPE
    )


class UploadForm:
    """Reads the body of a form once, front to back: `fields`, `filename`, and then `content`.

    Names of fields are in lower case. What follows the file is left unread. How long the file will be is
    not told: by the length of the request it has at most `max_content` bytes, and at least `min_content` if
    there is as little behind it as there may be before it.
    """

    def __init__(self, request: S3Request, pieces: AsyncIterator[bytes]) -> None:
        boundary = _media_type(request)[1].get("boundary", "")
        if not 1 <= len(boundary) <= _MAX_BOUNDARY or not (boundary.isascii() and boundary.isprintable()):
            raise MalformedPOSTRequest("A form needs a boundary of 1 to 70 characters in its Content-Type.")
        self._parser = PushMultipartParser(boundary)
        self._closing = len(f"\r\n--{boundary}--")
        self._length = request.content_length
        self._taken = 0
        self._at_file = False
        self._events = self._parse_all(pieces)
        self.fields: Mapping[str, str] = {}
        self.filename = ""

    @classmethod
    async def open(cls, request: S3Request, pieces: AsyncIterator[bytes]) -> "UploadForm":
        """Reads the fields of a form, up to the file's first byte."""
        form = cls(request, pieces)
        form.fields = await form._read_fields()
        return form

    @property
    def max_content(self) -> int | None:
        if self._length is None:
            return None
        fields = sum(len(name) + len(value) for name, value in self.fields.items())
        return max(0, self._length - self._closing - fields)

    @property
    def min_content(self) -> int | None:
        """The least length of the file by that of the request; None if it is short, or not announced."""
        if self._length is None or self._length <= _SHORT:
            return None
        return self._length - 2 * MAX_FORM_BYTES

    def expanded(self) -> dict[str, str]:
        """Returns the fields with `${filename}` filled in, as conditions are held against them."""
        expanded = {
            name: value if name == "policy" else value.replace("${filename}", self.filename)
            for name, value in self.fields.items()
        }
        if sum(map(len, expanded.values())) > MAX_FORM_BYTES:
            raise MaxPostPreDataLengthExceeded()
        return expanded

    async def content(self) -> AsyncIterator[bytes]:
        """Yields the file's bytes; raises `MalformedPOSTRequest` where the body ends before the file does."""
        async with aclosing(self._events) as events:
            async for event in events:
                if event is None:
                    return
                yield event

    async def _read_fields(self) -> dict[str, str]:
        fields: dict[str, str] = {}
        name, value = "", bytearray()
        async for event in self._events:
            if isinstance(event, MultipartSegment):
                if self._at_file:
                    self.filename = _base_name(event.filename or "")
                    if len(self.filename) > MAX_KEY_BYTES:
                        raise KeyTooLongError()
                    return fields
                name, value = (event.name or "").lower(), bytearray()
            elif event is not None:
                value += event
            elif name in fields:
                raise InvalidArgument("A field of a form is given once.", ArgumentName=name)
            else:
                fields[name] = _text(name, value)
        raise InvalidArgument(
            "POST requires exactly one file upload per request.", ArgumentName=_FILE, ArgumentValue="0"
        )

    async def _parse_all(self, pieces: AsyncIterator[bytes]) -> AsyncGenerator[_Event, None]:
        """Yields what the parser finds; before the file only in as many bytes as are allowed there."""
        async for piece in pieces:
            at = 0
            while at < len(piece):
                allowed = len(piece) if self._at_file else MAX_FORM_BYTES - self._taken
                if allowed <= 0:
                    raise MaxPostPreDataLengthExceeded()
                part = piece[at : at + allowed]
                at += len(part)
                for event in self._parse(part):
                    yield event
        for event in self._parse(b""):
            yield event

    def _parse(self, part: bytes) -> Iterator[_Event]:
        if not self._at_file:
            self._taken += len(part)
        try:
            for event in self._parser.parse(part):
                if isinstance(event, MultipartSegment) and (event.name or "").lower() == _FILE:
                    self._at_file = True
                yield event
        except MultipartError:
            raise MalformedPOSTRequest() from None


def _media_type(request: S3Request) -> tuple[str, Mapping[str, str]]:
    kind, options = parse_options_header(request.headers.get("content-type") or "")
    return kind, options


def _base_name(filename: str) -> str:
    """Returns the name without the path that some browsers send."""
    return filename.replace("\\", "/").rpartition("/")[2]


def _text(name: str, value: bytearray) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise InvalidArgument("The fields of a form must be text in UTF-8.", ArgumentName=name) from None

"""Files of a folder as answers: found by us, served as Quart serves files.

A path is opened segment by segment from the folder's own descriptor. What was judged is what is read,
whatever is renamed or linked meanwhile.
"""

import asyncio
import errno
import os
import re
import stat
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from quart import Request, Response
from quart.wrappers.response import FileBody
from werkzeug.datastructures import Headers
from werkzeug.http import http_date, parse_accept_header, parse_range_header

from builtin_plugins.files.pages import page_rows
from guildhall_sdk import Call, Host, NotFound, Plugin, Reply, Unavailable, hookimpl
from guildhall_sdk.errors import PreconditionFailed, RangeNotSatisfiable
from guildhall_sdk.hooks import RowMaker
from guildhall_sdk.routes import Pages
from guildhall_sdk.services.pages import Files

PLUGIN = Plugin(
    id="files",
    name="Files",
    version="0.1.0",
    description="Serves the files of folders, with conditions, ranges and packed twins.",
    essential=True,
)

_CHUNK = 128 * 1024
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# A pipe that somebody put there must not be waited for.
_ENTRY = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NO_SUCH_FILE = frozenset(
    {
        errno.ENOENT,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.ELOOP,
        errno.EMLINK,
        errno.EACCES,
        errno.EPERM,
        errno.ENXIO,
        errno.ENODEV,
        errno.ENAMETOOLONG,
        errno.EINVAL,
    }
)
_LONGEST_RANGE = 100
_LATEST = 253_402_300_799
_DATE = re.compile(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT")

#: What the name of a file's packed twin ends in.
_PACKED = ".gz"
_OTHER = "application/octet-stream"
# The same on every machine, whatever its system knows.
_MEDIA_TYPES: Mapping[str, str] = {
    "avif": "image/avif",
    "css": "text/css; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "gif": "image/gif",
    "htm": "text/html; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "ico": "image/vnd.microsoft.icon",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "map": "application/json",
    "md": "text/markdown; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "otf": "font/otf",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml; charset=utf-8",
    "ttf": "font/ttf",
    "txt": "text/plain; charset=utf-8",
    "wasm": "application/wasm",
    "webm": "video/webm",
    "webmanifest": "application/manifest+json",
    "webp": "image/webp",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "xml": "application/xml",
}


class PageRows:
    """Folders of files among the rows of others."""

    row_makers: ClassVar[Mapping[type[Any], RowMaker]] = {Pages: page_rows}


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (PageRows,)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Files: lambda _host: FolderFiles()}


class OpenFile(FileBody):
    """A file that is open already, in the form that Quart takes."""

    buffer_size = _CHUNK

    def __init__(self, descriptor: int, status: os.stat_result) -> None:
        self._raw = open(descriptor, "rb", buffering=0)  # noqa: SIM115
        self.size = status.st_size
        self.begin, self.end = 0, self.size
        # A date has four digits for its year, whatever the file says.
        self.changed_at = min(max(status.st_mtime, 0), _LATEST)
        # The time of a build may be the same for all builds; when a file was put here never is.
        self.etag = f"{status.st_mtime_ns:x}-{status.st_ctime_ns:x}-{status.st_size:x}"

    def close(self) -> None:
        self._raw.close()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yields chunks, each read on a thread and no sooner than the one before was taken."""
        try:
            at = self.begin
            while at < self.end:
                size = min(self.buffer_size, self.end - at)
                chunk = await asyncio.to_thread(os.pread, self._raw.fileno(), size, at)
                if not chunk:
                    return  # it was cut meanwhile; its announced length tells the reader
                at += len(chunk)
                yield chunk
        finally:
            self.close()


class FolderFiles:
    """Implements the SDK's `Files`."""

    async def reply(
        self,
        call: Call,
        folder: Path,
        path: str,
        *,
        headers: Mapping[str, str] = {},
        packed: bool = False,
    ) -> Reply:
        content_type = media_type(path)
        if packed:
            headers = {**headers, "Vary": "Accept-Encoding"}
            if _takes_packed(call):
                twin = {**headers, "Content-Encoding": "gzip"}
                with suppress(NotFound):
                    return await self._reply(call, folder, path + _PACKED, twin, content_type)
        return await self._reply(call, folder, path, headers, content_type)

    async def _reply(
        self, call: Call, folder: Path, path: str, headers: Mapping[str, str], content_type: str
    ) -> Reply:
        opened = await asyncio.to_thread(open_below, folder, path)
        try:
            answered = await _conditional(call, opened)
        except BaseException:
            opened.close()
            raise
        all_headers = {**headers, **dict(answered.headers.items())}
        all_headers.pop("Content-Type", None)
        if answered.status_code not in (200, 206) or call.method == "HEAD":
            opened.close()
            if answered.status_code == 304:
                return Reply(status=304, headers=all_headers, content_type=content_type)
            return Reply(
                status=answered.status_code,
                headers=all_headers,
                content_type=content_type,
                stream=_no_chunks(),
            )
        return Reply(
            status=answered.status_code,
            headers=all_headers,
            content_type=content_type,
            stream=opened.chunks(),
        )


async def _no_chunks() -> AsyncIterator[bytes]:
    """Yields nothing: the stream of an answer without a body."""
    return
    yield b""


def _takes_packed(call: Call) -> bool:
    """Tells whether a packed twin may be sent; a part of a file is always one of the file itself."""
    wanted = parse_accept_header(call.headers.get("accept-encoding"))
    return wanted.quality("gzip") > 0 and "range" not in call.headers


async def _conditional(call: Call, opened: OpenFile) -> Response:
    """Answers by what the caller holds already, and then by the part that they want."""
    response = Response(opened, headers={"Accept-Ranges": "bytes", "ETag": f'"{opened.etag}"'})
    response.headers["Last-Modified"] = http_date(opened.changed_at)
    response.content_length = opened.size
    if held := _conditions(call):
        await response.make_conditional(_request(call, held))
    if response.status_code == 412:
        raise PreconditionFailed("The file changed since you read it; read it again.")
    wanted = _part(call, response, opened.size) if response.status_code == 200 else None
    if wanted is not None:
        await response.make_conditional(
            _request(call, wanted), accept_ranges=True, complete_length=opened.size
        )
    return response


def _conditions(call: Call) -> Headers:
    """Returns the conditional headers, without those that are no date as HTTP writes it."""
    found = Headers()
    for name in ("If-Match", "If-None-Match", "If-Modified-Since"):
        value = call.headers.get(name.lower())
        if value is not None and (name != "If-Modified-Since" or _DATE.fullmatch(value)):
            found[name] = value
    return found


def _part(call: Call, response: Response, size: int) -> Headers | None:
    """Returns the one range that is wanted; None, for the whole, where it is several or not understood."""
    range_header = call.headers.get("range", "")
    parsed = parse_range_header(range_header) if len(range_header) < _LONGEST_RANGE else None
    if parsed is None or parsed.units != "bytes" or len(parsed.ranges) != 1:
        return None
    if call.headers.get("if-range", response.headers["ETag"]) not in (
        response.headers["ETag"],
        response.headers["Last-Modified"],
    ):
        return None
    if (part := parsed.range_for_length(size)) is None:
        raise RangeNotSatisfiable(f"The file has {size} bytes.", headers={"Content-Range": f"bytes */{size}"})
    # Quart takes no suffix such as bytes=-3.
    return Headers([("Range", f"bytes={part[0]}-{part[1] - 1}")])


def _request(call: Call, headers: Headers) -> Request:
    scope: Any = {}
    return Request(
        call.method,
        "http",
        call.path,
        query_string=b"",
        headers=headers,
        root_path="",
        http_version="1.1",
        scope=scope,
        send_push_promise=_no_push_promise,
    )


async def _no_push_promise(path: str, headers: Headers) -> None: ...


def open_below(folder: Path, path: str) -> OpenFile:
    """Raises `NotFound`. Costs time: not on the event loop."""
    segments = path.split("/")
    if not all(map(_is_plain, segments)):
        raise NotFound()
    try:
        descriptor = os.open(folder, _FOLDER)
        for segment in segments:
            above = descriptor
            try:
                _refuse_special(os.lstat(segment, dir_fd=above))
                descriptor = os.open(segment, _ENTRY, dir_fd=above)
            finally:
                os.close(above)
    except OSError as error:
        if error.errno in _NO_SUCH_FILE:
            raise NotFound() from None
        if error.errno in (errno.EMFILE, errno.ENFILE):
            raise Unavailable("Too many files are open at once; try again shortly.") from None
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotFound()
        return OpenFile(descriptor, status)
    except BaseException:
        os.close(descriptor)
        raise


def _refuse_special(status: os.stat_result) -> None:
    """Refuses what is no regular file: a device may do something when it is opened."""
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        raise NotFound()


def _is_plain(segment: str) -> bool:
    if not segment or segment.startswith(".") or "\0" in segment or "\\" in segment:
        return False
    with suppress(UnicodeEncodeError):
        return bool(segment.encode())
    return False


def media_type(path: str) -> str:
    return _MEDIA_TYPES.get(path.rpartition(".")[2].lower(), _OTHER)

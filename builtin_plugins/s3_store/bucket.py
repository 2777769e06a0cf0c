"""The few calls of S3 that a blob store needs: signed (AWS Signature Version 4), retried where that helps."""

import asyncio
import hashlib
import xml.etree.ElementTree as ElementTree
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

import httpx
from awscrt.auth import (  # type: ignore[import-untyped]
    AwsCredentialsProvider,
    AwsSignedBodyHeaderType,
    AwsSigningConfig,
    aws_sign_request,
)
from awscrt.http import HttpHeaders, HttpRequest  # type: ignore[import-untyped]

from builtin_plugins.s3_store.settings import StoreSettings

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


_ATTEMPTS = 4
_PAUSE = 0.2
_TIMEOUT = httpx.Timeout(60, connect=10)


class StoreFailure(Exception):
    """The store was not reached, or answered something else than success."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"the object store answered {status} {reason}" if status else reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ListedObject:
    key: str
    size: int
    changed_at_ms: int


@dataclass(frozen=True, slots=True)
class PendingUpload:
    key: str
    upload_id: str
    begun_at_ms: int


class Bucket:
    """One bucket, by path-style addresses."""

    def __init__(
        self,
        settings: StoreSettings,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        pause: float = _PAUSE,
    ) -> None:
        self._signer = Signer(settings.access_key_id, settings.secret_access_key, settings.region)
        self._pause = pause
        endpoint = httpx.URL(settings.endpoint)
        self._host = endpoint.netloc.decode("ascii")
        self._origin = f"{endpoint.scheme}://{self._host}"
        self._base = f"{endpoint.path.rstrip('/')}/{settings.bucket}"
        # Authorities are read from the disk: 30 ms, for nothing where no TLS is spoken.
        verify = endpoint.scheme == "https"
        self._http = httpx.AsyncClient(timeout=_TIMEOUT, transport=transport, verify=verify)

    async def exists(self) -> None:
        await self._call("HEAD", None)

    async def put(self, key: str, body: bytes, query: Mapping[str, str] | None = None) -> str:
        """Stores the object, or a part of one; gives its ETag."""
        return str((await self._call("PUT", key, query, body)).headers.get("etag", ""))

    async def size(self, key: str) -> int | None:
        try:
            return int((await self._call("HEAD", key)).headers["content-length"])
        except StoreFailure as failure:
            if failure.status == 404:
                return None
            raise

    async def delete(self, key: str) -> None:
        await self._call("DELETE", key)

    @asynccontextmanager
    async def read(self, key: str, start: int, end: int | None) -> AsyncIterator[httpx.Response]:
        """Opens the body from `start` up to `end`, to be streamed."""
        headers = {"range": f"bytes={start}-{'' if end is None else end - 1}"} if start or end else {}
        response = await self._open("GET", key, {}, b"", headers)
        try:
            yield response
        finally:
            await response.aclose()

    async def begin_upload(self, key: str) -> str:
        answer = await self._call("POST", key, {"uploads": ""})
        return _text(_parsed(answer), "UploadId")

    async def complete_upload(self, key: str, upload_id: str, etags: Iterable[str]) -> None:
        root = ElementTree.Element("CompleteMultipartUpload")
        for number, etag in enumerate(etags, 1):
            part = ElementTree.SubElement(root, "Part")
            ElementTree.SubElement(part, "PartNumber").text = str(number)
            ElementTree.SubElement(part, "ETag").text = etag
        answer = await self._call("POST", key, {"uploadId": upload_id}, ElementTree.tostring(root))
        answered = _parsed(answer)
        if answered.tag.endswith("Error"):  # it may come after a 200 that kept the connection alive
            raise StoreFailure(500, _text(answered, "Code"))

    async def abort_upload(self, key: str, upload_id: str) -> None:
        await self._call("DELETE", key, {"uploadId": upload_id})

    async def objects(self, prefix: str, after: str = "") -> AsyncGenerator[ListedObject, None]:
        """Yields the objects below a prefix whose keys come after `after`, in the order of their keys."""
        query = {"list-type": "2", "prefix": prefix, **({"start-after": after} if after else {})}
        async for page in self._pages(query):
            for entry in page.findall("{*}Contents"):
                changed = _ms(_text(entry, "LastModified"))
                yield ListedObject(_text(entry, "Key"), int(_text(entry, "Size")), changed)

    async def folders(self, prefix: str) -> AsyncGenerator[str, None]:
        """Yields what keys below the prefix have up to the next slash, each once."""
        async for page in self._pages({"list-type": "2", "prefix": prefix, "delimiter": "/"}):
            for entry in page.findall("{*}CommonPrefixes"):
                yield _text(entry, "Prefix").removeprefix(prefix).rstrip("/")

    async def _pages(self, query: dict[str, str]) -> AsyncGenerator[ElementTree.Element, None]:
        while True:
            page = _parsed(await self._call("GET", None, query))
            yield page
            if _text(page, "IsTruncated") != "true":
                return
            query["continuation-token"] = _text(page, "NextContinuationToken")

    async def uploads(self, prefix: str) -> AsyncGenerator[PendingUpload, None]:
        """Yields the uploads under way."""
        query = {"uploads": "", "prefix": prefix}
        while True:
            page = _parsed(await self._call("GET", None, query))
            for entry in page.findall("{*}Upload"):
                begun_at_ms = _ms(_text(entry, "Initiated"))
                yield PendingUpload(_text(entry, "Key"), _text(entry, "UploadId"), begun_at_ms)
            if _text(page, "IsTruncated") != "true":
                return
            query["key-marker"] = _text(page, "NextKeyMarker")
            query["upload-id-marker"] = _text(page, "NextUploadIdMarker")

    async def close(self) -> None:
        await self._http.aclose()

    async def _call(
        self, method: str, key: str | None, query: Mapping[str, str] | None = None, body: bytes = b""
    ) -> httpx.Response:
        response = await self._open(method, key, query or {}, body, {})
        try:
            await response.aread()
        except httpx.TransportError as error:
            raise StoreFailure(0, type(error).__name__) from error
        finally:
            await response.aclose()
        return response

    async def _open(
        self,
        method: str,
        key: str | None,
        query: Mapping[str, str],
        body: bytes,
        headers: Mapping[str, str],
    ) -> httpx.Response:
        """Gives a response that says success, its body unread; retries what the store cannot do just now."""
        digest = await asyncio.to_thread(_sha256, body) if body else EMPTY_SHA256
        failure = StoreFailure(0, "")
        for attempt in range(_ATTEMPTS):
            if attempt:
                await asyncio.sleep(self._pause * 2**attempt)
            request = self._request(method, key, query, body, digest, headers)
            try:
                response = await self._http.send(request, stream=True)
            except httpx.TransportError as error:
                failure = StoreFailure(0, type(error).__name__)
                continue
            if response.is_success:
                return response
            failure = StoreFailure(response.status_code, await _reason(response))
            if response.status_code < 500 and response.status_code != 429:
                break
        raise failure

    def _request(
        self,
        method: str,
        key: str | None,
        query: Mapping[str, str],
        body: bytes,
        digest: str,
        headers: Mapping[str, str],
    ) -> httpx.Request:
        target = encode_path(self._base if key is None else f"{self._base}/{key}")
        if query:
            target += f"?{encode_query(query)}"
        signed = self._signer.sign(method, self._host, target, digest, datetime.now(UTC))
        sent = {**signed, **headers, "accept-encoding": "identity"}
        return self._http.build_request(method, f"{self._origin}{target}", content=body or None, headers=sent)


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


async def _reason(response: httpx.Response) -> str:
    """Gives the code in the XML of the response, or what the status is called."""
    try:
        answered = (await response.aread()).decode("utf-8", "replace")
    except httpx.TransportError:
        answered = ""
    finally:
        await response.aclose()
    code = answered.partition("<Code>")[2].partition("</Code>")[0]
    return code[:64] or response.reason_phrase


def _parsed(response: httpx.Response) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(response.content)  # noqa: S314  the operator's own store
    except ElementTree.ParseError:
        raise StoreFailure(response.status_code, "something that is not XML") from None


def _text(element: ElementTree.Element, name: str) -> str:
    return element.findtext(f"{{*}}{name}") or ""


def _ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000)

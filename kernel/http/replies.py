"""Replies on the wire: problems as RFC 9457 writes them, and the headers that every answer carries."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from guildhall_sdk import InvalidRequest, Problem, Reply, TooLarge, Unavailable
from guildhall_sdk.ids import new_id
from guildhall_sdk.routes import HeaderLines
from libs.fair_slots import RESULTS
from libs.strict_json import encode_json, encode_short, encode_steps, encode_text

_SECURITY: Mapping[bytes, bytes] = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
}
_PAGE: Mapping[bytes, bytes] = {
    b"cross-origin-opener-policy": b"same-origin",
    b"permissions-policy": b"camera=(), microphone=(), geolocation=()",
}
_PRIVATE: Mapping[bytes, bytes] = {
    **_SECURITY,
    b"cache-control": b"private, no-store",
    b"vary": b"Authorization",
}
_PUBLIC: Mapping[bytes, bytes] = {**_SECURITY, b"cache-control": b"no-store"}
_RETRY_SECONDS = 5
_WATCHED_FROM = 1024 * 1024


def header_lines(reply: Reply, content: bytes, request_id: str, *, private: bool) -> HeaderLines:
    """Returns the headers of a row's answer: those of every one, then its own."""
    headers = dict(_PRIVATE if private else _PUBLIC)
    headers[b"x-request-id"] = request_id.encode()
    if reply.content_type.startswith("text/html"):
        headers.update(_PAGE)
    for name, value in reply.headers.items():
        headers[name.lower().encode()] = value.encode("latin-1", "replace")
    if reply.etag is not None:
        headers[b"etag"] = reply.etag.encode()
    if reply.stream is not None or content or reply.status not in (204, 304):
        headers[b"content-type"] = reply.content_type.encode()
        if reply.stream is None:
            headers[b"content-length"] = str(len(content)).encode()
    return list(headers.items())


def is_watched(reply: Reply) -> bool:
    """Tells whether a caller who leaves ends a stream at once: a short one is soon over anyway."""
    length = reply.headers.get("Content-Length", "")
    return not length.isdecimal() or int(length) > _WATCHED_FROM


async def content_of(reply: Reply, holder: str) -> bytes:
    """Returns the body as bytes; what is no JSON shows here, in time for another answer.

    A long one is encoded in steps on a thread.
    """
    if reply.content is not None:
        return reply.content
    if reply.stream is not None or reply.status in (204, 304):
        return b""
    content = encode_short(reply.body)
    if content is None:
        text = await RESULTS.run_steps(holder, encode_steps(reply.body, encode_text))
        content = text.encode("utf-8", "replace")
    return content


def problem_reply(problem: Problem, request_id: str) -> Reply:
    body: dict[str, Any] = {
        "type": "about:blank" if problem.code == "internal" else f"urn:guildhall:problem:{problem.code}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        "code": problem.code,
        "request_id": request_id,
        **problem.extras,
    }
    if problem.errors:
        body["errors"] = [dict(error) for error in problem.errors]
    return Reply(body, problem.status, headers=problem.headers, content_type="application/problem+json")


def internal_error() -> Problem:
    return Problem("Something went wrong here; the log holds the details under this request id.")


class HeadTooLarge(TooLarge):
    status = 431
    title = "The head of the request is too large"


class UnknownCoding(InvalidRequest):
    status = 501
    title = "The transfer coding is not known here"


_NO_REQUEST = InvalidRequest("What came is not a request as HTTP/1.1 writes it.")
_OTHER_FAULTS: Mapping[int, Problem] = {
    431: HeadTooLarge("The head of a request takes at most 32 KiB."),
    501: UnknownCoding("Of the transfer codings, chunked alone is known here."),
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to what never reaches an application: no request at all, or one connection too many."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    @classmethod
    def of_bytes(cls, status: int) -> "Refusal":
        """Returns the refusal of what is not HTTP/1.1 as we take it."""
        return cls.of(_OTHER_FAULTS.get(status, _NO_REQUEST))

    @classmethod
    def of_connection(cls) -> "Refusal":
        """Returns the refusal of a connection more than there may be at once."""
        detail = "Too many connections are open at once; close some, or try again shortly."
        return cls.of(Unavailable(detail, headers={"Retry-After": str(_RETRY_SECONDS)}))

    @classmethod
    def of(cls, problem: Problem) -> "Refusal":
        request_id = new_id("req", time.time_ns() // 1_000_000)
        reply = problem_reply(problem, request_id)
        content = encode_json(reply.body)
        return cls(reply.status, tuple(header_lines(reply, content, request_id, private=False)), content)

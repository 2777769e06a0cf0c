"""Answers to what never reaches an application: bytes that are no request, and one connection too many."""

import time
from dataclasses import dataclass

from guildhall_sdk import InvalidRequest, Problem, TooLarge, Unavailable
from guildhall_sdk.ids import new_id
from kernel.http.decoding import encode_json
from kernel.http.problems import problem_reply

_RETRY_SECONDS = 5


class HeadTooLarge(TooLarge):
    status = 431
    title = "The head of the request is too large"


class UnknownCoding(InvalidRequest):
    status = 501
    title = "The transfer coding is not known here"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A problem as bytes on the wire, with the headers that every answer of ours has."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    @classmethod
    def of_bytes(cls, status: int) -> "Refusal":
        """For what is not HTTP/1.1 as we take it."""
        return cls._of(_problem_of(status))

    @classmethod
    def of_connection(cls) -> "Refusal":
        """For a connection more than there may be at once."""
        detail = "Too many connections are open at once; close some, or try again shortly."
        return cls._of(Unavailable(detail, headers={"Retry-After": str(_RETRY_SECONDS)}))

    @classmethod
    def _of(cls, problem: Problem) -> "Refusal":
        request_id = new_id("req", time.time_ns() // 1_000_000)
        reply = problem_reply(problem, request_id)
        body = encode_json(reply.body)
        headers = (
            (b"content-type", reply.content_type.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
            (b"x-request-id", request_id.encode()),
            *((name.lower().encode(), value.encode()) for name, value in reply.headers.items()),
        )
        return cls(reply.status, headers, body)

    def raw(self, more: list[tuple[bytes, bytes]]) -> bytes:
        """All of it, for who has no protocol yet to say it through."""
        lines = [*self.headers, (b"connection", b"close"), *more]
        head = b"".join(name + b": " + value + b"\r\n" for name, value in lines)
        return b"HTTP/1.1 %d \r\n" % self.status + head + b"\r\n" + self.body


def _problem_of(status: int) -> Problem:
    if status == HeadTooLarge.status:
        return HeadTooLarge("The head of a request takes at most 32 KiB.")
    if status == UnknownCoding.status:
        return UnknownCoding("Of the transfer codings, chunked alone is known here.")
    return InvalidRequest("What came is not a request as HTTP/1.1 writes it.")

"""Requests and answers as bytes, for what no HTTP client would send."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """The first answer in a stream of bytes; status 0 where the server hung up without one."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @classmethod
    def parse(cls, received: bytes) -> "RawAnswer":
        head, _, body = received.partition(b"\r\n\r\n")
        if not head:
            return cls(0, {}, b"")
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        return cls(int(first.split(" ")[1]), headers, body)

    def json(self) -> Any:
        return json.loads(self.body) if self.body else {}


def request_bytes(
    method: str,
    path: str,
    *,
    token: str | None = None,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
) -> bytes:
    """Returns a request with exactly these headers beside Host, Connection and the token."""
    sent = {"Host": "hall", "Connection": "close"}
    if token is not None:
        sent["Authorization"] = f"Bearer {token}"
    sent.update(headers or {})
    head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body

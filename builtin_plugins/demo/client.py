"""Calls of the server over HTTP, as anybody makes them."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from guildhall_sdk.errors import OperatorError

_SECONDS = 60
_START_SECONDS = 120
_EVERY_SECONDS = 0.1
# The server is on this machine, whatever proxy the environment names.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True, slots=True)
class Client:
    """A caller; without a token a stranger."""

    url: str
    token: str | None = None

    def of(self, token: str) -> "Client":
        return replace(self, token=token)

    def get(self, path: str, **headers: str) -> Any:
        return self._call("GET", path, None, headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self._call("POST", path, _json(body or {}), {"Content_Type": "application/json", **headers})

    def put(self, path: str, body: Any) -> Any:
        return self._call("PUT", path, _json(body), {"Content_Type": "application/json"})

    def patch(self, path: str, body: Any) -> Any:
        return self._call("PATCH", path, _json(body), {"Content_Type": "application/json"})

    def upload(self, key: str, content: bytes, content_type: str, **query: str) -> Any:
        asked = "&".join(f"{name}={quote(value)}" for name, value in query.items())
        path = f"/api/repo/{quote(key)}" + (f"?{asked}" if asked else "")
        return self._call("PUT", path, content, {"Content_Type": content_type})

    def wait_until_ready(self, lives: Callable[[], bool]) -> None:
        """Asks until the server is ready; raises where it ends before that."""
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end and lives():
            try:
                self.get("/ready")
            except (OSError, OperatorError):
                time.sleep(_EVERY_SECONDS)
            else:
                return
        raise OperatorError("the server did not start; guildhall doctor may say why")

    def wait_for(self, path: str, holds: Callable[[Any], bool]) -> Any:
        """Asks until what is answered holds, or for a minute."""
        end = time.monotonic() + _SECONDS
        while not holds(found := self.get(path)) and time.monotonic() < end:
            time.sleep(_EVERY_SECONDS)
        return found

    def _call(self, method: str, path: str, content: bytes | None, headers: Mapping[str, str]) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token is not None:
            named["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.url + path, content, named, method=method)  # noqa: S310 - our own server
        try:
            with _opener.open(request, timeout=_SECONDS) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise OperatorError(
                f"{method} {path} was answered {error.code}: {error.read()[:300]!r}"
            ) from None
        return json.loads(text) if text else None


def _json(body: Any) -> bytes:
    return json.dumps(body).encode()

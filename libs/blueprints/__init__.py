"""Quart blueprints that are answered request by request, without a socket of their own."""

import re
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from quart import Blueprint, Quart, Request, Response, g
from quart.wrappers.response import DataBody
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Rule

_PARAMETER = re.compile(r"<(?:(\w+)(?:\([^()]*\))?:)?(\w+)>")
# What a refusal says in headers, beside its type.
_TOLD = frozenset({"allow", "retry-after", "www-authenticate"})
_SERVING = ("before_serving_funcs", "after_serving_funcs", "while_serving_gens")


class Unservable(Exception):
    """Raised for a blueprint that needs more than requests; the message says what."""


class Refused(Exception):
    """Raised for a refusal of a blueprint, such as by `abort`."""

    def __init__(self, error: HTTPException) -> None:
        super().__init__(error.description or error.name)
        self.status = error.code or 500
        self.name = error.name
        self.headers = {name: value for name, value in error.get_headers() if name.lower() in _TOLD}


@dataclass(frozen=True, slots=True, kw_only=True)
class MountedRule:
    """A method of a rule. In `path` a parameter is `:name`, and one that takes the rest `*name`."""

    method: str
    path: str
    doc: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlueprintRequest:
    """A request, with its whole body."""

    method: str
    scheme: str
    path: str
    query: bytes
    headers: Mapping[str, str]
    address: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer: `content`, or the chunks of a `stream`. Names of headers are in small letters."""

    status: int
    headers: Mapping[str, str]
    content_type: str
    content: bytes | None = None
    stream: AsyncIterator[bytes] | None = None


class MountedBlueprint:
    """A blueprint under a prefix, in an application of its own."""

    def __init__(self, blueprint: Blueprint, prefix: str) -> None:
        """Raises `Unservable` for a blueprint with websockets, or with work around serving."""
        self._app = Quart(f"{blueprint.name}-mounted", static_folder=None)
        self._app.register_blueprint(blueprint, url_prefix=prefix + (blueprint.url_prefix or ""))
        if any(rule.websocket for rule in self._app.url_map.iter_rules()):
            raise Unservable(f"the blueprint {blueprint.name} has a websocket; send events instead")
        if any(getattr(self._app, name) for name in _SERVING):
            raise Unservable(f"the blueprint {blueprint.name} runs code when serving begins; use on_start")
        self._app.register_error_handler(HTTPException, _refuse)

    def rules(self) -> Iterator[MountedRule]:
        """Yields each method of each rule; none hides one that is more particular."""
        for rule in sorted(self._app.url_map.iter_rules(), key=_generality):
            doc = (self._app.view_functions[rule.endpoint].__doc__ or "").strip().partition("\n")[0]
            for method in sorted(_methods(rule)):
                yield MountedRule(method=method, path=_path(rule), doc=doc)

    async def answer(self, asked: BlueprintRequest, **given: Any) -> Answered:
        """Answers a request; what is given stands in Quart's `g` meanwhile. Raises `Refused`."""
        async with self._app.request_context(self._request(asked)) as context:
            for name, value in given.items():
                setattr(g, name, value)
            return await _answered(await self._app.full_dispatch_request(context))

    def _request(self, asked: BlueprintRequest) -> Request:
        headers = Headers(list(asked.headers.items()))
        headers["Remote-Addr"] = asked.address
        scope: Any = {"type": "http"}
        request = self._app.request_class(
            method=asked.method,
            scheme=asked.scheme,
            path=asked.path,
            query_string=asked.query,
            headers=headers,
            root_path="",
            http_version="1.1",
            scope=scope,
            send_push_promise=_no_push,
        )
        request.body.append(asked.body)
        request.body.set_complete()
        return request


async def _refuse(error: HTTPException) -> Any:
    if error.response is not None or (error.code or 500) < 400:
        return error.get_response()
    raise Refused(error)


async def _no_push(path: str, headers: Headers) -> None:
    """Does nothing: HTTP/1.1 has no push promise."""


async def _answered(response: Any) -> Answered:
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        headers[name.lower()] = f"{headers[name.lower()]}, {value}" if name.lower() in headers else value
    if "set-cookie" in headers:
        raise RuntimeError("a blueprint set a cookie: callers are known by their token, so none is sent")
    content_type = headers.pop("content-type", "application/octet-stream")
    status = response.status_code
    if isinstance(response, Response) and not isinstance(response.response, DataBody):
        return Answered(status=status, headers=headers, content_type=content_type, stream=_chunks(response))
    headers.pop("content-length", None)
    data = await response.get_data(as_text=False) if isinstance(response, Response) else response.get_data()
    return Answered(status=status, headers=headers, content_type=content_type, content=data)


async def _chunks(response: Response) -> AsyncIterator[bytes]:
    async with response.response as body:
        async for chunk in body:
            yield chunk.encode() if isinstance(chunk, str) else bytes(chunk)


def _methods(rule: Rule) -> set[str]:
    methods = {*(rule.methods or ())} - {"HEAD"}
    return methods - {"OPTIONS"} if getattr(rule, "provide_automatic_options", False) else methods


def _path(rule: Rule) -> str:
    return _PARAMETER.sub(lambda match: f"{'*' if match[1] == 'path' else ':'}{match[2]}", rule.rule)


def _generality(rule: Rule) -> tuple[int, ...]:
    return tuple({":": 1, "*": 2}.get(segment[:1], 0) for segment in _path(rule).split("/"))
